// One look at the host. Interfaces and disks that have no device behind them (bridges, taps, loops) only repeat what
// others carry, so they are left out.
import type { HostFigures } from '../base/metrics-port.ts'
import type { Host } from '../host/host.ts'
import { readDisks, readInterfaces, readMemory, readProcessors, readProcessStat } from './proc.ts'

export interface HostLook {
  readonly figures: HostFigures
  /** /proc/net/dev, which machines' interfaces stand in, too. */
  readonly netDev: string
}

export function hostSampler(host: Pick<Host, 'files'>, dataFolder: string): () => Promise<HostLook> {
  /** By path; whether there is a device does not change while the name lives. */
  const devices = new Map<string, boolean>()
  const text = async (path: string): Promise<string> => {
    const read = await host.files.readText(path)
    return read.ok ? read.value : ''
  }
  const withDevice = async <T>(folder: string, entries: ReadonlyMap<string, T>): Promise<readonly T[]> => {
    const found: T[] = []
    for (const [name, entry] of entries) {
      const path = `${folder}/${name}/device`
      let real = devices.get(path)
      if (real === undefined) {
        real = (await host.files.stat(path)).ok
        devices.set(path, real)
      }
      if (real) found.push(entry)
    }
    for (const path of devices.keys()) {
      const gone = path.startsWith(`${folder}/`) && !entries.has(path.split('/').at(-2) ?? '')
      if (gone) devices.delete(path)
    }
    return found
  }
  const sum = <T>(entries: readonly T[], key: keyof T): number =>
    entries.reduce((total, entry) => total + Number(entry[key]), 0)

  return async () => {
    const [stat, memory, load, netDev, diskStats, own] = await Promise.all([
      text('/proc/stat'),
      text('/proc/meminfo'),
      text('/proc/loadavg'),
      text('/proc/net/dev'),
      text('/proc/diskstats'),
      text('/proc/self/stat'),
    ])
    const { cpus, busySeconds } = readProcessors(stat)
    const { total, available } = readMemory(memory)
    const space = await host.files.space(dataFolder)
    const disks = await withDevice('/sys/block', readDisks(diskStats))
    const nics = await withDevice('/sys/class/net', readInterfaces(netDev))
    const use = readProcessStat(own)
    return {
      netDev,
      figures: {
        cpus,
        busySeconds,
        load1: Number(load.split(' ')[0] ?? 0) || 0,
        memoryBytes: total,
        memoryAvailableBytes: available,
        diskBytes: space.ok ? space.value.totalBytes : 0,
        diskFreeBytes: space.ok ? space.value.freeBytes : 0,
        diskReadBytes: sum(disks, 'readBytes'),
        diskWriteBytes: sum(disks, 'writeBytes'),
        receiveBytes: sum(nics, 'receiveBytes'),
        transmitBytes: sum(nics, 'transmitBytes'),
        ownSeconds: use ? use.userSeconds + use.systemSeconds : 0,
        ownResidentBytes: use?.residentBytes ?? 0,
      },
    }
  }
}
