import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { deepFreeze } from '../freeze.ts'
import type { KubeObject, ManagedFieldsEntry } from '../object.ts'
import type { Schema } from '../schema.ts'
import { checkFieldManager, checkManagedFields, managerName, UPDATE_ENTRIES_MAX } from './managed-fields.ts'
import { applyPatch, trackUpdate, unlessOnlyTimes } from './track.ts'

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: 'object',
      properties: {
        name: text,
        namespace: text,
        uid: text,
        creationTimestamp: text,
        resourceVersion: text,
        labels: { type: 'object', additionalProperties: text },
        finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        managedFields: { type: 'array', items: { type: 'object' } },
      },
    },
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        args: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
        selector: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
            },
          },
        },
        template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
}

function object(spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): KubeObject {
  return deepFreeze({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'n', ...metadata },
    spec,
  })
}

const at = (second: number) => `2026-01-01T00:00:0${second}Z`
const common = { schema, apiVersion: 'v1', now: at(1) }

function apply(
  live: KubeObject | undefined,
  manager: string,
  spec: Record<string, unknown>,
  extra: { force?: boolean; now?: string; metadata?: Record<string, unknown> } = {},
): KubeObject {
  const { force = false, now = at(1), metadata } = extra
  return deepFreeze(applyPatch({ ...common, now, live, applied: object(spec, metadata), manager, force }))
}

function update(
  before: KubeObject | undefined,
  after: KubeObject,
  manager: string,
  extra: { now?: string; subresource?: string; ignored?: string[][] } = {},
): KubeObject {
  return deepFreeze(trackUpdate({ ...common, ...extra, before, after, manager }))
}

function fields(of: KubeObject, manager: string, operation?: string): unknown {
  const entry = (of.metadata.managedFields ?? []).find(
    (one) => one.manager === manager && (operation === undefined || one.operation === operation),
  )
  return entry?.fieldsV1
}

test('a created object belongs to its creator, what the server sets to nobody', () => {
  const created = update(undefined, object({ replicas: 1 }, { uid: 'u', labels: { l: '1' } }), 'kubectl')
  assert.deepEqual(created.metadata.managedFields, [
    {
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'v1',
      time: at(1),
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
        'f:spec': { '.': {}, 'f:replicas': {} },
      },
    },
  ])
})

test('an update takes the fields it changes, and removed fields leave every set', () => {
  const created = update(undefined, object({ replicas: 1, args: ['x'] }), 'one')
  const scaled = update(created, { ...created, spec: { replicas: 2, args: ['x'] } }, 'two', { now: at(2) })
  assert.deepEqual(fields(scaled, 'two'), { 'f:spec': { 'f:replicas': {} } })
  assert.deepEqual(fields(scaled, 'one'), { 'f:spec': { '.': {}, 'f:args': {} } })
  const less = update(scaled, { ...scaled, spec: { replicas: 2 } }, 'two', { now: at(3) })
  assert.deepEqual(fields(less, 'one'), { 'f:spec': {} })
  assert.equal(less.metadata.managedFields?.find((one) => one.manager === 'two')?.time, at(2))
})

test('an update that changes nothing keeps list and times', () => {
  const created = update(undefined, object({ replicas: 1 }), 'one')
  const again = update(created, { ...created, spec: { replicas: 1 } }, 'two', { now: at(2) })
  assert.equal(again.metadata.managedFields, created.metadata.managedFields)
  assert.equal(unlessOnlyTimes(created, again), created)
  const later = {
    ...created,
    metadata: {
      ...created.metadata,
      managedFields: created.metadata.managedFields!.map((e) => ({ ...e, time: at(9) })),
    },
  }
  assert.equal(unlessOnlyTimes(created, later), created)
  const other = { ...created, spec: { replicas: 2 } }
  assert.equal(unlessOnlyTimes(created, other), other)
})

test('a subresource has entries of its own, and ignored fields have no owner', () => {
  const created = update(undefined, object({ replicas: 1 }), 'one')
  const reported = update(created, { ...created, status: { phase: 'Up' } }, 'one', { subresource: 'status' })
  assert.equal(reported.metadata.managedFields?.length, 2)
  assert.deepEqual(
    reported.metadata.managedFields?.find((entry) => entry.subresource === 'status')?.fieldsV1,
    { 'f:status': { '.': {}, 'f:phase': {} } },
  )
  const ignored = update(created, { ...created, status: { phase: 'Up' } }, 'two', { ignored: [['status']] })
  assert.equal(ignored.metadata.managedFields, created.metadata.managedFields)
})

test('apply: creates, merges by key with defaulted keys, and removes what nobody owns any more', () => {
  const first = apply(undefined, 'one', { ports: [{ port: 80, name: 'http' }, { port: 443 }], replicas: 1 })
  assert.deepEqual(fields(first, 'one'), {
    'f:spec': {
      'f:ports': {
        'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} },
        'k:{"port":443,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
      },
      'f:replicas': {},
    },
  })
  const second = apply(first, 'two', { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }] })
  assert.deepEqual((second['spec'] as { ports: unknown }).ports, [
    { port: 80, name: 'http' },
    { port: 443 },
    { port: 53, protocol: 'UDP' },
  ])
  const third = apply(second, 'one', { replicas: 1 }, { now: at(2) })
  assert.deepEqual(third['spec'], { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }], replicas: 1 })
  const fourth = apply(third, 'one', {}, { now: at(3) })
  assert.deepEqual(fourth['spec'], { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }] })
})

test('apply: emptied maps leave no null behind', () => {
  const labelled = apply(
    undefined,
    'one',
    { template: { deep: { x: '1' } } },
    { metadata: { labels: { a: '1' } } },
  )
  const bare = apply(labelled, 'one', {})
  assert.equal(bare.metadata.labels, undefined)
  assert.deepEqual(bare['spec'], {})
})

test('apply: another manager’s field with another value is a conflict, unless forced', () => {
  const first = apply(undefined, 'one', { replicas: 1, args: ['x'] })
  assert.throws(
    () => apply(first, 'two', { replicas: 2 }),
    (error) =>
      error instanceof ApiError &&
      error.code === 409 &&
      error.message === 'Apply failed with 1 conflict: conflict with "one": .spec.replicas' &&
      error.details?.causes?.[0]?.reason === 'FieldManagerConflict' &&
      error.details.causes[0].field === '.spec.replicas',
  )
  const both = update(first, { ...first, spec: { replicas: 3, args: ['y'] } }, 'three')
  assert.throws(
    () => apply(both, 'one', { replicas: 1, args: ['x'] }),
    (error) =>
      error instanceof ApiError &&
      error.message ===
        'Apply failed with 2 conflicts: conflicts with "three" using v1:\n- .spec.args\n- .spec.replicas',
  )
  const forced = apply(first, 'two', { replicas: 2 }, { force: true })
  assert.deepEqual(fields(forced, 'one'), { 'f:spec': { 'f:args': {} } })
  const shared = apply(first, 'two', { replicas: 1 })
  assert.deepEqual(fields(shared, 'two'), { 'f:spec': { 'f:replicas': {} } })
})

test('apply: the same again is no write, nulls of server fields notwithstanding', () => {
  const first = apply(undefined, 'one', { replicas: 1, selector: { a: 'b' } })
  assert.equal(apply(first, 'one', { replicas: 1, selector: { a: 'b' } }, { now: at(5) }), first)
  const live = deepFreeze({ ...first, metadata: { ...first.metadata, creationTimestamp: at(0) } })
  assert.equal(
    apply(live, 'one', { replicas: 1, selector: { a: 'b' } }, { metadata: { creationTimestamp: null } }),
    live,
  )
})

test('apply: malformed configurations are refused with 400', () => {
  const refused = (run: () => unknown, pattern: RegExp) =>
    assert.throws(
      run,
      (error) => error instanceof ApiError && error.code === 400 && pattern.test(error.message),
    )
  refused(
    () => apply(undefined, 'one', { nope: 1 }),
    /\(n\/a; v1, Kind=Thing\): \.spec\.nope: field not declared in schema$/,
  )
  refused(
    () => apply(undefined, 'one', { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }),
    /\.spec\.ports: duplicate entries for key \[port=80,protocol="TCP"\]$/,
  )
  refused(() => apply(undefined, 'one', {}, { metadata: { managedFields: [] } }), /managedFields must be nil/)
})

test('apply to an object without a list: what was there belongs to before-first-apply', () => {
  const old = object({ replicas: 1, args: ['x'] })
  const applied = apply(old, 'one', { replicas: 1 })
  assert.deepEqual(fields(applied, 'before-first-apply'), {
    'f:spec': { '.': {}, 'f:args': {}, 'f:replicas': {} },
  })
  assert.throws(() => apply(old, 'one', { replicas: 2 }), /before-first-apply" using v1: \.spec\.replicas/)
})

test('a client may rewrite the list, empty it, or leave it out', () => {
  const created = update(undefined, object({ replicas: 1 }), 'one')
  const list: ManagedFieldsEntry[] = [
    {
      manager: 'two',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    },
  ]
  const sent = (managedFields: readonly ManagedFieldsEntry[] | undefined) => {
    const { managedFields: _old, ...metadata } = created.metadata
    return update(
      created,
      { ...created, metadata: managedFields ? { ...metadata, managedFields } : metadata },
      'three',
    )
  }
  assert.deepEqual(sent(list).metadata.managedFields, list)
  assert.equal(sent([]).metadata.managedFields, undefined)
  assert.equal(sent([{}]).metadata.managedFields, undefined)
  assert.deepEqual(sent(undefined).metadata.managedFields, created.metadata.managedFields)
  assert.deepEqual(
    sent([{ ...list[0], fieldsV1: { bad: {} } }]).metadata.managedFields,
    created.metadata.managedFields,
  )
  const emptied = sent([])
  assert.equal(
    update(emptied, { ...emptied, spec: { replicas: 5 } }, 'four').metadata.managedFields,
    undefined,
  )
})

test('the oldest update entries are folded together', () => {
  let live = update(undefined, object({ template: {} }), 'm0')
  for (let index = 1; index <= UPDATE_ENTRIES_MAX + 5; index++) {
    const template = { ...(live['spec'] as { template: object }).template, [`k${index}`]: index }
    const now = `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`
    live = update(live, { ...live, spec: { template } }, `m${index}`, { now })
  }
  assert.equal(live.metadata.managedFields?.length, UPDATE_ENTRIES_MAX)
  const ancient = fields(live, 'ancient-changes') as { 'f:spec': { 'f:template': object } }
  assert.ok('f:k1' in ancient['f:spec']['f:template'] && 'f:k5' in ancient['f:spec']['f:template'])
})

test('names and lists from clients are checked', () => {
  assert.deepEqual(checkFieldManager('kubectl-client-side-apply'), [])
  assert.equal(
    checkFieldManager('a\n')[0]?.message,
    'Invalid value: "a\\n": invalid character U+000A (at position 1)',
  )
  assert.equal(checkFieldManager('x'.repeat(129)).length, 1)
  assert.equal(
    checkManagedFields([{ operation: 'Put' as 'Apply', fieldsType: 'V2' as 'FieldsV1' }]).length,
    2,
  )
  assert.equal(managerName(undefined, 'kubectl/v1.36 (linux)'), 'kubectl')
  assert.equal(managerName('mine', 'kubectl/v1'), 'mine')
})
