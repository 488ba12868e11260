import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { s } from './build.ts'
import { applyDefaults } from './defaults.ts'
import { defineKind } from './define.ts'
import { readObject, validateObject, withDefaults } from './interpreter.ts'
import { validateListTypes } from './list-types.ts'
import { prune, unknownFields } from './prune.ts'
import { validate } from './validate.ts'

const widget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  doc: 'A widget.',
  body: () =>
    s.object({
      spec: s.object(
        {
          size: s.integer('Size.', { minimum: 1, maximum: 10, default: 3 }),
          mode: s.oneOf(['fast', 'slow'], 'Mode.', { default: 'fast' }),
          ports: s.keyedList(
            s.object({ name: s.string(), port: s.intOrString() }, '', { required: ['name'] }),
            ['name'],
          ),
          tags: s.set(s.string()),
          note: s.string('Note.', { pattern: '^[a-z]+$', maxLength: 5, nullable: true }),
          memory: s.quantity(),
          free: s.anything(),
        },
        'Wanted.',
        { required: ['memory'] },
      ),
    }),
})

const gadget = defineKind({
  group: '',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  doc: 'A gadget of the core habit.',
  body: () =>
    s.object({
      spec: s.write(
        s.object({
          on: s.boolean(),
          asked: s.keep(s.boolean()),
          size: s.integer(),
          memory: s.quantity(),
          at: s.time(),
          exact: s.microTime(),
          rules: s.write(s.list(s.string())),
          ports: s.list(s.object({ protocol: s.string('', { default: 'TCP' }), port: s.integer() })),
          data: s.map(s.bytes()),
        }),
      ),
    }),
})

const body = (spec: JsonObject, metadata: JsonObject = { name: 'w' }): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata,
  spec,
})
const fieldsOf = (object: KubeObject): string[] => validateObject(widget, object).map((one) => one.field)

test('a custom object is pruned, told, defaulted and validated', () => {
  const sent = body({ memory: '1Gi', sise: 3, ports: [{ name: 'a', prot: 1 }], free: { any: { thing: 1 } } })
  const { object, unknown } = readObject(widget, sent)
  assert.deepEqual(unknown, ['spec.sise', 'spec.ports[0].prot'])
  const whole = withDefaults(widget, object)
  assert.deepEqual(whole['spec'], {
    memory: '1Gi',
    ports: [{ name: 'a' }],
    free: { any: { thing: 1 } },
    size: 3,
    mode: 'fast',
  })
  assert.deepEqual(validateObject(widget, whole), [])
})

test('what is right already is returned as the same object', () => {
  const sent = body({ memory: '1Gi', size: 3, mode: 'slow' }) as unknown as KubeObject
  const { object } = readObject(widget, sent as unknown as JsonObject)
  assert.equal(object, sent)
  assert.equal(withDefaults(widget, object), sent)
})

test('nulls: defaulted, kept where nullable, else dropped', () => {
  const { object } = readObject(widget, body({ memory: '1', size: null, note: null, tags: null }))
  assert.deepEqual(withDefaults(widget, object)['spec'], { memory: '1', size: 3, note: null, mode: 'fast' })
})

test('causes are those that clients know', () => {
  const sent = {
    size: 11,
    mode: 'quick',
    note: 'ABCDEF',
    tags: ['a', 'a'],
    ports: [{ name: 'a' }, { name: 'a' }, { port: 1 }, { name: 'x', port: true }],
  }
  const object = body(sent) as unknown as KubeObject
  const causes = validateObject(widget, object).map((one) => `${one.field}: ${one.message}`)
  assert.deepEqual(causes, [
    'spec.memory: Required value',
    'spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
    'spec.mode: Unsupported value: "quick": supported values: "fast", "slow"',
    'spec.note: Too long: may not be more than 5 bytes',
    `spec.note: Invalid value: "ABCDEF": spec.note in body should match '^[a-z]+$'`,
    'spec.ports[2].name: Required value',
    'spec.ports[3].port: Invalid value: "boolean": spec.ports[3].port in body must be of type integer,string: "boolean"',
    '<nil>: Invalid value: "": "spec.ports[3].port" must validate at least one schema (anyOf)',
    'spec.ports[3].port: Invalid value: "boolean": spec.ports[3].port in body must be of type integer: "boolean"',
    'spec.tags[1]: Duplicate value: "a"',
    'spec.ports[1]: Duplicate value: {"name":"a"}',
  ])
  assert.deepEqual(fieldsOf(body({ memory: 'lots' }) as unknown as KubeObject), ['spec.memory'])
})

test('an update may leave alone what was wrong before', () => {
  const old = body({ memory: '1', size: 99, ports: [{ name: 'a', port: true }, { name: 'b' }] })
  const next = body({ memory: '2', size: 99, ports: [{ name: 'b' }, { name: 'a', port: true }] })
  const causes = validateObject(widget, next as unknown as KubeObject, old as unknown as KubeObject)
  assert.deepEqual(causes, [])
})

test('metadata of custom objects is typed', () => {
  assert.throws(
    () => readObject(widget, body({}, { name: 'w', labels: { a: 5 } })),
    (error: unknown) =>
      error instanceof ApiError && error.code === 400 && /metadata\.labels\.a/.test(error.message),
  )
  const { object, unknown } = readObject(widget, body({}, { name: 'w', nope: 1, creationTimestamp: null }))
  assert.deepEqual(unknown, ['metadata.nope'])
  assert.deepEqual(object.metadata, { name: 'w' })
})

test('core habit: zeros, pointers, canonical amounts and times, ever-written fields', () => {
  const read = (spec: JsonObject): unknown => {
    const sent = { apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'g' }, spec }
    return withDefaults(gadget, readObject(gadget, sent).object)['spec']
  }
  const sent = {
    on: false,
    asked: false,
    size: 0,
    memory: '1024Mi',
    at: '2026-01-02T03:04:05.678+01:00',
    exact: '2026-01-02T04:04:05.678000+01:00',
    ports: [{ port: 1 }],
    data: {},
  }
  assert.deepEqual(read(sent), {
    asked: false,
    memory: '1Gi',
    at: '2026-01-02T02:04:05Z',
    exact: '2026-01-02T03:04:05.678000Z',
    rules: null,
    ports: [{ port: 1, protocol: 'TCP' }],
  })
  assert.deepEqual(withDefaults(gadget, { apiVersion: 'v1', kind: 'Gadget', metadata: {} })['spec'], {
    rules: null,
  })
})

test('core habit: a wrong type is a 400 that names the field', () => {
  const bad: readonly (readonly [JsonObject, RegExp])[] = [
    [{ on: 'yes' }, /string .* in field spec\.on/],
    [{ size: 1.5 }, /spec\.size/],
    [{ size: 2 ** 31 }, /spec\.size/],
    [{ memory: '1 Gi' }, /quantities .* spec\.memory/],
    [{ at: 'tomorrow' }, /spec\.at/],
    [{ data: { a: '!' } }, /base64 data in field spec\.data\.a/],
    [{ ports: {} }, /spec\.ports/],
  ]
  for (const [spec, pattern] of bad) {
    const sent = { apiVersion: 'v1', kind: 'Gadget', metadata: { name: 'g' }, spec }
    assert.throws(
      () => readObject(gadget, sent),
      (error: unknown) => error instanceof ApiError && error.code === 400 && pattern.test(error.message),
    )
  }
})

test('a field named __proto__ is data like any other', () => {
  const value = JSON.parse('{"metadata":{"x":1},"m":{"__proto__":{"a":null}}}') as Json
  const schema = s.object({ m: s.map(s.object({ a: s.string('', { default: 'd' }) })) })
  const result = applyDefaults(value, schema)
  assert.equal(JSON.stringify(result), '{"metadata":{"x":1},"m":{"__proto__":{"a":"d"}}}')
  assert.deepEqual(validate(result, schema), [])
  assert.deepEqual(unknownFields(value, schema), ['m.__proto__.a'].slice(1))
  assert.deepEqual(prune({ z: 1 } as Json, schema), {})
  assert.deepEqual(validateListTypes(['a', 'a'], s.set(s.string()), 'x').length, 1)
})
