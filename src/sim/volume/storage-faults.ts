// What goes wrong in the storage world. Each seed draws some kinds and how often they come; a fault strikes what it
// finds at that moment, so a kill falls into every step of whatever is under way.
import { Replica } from '../../kinds/longhorn/replica.ts'
import type { SeededRandom } from '../random.ts'
import type { Program, SimComputer } from './computer.ts'
import { MachineQemu } from './machine-qemu.ts'
import { StorageDaemon } from './storage-daemon.ts'
import type { StorageWorld } from './storage-world.ts'

export const STORAGE_FAULTS = [
  'replica-kill',
  'replica-hang',
  'machine-kill',
  'agent-kill',
  'control-kill',
  'power-off',
  'power-off-all',
  'link-cut',
  'link-one-way',
  'link-slow',
  'api-cut',
  'host-isolated',
  'lost-answers',
  'disk-full',
  'disk-error',
  'disk-slow',
  'files-lost',
  'clock-jump',
] as const
export type StorageFault = (typeof STORAGE_FAULTS)[number]

const FAULT_CHANCE = 0.3
const BETWEEN_MS = { from: 2_500, to: 12_000 } as const

export function drawStorageFaults(random: SeededRandom): readonly StorageFault[] {
  return STORAGE_FAULTS.filter(() => random.chance(FAULT_CHANCE))
}

/** Keeps causing the fault until all is healed. */
export async function causeStorageFault(
  fault: StorageFault,
  world: StorageWorld,
  random: SeededRandom,
  healed: () => boolean,
): Promise<void> {
  const meanMs = random.between(BETWEEN_MS.from, BETWEEN_MS.to)
  for (;;) {
    await world.world.sleep(random.between(0.2, 1.8) * meanMs)
    if (healed()) return
    await strike(fault, world, random)
    if (healed()) return
  }
}

function programs<T extends Program>(world: StorageWorld, kind: new (...given: never[]) => T): readonly T[] {
  return world.computers.flatMap((one) =>
    [...one.programs.values()].filter((program) => program instanceof kind),
  ) as T[]
}

async function strike(fault: StorageFault, world: StorageWorld, random: SeededRandom): Promise<void> {
  const computer = random.pick(world.computers)
  const pause = (from: number, to: number): Promise<void> => world.world.sleep(random.between(from, to))
  const note = (what: string): void => world.note('fault', `${fault} ${what}`)
  switch (fault) {
    case 'replica-kill': {
      const all = programs(world, StorageDaemon)
      if (all.length === 0) return
      const victims = random.chance(0.15) ? all : [random.pick(all)]
      note(victims.map((one) => `${one.node}/${one.identity.pid}`).join(' '))
      for (const one of victims) one.kill()
      return
    }
    case 'replica-hang': {
      const all = programs(world, StorageDaemon)
      if (all.length === 0) return
      const one = random.pick(all)
      note(`${one.node}/${one.identity.pid}`)
      one.hang()
      await (random.chance(0.3) ? pause(20_000, 40_000) : pause(100, 20_000))
      return one.goOn()
    }
    case 'machine-kill': {
      const all = programs(world, MachineQemu)
      if (all.length === 0) return
      note(`on ${all[0]?.computer.name}`)
      return all[0]?.kill()
    }
    case 'agent-kill':
      note(computer.name)
      world.agents.get(computer.name)?.process.kill()
      await pause(20, 6_000)
      return world.startAgent(computer)
    case 'control-kill':
      note('')
      world.control?.kill()
      await pause(50, 8_000)
      return world.startControl()
    case 'power-off':
      return powerOff(world, [computer], note, () => pause(1_000, 30_000))
    case 'power-off-all':
      return powerOff(world, world.computers, note, () => pause(1_000, 10_000))
    case 'link-cut':
    case 'link-one-way': {
      const other = random.pick(world.computers.filter((one) => one !== computer))
      note(`${computer.name} ${other.name}`)
      world.links.cut(computer.name, other.name, fault === 'link-one-way')
      await pause(200, 25_000)
      return world.links.healBetween(computer.name, other.name)
    }
    case 'link-slow':
      note('')
      world.links.delayMs = () => random.between(0, random.chance(0.1) ? 1_500 : 60)
      await pause(1_000, 10_000)
      world.links.delayMs = () => 0
      return
    case 'api-cut':
      note(computer.name)
      world.cutFromApi.add(computer.name)
      await pause(500, 30_000)
      world.apiLinks.get(computer.name)?.breakWatches()
      world.cutFromApi.delete(computer.name)
      return
    case 'host-isolated':
      return isolateHost(world, random, note)
    case 'lost-answers':
      note('')
      world.losesAnswers = true
      await pause(1_000, 8_000)
      world.losesAnswers = false
      return
    case 'disk-full':
    case 'disk-error': {
      note(computer.name)
      const at = fault === 'disk-full' ? 'full' : 'broken'
      computer.disk[at] = true
      await pause(300, 15_000)
      computer.disk[at] = false
      return
    }
    case 'disk-slow':
      note(computer.name)
      computer.disk.slowMs = random.between(10, 3_000)
      await pause(500, 10_000)
      computer.disk.slowMs = 0
      return
    case 'files-lost':
      return loseFiles(world, random, note)
    case 'clock-jump':
      note(computer.name)
      computer.clock.offsetMs += random.between(-3_600_000, 3_600_000)
      return
  }
}

async function powerOff(
  world: StorageWorld,
  computers: readonly SimComputer[],
  note: (what: string) => void,
  pause: () => Promise<void>,
): Promise<void> {
  note(computers.map((one) => one.name).join(' '))
  for (const computer of computers) world.powerOff(computer)
  await pause()
  for (const computer of computers) {
    computer.powerOn()
    world.startAgent(computer)
  }
}

/** The host of the machine is cut off and the machine is started elsewhere, while the old one may go on writing. */
async function isolateHost(
  world: StorageWorld,
  random: SeededRandom,
  note: (what: string) => void,
): Promise<void> {
  const home = world.guest?.qemu.alive ? world.guest.qemu.computer : undefined
  const others = world.computers.filter((one) => one !== home && one.up)
  if (!home || others.length === 0) return
  note(home.name)
  const fromAll = random.chance(0.5)
  world.cutFromApi.add(home.name)
  if (fromAll) for (const other of others) world.links.cut(home.name, other.name, random.chance(0.3))
  await world.world.sleep(random.between(13_000, 15_000))
  await world.moveMachine(random.pick(others).name)
  await world.world.sleep(random.between(500, 8_000))
  world.apiLinks.get(home.name)?.breakWatches()
  world.cutFromApi.delete(home.name)
  if (fromAll) for (const other of others) world.links.healBetween(home.name, other.name)
}

/** Somebody removes the folder of a replica that is not the last one. */
function loseFiles(world: StorageWorld, random: SeededRandom, note: (what: string) => void): void {
  const record = world.checkers.record()
  const whole = (record?.inSync ?? []).filter(({ replica }) => !world.damaged.has(replica))
  if (whole.length < 2) return
  const { replica: name } = random.pick(whole)
  const replica = world
    .objects<Replica>(`replicas.${Replica.group}`)
    .find((one) => one.metadata.name === name)
  const computer = world.computers.find((one) => one.name === replica?.spec?.nodeID)
  if (!replica || !computer?.up) return
  note(name)
  world.damaged.add(name)
  computer.disk.remove(`${replica.spec?.diskPath}/replicas/${replica.spec?.dataDirectoryName}`)
}

export function healStorage(world: StorageWorld): void {
  world.note('world', 'heals')
  world.links.heal()
  world.cutFromApi.clear()
  world.losesAnswers = false
  for (const computer of world.computers) {
    computer.disk.full = false
    computer.disk.broken = false
    computer.disk.slowMs = 0
    computer.powerOn()
    for (const program of computer.programs.values()) program.goOn()
    world.startAgent(computer)
  }
  world.startControl()
}
