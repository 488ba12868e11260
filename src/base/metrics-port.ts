// What is measured and handed on, as shapes only: the agent of a node pushes samples into a sink, the doors of the API
// read a view. In one process serve/ wires them straight; between hosts the same batch travels as JSON.

/** Counters rise for as long as the process that they belong to lives; bytes, operations and seconds are totals. */
export interface NicFigures {
  /** Name of the interface in the VirtualMachineInstance. */
  readonly name: string
  /** As the guest sees it: what it received. */
  readonly receiveBytes: number
  readonly receivePackets: number
  readonly receiveErrors: number
  readonly receiveDropped: number
  readonly transmitBytes: number
  readonly transmitPackets: number
  readonly transmitErrors: number
  readonly transmitDropped: number
}

export interface DiskFigures {
  /** Name of the disk in the VirtualMachineInstance. */
  readonly name: string
  /** Longhorn volume behind it; absent for disks of other kinds. */
  readonly volume?: string
  readonly readBytes: number
  readonly writeBytes: number
  readonly readOperations: number
  readonly writeOperations: number
  readonly flushOperations: number
  readonly readSeconds: number
  readonly writeSeconds: number
  readonly flushSeconds: number
}

/** What the guest's balloon driver tells. Bytes. */
export interface BalloonFigures {
  readonly actualBytes: number
  /** Memory of the guest as its kernel counts it, and what it could give to programs. Absent without a driver. */
  readonly availableBytes?: number
  readonly usableBytes?: number
  readonly unusedBytes?: number
  readonly cachedBytes?: number
  readonly swapInBytes?: number
  readonly swapOutBytes?: number
  readonly majorFaults?: number
  readonly minorFaults?: number
}

export interface MachineFigures {
  /** Uid of the VirtualMachineInstance. */
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly podName: string
  /** Processor time of QEMU with all its threads. Seconds. */
  readonly userSeconds: number
  readonly systemSeconds: number
  /** Time inside the guest, a part of `userSeconds`; 0 under emulation. Seconds. */
  readonly guestSeconds: number
  readonly residentBytes: number
  /** Memory of the guest as it was planned. */
  readonly domainBytes: number
  readonly balloon?: BalloonFigures
  readonly nics: readonly NicFigures[]
  /** Absent when QEMU did not answer in time. */
  readonly disks?: readonly DiskFigures[]
}

export interface HostFigures {
  readonly cpus: number
  /** Time in which processors worked, over all of them. Seconds since boot. */
  readonly busySeconds: number
  readonly load1: number
  readonly memoryBytes: number
  readonly memoryAvailableBytes: number
  /** Disk of the data folder. */
  readonly diskBytes: number
  readonly diskFreeBytes: number
  /** All devices that are whole disks. */
  readonly diskReadBytes: number
  readonly diskWriteBytes: number
  /** All interfaces with a device behind them. */
  readonly receiveBytes: number
  readonly transmitBytes: number
  /** Croft's own process. */
  readonly ownSeconds: number
  readonly ownResidentBytes: number
}

/** Everything of one node at one moment. */
export interface NodeSample {
  readonly node: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly host: HostFigures
  readonly machines: readonly MachineFigures[]
}

export interface SampleSink {
  push(sample: NodeSample): void
}

export type SubjectType = 'machine' | 'volume' | 'node'

/**
 * `machine`: namespace/name; `volume`: name of the Longhorn volume; `node`: its name.
 */
export interface Subject {
  readonly type: SubjectType
  readonly id: string
}

export interface RangeWish {
  /** Milliseconds since 1970; `end` is not part of it. */
  readonly start: number
  readonly end: number
  /** Distance of the points. Milliseconds. */
  readonly step: number
  /** How the samples between two points become one. */
  readonly fold: 'mean' | 'max'
  /** Names of metrics; all where left out. */
  readonly metrics?: readonly string[]
}

export interface RangeSeries {
  readonly name: string
  readonly unit: string
  /** One value a point, from `start` on; null where nothing was measured. */
  readonly values: readonly (number | null)[]
}

export interface Range {
  /** Of the first point. Milliseconds since 1970. */
  readonly start: number
  readonly step: number
  readonly series: readonly RangeSeries[]
}

/** The present rates and levels of a subject. */
export interface Latest {
  readonly subject: Subject
  /** Milliseconds since 1970. */
  readonly at: number
  readonly values: Readonly<Record<string, number>>
}

export interface MetricsView {
  range(subject: Subject, wish: RangeWish): Range
  /** Undefined where nothing was measured lately. */
  latest(subject: Subject): Latest | undefined
  /** The last samples of all nodes that still report. */
  samples(): readonly NodeSample[]
  /** Time between two samples. Milliseconds. */
  readonly stepMs: number
  /** How far back history goes at most. Milliseconds. */
  readonly keptMs: number
}
