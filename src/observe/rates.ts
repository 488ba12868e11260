// From two samples of a node to what is kept: speeds from counters, levels as they are. Pure.
import type { DiskFigures, HostFigures, MachineFigures, NodeSample, Subject } from '../base/metrics-port.ts'

export interface Point {
  readonly subject: Subject
  /** In the order of METRICS. */
  readonly values: readonly (number | undefined)[]
}

/** Samples further apart than this are a gap, not a mean over it. */
const GAP_MS = 60_000

/** `before` undefined, from long ago or of another boot: only levels. */
export function pointsOf(before: NodeSample | undefined, sample: NodeSample): readonly Point[] {
  const ms = before ? sample.at - before.at : 0
  const earlier = before && ms > 0 && ms <= GAP_MS ? before : undefined
  const seconds = ms / 1000
  const known = new Map(earlier?.machines.map((machine) => [machine.uid, machine]))
  const machines = sample.machines.flatMap((machine) =>
    machinePoints(known.get(machine.uid), machine, seconds),
  )
  return [nodePoint(earlier?.host, sample, seconds), ...machines]
}

function nodePoint(before: HostFigures | undefined, { node, host }: NodeSample, seconds: number): Point {
  const speed = speedOf(before, host, seconds)
  return {
    subject: { type: 'node', id: node },
    values: [
      speed('busySeconds'),
      host.load1,
      host.memoryBytes - host.memoryAvailableBytes,
      host.memoryBytes,
      host.diskBytes - host.diskFreeBytes,
      host.diskBytes,
      speed('diskReadBytes'),
      speed('diskWriteBytes'),
      speed('receiveBytes'),
      speed('transmitBytes'),
      speed('ownSeconds'),
      host.ownResidentBytes,
    ],
  }
}

function machinePoints(
  before: MachineFigures | undefined,
  machine: MachineFigures,
  seconds: number,
): readonly Point[] {
  const speed = speedOf(before, machine, seconds)
  const user = speed('userSeconds')
  const system = speed('systemSeconds')
  const nics = pairs(before?.nics, machine.nics)
  const disks = pairs(before?.disks, machine.disks ?? [])
  const nic = (key: 'receiveBytes' | 'transmitBytes' | 'receivePackets' | 'transmitPackets') =>
    sum(nics.map(([old, present]) => speedOf(old, present, seconds)(key)))
  const disk = (key: 'readBytes' | 'writeBytes' | 'readOperations' | 'writeOperations') =>
    sum(disks.map(([old, present]) => speedOf(old, present, seconds)(key)))
  const { availableBytes, usableBytes } = machine.balloon ?? {}
  const used =
    availableBytes === undefined || usableBytes === undefined ? undefined : availableBytes - usableBytes
  const whole: Point = {
    subject: { type: 'machine', id: `${machine.namespace}/${machine.name}` },
    values: [
      user === undefined || system === undefined ? undefined : user + system,
      machine.residentBytes,
      used,
      nic('receiveBytes'),
      nic('transmitBytes'),
      nic('receivePackets'),
      nic('transmitPackets'),
      disk('readBytes'),
      disk('writeBytes'),
      disk('readOperations'),
      disk('writeOperations'),
    ],
  }
  const volumes = disks.flatMap(([old, present]) => volumePoint(old, present, seconds))
  return [whole, ...volumes]
}

function volumePoint(before: DiskFigures | undefined, disk: DiskFigures, seconds: number): readonly Point[] {
  if (disk.volume === undefined || before === undefined) return []
  const speed = speedOf(before, disk, seconds)
  const each = (time: 'readSeconds' | 'writeSeconds' | 'flushSeconds', count: (typeof counts)[number]) => {
    const [spent, done] = [speed(time), speed(count)]
    // Nothing done has no latency.
    return spent === undefined || done === undefined || done === 0 ? undefined : spent / done
  }
  return [
    {
      subject: { type: 'volume', id: disk.volume },
      values: [
        speed('readBytes'),
        speed('writeBytes'),
        speed('readOperations'),
        speed('writeOperations'),
        speed('flushOperations'),
        each('readSeconds', 'readOperations'),
        each('writeSeconds', 'writeOperations'),
        each('flushSeconds', 'flushOperations'),
      ],
    },
  ]
}

const counts = ['readOperations', 'writeOperations', 'flushOperations'] as const

/** A counter that went back was begun anew: nothing is known of the time between. */
function speedOf<T extends object>(before: T | undefined, present: T, seconds: number) {
  return (key: keyof T): number | undefined => {
    if (before === undefined || seconds <= 0) return undefined
    const grown = Number(present[key]) - Number(before[key])
    return grown >= 0 ? grown / seconds : undefined
  }
}

function pairs<T extends { readonly name: string }>(
  before: readonly T[] | undefined,
  present: readonly T[],
): readonly (readonly [T | undefined, T])[] {
  return present.map((one) => [before?.find(({ name }) => name === one.name), one])
}

/** Undefined as soon as one part is not known; also of nothing. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined
  return values.reduce((total, value) =>
    total === undefined || value === undefined ? undefined : total + value,
  )
}
