// One seed of the storage world from the first replica to the end: faults for a while, then all is well again and the
// volume has to be whole by itself within a bounded time.
import { volumeDecider } from '../../control/volume/decider.ts'
import type { AnyDecider } from '../../kinds/decide.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { allDeciders } from '../../serve/deciders.ts'
import { causeStorageFault, drawStorageFaults, healStorage, type StorageFault } from './storage-faults.ts'
import { StorageUser } from './storage-user.ts'
import { type StorageOptions, StorageWorld } from './storage-world.ts'

/** The part of the control plane that this world needs. */
export const volumeDeciders = (): readonly AnyDecider[] =>
  allDeciders.filter((one) => one.name === volumeDecider.name)

export interface VolumeSimulation extends StorageOptions {
  /** Instead of those that the seed draws. */
  readonly faults?: readonly StorageFault[]
  /** Ends with the faults: whether all comes right afterwards is not looked at. */
  readonly onlyFaults?: boolean
  /** Nobody asks for anything: the machine only runs. */
  readonly idleUser?: boolean
}

export interface VolumeResult {
  readonly seed: number
  readonly faults: readonly StorageFault[]
  readonly problems: readonly string[]
  readonly traceHash: number
  readonly events: number
  readonly virtualMs: number
  readonly acknowledged: number
  readonly counts: StorageWorld['checkers']['counts']
  readonly world: StorageWorld
}

const FAULTS_MS = 25_000
/** V14: after the faults the volume is whole within this. */
const SETTLE_MS = 10 * 60_000
const TICK_MS = 500
const LOOK_EVERY_MS = 1_000
const CALM_PACE = 25

export async function simulateVolume(options: VolumeSimulation): Promise<VolumeResult> {
  const storage = new StorageWorld(options)
  const faults = options.faults ?? drawStorageFaults(storage.random.fork('faults'))
  await run(storage, options, faults).catch((error: unknown) => {
    storage.checkers.problem(error instanceof Error ? (error.stack ?? error.message) : String(error))
  })
  const { world, checkers } = storage
  return {
    seed: options.seed,
    faults,
    problems: checkers.found,
    traceHash: world.traceHash,
    events: world.events,
    virtualMs: world.nowMs,
    acknowledged: storage.history.acks,
    counts: checkers.counts,
    world: storage,
  }
}

async function run(
  storage: StorageWorld,
  { seed, onlyFaults, idleUser }: VolumeSimulation,
  faults: readonly StorageFault[],
): Promise<void> {
  const { world, checkers, random } = storage
  const replicas = Math.min(storage.computers.length, 1 + random.below(3))
  world.note('seed', `${seed}: ${storage.computers.length} nodes, ${replicas} replicas, ${faults.join(' ')}`)
  const user = new StorageUser(storage)
  storage.moveMachine = (node) => user.place(node)
  const broken = (): boolean => checkers.found.length > 0
  let over = false
  storage.startControl()
  for (const computer of storage.computers) storage.startAgent(computer)
  void user.install(replicas)
  const tick = async (): Promise<void> => {
    for (;;) {
      await world.sleep(TICK_MS)
      if (over) return
      checkers.tick()
      await user.tellNodes()
    }
  }
  void tick()
  await world.run(2_500, broken)
  let healed = false
  for (const fault of faults) void causeStorageFault(fault, storage, random.fork(fault), () => healed)
  const end = world.nowMs + FAULTS_MS
  if (!idleUser) void user.act(() => world.nowMs < end)
  await world.run(end, broken)
  healed = true
  if (onlyFaults) {
    over = true
    return
  }
  healStorage(storage)
  // What has to come right now needs a guest that goes on, not one that is busy.
  storage.history.pace = CALM_PACE
  const home = user.home ?? storage.computers[0]!.name
  void user.place(home)
  let open = ['nothing was looked at']
  const limit = world.nowMs + SETTLE_MS
  while (!broken() && open.length > 0 && world.nowMs < limit) {
    await world.run(world.nowMs + LOOK_EVERY_MS, broken)
    open = unsettled(storage, user, replicas)
  }
  for (const what of open) if (!broken()) checkers.problem(`V14: not settled: ${what}`)
  if (!broken()) await rest(storage, user, broken)
  over = true
}

/** A shorter list of faults with which the seed still fails: those without which it fails as well are left out. */
export async function shrinkFaults(
  options: VolumeSimulation,
  faults: readonly StorageFault[],
): Promise<readonly StorageFault[]> {
  let needed = faults
  for (const fault of faults) {
    const fewer = needed.filter((one) => one !== fault)
    const { problems } = await simulateVolume({ ...options, faults: fewer })
    if (problems.length > 0) needed = fewer
  }
  return needed
}

/** What is not yet as wished. */
function unsettled(storage: StorageWorld, user: StorageUser, replicas: number): string[] {
  const open: string[] = []
  const volume = storage.objects<Volume>('volumes.longhorn.io')[0]
  const record = storage.checkers.record()
  const { state, robustness } = volume?.status ?? {}
  if (state !== 'attached' || robustness !== 'healthy') open.push(`the volume is ${state} and ${robustness}`)
  if (record?.inSync.length !== replicas)
    open.push(`${record?.inSync.length} of ${replicas} replicas are in step`)
  if (record?.joining) open.push(`${record.joining.replica} joins`)
  if (record?.sizeBytes !== user.sizeBytes) open.push(`${record?.sizeBytes} of ${user.sizeBytes} bytes`)
  const { guest } = storage
  if (!guest?.qemu.alive || guest.qemu.status !== 'running' || guest.qemu.computer.name !== user.home)
    open.push(`the machine is ${guest?.qemu.alive ? guest.qemu.status : 'gone'}`)
  const wanted = [...storage.snapshots].sort().join(' ')
  for (const { replica } of record?.inSync ?? []) {
    const names = storage.checkers.layers(replica)
    if (names !== wanted) open.push(`${replica} has the snapshots ${names}, wanted are ${wanted}`)
  }
  // A failed one stays until its time limit: it may be needed yet.
  const living = storage.objects<Replica>('replicas.longhorn.io').filter((one) => !one.spec?.failedAt)
  if (living.length !== replicas) open.push(`${living.length} replica objects`)
  return open
}

const REST_MS = 120_000

/** The machine is switched off: replicas at rest are equal, and nothing is left behind. */
async function rest(storage: StorageWorld, user: StorageUser, broken: () => boolean): Promise<void> {
  const { world, checkers } = storage
  await user.place(undefined)
  const state = (): string | undefined => storage.objects<Volume>('volumes.longhorn.io')[0]?.status?.state
  await world.run(
    world.nowMs + REST_MS,
    () => broken() || (state() === 'detached' && programs(storage) === 0),
  )
  if (broken()) return
  if (state() !== 'detached')
    return checkers.problem(`V14: not settled: the volume is ${state()}, wanted is detached`)
  if (programs(storage) > 0) return checkers.problem(`V14: ${programs(storage)} programs are left over`)
  checkers.atRest()
}

const programs = (storage: StorageWorld): number =>
  storage.computers.reduce((sum, one) => sum + one.programs.size, 0)
