// A cluster in one thread: a server with its store and controllers, some nodes with their agents, and a user who
// keeps changing what should be. One seed, one run.

import { createInProcessClient } from '../client/in-process.ts'
import type { AnyDecider } from '../kinds/decide.ts'
import { runAgentModel } from './agent-model.ts'
import { Problems } from './checkers.ts'
import { cause, drawFaults, type Fault } from './faults.ts'
import { type FaultyLink, faultyApi } from './faulty-api.ts'
import { SimNode } from './node-model.ts'
import { type SimClockState, SimProcess } from './process.ts'
import { CONTROLLER } from './real-api.ts'
import { SimServer } from './server.ts'
import { remains, unsettled } from './settled.ts'
import { StoreDisk } from './store-disk.ts'
import { User } from './user.ts'
import { World } from './world.ts'

export interface SimHost {
  readonly node: SimNode
  agent: SimProcess | undefined
  link: FaultyLink | undefined
  cut: boolean
  delayMs: () => number
  losesAnswer: () => boolean
}

export interface Cluster {
  readonly world: World
  readonly server: SimServer
  readonly serverClock: SimClockState
  readonly disk: StoreDisk
  readonly hosts: readonly SimHost[]
  readonly problems: Problems
  readonly user: User
  /** No faults any more; everything has to come right. */
  healed: boolean
  startServer(): void
  startAgent(host: SimHost): void
}

export interface SimulationOptions {
  readonly seed: number
  readonly deciders: () => readonly AnyDecider[]
  /** Instead of those that the seed draws. */
  readonly faults?: readonly Fault[]
  /** Length of the part with faults. Milliseconds. */
  readonly faultsMs?: number
}

export interface SimulationResult {
  readonly seed: number
  readonly faults: readonly Fault[]
  readonly problems: readonly string[]
  readonly traceHash: number
  readonly events: number
  readonly virtualMs: number
  readonly revisions: number
  /** As it stood at the end, to look into. */
  readonly cluster: Cluster
}

const FAULTS_MS = 45_000
/** After the faults everything has to be as wished within this. */
const SETTLE_MS = 10 * 60_000
const LOOK_EVERY_MS = 2_000
/** A settled cluster writes nothing but heartbeats. */
const QUIET_MS = 60_000

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, deciders } = options
  const cluster = buildCluster(seed, deciders, (await installed()).copy())
  const { world, problems, user, disk } = cluster
  const faults = options.faults ?? drawFaults(world.random)
  world.note('seed', `${seed}: ${cluster.hosts.length} nodes, ${faults.join(' ')}`)
  cluster.startServer()
  for (const host of cluster.hosts) cluster.startAgent(host)
  const broken = (): boolean => problems.found.length > 0
  await world.run(5_000, broken)
  for (const fault of faults) void cause(fault, cluster, world.random.fork(fault))
  const faultsEnd = world.nowMs + (options.faultsMs ?? FAULTS_MS)
  void user.act(() => world.nowMs < faultsEnd)
  await world.run(faultsEnd, broken)
  heal(cluster)
  let open: readonly string[] = ['nothing was looked at']
  const limit = world.nowMs + SETTLE_MS
  while (!broken() && open.length > 0 && world.nowMs < limit) {
    await world.run(world.nowMs + LOOK_EVERY_MS, broken)
    open = unsettled(cluster)
  }
  if (!broken()) for (const what of [...open, ...remains(cluster)]) problems.add(`not settled: ${what}`)
  if (!broken()) await checkQuiet(cluster, broken)
  problems.checkAcknowledged()
  return {
    seed,
    faults,
    problems: problems.found,
    traceHash: world.traceHash,
    events: world.events,
    virtualMs: world.nowMs,
    revisions: disk.durable,
    cluster,
  }
}

let image: Promise<StoreDisk> | undefined

/** The disk of a server that was started once: the same for all seeds, and made once, because it takes a while. */
function installed(): Promise<StoreDisk> {
  image ??= (async () => {
    const world = new World(0)
    const disk = new StoreDisk()
    const problems = new Problems(world, disk)
    const clock = { offsetMs: 0, rate: 1 }
    new SimServer({ world, disk, clock, problems, deciders: () => [] }).start()
    await world.run(5_000)
    return disk
  })()
  return image
}

function buildCluster(seed: number, deciders: () => readonly AnyDecider[], disk: StoreDisk): Cluster {
  const world = new World(seed)
  const { random } = world
  disk.syncMs = () => 1
  const problems = new Problems(world, disk)
  const clockOf = (): SimClockState => ({
    offsetMs: random.between(-2_000, 2_000),
    rate: random.between(0.9999, 1.0001),
  })
  const serverClock = clockOf()
  const server = new SimServer({ world, disk, clock: serverClock, problems, deciders })
  const hosts = Array.from(
    { length: 1 + random.below(3) },
    (_, index): SimHost => ({
      node: new SimNode(world, problems, `node-${index + 1}`, clockOf()),
      agent: undefined,
      link: undefined,
      cut: false,
      delayMs: () => 0,
      losesAnswer: () => false,
    }),
  )
  const user = new User(new SimProcess(world, 'user'), server.port)
  const cluster: Cluster = {
    world,
    server,
    serverClock,
    disk,
    hosts,
    problems,
    user,
    healed: false,
    startServer() {
      if (server.alive) return
      server.start()
      problems.checkAcknowledged()
    },
    startAgent: (host) => startAgent(cluster, host),
  }
  return cluster
}

function startAgent({ world, server }: Cluster, host: SimHost): void {
  if (host.agent?.alive) return
  const process = new SimProcess(world, `agent-${host.node.name}`, host.node.clock)
  const link = faultyApi(server.port, process)
  link.delayMs = () => host.delayMs()
  link.losesAnswer = () => host.losesAnswer()
  link.isCut = () => host.cut
  host.agent = process
  host.link = link
  const client = createInProcessClient({ api: link.port, user: CONTROLLER, fieldManager: 'croft-agent' })
  runAgentModel({ process, client, node: host.node })
}

function heal(cluster: Cluster): void {
  cluster.healed = true
  cluster.world.note('world', 'heals')
  cluster.disk.full = false
  cluster.disk.syncMs = () => 1
  for (const host of cluster.hosts) {
    host.cut = false
    host.delayMs = () => 0
    host.losesAnswer = () => false
    cluster.startAgent(host)
  }
  cluster.startServer()
}

async function checkQuiet(cluster: Cluster, broken: () => boolean): Promise<void> {
  const { world, disk, problems } = cluster
  const before = disk.records.length
  await world.run(world.nowMs + QUIET_MS, broken)
  const isHeartbeat = (key: string): boolean => /\/(leases|nodes|events)\//.test(key)
  const writes = disk.records.slice(before).filter((record) => !isHeartbeat(record.key))
  const keys = [...new Set(writes.map((record) => record.key))]
  if (keys.length > 0) problems.add(`not quiet: ${writes.length} writes to ${keys.slice(0, 5).join(', ')}`)
}
