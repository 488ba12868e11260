// A volume of several replicas through the real room and the real API, with a machine on it that writes all the time:
// what the agent does on a node, without the rest of the agent.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startApi } from '../../../test/api-fixture.ts'
import { failed, ok } from '../../base/result.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { createInformers } from '../../client/informer.ts'
import { issueLeaf, makeAuthority } from '../../cluster/pki.ts'
import { writeQemuFolder } from '../../cluster/qemu-folder.ts'
import type { ProcessIdentity } from '../../host/host.ts'
import { Node } from '../../kinds/core/node.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { allKinds } from '../../kinds/index.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import type { AgentLink, LinkAnswer } from '../link/agent-link.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { VolumeRoom } from '../ports.ts'
import { findProcesses } from '../processes.ts'
import { StartGate } from '../start-gate.ts'
import type { EngineQemu } from './engine-qemu.ts'
import { type ReplicaPlace, replicaPlace } from './layout.ts'
import {
  contentOf,
  DEVICE,
  host,
  type Image,
  judgeImages,
  lastRecord,
  must,
  SIZE,
  startGuest,
  until,
} from './rig.fixture.ts'
import { volumeRoom } from './room.ts'
import { type StandingDisk, Turns } from './standing.ts'

export const NAMESPACE = 'longhorn-system'
const NODE = 'n1'

/** One process, several hosts: each has its room, and they ask each other without a wire between. */
export class Wire {
  readonly #answers = new Map<string, LinkAnswer>()
  cut = false

  linkOf(nodeName: string): AgentLink {
    return {
      answer: (method, answer) => void this.#answers.set(`${nodeName}/${method}`, answer),
      call: async (to, method, body) => {
        const answer = this.#answers.get(`${to}/${method}`)
        if (!answer || this.cut)
          return failed({ reason: 'NodeUnreachable', message: `${to} does not answer`, retry: 'later' })
        return JSON.parse(JSON.stringify(await answer(body, nodeName, new AbortController().signal)))
      },
    }
  }
}

export interface Guest {
  readonly qemu: EngineQemu
  readonly process: ProcessIdentity
  readonly log: string
  backing: DiskBacking
  isLost: boolean
  readonly turns: Turns
  readonly ended: PromiseWithResolvers<'closed' | 'cut'>
}

export interface World {
  readonly folder: string
  readonly client: ReturnType<typeof createInProcessClient>
  room: VolumeRoom
  readonly names: readonly string[]
  guest: Guest | undefined
  /** The room ends and another one begins, as when Croft is restarted. */
  restart(): Promise<void>
  close(): Promise<void>
  engine(): Promise<Engine>
  record(): Promise<VolumeEpoch['spec']>
  place(name: string): Promise<ReplicaPlace>
  daemon(name: string): Promise<ProcessIdentity>
  startMachine(): Promise<void>
  endMachine(how: 'closed' | 'cut'): Promise<void>
  progress(count: number): Promise<void>
  setMap(names: readonly string[]): Promise<void>
  addReplica(name: string): Promise<void>
  want(state: 'running' | 'stopped'): Promise<void>
  until(what: string, look: (engine: Engine) => boolean): Promise<Engine>
  /** Ends the machine and all daemons, then compares the replicas and looks for every record. */
  judge(names: readonly string[]): Promise<void>
}

export const replicaObject = (folder: string, name: string, nodeID: string): Replica => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Replica',
  metadata: { name, namespace: NAMESPACE, labels: { longhornvolume: 'vol' }, finalizers: ['longhorn.io'] },
  spec: {
    volumeName: 'vol',
    volumeSize: String(SIZE),
    nodeID,
    engineName: 'v-e-0',
    diskPath: join(folder, `disk-${name}`),
    dataDirectoryName: 'v-0a1b2c3d',
    desireState: 'running',
  },
})

export interface WorldOptions {
  /** Hosts beside the first; the replicas are spread over all. */
  readonly others?: number
}

export async function makeWorld(
  t: TestContext,
  replicas: number,
  { others = 0 }: WorldOptions = {},
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'cw-'))
  const api = await startApi({ kinds: allKinds })
  const client = createInProcessClient({
    api: api.api,
    user: { username: 'test', groups: ['system:masters'] },
    fieldManager: 'test',
  })
  const names = Array.from({ length: replicas }, (_, index) => `v-r-${index}`)
  const nodes = [NODE, ...Array.from({ length: others }, (_, index) => `n${index + 2}`)]
  const nodeOf = (name: string): string => nodes[Number(name.at(-1)) % nodes.length] ?? NODE
  const wire = new Wire()
  const certified = others > 0 ? await certify(folder, nodes) : undefined
  if (others > 0)
    for (const name of nodes)
      await client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
  let stop: AbortController
  let running: Promise<unknown>
  const open = (): VolumeRoom => {
    stop = new AbortController()
    const { signal } = stop
    const rooms = nodes.map((nodeName) =>
      volumeRoom({
        host,
        client,
        informers: createInformers(client, host, { signal }),
        nodeName,
        starts: new StartGate(2),
        runFolder: join(folder, 'run'),
        ...(certified
          ? { cluster: { ip: '127.0.0.1', tlsFolder: certified(nodeName), link: wire.linkOf(nodeName) } }
          : {}),
      }),
    )
    const [room] = rooms as [VolumeRoom]
    if (world?.guest) room.stand(standing(world.guest))
    running = Promise.all(rooms.map((one) => one.run(signal)))
    return room
  }
  const close = async (): Promise<void> => {
    stop.abort()
    await running
  }
  let world: World | undefined
  t.after(async () => {
    await close()
    if (world?.guest) await host.exec.kill(world.guest.process, 'SIGKILL')
    // Storage daemons outlive the room by design; a test must not leave one.
    for (const { identity } of await findProcesses(host.files, `path=${folder}/run/r/`))
      await host.exec.kill(identity, 'SIGKILL')
    await rm(folder, { recursive: true, maxRetries: 5 })
    await api.close()
  })
  const addReplica = async (name: string): Promise<void> => {
    await mkdir(join(folder, `disk-${name}`), { recursive: true })
    await client.create(Replica, replicaObject(folder, name, nodeOf(name)))
  }
  for (const name of names) await addReplica(name)
  await client.create(Volume, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Volume',
    metadata: { name: 'vol', namespace: NAMESPACE },
    spec: { size: String(SIZE), numberOfReplicas: replicas },
  })
  await client.create(VolumeEpoch, {
    apiVersion: 'storage.croft.io/v1alpha1',
    kind: 'VolumeEpoch',
    metadata: { name: 'vol', namespace: NAMESPACE },
    spec: { epoch: 0, inSync: [], size: SIZE, cleanShutdown: true },
  })
  await client.create(Engine, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Engine',
    metadata: { name: 'v-e-0', namespace: NAMESPACE },
    spec: {
      volumeName: 'vol',
      volumeSize: String(SIZE),
      nodeID: NODE,
      desireState: 'running',
      replicaAddressMap: Object.fromEntries(names.map((name) => [name, '127.0.0.1:0'])),
    },
  })
  const engine = (): Promise<Engine> => client.get(Engine, 'v-e-0', { namespace: NAMESPACE })
  const place = async (name: string): Promise<ReplicaPlace> =>
    replicaPlace(join(folder, 'run'), await client.get(Replica, name, { namespace: NAMESPACE }))
  const acked = async (guest: Guest): Promise<number> => lastRecord(await readFile(guest.log, 'latin1'))
  const made: World = {
    folder,
    client,
    room: open(),
    names,
    guest: undefined,
    addReplica,
    restart: async () => {
      await close()
      made.room = open()
    },
    close,
    engine,
    record: async () => (await client.get(VolumeEpoch, 'vol', { namespace: NAMESPACE })).spec,
    place,
    daemon: async (name) => {
      const text = must(await host.files.readText((await place(name)).daemon))
      return JSON.parse(text) as ProcessIdentity
    },
    startMachine: async () => {
      const backing = await until('an endpoint', () => made.room.endpoint('vol'))
      assert.ok(backing.kind === 'nbd')
      const home = await mkdtemp(join(folder, 'g'))
      made.guest = must(
        await made.room.connect({
          volumes: [{ longhornVolume: 'vol', backing }],
          start: async () => {
            const machine = await startGuest(home, backing.children, { replicas: 0 })
            return ok<Guest>({
              ...machine,
              log: join(home, 'serial.log'),
              backing,
              isLost: false,
              turns: new Turns(),
              ended: Promise.withResolvers(),
            })
          },
          disks: (guest) => [standing(guest)],
        }),
      )
    },
    endMachine: async (how) => {
      const { guest } = made
      assert.ok(guest)
      if (how === 'closed') await guest.qemu.execute('quit')
      else await host.exec.kill(guest.process, 'SIGKILL')
      await until('the machine ends', async () =>
        (await host.exec.isAlive(guest.process)) ? undefined : true,
      )
      made.guest = undefined
      guest.ended.resolve(how)
    },
    progress: async (count) => {
      const { guest } = made
      assert.ok(guest)
      const from = await acked(guest)
      await until(`${count} records after ${from}`, async () =>
        (await acked(guest)) >= from + count ? true : undefined,
      )
    },
    setMap: async (wanted) => {
      const before = Object.keys((await engine()).spec?.replicaAddressMap ?? {})
      const gone = before.filter((name) => !wanted.includes(name)).map((name) => [name, null] as const)
      const replicaAddressMap = Object.fromEntries([
        ...wanted.map((name) => [name, '127.0.0.1:0'] as const),
        ...gone,
      ])
      await client.patch(Engine, 'v-e-0', { spec: { replicaAddressMap } }, { namespace: NAMESPACE })
    },
    want: async (desireState) => {
      await client.patch(Engine, 'v-e-0', { spec: { desireState } }, { namespace: NAMESPACE })
    },
    until: (what, look) =>
      until(what, async () => {
        const now = await engine()
        return look(now) ? now : undefined
      }),
    judge: async (judged) => {
      const { guest } = made
      const last = guest ? await acked(guest) : 0
      await made.close()
      if (guest) await made.endMachine('cut')
      const images: Image[] = []
      for (const { identity } of await findProcesses(host.files, `path=${folder}/run/r/`)) {
        await host.exec.kill(identity, 'SIGTERM')
        await until('the daemon ends', async () => ((await host.exec.isAlive(identity)) ? undefined : true))
      }
      for (const name of judged) images.push({ name, bytes: await contentOf(await place(name)) })
      judgeImages(images, last)
    },
  }
  world = made
  return made
}

/** Certificates of the hosts, as the cluster part lays them out; gives the folder of each. */
async function certify(folder: string, nodes: readonly string[]): Promise<(nodeName: string) => string> {
  const authority = must(await makeAuthority(host, folder, 'test'))
  for (const name of nodes) {
    const node = must(
      await issueLeaf(host, folder, authority, {
        commonName: `system:node:${name}`,
        organizations: ['system:nodes'],
        dnsNames: [name],
        ipAddresses: ['127.0.0.1'],
        usage: 'both',
      }),
    )
    must(await writeQemuFolder({ host, pki: join(folder, name), caPem: authority.certificatePem, node }))
  }
  return (name) => join(folder, name, 'qemu')
}

function standing(guest: Guest): StandingDisk {
  return {
    volumeName: 'vol',
    machine: 'm',
    disk: { device: DEVICE, disk: 'root' },
    qemu: guest.qemu,
    inTurn: (act) => guest.turns.run(act),
    isPaused: () => false,
    moved: async (backing) => {
      guest.backing = backing
    },
    lost: () => {
      guest.isLost = true
    },
    ended: guest.ended.promise,
  }
}
