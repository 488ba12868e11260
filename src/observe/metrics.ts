// What is kept of each machine, volume and node: the metrics with their units, and how finely they are kept.
import type { SubjectType } from '../base/metrics-port.ts'

export interface Metric {
  readonly name: string
  readonly unit: 'cores' | 'bytes' | 'bytes/s' | 'operations/s' | 'packets/s' | 'seconds' | 'load'
  /** Differences below this mean nothing; above it values are kept to 0.3 %. In the unit. */
  readonly grain: number
  readonly doc: string
}

const CORES = { unit: 'cores', grain: 0.001 } as const
const BYTES = { unit: 'bytes', grain: 65_536 } as const
const SPEED = { unit: 'bytes/s', grain: 16 } as const
const OPERATIONS = { unit: 'operations/s', grain: 0.05 } as const
const PACKETS = { unit: 'packets/s', grain: 0.05 } as const
const SECONDS = { unit: 'seconds', grain: 0.000_002 } as const

/** Their order is that of the stored data: only ever add at the end, and raise FORMAT in archive.ts otherwise. */
export const METRICS: Readonly<Record<SubjectType, readonly Metric[]>> = {
  machine: [
    { name: 'cpu', ...CORES, doc: 'Processors in use by QEMU, the guest included.' },
    { name: 'memory', ...BYTES, doc: 'Memory of the host that QEMU holds.' },
    { name: 'memoryUsed', ...BYTES, doc: 'Memory in use inside the guest, as its balloon driver tells.' },
    { name: 'networkReceive', ...SPEED, doc: 'Received by the guest, all interfaces.' },
    { name: 'networkTransmit', ...SPEED, doc: 'Sent by the guest, all interfaces.' },
    { name: 'networkReceivePackets', ...PACKETS, doc: 'Packets received by the guest.' },
    { name: 'networkTransmitPackets', ...PACKETS, doc: 'Packets sent by the guest.' },
    { name: 'diskRead', ...SPEED, doc: 'Read from all disks.' },
    { name: 'diskWrite', ...SPEED, doc: 'Written to all disks.' },
    { name: 'diskReadOperations', ...OPERATIONS, doc: 'Reads of all disks.' },
    { name: 'diskWriteOperations', ...OPERATIONS, doc: 'Writes of all disks.' },
  ],
  volume: [
    { name: 'read', ...SPEED, doc: 'Read by the machine.' },
    { name: 'write', ...SPEED, doc: 'Written by the machine.' },
    { name: 'readOperations', ...OPERATIONS, doc: 'Reads.' },
    { name: 'writeOperations', ...OPERATIONS, doc: 'Writes.' },
    { name: 'flushOperations', ...OPERATIONS, doc: 'Flushes.' },
    { name: 'readLatency', ...SECONDS, doc: 'Time of one read, mean.' },
    { name: 'writeLatency', ...SECONDS, doc: 'Time of one write, mean.' },
    { name: 'flushLatency', ...SECONDS, doc: 'Time of one flush, mean.' },
  ],
  node: [
    { name: 'cpu', ...CORES, doc: 'Processors in use on the host.' },
    { name: 'load', unit: 'load', grain: 0.01, doc: 'Load of the last minute.' },
    { name: 'memoryUsed', ...BYTES, doc: 'Memory in use on the host.' },
    { name: 'memoryTotal', ...BYTES, doc: 'Memory of the host.' },
    { name: 'diskUsed', ...BYTES, doc: 'Used on the disk of the data folder.' },
    { name: 'diskTotal', ...BYTES, doc: 'Size of the disk of the data folder.' },
    { name: 'diskRead', ...SPEED, doc: 'Read from the disks of the host.' },
    { name: 'diskWrite', ...SPEED, doc: 'Written to the disks of the host.' },
    { name: 'networkReceive', ...SPEED, doc: 'Received on the interfaces of the host.' },
    { name: 'networkTransmit', ...SPEED, doc: 'Sent on the interfaces of the host.' },
    { name: 'croftCpu', ...CORES, doc: "Processors in use by croft's own process." },
    { name: 'croftMemory', ...BYTES, doc: "Memory of croft's own process." },
  ],
}

/** Steps in one doubling of a value: half a step is 0.27 %. */
const STEPS = 128
/** 0 stands for "nothing was measured". */
export const MISSING = 0
export const LEVEL_MAX = 0xffff

/** A value as a whole number: linear near zero, logarithmic above the grain. */
export function levelOf(value: number | undefined, grain: number): number {
  if (value === undefined || !Number.isFinite(value) || value < 0) return MISSING
  return Math.min(LEVEL_MAX, 1 + Math.round(STEPS * Math.log2(1 + value / grain)))
}

export function amountOf(level: number, grain: number): number | undefined {
  return level === MISSING ? undefined : grain * (2 ** ((level - 1) / STEPS) - 1)
}
