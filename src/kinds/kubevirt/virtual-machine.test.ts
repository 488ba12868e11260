import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { JsonObject } from '../../base/json.ts'
import { judge, lookOver } from '../judge.ts'
import { accepted, DISKS, empty, fields, machine, messages, NICS, RUN, requests } from './machine.fixture.ts'
import { VirtualMachine } from './virtual-machine.ts'

test('VM-01: a volume without disk is taken, a disk without volume is not, an empty tray is', () => {
  accepted(
    machine({
      domain: { devices: { disks: [] }, resources: requests },
      volumes: [{ name: 'seed', cloudInitNoCloud: { userData: '#cloud-config' } }],
    }),
  )
  const dangling = machine({
    domain: {
      devices: {
        disks: [
          { name: 'root', disk: { bus: 'virtio' } },
          { name: 'tray', cdrom: { bus: 'sata' } },
        ],
      },
      resources: requests,
    },
    volumes: [],
  })
  assert.deepEqual(fields(dangling), [`${DISKS}[0].name`])
  assert.match(messages(dangling), /'root' not found/)
  const doubles = machine({
    domain: {
      devices: {
        disks: [
          { name: 'a', disk: { bus: 'virtio' } },
          { name: 'a', disk: { bus: 'virtio' } },
        ],
      },
      resources: requests,
    },
    volumes: [
      { name: 'a', emptyDisk: { capacity: '1Gi' } },
      { name: 'a', emptyDisk: { capacity: '2Gi' } },
    ],
  })
  assert.deepEqual(fields(doubles), [`${DISKS}[1].name`, `${RUN}.volumes[1].name`])
  assert.match(messages(doubles), /disks\[0\] and .*disks\[1\] must not have the same Name 'a'/)
})

test('VM-02: interfaces and networks come in pairs, with one binding', () => {
  const nets = (interfaces: readonly JsonObject[], networks: readonly JsonObject[]): JsonObject =>
    machine({ domain: { devices: { interfaces }, resources: requests }, networks })
  const lonely = nets([{ name: 'x', masquerade: {} }], [])
  assert.deepEqual(fields(lonely), [`${NICS}[0].name`])
  assert.match(messages(lonely), /'x' not found: no network has this name/)
  const unused = nets([], [{ name: 'y', multus: { networkName: 'default/vlan100' } }])
  assert.deepEqual(fields(unused), [`${RUN}.networks[0].name`])
  assert.match(messages(unused), /'y' not found: no interface uses this network/)
  const doubled = nets(
    [
      { name: 'x', masquerade: {} },
      { name: 'x', bridge: {} },
    ],
    [
      { name: 'x', pod: {} },
      { name: 'x', pod: {} },
    ],
  )
  assert.match(messages(doubled), /already exists/)
  assert.match(messages(doubled), /more than one interface is connected to a pod network/)
  const two = nets([{ name: 'x', masquerade: {}, bridge: {} }], [{ name: 'x', pod: {} }])
  assert.deepEqual(fields(two), [`${NICS}[0]`])
  assert.match(messages(two), /bridge and masquerade/)
})

function withMac(mac: string, network = 'default/vlan100', metadata: JsonObject = {}): JsonObject {
  return machine(
    {
      domain: { devices: { interfaces: [{ name: 'n', bridge: {}, macAddress: mac }] }, resources: requests },
      networks: [{ name: 'n', multus: { networkName: network } }],
    },
    { metadata },
  )
}

test('VM-03: MAC addresses of six octets with colons or dashes, of one station', () => {
  for (const mac of ['02:00:5e:10:00:01', '02-00-5e-10-00-02', '02:00:5E:10:00:AF', ''])
    accepted(withMac(mac))
  for (const mac of [
    '02:00:5e:10:00',
    '02:00:5e:10:00:01:02',
    '02:00:5e:10:00:zz',
    '00:00:00:00:00:00',
    '01:00:5e:00:00:01',
    'ff:ff:ff:ff:ff:ff',
    '0200.5e10.0001',
    ' 02:00:5e:10:00:03',
    '02:00:00:00:00:00',
    '02:00-5e:10:00:03',
  ])
    assert.deepEqual(fields(withMac(mac)), [`${NICS}[0].macAddress`], mac)
  const first = accepted(withMac('02-00-5e-10-00-02', 'default/vlan100', { name: 'first' }))
  assert.match(messages(withMac('02:00:5E:10:00:02'), lookOver([first])), /default\/first/)
})

test('VM-05: a MAC address is given once in a network, also to stopped machines and by edit', () => {
  const a = accepted(withMac('02:00:5e:10:01:01', 'default/vlan100', { name: 'a' }))
  const look = lookOver([a])
  const clash = withMac('02:00:5E:10:01:01', 'vlan100', { name: 'b' })
  assert.deepEqual(fields(clash, look), [`${NICS}[0].macAddress`])
  assert.match(messages(clash, look), /on network default\/vlan100 by VirtualMachine default\/a/)
  const c = accepted(withMac('02:00:5e:10:01:01', 'default/vlan200', { name: 'c' }), look)
  assert.deepEqual(fields(withMac('02:00:5e:10:01:01', 'default/vlan100', { name: 'c' }), look, c), [
    `${NICS}[0].macAddress`,
  ])
  // An unchanged clash does not block later edits, and another tenant's name is not told.
  assert.deepEqual(fields(withMac('02:00:5e:10:01:01', 'default/vlan100', { name: 'b' }), look, a), [])
  const blind = lookOver([a], { mayDo: () => false })
  assert.match(messages(clash, blind), /by another VirtualMachine/)
})

test('VM-18: names of disks and volumes are DNS labels', () => {
  for (const name of ['rootDisk', 'root_disk', 'root.disk', 'r'.repeat(64), '']) {
    const body = machine({
      domain: { devices: { disks: [{ name, disk: { bus: 'virtio' } }] }, resources: requests },
      volumes: [{ name, emptyDisk: { capacity: '1Gi' } }],
    })
    assert.deepEqual(fields(body), [`${DISKS}[0].name`, `${RUN}.volumes[0].name`], name)
  }
})

test('VM-20: guest memory against requests and limits', () => {
  const sized = (guest?: string, wanted?: string, limit?: string): JsonObject =>
    machine({
      domain: {
        devices: {},
        ...(guest ? { memory: { guest } } : {}),
        resources: {
          ...(wanted ? { requests: { memory: wanted } } : {}),
          ...(limit ? { limits: { memory: limit } } : {}),
        },
      },
    })
  accepted(sized('256Mi', '512Mi', '512Mi'))
  accepted(sized(undefined, '256Mi', '512Mi'))
  accepted(sized(undefined, undefined, '512Mi'))
  accepted(sized('256Mi'))
  const over = messages(sized('512Mi', '256Mi', '256Mi'))
  assert.match(
    over,
    /memory\.guest '512Mi' must be equal to or less than the memory limit .*limits\.memory '256Mi'/,
  )
  assert.match(
    messages(sized(undefined, '512Mi', '256Mi')),
    /requests\.memory '512Mi' is greater than .*limits\.memory '256Mi'/,
  )
  assert.deepEqual(fields(sized()), [`${RUN}.domain.memory.guest`])
  assert.match(messages(sized()), /no memory requested, at least one of/)
})

test('VM-21: zero, negative and absurd sizes are refused with their field', () => {
  for (const memory of ['0', '-1Gi', '1m', '1KiB', '']) {
    const at = fields(machine({ domain: { devices: {}, memory: { guest: memory } } }))
    assert.deepEqual(at, [`${RUN}.domain.memory.guest`], memory)
    const asked = fields(machine({ domain: { devices: {}, resources: { requests: { memory } } } }))
    assert.deepEqual(asked, [`${RUN}.domain.resources.requests.memory`], memory)
  }
  const cpus: readonly [JsonObject, string][] = [
    [{ cores: 0 }, 'cores'],
    [{ cores: -1 }, 'cores'],
    [{ cores: 1.5 }, 'cores'],
    [{ cores: 'two' }, 'cores'],
    [{ sockets: 0, cores: 1 }, 'sockets'],
    [{ sockets: 1025, cores: 1, threads: 1 }, 'sockets'],
    [{ cores: 4294967296 }, 'cores'],
    [{ cores: 2n ** 70n }, 'cores'],
  ]
  for (const [cpu, field] of cpus)
    assert.deepEqual(fields(machine({ domain: { cpu, devices: {}, resources: requests } })), [
      `${RUN}.domain.cpu.${field}`,
    ])
  const many = machine({ domain: { cpu: { sockets: 1025 }, devices: {}, resources: requests } })
  assert.match(messages(many), /1025 virtual CPUs; the most is 512/)
})

test('amounts without quotes are taken, also fractions', () => {
  const body = machine({
    domain: { devices: {}, resources: { requests: { cpu: 2.2, memory: 2222222.2 }, limits: { cpu: 3 } } },
  })
  accepted(body)
  const bad = machine({
    domain: { devices: {}, resources: { requests: { memory: '128Mi', cpu: { a: 1 } } } },
  })
  assert.deepEqual(fields(bad), [`${RUN}.domain.resources.requests.cpu`])
})

const ordered = (orders: readonly (number | undefined)[]): JsonObject =>
  machine({
    domain: {
      resources: requests,
      devices: {
        disks: [
          {
            name: 'c',
            ...(orders[0] === undefined ? {} : { bootOrder: orders[0] }),
            disk: { bus: 'virtio' },
          },
          { name: 'a', ...(orders[1] === undefined ? {} : { bootOrder: orders[1] }), cdrom: { bus: 'sata' } },
          { name: 'b', disk: { bus: 'scsi' } },
        ],
      },
    },
    volumes: ['a', 'b', 'c'].map((name) => ({ name, emptyDisk: { capacity: '1Gi' } })),
  })

test('TF-03: the order of disks is kept, boot orders are positive and unique', () => {
  const stored = accepted(ordered([2, 1]))
  const { disks } = (
    stored['spec'] as { template: { spec: { domain: { devices: { disks: { name: string }[] } } } } }
  ).template.spec.domain.devices
  assert.deepEqual(
    disks.map(({ name }) => name),
    ['c', 'a', 'b'],
  )
  assert.deepEqual(fields(ordered([1, 1])), [`${DISKS}[1].bootOrder`])
  assert.match(messages(ordered([0, undefined])), /must have a boot order > 0/)
})

test('TF-01: saving the same manifest again changes nothing, and what was written stays', () => {
  const body = machine(
    {
      domain: {
        cpu: { cores: 1 },
        memory: { guest: '128Mi' },
        resources: { limits: { cpu: '1', memory: '128Mi' } },
        devices: {
          disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }],
          interfaces: [{ name: 'nic', model: 'virtio', masquerade: {} }],
        },
      },
      networks: [{ name: 'nic', pod: {} }],
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }],
    },
    { metadata: { uid: 'u-1' } },
  )
  const stored = accepted(body)
  const again = accepted(body, lookOver([stored], { now: 99_000 }), stored)
  assert.deepEqual(again, stored)
  assert.deepEqual(accepted(stored as unknown as JsonObject, empty, stored), stored)
  const run = (stored['spec'] as { template: { spec: JsonObject } }).template.spec
  const given = (body['spec'] as { template: { spec: JsonObject } }).template.spec
  const { machine: type, firmware, ...domain } = run['domain'] as JsonObject
  assert.deepEqual(domain, given['domain'])
  assert.deepEqual(type, { type: 'q35' })
  assert.match(String((firmware as JsonObject)['uuid']), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/)
})

test('a machine made again under an old name has another identity', () => {
  const uuid = (now: number): unknown => {
    const stored = accepted(machine({ domain: { devices: {}, resources: requests } }), lookOver([], { now }))
    return (stored['spec'] as { template: { spec: { domain: { firmware: JsonObject } } } }).template.spec
      .domain.firmware['uuid']
  }
  assert.notEqual(uuid(1), uuid(2))
  assert.equal(uuid(1), uuid(1))
})

test('an object of the wrong shape is refused by its schema, not repaired by a default', () => {
  for (const run of [
    { domain: 5 },
    { domain: { machine: 'q35' } },
    { domain: { devices: { disks: 'a' } } },
    5,
  ]) {
    const { causes, object } = judge(VirtualMachine, machine(run as JsonObject), empty)
    assert.ok(causes.length > 0)
    assert.deepEqual((object['spec'] as { template: { spec: unknown } }).template.spec, run)
  }
})

test('run strategy', () => {
  const plain = { domain: { devices: {}, resources: requests } }
  const strategy = (spec: JsonObject): string =>
    messages(machine(plain, { spec: { runStrategy: undefined, ...spec } }))
  assert.match(strategy({ running: true, runStrategy: 'Always' }), /mutually exclusive/)
  assert.match(strategy({}), /RunStrategy must be specified/)
  assert.match(strategy({ runStrategy: 'Sometimes' }), /Invalid RunStrategy \(Sometimes\)/)
  const old = judge(
    VirtualMachine,
    machine(plain, { spec: { runStrategy: undefined, running: true } }),
    empty,
  )
  assert.deepEqual(old.causes, [])
  assert.match(old.warnings.join(), /spec\.running is deprecated/)
})

test('a field that no schema names is told, so that a strict door refuses it', () => {
  const body = machine({ domain: { devices: { disk: [] }, resources: requests } })
  assert.deepEqual(judge(VirtualMachine, body, empty).unknown, [`${DISKS.slice(0, -1)}`])
})

const shared = new URL('../../../../shared/cases/', import.meta.url)
function sharedText(path: string): string | undefined {
  const file = new URL(path, shared)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
function sharedObjects(text: string): readonly JsonObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const object = document.toJSON() as JsonObject
    return object['kind'] === 'List' ? (object['items'] as readonly JsonObject[]) : [object]
  })
}

test('shared tables of machines', (t) => {
  const macs = sharedText('vm-03-mac-shapes/macs.json')
  if (macs === undefined) return t.skip('shared tables absent')
  for (const { mac, ok } of JSON.parse(macs) as { mac: string; ok: boolean }[])
    assert.equal(fields(withMac(mac)).length === 0, ok, mac)
  const bad = JSON.parse(sharedText('vm-21-zero-memory-and-cpu/bad.json') ?? '[]') as JsonObject[]
  for (const { memory, ...cpu } of bad) {
    const domain =
      memory === undefined ? { cpu, resources: requests } : { resources: { requests: { memory } } }
    assert.ok(
      fields(machine({ domain: { devices: {}, ...domain } })).length > 0,
      JSON.stringify({ memory, cpu }),
    )
  }
  const verdicts: Readonly<Record<string, readonly boolean[]>> = {
    'vm-01-volume-without-disk/volume-without-disk.yaml': [true],
    'vm-01-volume-without-disk/disk-without-volume.yaml': [false],
    'vm-01-volume-without-disk/doubles.yaml': [false],
    'vm-02-interface-network-mismatch/vms.yaml': [false, false, false, false],
    'vm-18-capital-in-disk-name/vm.yaml': [false],
    'vm-22-memory-changes-after-save/vm.yaml': [true],
    'ci-02-network-data-only/vm.yaml': [true],
    'ci-03-same-secret-for-both-halves/objects.yaml': [true],
    'tf-01-idempotent-reapply/vm.yaml': [true],
    'tf-03-disk-order-and-boot-order/vm.yaml': [true],
  }
  for (const [path, expected] of Object.entries(verdicts)) {
    const machines = sharedObjects(sharedText(path) ?? '').filter(
      (object) => object['kind'] === 'VirtualMachine',
    )
    assert.deepEqual(
      machines.map((body) => fields(body).length === 0),
      expected,
      path,
    )
  }
})
