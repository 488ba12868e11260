import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import { findByKind } from '../index.ts'
import { judge, lookOver } from '../judge.ts'
import { kubevirtObjects } from './singletons.ts'
import { findKubevirtSubresource, kubevirtSubresources } from './subresources.ts'
import { VirtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts'

test('the objects that clients look for are valid objects of kinds that are served', () => {
  const objects = kubevirtObjects({
    now: '2026-01-01T00:00:00Z',
    architecture: 'amd64',
    uploadUrl: 'https://127.0.0.1:6443',
  })
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['KubeVirt', 'CDI', 'CDIConfig', 'StorageProfile'],
  )
  for (const object of objects) {
    const [group = '', version = ''] = object.apiVersion.split('/')
    const kind = findByKind(group, version, object.kind)
    assert.ok(kind, object.kind)
    const { causes, unknown } = judge(kind, object as unknown as JsonObject, lookOver([]))
    assert.deepEqual([causes, unknown], [[], []], object.kind)
  }
})

test('routes are found by their path, the longest action first', () => {
  assert.equal(new Set(kubevirtSubresources.map(({ name }) => name)).size, kubevirtSubresources.length)
  const found = (resource: string, rest: string): unknown => findKubevirtSubresource(resource, rest)?.name
  assert.equal(found('virtualmachines', 'start'), 'virtualmachines/start')
  assert.equal(found('virtualmachineinstances', 'vnc/screenshot'), 'virtualmachineinstances/vnc/screenshot')
  assert.equal(found('virtualmachineinstances', 'portforward/22/tcp'), 'virtualmachineinstances/portforward')
  assert.equal(found('virtualmachines', 'evacuate/cancel'), 'virtualmachines/evacuate/cancel')
  assert.equal(found('virtualmachineinstances', 'console/1'), undefined)
  assert.equal(found('virtualmachines', 'console'), undefined)
  for (const { method, verb, stream } of kubevirtSubresources) {
    assert.equal(verb, method === 'GET' ? 'get' : 'update')
    assert.ok(!stream || method === 'GET')
  }
})

test('one move at a time, of an instance that is there and can move', () => {
  const migration = (name: string, vmiName?: string): JsonObject => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name, namespace: 'default' },
    spec: vmiName === undefined ? {} : { vmiName },
  })
  const instance = (status: string) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'default' },
    status: { conditions: [{ type: 'LiveMigratable', status, message: 'its disk is local' }] },
  })
  const look = lookOver([instance('True')])
  assert.equal(judge(VirtualMachineInstanceMigration, migration('a'), look).causes[0]?.field, 'spec.vmiName')
  assert.match(
    judge(VirtualMachineInstanceMigration, migration('a', 'none'), look).causes[0]?.message ?? '',
    /does not exist/,
  )
  const { object, causes } = judge(VirtualMachineInstanceMigration, migration('a', 'web'), look)
  assert.deepEqual(causes, [])
  assert.equal(object.metadata.labels?.['kubevirt.io/vmi-name'], 'web')
  const second = judge(
    VirtualMachineInstanceMigration,
    migration('b', 'web'),
    lookOver([instance('True'), object]),
  )
  assert.match(second.refuse?.message ?? '', /in-flight migration detected/)
  const stuck = judge(VirtualMachineInstanceMigration, migration('a', 'web'), lookOver([instance('False')]))
  assert.match(stuck.causes[0]?.message ?? '', /its disk is local/)
})
