// Reads the kernel's own files: processors, memory, disks and interfaces of the host, and what one process has used.
// Pure; the texts come from proc(5).

/** USER_HZ, the same on all architectures of Linux that we run on. */
const TICKS_PER_SECOND = 100
/** x86-64, and arm64 as Debian builds it. */
const PAGE_BYTES = 4096
/** The kernel counts disks in these, whatever the disk's own are. */
const SECTOR_BYTES = 512

export interface ProcessUse {
  readonly userSeconds: number
  readonly systemSeconds: number
  readonly guestSeconds: number
  readonly residentBytes: number
  /** Field 22, to tell a process from a later one of the same number. Ticks since boot. */
  readonly startTicks: number
}

/** /proc/PID/stat; undefined for what is none. */
export function readProcessStat(text: string): ProcessUse | undefined {
  // The name is in brackets and may hold anything, brackets too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (field: number): number => Number(fields[field - 3])
  if (fields.length < 41 || !Number.isFinite(at(24))) return undefined
  return {
    userSeconds: at(14) / TICKS_PER_SECOND,
    systemSeconds: at(15) / TICKS_PER_SECOND,
    guestSeconds: at(43) / TICKS_PER_SECOND,
    residentBytes: at(24) * PAGE_BYTES,
    startTicks: at(22),
  }
}

/** /proc/stat: number of processors, and seconds that they worked. */
export function readProcessors(text: string): { readonly cpus: number; readonly busySeconds: number } {
  const [, line = ''] = /^cpu {2}(.*)$/m.exec(text) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(' ').map(Number)
  return {
    cpus: text.match(/^cpu\d+ /gm)?.length ?? 1,
    busySeconds: (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND,
  }
}

export function readMemory(text: string): { readonly total: number; readonly available: number } {
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { total: of('MemTotal'), available: of('MemAvailable') }
}

export interface InterfaceUse {
  readonly receiveBytes: number
  readonly receivePackets: number
  readonly receiveErrors: number
  readonly receiveDropped: number
  readonly transmitBytes: number
  readonly transmitPackets: number
  readonly transmitErrors: number
  readonly transmitDropped: number
}

/** /proc/net/dev, by interface. */
export function readInterfaces(text: string): ReadonlyMap<string, InterfaceUse> {
  const found = new Map<string, InterfaceUse>()
  for (const line of text.split('\n').slice(2)) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const numbers = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(Number)
    const at = (index: number): number => numbers[index] ?? 0
    found.set(line.slice(0, colon).trim(), {
      receiveBytes: at(0),
      receivePackets: at(1),
      receiveErrors: at(2),
      receiveDropped: at(3),
      transmitBytes: at(8),
      transmitPackets: at(9),
      transmitErrors: at(10),
      transmitDropped: at(11),
    })
  }
  return found
}

/** /proc/diskstats, by device. */
export function readDisks(
  text: string,
): ReadonlyMap<string, { readonly readBytes: number; readonly writeBytes: number }> {
  const found = new Map<string, { readonly readBytes: number; readonly writeBytes: number }>()
  for (const line of text.split('\n')) {
    const [, , name, , , sectorsRead, , , , sectorsWritten] = line.trim().split(/\s+/)
    if (name === undefined || sectorsWritten === undefined) continue
    found.set(name, {
      readBytes: Number(sectorsRead) * SECTOR_BYTES,
      writeBytes: Number(sectorsWritten) * SECTOR_BYTES,
    })
  }
  return found
}
