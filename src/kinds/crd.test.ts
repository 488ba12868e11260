import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type JsonObject, parseJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { celRulesOf, definitionOf, kindsOfDefinition } from './crd.ts'
import { checkDefinition } from './custom/definition-rules.ts'
import { allKinds } from './index.ts'
import { readObject, validateObject, withDefaults } from './interpreter.ts'
import type { AnyKind, RuleLook } from './kind.ts'
import { CustomResourceDefinition } from './kubernetes/custom-resource-definition.ts'
import { columnsOf, rowOf } from './table.ts'

const look: RuleLook = {
  get: () => undefined,
  list: () => [],
  user: { username: 'u', groups: [] },
  now: 0,
  mayDo: () => true,
}

function admit(body: JsonObject): KubeObject {
  let object = withDefaults(CustomResourceDefinition, readObject(CustomResourceDefinition, body).object)
  for (const mutate of CustomResourceDefinition.mutators) object = mutate(object, undefined, look)
  return object
}

const definition = (schema: JsonObject, extra: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gizmos', kind: 'Gizmo', shortNames: ['gz'] },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...extra }],
  },
})

const schema: JsonObject = {
  type: 'object',
  description: 'A gizmo.',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1, default: 3 }, mode: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'self.size < 9' }],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}

test('a definition becomes a kind that works like any other', () => {
  const object = admit(
    definition(schema, {
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
      },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      selectableFields: [{ jsonPath: '.spec.mode' }],
      deprecated: true,
    }),
  )
  assert.deepEqual(checkDefinition(object, undefined, look).causes, [])
  const [defined] = kindsOfDefinition(object)
  assert.ok(defined)
  assert.equal(defined.deprecation, 'example.com/v1 Gizmo is deprecated')
  const { kind } = defined
  assert.equal(kind.singular, 'gizmo')
  assert.deepEqual(Object.keys(kind.subresources), ['status', 'scale'])
  assert.deepEqual(kind.selectableFields, ['metadata.name', 'metadata.namespace', 'spec.mode'])
  assert.deepEqual(
    columnsOf(kind).map((column) => column.name),
    ['Name', 'Size'],
  )
  const sent = { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' }, spec: { nope: 1 } }
  const { object: read, unknown } = readObject(kind, sent)
  assert.deepEqual(unknown, ['spec.nope'])
  const whole = withDefaults(kind, read)
  assert.deepEqual(rowOf(kind, whole, 0), ['g', 3])
  assert.deepEqual(validateObject(kind, whole), [])
})

test('rules that are not enforced yet are named in a warning', () => {
  const object = admit(definition(schema))
  const { warnings } = checkDefinition(object, undefined, look)
  assert.equal(warnings?.length, 1)
  assert.match(warnings?.[0] ?? '', /self\.size < 9.* not enforced/)
  assert.deepEqual(celRulesOf(object), [{ rule: 'self.size < 9' }])
})

test('what is not structural is refused with the place', () => {
  const fields = (bad: JsonObject): string[] => {
    const { causes = [] } = checkDefinition(admit(definition(bad)), undefined, look)
    return causes.map((one) => one.field.replace('spec.validation.openAPIV3Schema', '~'))
  }
  const inside = (part: JsonObject): JsonObject => ({ type: 'object', properties: { a: part } })
  assert.deepEqual(fields({ type: 'string' }), ['~.type'])
  assert.deepEqual(fields(inside({})), ['~.properties[a].type'])
  assert.deepEqual(fields(inside({ type: 'array' })), ['~.properties[a].items'])
  assert.deepEqual(fields(inside({ type: 'string', pattern: '(?=x)' })), ['~.properties[a].pattern'])
  assert.deepEqual(fields(inside({ type: 'integer', default: 'x' })), ['~.properties[a].default'])
  assert.deepEqual(fields(inside({ type: 'string', $ref: '#/x' })), ['~.properties[a].$ref'])
  const keyed = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: { type: 'string' } } },
  }
  assert.deepEqual(fields(inside(keyed)), ['~.properties[a].items.properties[k].default'])
})

test('our own custom kinds have definitions that would be accepted', () => {
  const byName = new Map<string, AnyKind[]>()
  for (const kind of allKinds) {
    if (kind.habit !== 'custom') continue
    const name = `${kind.plural}.${kind.group}`
    byName.set(name, [...(byName.get(name) ?? []), kind])
  }
  assert.ok(byName.size > 5)
  for (const [name, [first, ...rest]] of byName) {
    assert.ok(first)
    const object = definitionOf([first, ...rest])
    const text = JSON.stringify(object)
    assert.ok(!text.includes('x-croft-') && !text.includes('$ref'), name)
    const { causes = [] } = checkDefinition(object, undefined, look)
    assert.deepEqual(
      causes.filter((one) => !one.field.startsWith('metadata.annotations')),
      [],
      name,
    )
    assert.equal(kindsOfDefinition(object)[0]?.kind.kind, first.kind)
  }
})

const table = fileURLToPath(new URL('../../../shared/reference/k8s-tables/crd-objects.json', import.meta.url))
const skip = existsSync(table) ? false : 'shared tables absent'

test("Kubernetes' own definitions, good and bad", { skip }, () => {
  interface Case {
    readonly name: string
    readonly crd: KubeObject & { readonly noV1?: boolean }
    readonly old?: KubeObject
    readonly errors: readonly { readonly field: string }[]
  }
  const tables = parseJson(readFileSync(table, 'utf8')) as unknown as Record<string, readonly Case[]>
  const wrong: string[] = []
  let seen = 0
  for (const one of [...(tables['create'] ?? []), ...(tables['update'] ?? [])]) {
    if (one.crd.noV1) continue
    seen += 1
    const { causes = [] } = checkDefinition(one.crd, one.old, look)
    const told = [...new Set(causes.map((item) => item.field))].sort()
    const wanted = [...new Set(one.errors.map((item) => item.field))].sort()
    if (JSON.stringify(told) !== JSON.stringify(wanted)) wrong.push(one.name)
  }
  // What is left needs the costs of CEL or certificates; the number must only fall.
  assert.ok(wrong.length <= 20, `${wrong.length} of ${seen}: ${wrong.join('; ')}`)
})
