// The agent against the real API server in memory and real QEMU, with files for volumes and QEMU's own network.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, createApi } from '../api/create-api.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { ok } from '../base/result.ts'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers } from '../client/informer.ts'
import { realCertificates } from '../host/real/certificates.ts'
import { realHost } from '../host/real/index.ts'
import { Event } from '../kinds/core/event.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { Secret } from '../kinds/core/secret.ts'
import { allKinds } from '../kinds/index.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { Node as LonghornNode } from '../kinds/longhorn/node.ts'
import { createEventRecorder } from '../loop/events.ts'
import { memoryStore } from '../store/memory.ts'
import { type Agent, createAgent } from './agent.ts'
import type { DiskBacking } from './plan/backing.ts'
import type { AgentRooms } from './ports.ts'
import { StartGate } from './start-gate.ts'

const host = realHost({ log: { level: 'error' } })
const skip = (await host.exec.find('qemu-system-x86_64')) ? false : 'qemu-system-x86_64 is not installed'
const NODE = 'node-1'
const ADMIN = {
  username: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
}

let root = ''
let client: Client
let agent: Agent
let stop = new AbortController()
let running: Promise<void> = Promise.resolve()
const endpoints = new Map<string, DiskBacking>()
const volumeListeners = new Set<(name: string) => void>()
const attached = new Set<string>()

const idle = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Files for volumes, QEMU's own network for interfaces. */
const rooms: AgentRooms = {
  volume: {
    run: idle,
    endpoint: (name) => endpoints.get(name),
    onChange: (call) => {
      volumeListeners.add(call)
      return () => volumeListeners.delete(call)
    },
    stand: () => undefined,
    connect: ({ start }) => start(),
  },
  network: {
    run: idle,
    attach: async ({ name, vmiUid, mac }) => {
      attached.add(vmiUid)
      return ok({
        name,
        mac: mac ?? '02:00:00:00:00:01',
        ip: '10.0.2.2',
        link: {
          kind: 'user',
          cidr: '10.0.2.0/24',
          hostAddress: '10.0.2.1',
          guestAddress: '10.0.2.2',
          forwards: [],
        },
      })
    },
    detach: async (uid) => {
      attached.delete(uid)
      return ok(undefined)
    },
    attached: async () => [...attached],
  },
  image: { run: idle },
}

async function startAgent(): Promise<void> {
  stop = new AbortController()
  const options = {
    host,
    client,
    informers: createInformers(client, host, { signal: stop.signal }),
    recorder: createEventRecorder({ client, host, kind: Event, component: 'croft-agent', node: NODE }),
    nodeName: NODE,
    nodeIp: '192.0.2.1',
    dataFolder: join(root, 'data'),
    runFolder: join(root, 'run'),
    rooms,
    starts: new StartGate(2),
    version: 'v1.34.0+croft',
  }
  const made = await createAgent(options)
  assert.ok(made.ok, JSON.stringify(made))
  agent = made.value
  running = agent.run(stop.signal)
}

async function stopAgent(): Promise<void> {
  stop.abort()
  await running
}

let api: Api | undefined

before(async () => {
  if (skip) return
  root = mkdtempSync(join(tmpdir(), 'croft-agent-'))
  chmodSync(root, 0o711)
  mkdirSync(join(root, 'data'))
  api = await createApi({
    store: memoryStore(),
    host,
    certificates: realCertificates,
    kinds: allKinds,
    identity: {
      clientCaPem: '',
      servingCaPem: '',
      tokenKeys: [],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [],
    },
    advertised: { addresses: ['127.0.0.1'], port: 6443, serviceIp: '10.96.0.1' },
    croftVersion: '0',
  })
  client = createInProcessClient({ api, user: ADMIN, fieldManager: 'test' })
  for (const name of ['kube-node-lease', 'longhorn-system', 'default'])
    await client
      .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as never)
      .catch(() => undefined)
  await startAgent()
})

after(async () => {
  if (skip) return
  for (const machine of machines()) await machine.kill('the test is over')
  await stopAgent()
  api?.close()
  rmSync(root, { recursive: true, force: true })
})

const uids: string[] = []
function machines(): NonNullable<ReturnType<Agent['machine']>>[] {
  return uids.flatMap((uid) => agent.machine(uid) ?? [])
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>, ms = 30_000): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    assert.ok(Date.now() < deadline, `not in time: ${what}`)
    await sleep(30)
  }
}

async function find<K extends Kind>(kind: K, name: string): Promise<KindOf<K> | undefined> {
  try {
    return await client.get(kind, name, { namespace: 'default' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

/** What the deciders and the scheduler have done by the time the agent comes in. */
async function handOver(name: string, spec: JsonObject): Promise<{ vmi: VirtualMachineInstance; pod: Pod }> {
  const vmi = await client.create(VirtualMachineInstance, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default', labels: { 'kubevirt.io/nodeName': NODE } },
    spec,
  } as never)
  uids.push(vmi.metadata.uid ?? '')
  const owner = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    name,
    uid: vmi.metadata.uid,
    controller: true,
  }
  const pod = await client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `virt-launcher-${name}`,
      namespace: 'default',
      labels: { 'kubevirt.io': 'virt-launcher' },
      ownerReferences: [owner],
    },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'compute',
          image: 'croft/virt-launcher',
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
        },
      ],
    },
  } as never)
  const status = { phase: 'Scheduled', nodeName: NODE }
  await client.patch(
    VirtualMachineInstance,
    name,
    { status },
    { namespace: 'default', subresource: 'status' },
  )
  return { vmi, pod }
}

const SMALL = {
  terminationGracePeriodSeconds: 1,
  domain: {
    memory: { guest: '64Mi' },
    devices: { interfaces: [{ name: 'default', masquerade: {} }], disks: [] as JsonObject[] },
  },
  networks: [{ name: 'default', pod: {} }],
}

function conditionOf(object: KubeObject | undefined, type: string): JsonObject | undefined {
  const status = object?.['status'] as { readonly conditions?: readonly JsonObject[] } | undefined
  return status?.conditions?.find((one) => one['type'] === type)
}

const phaseOf = (vmi: VirtualMachineInstance | undefined): string => vmi?.status?.phase ?? ''

test('the node is registered with what it has', { skip }, async () => {
  const node = await until('node', () => client.get(Node, NODE).catch(() => undefined))
  assert.equal(node.metadata.labels?.['kubevirt.io/schedulable'], 'true')
  assert.equal(node.metadata.labels?.['croft.io/accelerator'], agent.facts.accelerator.kind)
  const fresh = await until('status', async () => {
    const seen = await client.get(Node, NODE)
    return conditionOf(seen, 'Ready')?.['status'] === 'True' && seen
  })
  assert.match(String(fresh.status?.capacity?.['memory']), /^\d+Ki$/)
  assert.ok(conditionOf(fresh, 'croft.io/HardwareVirtualization'))
  await until('lease', () => client.get(Lease, NODE, { namespace: 'kube-node-lease' }).catch(() => undefined))
  const disk = await until('disk', async () => {
    const seen = await client.get(LonghornNode, NODE, { namespace: 'longhorn-system' }).catch(() => undefined)
    return seen?.status?.diskStatus?.['default-disk']
  })
  const kept = JSON.parse(readFileSync(join(root, 'data/disks/default/longhorn-disk.cfg'), 'utf8'))
  assert.equal(disk.diskUUID, kept.diskUUID)
})

test('a machine runs, survives a restart of the agent, and leaves nothing behind', { skip }, async () => {
  const { vmi } = await handOver('one', SMALL)
  const uid = vmi.metadata.uid ?? ''
  const seen = await until('running', async () => {
    const now = await find(VirtualMachineInstance, 'one')
    return phaseOf(now) === 'Running' && conditionOf(now, 'Ready')?.['status'] === 'True' && now
  })
  assert.equal(seen.status?.interfaces?.[0]?.ipAddress, '10.0.2.2')
  assert.match(String(seen.status?.machine?.type), /^pc-q35-/)
  const pod = await until('pod', async () => {
    const now = await find(Pod, 'virt-launcher-one')
    return now?.status?.phase === 'Running' && now
  })
  assert.equal(pod.status?.podIP, '10.0.2.2')
  const identity = agent.machine(uid)?.process
  assert.ok(identity)
  await stopAgent()
  assert.ok(await host.exec.isAlive(identity))
  await startAgent()
  assert.deepEqual(agent.machine(uid)?.process, identity)
  const ref = { namespace: 'default', name: 'one', uid }
  assert.ok((await agent.actions.pause(NODE, ref)).ok)
  await until(
    'paused',
    async () =>
      conditionOf(await find(VirtualMachineInstance, 'one'), 'Paused')?.['reason'] === 'PausedByUser',
  )
  assert.ok((await agent.actions.unpause(NODE, ref)).ok)
  await until(
    'ready again',
    async () => conditionOf(await find(VirtualMachineInstance, 'one'), 'Ready')?.['status'] === 'True',
  )
  const vnc = await agent.dial.open(NODE, { ...ref, type: 'vnc' })
  assert.ok(vnc.ok)
  for await (const bytes of vnc.value.readable) {
    assert.match(new TextDecoder().decode(bytes), /^RFB 003/)
    break
  }
  vnc.value.close()
  const shot = await agent.actions.screenshot(NODE, ref)
  assert.ok(shot.ok)
  assert.equal(new TextDecoder('latin1').decode(shot.value.subarray(1, 4)), 'PNG')
  await client.delete(Pod, 'virt-launcher-one', { namespace: 'default' })
  await until('pod gone', async () => (await find(Pod, 'virt-launcher-one')) === undefined)
  assert.equal(await host.exec.isAlive(identity), false)
  assert.equal(existsSync(join(root, 'data/machines', uid)), false)
  assert.equal(attached.has(uid), false)
})

test('a missing Secret and a missing volume are waited for, by name, and then it starts', {
  skip,
}, async () => {
  const disk = join(root, 'disk.raw')
  spawnSync('truncate', ['-s', '8M', disk])
  chmodSync(disk, 0o666)
  const spec = {
    ...SMALL,
    domain: {
      ...SMALL.domain,
      devices: {
        interfaces: SMALL.domain.devices.interfaces,
        disks: [
          { name: 'root', disk: { bus: 'virtio' } },
          { name: 'seed', disk: { bus: 'virtio' } },
        ],
      },
    },
    volumes: [
      { name: 'root', persistentVolumeClaim: { claimName: 'root' } },
      { name: 'seed', cloudInitNoCloud: { secretRef: { name: 'seed' } } },
    ],
  }
  await handOver('two', spec as never)
  await until(
    'no claim',
    async () =>
      conditionOf(await find(VirtualMachineInstance, 'two'), 'Synchronized')?.['reason'] ===
      'FailedPvcNotFound',
  )
  await client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-root' },
    spec: {
      capacity: { storage: '8Mi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'driver.longhorn.io', volumeHandle: 'vol-root' },
    },
  } as never)
  await client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'root', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeName: 'pv-root',
      resources: { requests: { storage: '8Mi' } },
    },
  } as never)
  await client.patch(
    PersistentVolumeClaim,
    'root',
    { status: { phase: 'Bound' } },
    { namespace: 'default', subresource: 'status' },
  )
  await until(
    'not attached',
    async () =>
      conditionOf(await find(VirtualMachineInstance, 'two'), 'Synchronized')?.['reason'] === 'VolumeNotReady',
  )
  endpoints.set('vol-root', { kind: 'file', path: disk, format: 'raw' })
  for (const listener of volumeListeners) listener('vol-root')
  const waiting = await until('no secret', async () => {
    const now = await find(VirtualMachineInstance, 'two')
    return conditionOf(now, 'Synchronized')?.['reason'] === 'MissingSecret' && now
  })
  assert.match(String(conditionOf(waiting, 'Synchronized')?.['message']), /Secret seed/)
  await client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'seed', namespace: 'default' },
    stringData: { userdata: '#cloud-config\n' },
  } as never)
  const seen = await until('running', async () => {
    const now = await find(VirtualMachineInstance, 'two')
    return phaseOf(now) === 'Running' && now
  })
  assert.equal(conditionOf(seen, 'Synchronized'), undefined)
  assert.deepEqual(
    seen.status?.volumeStatus?.map((one) => [one.name, one.target]),
    [
      ['root', 'vda'],
      ['seed', 'vdb'],
    ],
  )
})

test('a second machine on a volume in use waits, and starts once the first is gone', { skip }, async () => {
  const devices = { ...SMALL.domain.devices, disks: [{ name: 'mine', disk: { bus: 'virtio' } }] }
  const spec = {
    ...SMALL,
    domain: { ...SMALL.domain, devices },
    volumes: [{ name: 'mine', persistentVolumeClaim: { claimName: 'root' } }],
  }
  const { vmi } = await handOver('rival', spec as never)
  const waiting = await until('in use', async () => {
    const now = await find(VirtualMachineInstance, 'rival')
    return conditionOf(now, 'Synchronized')?.['reason'] === 'VolumeInUse' && now
  })
  assert.match(String(conditionOf(waiting, 'Synchronized')?.['message']), /the machine default\/two/)
  assert.equal(agent.machine(vmi.metadata.uid ?? ''), undefined)
  await client.delete(Pod, 'virt-launcher-two', { namespace: 'default' })
  await until('running', async () => phaseOf(await find(VirtualMachineInstance, 'rival')) === 'Running')
})

test('a QEMU that is killed makes the instance and its Pod Failed', { skip }, async () => {
  const { vmi } = await handOver('three', SMALL)
  await until('running', async () => phaseOf(await find(VirtualMachineInstance, 'three')) === 'Running')
  process.kill(agent.machine(vmi.metadata.uid ?? '')?.process?.pid ?? 0, 'SIGKILL')
  const seen = await until('failed', async () => {
    const now = await find(VirtualMachineInstance, 'three')
    return phaseOf(now) === 'Failed' && now
  })
  assert.equal(seen.status?.reason, 'Crashed')
  await until('pod failed', async () => (await find(Pod, 'virt-launcher-three'))?.status?.phase === 'Failed')
  await client.delete(Pod, 'virt-launcher-three', { namespace: 'default', graceSeconds: 1 })
  await until('pod gone', async () => (await find(Pod, 'virt-launcher-three')) === undefined)
})

test('a machine that cannot be had is refused with what to do', { skip }, async () => {
  const spec = { ...SMALL, domain: { ...SMALL.domain, machine: { type: 'pc-q35-99.9' } } }
  await handOver('four', spec as never)
  const seen = await until('refused', async () => {
    const now = await find(VirtualMachineInstance, 'four')
    return conditionOf(now, 'Synchronized')?.['reason'] === 'MachineTypeUnknown' && now
  })
  assert.match(String(conditionOf(seen, 'Synchronized')?.['message']), /use q35/)
  await client.delete(Pod, 'virt-launcher-four', { namespace: 'default' })
  await until('pod gone', async () => (await find(Pod, 'virt-launcher-four')) === undefined)
})

test('what outlives single runs of a machine goes with the machine', { skip }, async () => {
  const vm = await client.create(VirtualMachine, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'kept', namespace: 'default' },
    spec: { runStrategy: 'Halted', template: { spec: SMALL } },
  } as never)
  const kept = join(root, 'data/machine-state', vm.metadata.uid ?? '')
  const stray = join(root, 'data/machine-state/b2f1a6d4-0000-4000-8000-000000000000')
  for (const folder of [kept, stray]) mkdirSync(folder)
  await stopAgent()
  await startAgent()
  await until('the stray is gone', async () => !existsSync(stray))
  assert.ok(existsSync(kept))
})

test('a machine whose Pod vanished while the agent was away is ended', { skip }, async () => {
  const { vmi } = await handOver('five', SMALL)
  await until('running', async () => phaseOf(await find(VirtualMachineInstance, 'five')) === 'Running')
  const identity = agent.machine(vmi.metadata.uid ?? '')?.process
  assert.ok(identity)
  await stopAgent()
  await client.delete(Pod, 'virt-launcher-five', { namespace: 'default', graceSeconds: 0 })
  await startAgent()
  await until('ended', async () => !(await host.exec.isAlive(identity)))
})
