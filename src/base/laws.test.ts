// Laws that hold for all inputs: patches do not edit what they are given, tracking step by step ends where tracking
// from scratch does, canonical texts are fixed points.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  emptySet,
  encodeFieldsV1,
  equalSets,
  type FieldSet,
  intersectSets,
  parseFieldsV1,
  subtractSet,
  unionSets,
} from './apply/fieldset.ts'
import { applyPatch, trackUpdate } from './apply/track.ts'
import { compareTyped } from './apply/typed.ts'
import { deepEqual } from './equality.ts'
import { deepFreeze } from './freeze.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { KubeObject } from './object.ts'
import { jsonPatch } from './patch/json-patch.ts'
import { mergePatch } from './patch/merge-patch.ts'
import { strategicPatch } from './patch/strategic.ts'
import { canonicalQuantity, formatQuantity, parseQuantity } from './quantity.ts'
import type { Schema } from './schema.ts'

const keys = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom('x', 'y', ''),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value
const documents = fc.dictionary(keys, json, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>

/** The merge patch that turns one document into another, both without nulls. */
function difference(from: JsonObject, to: JsonObject): JsonObject {
  const entries: [string, Json][] = []
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) entries.push([key, null])
  for (const [key, value] of Object.entries(to)) {
    const old = Object.hasOwn(from, key) ? from[key] : undefined
    if (deepEqual(old, value)) continue
    const nested = old !== undefined && isObject(old) && value !== undefined && isObject(value)
    entries.push([key, nested ? difference(old, value) : value!])
  }
  return Object.fromEntries(entries)
}

test('a merge patch made from two documents turns one into the other', () => {
  fc.assert(
    fc.property(documents, documents, (from, to) => {
      const patch = deepFreeze(difference(from, to))
      deepFreeze(from)
      const result = mergePatch(from, patch)
      assert.ok(deepEqual(result, to))
      assert.ok(deepEqual(strategicPatch(from, patch), result))
      assert.equal(mergePatch(result, patch), result)
    }),
  )
})

test('a JSON patch that replaces every field gives the other document', () => {
  fc.assert(
    fc.property(documents, documents, (from, to) => {
      deepFreeze(from)
      deepFreeze(to)
      const removals = Object.keys(from).map((key) => ({ op: 'remove', path: `/${key}` }))
      const additions = Object.entries(to).map(([key, value]) => ({ op: 'add', path: `/${key}`, value }))
      assert.ok(deepEqual(jsonPatch(from, [...removals, ...additions]), to))
    }),
  )
})

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        atomic: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        map: { type: 'object', additionalProperties: text },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            properties: { name: text, value: text, extra: { type: 'object', additionalProperties: text } },
          },
        },
      },
    },
  },
}
const word = fc.constantFrom('p', 'q', 'r')
const words = fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true })
const specs = fc.record(
  {
    atomic: fc.array(word, { maxLength: 2 }),
    set: fc.uniqueArray(word, { maxLength: 3 }),
    map: words,
    items: fc.uniqueArray(
      fc.record({ name: word, value: word, extra: words }, { requiredKeys: ['name'], noNullPrototype: true }),
      { maxLength: 3, selector: (item) => item.name },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const managers = fc.constantFrom('one', 'two', 'three')
const common = { schema, apiVersion: 'v1', now: '2026-01-01T00:00:00Z' }

function object(spec: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec }
}

function allOwned(of: KubeObject): FieldSet {
  return (of.metadata.managedFields ?? []).reduce<FieldSet>(
    (set, entry) => unionSets(set, parseFieldsV1(entry.fieldsV1!)!),
    emptySet,
  )
}

test('after any updates somebody owns every field there is, and nobody a field that is gone', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(managers, specs), { minLength: 1, maxLength: 6 }), (steps) => {
      let live: KubeObject | undefined
      for (const [manager, spec] of steps) {
        const { managedFields: kept } = live?.metadata ?? {}
        const wanted = object(spec)
        const after = {
          ...wanted,
          metadata: { ...wanted.metadata, ...(kept ? { managedFields: kept } : {}) },
        }
        live = deepFreeze(trackUpdate({ ...common, before: live, after, manager }))
        const { changed } = compareTyped(schema, { spec: {} }, { spec: live['spec'] as Json })
        const fields = subtractSet(allOwned(live), parseFieldsV1({ 'f:spec': {} })!)
        assert.deepEqual(
          encodeFieldsV1(fields),
          encodeFieldsV1(subtractSet(changed, parseFieldsV1({ 'f:spec': {} })!)),
        )
      }
    }),
    { numRuns: 300 },
  )
})

test('applying twice is applying once, and what was applied is there', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(managers, specs), { minLength: 1, maxLength: 6 }), (steps) => {
      let live: KubeObject | undefined
      for (const [manager, spec] of steps) {
        const apply = { ...common, applied: deepFreeze(object(spec)), manager, force: true }
        live = deepFreeze(applyPatch({ ...apply, live }))
        assert.equal(applyPatch({ ...apply, live }), live)
        const atomic = (live['spec'] as { atomic?: unknown } | undefined)?.atomic
        if (spec.atomic) assert.deepEqual(atomic, spec.atomic)
        for (const value of spec.set ?? []) assert.ok((live['spec'] as { set: string[] }).set.includes(value))
      }
      // Whoever applies nothing more leaves nothing behind; an empty list of items is nobody's, so it may stay.
      for (const manager of ['one', 'two', 'three'])
        live = deepFreeze(applyPatch({ ...common, applied: object({}), manager, force: true, live }))
      for (const left of Object.values(live?.['spec'] ?? {})) assert.deepEqual(left, [])
    }),
    { numRuns: 300 },
  )
})

test('sets of fields: what is taken out and put back is as before', () => {
  const trees = documents.map((tree): FieldSet => compareTyped(undefined, {}, tree).changed)
  fc.assert(
    fc.property(trees, trees, (a, b) => {
      const both = intersectSets(a, b)
      assert.ok(equalSets(unionSets(subtractSet(a, b), both), a))
      assert.ok(equalSets(intersectSets(subtractSet(a, b), b), emptySet))
      assert.ok(equalSets(unionSets(a, b), unionSets(b, a)))
      assert.ok(equalSets(parseFieldsV1(JSON.parse(JSON.stringify(encodeFieldsV1(a))))!, a))
    }),
  )
})

test('canonical quantities are fixed points and name the same amount', () => {
  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'e3',
    'E-2',
    'e10',
  )
  const amounts = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.integer({ min: 0, max: 99_999 }),
      fc.option(fc.integer({ min: 0, max: 9999 })),
      suffix,
    )
    .map(
      ([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`,
    )
  fc.assert(
    fc.property(amounts, (amount) => {
      const quantity = parseQuantity(amount)!
      const canonical = formatQuantity(quantity)
      assert.equal(parseQuantity(canonical)?.nano, quantity.nano)
      assert.equal(formatQuantity(parseQuantity(canonical)!), canonical)
      assert.equal(parseQuantity(canonicalQuantity(amount)!)?.nano, quantity.nano)
    }),
    { numRuns: 1000 },
  )
})
