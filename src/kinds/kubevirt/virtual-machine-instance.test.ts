import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import { judge, lookOver } from '../judge.ts'
import type { RuleLook } from '../kind.ts'
import type { InstanceSpec } from './types.ts'
import { VirtualMachineInstance } from './virtual-machine-instance.ts'

function instance(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec,
  }
}
function stored(spec: JsonObject, look: RuleLook = lookOver([]), previous?: KubeObject): KubeObject {
  const { causes, object } = judge(VirtualMachineInstance, instance(spec), look, previous)
  assert.deepEqual(causes, [])
  return object
}
function specOf(object: KubeObject): InstanceSpec {
  return object['spec'] as InstanceSpec
}
const small = { devices: {}, resources: { requests: { memory: '128Mi' } } }

test('every volume has a disk, every disk a bus, and the machine a network', () => {
  const { domain, networks, volumes } = specOf(
    stored({
      domain: {
        resources: { requests: { memory: '128Mi' } },
        devices: { disks: [{ name: 'iso', cdrom: {} }, { name: 'root' }] },
      },
      volumes: [
        { name: 'root', containerDisk: { image: 'images.example/disk' } },
        { name: 'seed', cloudInitNoCloud: { userData: '#cloud-config' } },
      ],
    }),
  )
  assert.deepEqual(domain.devices?.disks, [
    { name: 'iso', cdrom: { bus: 'sata', readonly: true, tray: 'closed' } },
    { name: 'root', disk: { bus: 'sata' } },
    { name: 'seed', disk: { bus: 'sata' } },
  ])
  assert.deepEqual(domain.devices?.interfaces, [{ name: 'default', bridge: {}, model: 'virtio' }])
  assert.deepEqual(networks, [{ name: 'default', pod: {} }])
  assert.equal(volumes?.[0]?.containerDisk?.imagePullPolicy, 'Always')
  assert.deepEqual(domain.cpu, { sockets: 1, cores: 1, threads: 1, model: 'host-model' })
  assert.deepEqual(domain.features, { acpi: { enabled: true } })
  assert.equal(domain.machine?.type, 'q35')
  assert.equal(domain.memory?.guest, '128Mi')
})

test('no default network where none is wanted', () => {
  const spec = specOf(stored({ domain: { ...small, devices: { autoattachPodInterface: false } } }))
  assert.equal(spec.networks, undefined)
  assert.equal(spec.domain.devices?.interfaces, undefined)
})

test('sockets follow the processors asked for when no topology is written', () => {
  const topology = (domain: JsonObject): unknown => {
    const { sockets, cores, threads } = specOf(stored({ domain: { ...small, ...domain } })).domain.cpu ?? {}
    return [sockets, cores, threads]
  }
  const memory = { memory: '128Mi' }
  assert.deepEqual(topology({ resources: { requests: { ...memory, cpu: '1500m' } } }), [2, 1, 1])
  assert.deepEqual(topology({ resources: { requests: memory, limits: { cpu: '3' } } }), [3, 1, 1])
  assert.deepEqual(topology({ cpu: { cores: 3 } }), [1, 3, 1])
})

test('VM-19 and VM-20: the guest gets what was asked, in the unit that was written', () => {
  const guest = (domain: JsonObject): unknown =>
    specOf(stored({ domain: { devices: {}, ...domain } })).domain.memory?.guest
  const asked = (memory: string): unknown => guest({ resources: { requests: { memory } } })
  for (const [memory, bytes] of [
    ['64Mi', 67108864n],
    ['64M', 64000000n],
    ['1G', 1000000000n],
    ['1.5Gi', 1610612736n],
    ['2147483648', 2147483648n],
    ['2e9', 2000000000n],
  ] as const)
    assert.equal(
      toBigIntBytes(parseQuantity(asked(memory) as string) ?? { nano: 0n, format: 'BinarySI' }),
      bytes,
    )
  const both = { requests: { memory: '512Mi' }, limits: { memory: '512Mi' } }
  assert.equal(guest({ memory: { guest: '256Mi' }, resources: both }), '256Mi')
  assert.equal(guest({ resources: { requests: { memory: '256Mi' }, limits: { memory: '512Mi' } } }), '256Mi')
  assert.equal(guest({ resources: { limits: { memory: '512Mi' } } }), '512Mi')
  assert.equal(guest({ memory: { guest: '256Mi' } }), '256Mi')
})

test('VM-22: the overcommit ratio changes the reservation, never the guest', () => {
  const setting = (memory: number): KubeObject => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'overcommit-config' },
    value: JSON.stringify({ cpu: 1600, memory, storage: 200 }),
  })
  const body = {
    domain: {
      devices: {},
      cpu: { cores: 1 },
      memory: { guest: '4Gi' },
      resources: { limits: { cpu: '1', memory: '4Gi' } },
    },
  }
  const at150 = stored(body, lookOver([setting(150)]))
  assert.equal(specOf(at150).domain.memory?.guest, '4Gi')
  assert.deepEqual(specOf(at150).domain.resources?.requests, { memory: '2730Mi', cpu: '62m' })
  const at100 = stored(body, lookOver([setting(100)]))
  assert.equal(specOf(at100).domain.memory?.guest, '4Gi')
  assert.deepEqual(specOf(at100).domain.resources?.requests, { memory: '4Gi', cpu: '62m' })
  // A run keeps what it was started with, and saving it again changes nothing.
  assert.deepEqual(stored(body, lookOver([setting(100)]), at150), at150)
})

test('dedicated processors are reserved whole', () => {
  const { resources } = specOf(
    stored({
      domain: {
        devices: {},
        cpu: { cores: 2, dedicatedCpuPlacement: true },
        memory: { guest: '1Gi' },
        resources: { limits: { cpu: '2', memory: '1Gi' } },
      },
    }),
  ).domain
  assert.deepEqual(resources?.requests, { memory: '1Gi', cpu: '2' })
})

test('switches of Hyper-V bring along what they need', () => {
  const { features } = specOf(
    stored({
      domain: { ...small, features: { acpi: { enabled: false }, hyperv: { synictimer: {}, spinlocks: {} } } },
    }),
  ).domain
  assert.deepEqual(features, {
    acpi: { enabled: false },
    hyperv: {
      synictimer: { enabled: true },
      spinlocks: { enabled: true, spinlocks: 4096 },
      synic: { enabled: true },
      vpindex: { enabled: true },
    },
  })
})

test('people do not change a run, nor the labels by which it is found', () => {
  const before = stored({ domain: small })
  const person = lookOver([], { username: 'alice', groups: [] })
  const changed = {
    ...(before as unknown as JsonObject),
    spec: { ...(before['spec'] as JsonObject), hostname: 'b' },
  }
  const answer = judge(VirtualMachineInstance, changed, person, before)
  assert.match(answer.causes[0]?.message ?? '', /update of VMI object is restricted/)
  const agent = lookOver([], { username: 'system:node:a', groups: ['system:nodes'] })
  assert.deepEqual(judge(VirtualMachineInstance, changed, agent, before).causes, [])
  const labelled = instance({ domain: small }, { labels: { 'kubevirt.io/nodeName': 'a' } })
  assert.match(
    judge(VirtualMachineInstance, labelled, person).causes[0]?.message ?? '',
    /creation of the following reserved kubevirt.io\/ labels .*kubevirt.io\/nodeName/,
  )
  assert.deepEqual(judge(VirtualMachineInstance, labelled, agent).causes, [])
})

test('shared table of memory sizes', (t) => {
  const file = new URL('../../../../shared/cases/vm-19-memory-64mi-exact/sizes.json', import.meta.url)
  if (!existsSync(file)) return t.skip('shared tables absent')
  for (const { memory, bytes } of JSON.parse(readFileSync(file, 'utf8')) as {
    memory: string
    bytes: number
  }[]) {
    const guest = specOf(stored({ domain: { devices: {}, resources: { requests: { memory } } } })).domain
      .memory?.guest
    assert.equal(
      toBigIntBytes(parseQuantity(guest ?? '') ?? { nano: 0n, format: 'BinarySI' }),
      BigInt(bytes),
      memory,
    )
  }
})
