// Replays of structured merge cases that lie beside a checkout: object and owners are compared after every step.
// Where they are absent the test says so; the essential rules are in track.test.ts.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { Json } from '../json.ts'
import type { Schema } from '../schema.ts'
import { checkApplied } from './check-applied.ts'
import { eachPath, encodeFieldsV1, type FieldSet, pathText, setOfFields } from './fieldset.ts'
import { applyConfiguration, type KindVersion, type Owners, ownersAfterUpdate, type Write } from './owners.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are foreign data, looked into case by case
type Table = any

const FILE = new URL('../../../../shared/reference/k8s-tables/ssa.json', import.meta.url)
const SCALARS: Record<string, string> = { string: 'string', numeric: 'number', boolean: 'boolean' }

/** A type of the cases' own schema language as our schema. */
function schemaOf(text: string, root: string): Schema | undefined {
  const types = new Map<string, Table>(parse(text).types.map((type: Table) => [type.name, type]))
  const done = new Map<string, Table>()
  const convert = (type: Table): Table => {
    const relationship = type.elementRelationship
    if (type.namedType) {
      if (type.namedType.startsWith('__untyped')) return undefined
      const key = `${type.namedType}/${relationship ?? ''}`
      if (done.has(key)) return done.get(key)
      const made: Table = {}
      done.set(key, made)
      const { elementRelationship: _own, ...named } = types.get(type.namedType)
      return Object.assign(
        made,
        convert(relationship ? { ...named, elementRelationship: relationship } : named),
      )
    }
    if (type.list)
      return listOf({ ...type.list, ...(relationship ? { elementRelationship: relationship } : {}) })
    if (type.map)
      return mapOf({ ...type.map, ...(relationship ? { elementRelationship: relationship } : {}) })
    return { type: SCALARS[type.scalar] }
  }
  const listOf = ({ elementRelationship, keys, elementType }: Table): Table => ({
    type: 'array',
    items: convert(elementType),
    'x-kubernetes-list-type': elementRelationship === 'atomic' ? 'atomic' : keys ? 'map' : 'set',
    ...(keys ? { 'x-kubernetes-list-map-keys': keys } : {}),
  })
  const mapOf = ({ fields, elementType, elementRelationship }: Table): Table => ({
    type: 'object',
    ...(fields ? { properties: Object.fromEntries(fields.map(fieldOf)) } : {}),
    additionalProperties: elementType ? (convert(elementType) ?? true) : !fields,
    ...(elementRelationship === 'atomic' ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  })
  const fieldOf = ({ name, type, default: preset }: Table) => [
    name,
    { ...convert(type), ...(preset === undefined ? {} : { default: preset }) },
  ]
  return convert({ namedType: root })
}

/** The cases with several versions rename fields between them, by three habits told apart by the tests' names. */
function renaming(name: string, version: string): (value: Json) => Json {
  const number = Number(version.slice(1))
  const rename = (key: string): string => {
    if (name.includes('RealConversion')) return /^(.)\1*$/.test(key) ? key[0]!.repeat(number) : key
    if (/^(field_foo_rely_on|required_field)_bar$/.test(key))
      return version === 'v1' ? 'field_foo_rely_on_bar' : 'required_field_bar'
    return key.replace(/_v\d+$/, `_${version}`)
  }
  const convert = (value: Table): Table => {
    if (Array.isArray(value)) return value.map(convert)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), convert(item)]))
  }
  return convert
}

function conflictText(conflicts: ReadonlyMap<string, FieldSet>): string {
  const lines: string[] = []
  for (const [manager, set] of conflicts)
    eachPath(set, (path) => void lines.push(`conflict with "${manager}": ${pathText(path)}`))
  return lines.join('\n')
}

function owned(list: Table[]): unknown[] {
  return list
    .map(({ manager, apiVersion, applied, fieldsV1 }) => ({ manager, apiVersion, applied, fieldsV1 }))
    .sort((a, b) => (a.manager < b.manager ? -1 : 1))
}

function replay(c: Table, schemas: Table): void {
  const versions = new Map<string, KindVersion>()
  for (const [version, { schema, type }] of Object.entries<Table>(c.schemas))
    versions.set(version, { schema: schemaOf(schemas[schema], type), convert: renaming(c.test, version) })
  let live: Json = {}
  let owners: Owners = new Map()
  for (const [index, step] of c.steps.entries()) {
    const where = `${c.file} ${c.test} step ${index}`
    const { apiVersion, manager: self } = step
    const version = versions.get(apiVersion)!
    const write: Write = { versions: (name) => versions.get(name), apiVersion, owners, self }
    live = version.convert(live)
    let refusal: string | undefined
    if (step.op === 'Update') {
      owners = ownersAfterUpdate(write, live, step.object)
      live = step.object
    } else {
      refusal = checkApplied(version.schema, step.object).join('; ') || undefined
      const result =
        refusal === undefined
          ? applyConfiguration(write, live, step.object, step.op === 'ForceApply')
          : undefined
      if (result && !result.ok) refusal = conflictText(result.conflicts)
      if (result?.ok) ({ value: live, owners } = result)
    }
    assert.equal(refusal, step.error ?? step.expectConflicts, where)
    if (refusal !== undefined) continue
    assert.deepEqual(live, step.live, where)
    const list = [...owners].map(([manager, { set, ...owner }]) => ({
      manager,
      ...owner,
      fieldsV1: encodeFieldsV1(set),
    }))
    assert.deepEqual(owned(list), owned(step.managers), where)
  }
}

test('structured merge cases: objects, owners and conflicts after every step', (t) => {
  if (!existsSync(FILE)) return t.skip('shared tables absent')
  const data = JSON.parse(readFileSync(FILE, 'utf8'))
  let replayed = 0
  for (const c of data.cases) {
    // Left out: client-side extraction, schemas that change half-way, and updaters configured in code.
    const maps = c.schemas && !c.specialUpdater
    if (
      !maps ||
      !c.steps.every((step: Table) => /^(Force)?Apply$|^Update$/.test(step.op) && 'object' in step)
    )
      continue
    replay(c, data.schemas)
    replayed++
  }
  t.diagnostic(`${replayed} of ${data.cases.length} cases replayed`)
  assert.ok(replayed >= 374)
})

test('ignored fields have no owner and cause no conflict', () => {
  const versions = () => ({ schema: undefined, convert: (value: Json) => value })
  const ignored = setOfFields([['status']])
  const write: Write = { versions, apiVersion: 'v1', owners: new Map(), self: 'one', ignored }
  const owners = ownersAfterUpdate(write, {}, { a: 1, status: { b: 2 } })
  assert.deepEqual(encodeFieldsV1(owners.get('one')!.set), { 'f:a': {} })
  const applied = applyConfiguration(
    { ...write, owners, self: 'two' },
    { a: 1, status: { b: 2 } },
    { status: { b: 3 } },
    false,
  )
  assert.ok(applied.ok)
  assert.equal(applied.owners.has('two'), false)
})
