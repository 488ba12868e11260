// A sample as another host sent it, read field by field: nothing that it made up gets further than its own machines.
import { refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type {
  DiskFigures,
  HostFigures,
  MachineFigures,
  NicFigures,
  NodeSample,
} from '../../base/metrics-port.ts'

/** Machines of one node, and disks or interfaces of one machine; more is no host of ours. */
const MACHINES_MAX = 2_000
const PARTS_MAX = 300
const NAME_MAX = 253

const HOST = [
  'cpus',
  'busySeconds',
  'load1',
  'memoryBytes',
  'memoryAvailableBytes',
  'diskBytes',
  'diskFreeBytes',
  'diskReadBytes',
  'diskWriteBytes',
  'receiveBytes',
  'transmitBytes',
  'ownSeconds',
  'ownResidentBytes',
] as const
const MACHINE = ['userSeconds', 'systemSeconds', 'guestSeconds', 'residentBytes', 'domainBytes'] as const
const NIC = [
  'receiveBytes',
  'receivePackets',
  'receiveErrors',
  'receiveDropped',
  'transmitBytes',
  'transmitPackets',
  'transmitErrors',
  'transmitDropped',
] as const
const DISK = [
  'readBytes',
  'writeBytes',
  'readOperations',
  'writeOperations',
  'flushOperations',
  'readSeconds',
  'writeSeconds',
  'flushSeconds',
] as const
const BALLOON = [
  'availableBytes',
  'usableBytes',
  'unusedBytes',
  'cachedBytes',
  'swapInBytes',
  'swapOutBytes',
  'majorFaults',
  'minorFaults',
] as const

/** Throws 400 for what is no sample. */
export function readSample(node: string, at: number, body: JsonObject): NodeSample {
  return {
    node,
    at,
    host: numbersOf<HostFigures>(body['host'], HOST),
    machines: listOf(body['machines'], MACHINES_MAX, machineOf),
  }
}

function machineOf(value: JsonObject): MachineFigures {
  const { balloon, disks } = value
  return {
    uid: textOf(value, 'uid'),
    namespace: textOf(value, 'namespace'),
    name: textOf(value, 'name'),
    podName: textOf(value, 'podName'),
    ...numbersOf<Pick<MachineFigures, (typeof MACHINE)[number]>>(value, MACHINE),
    ...(isObject(balloon)
      ? { balloon: { ...numbersOf<{ actualBytes: number }>(balloon, ['actualBytes']), ...someOf(balloon) } }
      : {}),
    nics: listOf(value['nics'], PARTS_MAX, (nic) => ({
      name: textOf(nic, 'name'),
      ...numbersOf<Omit<NicFigures, 'name'>>(nic, NIC),
    })),
    ...(disks === undefined ? {} : { disks: listOf(disks, PARTS_MAX, diskOf) }),
  }
}

function diskOf(value: JsonObject): DiskFigures {
  return {
    name: textOf(value, 'name'),
    ...(value['volume'] === undefined ? {} : { volume: textOf(value, 'volume') }),
    ...numbersOf<Omit<DiskFigures, 'name' | 'volume'>>(value, DISK),
  }
}

function someOf(value: JsonObject): Partial<Record<(typeof BALLOON)[number], number>> {
  return numbersOf(
    value,
    BALLOON.filter((name) => value[name] !== undefined),
  )
}

function numbersOf<T>(value: unknown, names: readonly string[]): T {
  if (!isObject(value)) throw wrong(names[0] ?? '')
  return Object.fromEntries(
    names.map((name) => {
      const number = value[name]
      if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) throw wrong(name)
      return [name, number]
    }),
  ) as T
}

function listOf<T>(value: unknown, most: number, read: (item: JsonObject) => T): readonly T[] {
  if (!Array.isArray(value) || value.length > most) throw wrong('list')
  return value.map((item) => {
    if (!isObject(item)) throw wrong('list')
    return read(item)
  })
}

function textOf(value: JsonObject, name: string): string {
  const text = value[name]
  if (typeof text !== 'string' || text === '' || text.length > NAME_MAX) throw wrong(name)
  return text
}

function wrong(field: string) {
  return refuse.badRequest(`this is no sample of a node: ${field} is missing or not what it should be`)
}
