// The tables of truth that lie beside a checkout, run against the words of this room. Where they are absent the
// tests say so; the essential rules have tests of their own beside each file.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { humanDuration, shortHumanDuration } from './duration.ts'
import { ApiError } from './errors.ts'
import { formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts'
import { readJsonPath, renderJsonPath } from './jsonpath/jsonpath.ts'
import { formatLabelSelector, matchesLabels, parseLabelSelector } from './labels.ts'
import * as names from './names.ts'
import { jsonPatch } from './patch/json-patch.ts'
import { mergePatch } from './patch/merge-patch.ts'
import { strategicPatch } from './patch/strategic.ts'
import {
  addQuantity,
  canonicalQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  readQuantity,
  subQuantity,
  toBigIntBytes,
  toMilli,
} from './quantity.ts'
import type { Schema } from './schema.ts'

const FOLDER = new URL('../../../shared/reference/k8s-tables/', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: the tables are foreign data, looked into case by case
type Table = any

function table(t: TestContext, name: string): Table | undefined {
  const file = new URL(`${name}.json`, FOLDER)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  t.skip('shared tables absent')
  return undefined
}

test('quantity: every text', (t) => {
  const data = table(t, 'quantity')
  if (!data) return
  // Kubernetes shows 10^21 as 1, having run out of suffixes; an amount is not lost here.
  const wrongInKubernetes = new Set(['1000E'])
  for (const c of data.parse) {
    const quantity = parseQuantity(c.input)
    if (!c.ok) {
      const read = readQuantity(c.input)
      assert.ok(!quantity && !read.ok, c.input)
      assert.equal(read.failure.message, c.error, c.input)
      continue
    }
    assert.ok(quantity, c.input)
    if (wrongInKubernetes.has(c.input)) continue
    assert.equal(formatQuantity(quantity), c.recomputed, c.input)
    assert.equal(canonicalQuantity(c.input), c.json, c.input)
    assert.equal(quantity.format, c.format, c.input)
    // Beyond 64 bits, and for negative amounts below one, Kubernetes' own whole numbers wrap around; ours do not.
    const fits = quantity.nano >= 0n && quantity.nano < 9_000_000_000_000_000n * 1_000_000_000n
    if (!fits) continue
    assert.equal(String(toBigIntBytes(quantity)), c.value, c.input)
    assert.equal(String(toMilli(quantity)), c.milliValue, c.input)
  }
})

test('quantity: sums, differences and comparisons', (t) => {
  for (const c of table(t, 'quantity')?.arithmetic ?? []) {
    const [a, b] = [parseQuantity(c.A)!, parseQuantity(c.B)!]
    assert.equal(formatQuantity(addQuantity(a, b)), c.Add)
    assert.equal(formatQuantity(subQuantity(a, b)), c.Sub)
    assert.equal(compareQuantity(a, b), c.Cmp)
  }
})

test('case api-09: quantity round trip', (t) => {
  const file = new URL('../../../shared/cases/api-09-quantity-round-trip/quantities.json', import.meta.url)
  if (!existsSync(file)) return t.skip('shared cases absent')
  for (const row of JSON.parse(readFileSync(file, 'utf8'))) {
    const canonical = canonicalQuantity(row.in)
    const wanted = row.error ? [undefined] : (row.outAny ?? [row.out])
    assert.ok(wanted.includes(canonical), `${row.in}: ${canonical}`)
  }
})

test('names: every function, texts included', (t) => {
  const data = table(t, 'name-validation')
  if (!data) return
  const checks: Record<string, (text: string) => readonly string[]> = {
    IsCIdentifier: names.checkCIdentifier,
    IsConfigMapKey: names.checkConfigMapKey,
    IsDNS1035Label: names.checkDns1035Label,
    IsDNS1123Label: names.checkDns1123Label,
    IsDNS1123Subdomain: names.checkDns1123Subdomain,
    IsEnvVarName: names.checkEnvironmentName,
    IsHTTPHeaderName: names.checkHttpHeaderName,
    IsQualifiedName: names.checkQualifiedName,
    IsValidLabelValue: names.checkLabelValue,
    IsValidPercent: names.checkPercent,
    IsValidPortName: names.checkPortName,
    IsWildcardDNS1123Subdomain: names.checkWildcardDns1123Subdomain,
  }
  for (const [name, check] of Object.entries(checks)) {
    for (const text of data.valid[name]) assert.deepEqual(check(text), [], `${name} ${text}`)
    for (const [text, errors] of data.invalid[name]) assert.deepEqual(check(text), errors, `${name} ${text}`)
  }
})

function answer<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

test('label selectors: canonical forms, matches and refusals', (t) => {
  const data = table(t, 'label-selectors')
  for (const c of data?.cases ?? []) {
    const selector = answer(() => parseLabelSelector(c.selector))
    if (typeof selector === 'string') {
      assert.equal(c.ok, false, `${c.selector}: ${selector}`)
      assert.equal(selector, c.error, c.selector)
      continue
    }
    assert.ok(c.ok, c.selector)
    assert.equal(formatLabelSelector(selector), c.canonical, c.selector)
    const matched = data.labelSets.flatMap((labels: Record<string, string>, index: number) =>
      matchesLabels(selector, labels) ? [index] : [],
    )
    assert.deepEqual(matched, c.matchesLabelSets ?? [], c.selector)
  }
})

test('field selectors: canonical forms, matches and refusals', (t) => {
  for (const c of table(t, 'field-selectors')?.cases ?? []) {
    const selector = answer(() => parseFieldSelector(c.selector))
    if (typeof selector === 'string') {
      assert.ok(!c.ok, c.selector)
      assert.equal(selector, c.error)
      continue
    }
    assert.ok(c.ok, c.selector)
    assert.equal(formatFieldSelector(selector), c.canonical)
    for (const { fields, match } of c.matches)
      assert.equal(
        matchesFields(selector, (field) => fields[field] ?? ''),
        match,
        c.selector,
      )
  }
})

test('merge patch: appendix A of RFC 7396', (t) => {
  for (const c of table(t, 'merge-patch')?.cases ?? [])
    assert.deepEqual(mergePatch(c.original, c.patch), c.result, JSON.stringify(c.patch))
})

test('json patch: the public suite', (t) => {
  for (const c of table(t, 'json-patch')?.cases ?? []) {
    if (c.disabled || !c.patch) continue
    const result = answer(() => ({ value: jsonPatch(c.doc, c.patch) }))
    if (c.error) assert.equal(typeof result, 'string', JSON.stringify(c))
    else assert.ok(typeof result !== 'string', JSON.stringify(c))
    if (c.expected !== undefined && typeof result !== 'string') assert.deepEqual(result.value, c.expected)
  }
})

/** The tables' OpenAPI document as our schema: references are followed, and may go round in circles. */
function resolved(document: Table, root: string): Schema {
  const done = new Map<unknown, Table>()
  const definition = (reference: string) => document.components.schemas[reference.split('/').pop()!]
  const convert = (source: Table): Table => {
    if (done.has(source)) return done.get(source)
    const made: Table = {}
    done.set(source, made)
    const { allOf, $ref = allOf?.[0].$ref, ...own } = source
    const body = $ref ? definition($ref) : own
    // A reference under a merge key is that of the items: the document writes pointers to lists in this way.
    const pointsToItems = $ref && 'x-kubernetes-patch-merge-key' in own
    Object.assign(made, pointsToItems ? own : { ...body, ...own })
    if (pointsToItems) made.items = convert(body)
    else if (body.items) made.items = convert(body.items)
    if (made.properties)
      made.properties = Object.fromEntries(
        Object.entries(made.properties).map(([key, value]) => [key, convert(value)]),
      )
    return made
  }
  return convert(document.components.schemas[root])
}

test('strategic merge patch: two-way and three-way patches', (t) => {
  const data = table(t, 'strategic-merge-patch')
  if (!data) return
  const schema = resolved(data.schemas[0], 'mergeItem')
  for (const c of data.cases) {
    if (c.expectedError) continue
    if (c.twoWay && c.original)
      assert.deepEqual(
        strategicPatch(c.original, c.twoWay, schema),
        c.twoWayResult ?? c.modified,
        c.description,
      )
    if (c.threeWay && c.current && c.result)
      assert.deepEqual(strategicPatch(c.current, c.threeWay, schema), c.result, c.description)
  }
})

test('ages', (t) => {
  for (const { seconds, human, short } of table(t, 'human-duration')?.cases ?? []) {
    assert.equal(humanDuration(seconds), human)
    assert.equal(shortHumanDuration(seconds), short)
  }
})

test('jsonpath: templates and their output', (t) => {
  // The inputs were structs whose fields had an order of their own, which JSON does not carry: words are compared.
  const words = (text: string) => text.split(/[\s,{}[\]]+/).sort()
  for (const c of table(t, 'jsonpath')?.cases ?? []) {
    const template = readJsonPath(c.template)
    const result = template.ok ? renderJsonPath(template.value, c.input, c) : template
    assert.equal(result.ok, !c.expectError, c.template)
    if (result.ok) assert.deepEqual(words(result.value), words(c.expect), c.template)
  }
})
