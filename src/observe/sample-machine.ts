// One look at one machine: its process by the kernel's files, its disks and its balloon by QMP. A QEMU that does not
// answer in time is still sampled by what the kernel knows.
import { isObject, type Json } from '../base/json.ts'
import type { BalloonFigures, DiskFigures, MachineFigures, NicFigures } from '../base/metrics-port.ts'
import type { Result } from '../base/result.ts'
import type { Files } from '../host/host.ts'
import { type InterfaceUse, readInterfaces, readProcessStat } from './proc.ts'

/** Long before the next round; QEMU answers in a millisecond unless its storage hangs. */
export const QUERY_TIMEOUT_MS = 3_000

/** A machine of this node as the sampler needs it. */
export interface SampledMachine {
  /** Uid of the VirtualMachineInstance. */
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly podName: string
  readonly process: { readonly pid: number; readonly startTicks: number }
  readonly memoryBytes: number
  readonly disks: readonly { readonly name: string; readonly device: string; readonly volume?: string }[]
  readonly nics: readonly { readonly name: string; readonly ifname: string }[]
  /** Its interfaces are in a network namespace of its own. */
  readonly ownNetwork: boolean
  readonly balloon: boolean
  query(command: string, args: Readonly<Record<string, unknown>>, timeoutMs: number): Promise<Result<unknown>>
}

/** Undefined when its process is gone. */
export async function sampleMachine(
  files: Files,
  machine: SampledMachine,
  hostInterfaces: ReadonlyMap<string, InterfaceUse>,
): Promise<MachineFigures | undefined> {
  const { pid, startTicks } = machine.process
  const stat = await files.readText(`/proc/${pid}/stat`)
  const use = stat.ok ? readProcessStat(stat.value) : undefined
  if (!use || use.startTicks !== startTicks) return undefined
  const { uid, namespace, name, podName, memoryBytes } = machine
  const [disks, balloon] = await Promise.all([diskFigures(machine), balloonFigures(machine)])
  const interfaces = machine.ownNetwork ? await ownInterfaces(files, pid) : hostInterfaces
  return {
    uid,
    namespace,
    name,
    podName,
    userSeconds: use.userSeconds,
    systemSeconds: use.systemSeconds,
    guestSeconds: use.guestSeconds,
    residentBytes: use.residentBytes,
    domainBytes: memoryBytes,
    ...(balloon ? { balloon } : {}),
    nics: machine.nics.flatMap((nic) => nicFigures(nic.name, interfaces.get(nic.ifname)) ?? []),
    ...(disks ? { disks } : {}),
  }
}

async function ownInterfaces(files: Files, pid: number): Promise<ReadonlyMap<string, InterfaceUse>> {
  const read = await files.readText(`/proc/${pid}/net/dev`)
  return readInterfaces(read.ok ? read.value : '')
}

/** What the host sends into a tap, the guest receives. */
function nicFigures(name: string, tap: InterfaceUse | undefined): NicFigures | undefined {
  if (!tap) return undefined
  return {
    name,
    receiveBytes: tap.transmitBytes,
    receivePackets: tap.transmitPackets,
    receiveErrors: tap.transmitErrors,
    receiveDropped: tap.transmitDropped,
    transmitBytes: tap.receiveBytes,
    transmitPackets: tap.receivePackets,
    transmitErrors: tap.receiveErrors,
    transmitDropped: tap.receiveDropped,
  }
}

async function diskFigures({ disks, query }: SampledMachine): Promise<readonly DiskFigures[] | undefined> {
  if (disks.length === 0) return []
  const answer = await query('query-blockstats', {}, QUERY_TIMEOUT_MS)
  if (!answer.ok || !Array.isArray(answer.value)) return undefined
  const byDevice = new Map<string, Readonly<Record<string, unknown>>>()
  for (const one of answer.value as readonly Json[]) {
    if (!isObject(one) || !isObject(one['stats'])) continue
    // `/machine/peripheral/ua-root/virtio-backend`, or the id alone.
    const device = String(one['qdev'] ?? '')
      .replace('/machine/peripheral/', '')
      .split('/')[0]
    if (device) byDevice.set(device, one['stats'])
  }
  return disks.flatMap(({ name, device, volume }) => {
    const stats = byDevice.get(device)
    if (!stats) return []
    const count = (key: string): number => Number(stats[key] ?? 0)
    return [
      {
        name,
        ...(volume === undefined ? {} : { volume }),
        readBytes: count('rd_bytes'),
        writeBytes: count('wr_bytes'),
        readOperations: count('rd_operations'),
        writeOperations: count('wr_operations'),
        flushOperations: count('flush_operations'),
        readSeconds: count('rd_total_time_ns') / 1e9,
        writeSeconds: count('wr_total_time_ns') / 1e9,
        flushSeconds: count('flush_total_time_ns') / 1e9,
      },
    ]
  })
}

async function balloonFigures({
  balloon,
  memoryBytes,
  query,
}: SampledMachine): Promise<BalloonFigures | undefined> {
  if (!balloon) return undefined
  const answer = await query(
    'qom-get',
    { path: '/machine/peripheral/balloon0', property: 'guest-stats' },
    QUERY_TIMEOUT_MS,
  )
  const stats = answer.ok && isObject(answer.value) ? answer.value['stats'] : undefined
  if (!isObject(stats)) return undefined
  return { actualBytes: memoryBytes, ...balloonStats(stats) }
}

/** By the names of QEMU. All ones stand for "the guest did not say". */
const BALLOON = {
  availableBytes: 'stat-total-memory',
  usableBytes: 'stat-available-memory',
  unusedBytes: 'stat-free-memory',
  cachedBytes: 'stat-disk-caches',
  swapInBytes: 'stat-swap-in',
  swapOutBytes: 'stat-swap-out',
  majorFaults: 'stat-major-faults',
  minorFaults: 'stat-minor-faults',
} as const
const UNSAID = 2 ** 63

function balloonStats(stats: Readonly<Record<string, unknown>>): Partial<BalloonFigures> {
  return Object.fromEntries(
    Object.entries(BALLOON).flatMap(([name, key]) => {
      const value = Number(stats[key] ?? UNSAID)
      return value >= 0 && value < UNSAID ? [[name, value]] : []
    }),
  )
}
