// A control group for each machine: with systemd a scope, else a folder in the v2 tree or in the v1 hierarchies.
// A host where none can be written still runs machines, without limits, and says so.
import type { Host } from '../../host/host.ts'

const ROOT = '/sys/fs/cgroup'
/** Threads of one QEMU: processors, I/O threads and up to 64 workers; a runaway is stopped here. */
const PIDS_MAX = 2048
/** The kernel's period for processor quotas. Microseconds. */
const CPU_PERIOD_US = 100_000

export type CgroupKind = 'systemd' | 'v2' | 'v1' | 'none'

export interface CgroupLimits {
  /** Absent: no limit. Bytes. */
  readonly memoryBytes?: number
  /** Quota in thousandths of a processor; absent: no limit. */
  readonly cpuMilli?: number
  /** Share against others, in thousandths of a processor asked for. */
  readonly cpuRequestMilli?: number
}

export interface PreparedCgroup {
  readonly kind: CgroupKind
  /** Files that take the pid. */
  readonly procs: readonly string[]
  readonly scope?: { readonly unit: string; readonly properties: readonly string[] }
  readonly note?: string
}

export async function cgroupKind(host: Host): Promise<CgroupKind> {
  if ((await host.files.stat('/run/systemd/system')).ok) return 'systemd'
  if ((await host.files.stat(`${ROOT}/cgroup.controllers`)).ok) return 'v2'
  if ((await host.files.stat(`${ROOT}/memory`)).ok) return 'v1'
  return 'none'
}

/** `id` is the uid of the VirtualMachineInstance. */
export async function prepareCgroup(
  host: Host,
  kind: CgroupKind,
  id: string,
  limits: CgroupLimits,
): Promise<PreparedCgroup> {
  if (kind === 'systemd')
    return { kind, procs: [], scope: { unit: `croft-vm-${id}`, properties: systemdProperties(limits) } }
  await prepareParents(host, kind)
  const groups = groupsOf(kind, id).filter((group) => isWanted(kind, group.controller, limits))
  for (const group of groups) {
    const made = await host.files.makeFolder(group.folder)
    if (!made.ok)
      return { kind: 'none', procs: [], note: `machines run without limits: ${made.failure.message}` }
    for (const [file, value] of settingsOf(kind, group.controller, limits)) {
      const written = await writeSetting(host, `${group.folder}/${file}`, value)
      if (!written)
        host.log.warn('a limit of a control group was not set', { file: `${group.folder}/${file}`, value })
    }
  }
  if (kind === 'none')
    return { kind, procs: [], note: 'machines run without limits: no control groups are mounted' }
  return { kind, procs: groups.map((group) => `${group.folder}/cgroup.procs`) }
}

/**
 * Guests are what the host is there for: without a weight of its own their common group would get as much as one
 * single process outside it. Sixteen of those, so that Croft itself stays quick beside busy guests.
 */
const PARENT_CPU_SHARES = 16 * 1024
const PARENT_CPU_WEIGHT = 1600

async function prepareParents(host: Host, kind: CgroupKind): Promise<void> {
  if (kind === 'v1') {
    if ((await host.files.makeFolder(`${ROOT}/cpu/croft`)).ok)
      await writeSetting(host, `${ROOT}/cpu/croft/cpu.shares`, String(PARENT_CPU_SHARES))
  }
  if (kind === 'v2') {
    // Controllers reach a group only when each group above hands them down.
    await writeSetting(host, `${ROOT}/cgroup.subtree_control`, '+cpu +memory +pids')
    if (!(await host.files.makeFolder(`${ROOT}/croft`)).ok) return
    await writeSetting(host, `${ROOT}/croft/cgroup.subtree_control`, '+cpu +memory +pids')
    await writeSetting(host, `${ROOT}/croft/cpu.weight`, String(PARENT_CPU_WEIGHT))
  }
}

/** After the last process has ended. systemd removes scopes by itself. */
export async function removeCgroup(host: Host, kind: CgroupKind, id: string): Promise<void> {
  for (const { folder } of groupsOf(kind, id)) {
    if (!(await host.files.stat(folder)).ok) continue
    const gone = await host.exec.run(['rmdir', folder], { timeoutMs: 5_000 })
    if (!gone.ok) host.log.warn('a control group was not removed', { folder, why: gone.failure.message })
  }
}

interface Group {
  readonly folder: string
  readonly controller: string
}

function groupsOf(kind: CgroupKind, id: string): readonly Group[] {
  if (kind === 'v2') return [{ folder: `${ROOT}/croft/${id}`, controller: 'all' }]
  if (kind === 'v1')
    return ['memory', 'cpu'].map((controller) => ({
      folder: `${ROOT}/${controller}/croft/${id}`,
      controller,
    }))
  return []
}

/** Moving a process into a v1 group costs the kernel 3 to 30 ms, so only groups with a limit to keep are used. */
function isWanted(kind: CgroupKind, controller: string, { memoryBytes, cpuMilli }: CgroupLimits): boolean {
  if (kind !== 'v1') return true
  return controller === 'memory' ? memoryBytes !== undefined : cpuMilli !== undefined
}

/** Shares as Kubernetes computes them: 1024 a processor, at least 2. */
function shares(milli: number): number {
  return Math.max(2, Math.floor((milli * 1024) / 1000))
}

function settingsOf(
  kind: CgroupKind,
  controller: string,
  limits: CgroupLimits,
): readonly (readonly [string, string])[] {
  const { memoryBytes, cpuMilli, cpuRequestMilli } = limits
  const quota = cpuMilli === undefined ? undefined : Math.round((cpuMilli * CPU_PERIOD_US) / 1000)
  const settings: (readonly [string, string] | undefined)[] =
    kind === 'v2'
      ? [
          memoryBytes === undefined ? undefined : ['memory.max', String(memoryBytes)],
          quota === undefined ? undefined : ['cpu.max', `${quota} ${CPU_PERIOD_US}`],
          ['pids.max', String(PIDS_MAX)],
        ]
      : controller === 'memory'
        ? [memoryBytes === undefined ? undefined : ['memory.limit_in_bytes', String(memoryBytes)]]
        : [
            quota === undefined ? undefined : ['cpu.cfs_quota_us', String(quota)],
            cpuRequestMilli === undefined ? undefined : ['cpu.shares', String(shares(cpuRequestMilli))],
          ]
  return settings.filter((one) => one !== undefined)
}

function systemdProperties({ memoryBytes, cpuMilli }: CgroupLimits): readonly string[] {
  return [
    `TasksMax=${PIDS_MAX}`,
    ...(memoryBytes === undefined ? [] : [`MemoryMax=${memoryBytes}`]),
    ...(cpuMilli === undefined ? [] : [`CPUQuota=${Math.round(cpuMilli / 10)}%`]),
  ]
}

export async function writeSetting(host: Host, path: string, value: string): Promise<boolean> {
  const opened = await host.files.open(path, 'write')
  if (!opened.ok) return false
  const written = await opened.value.write(new TextEncoder().encode(value))
  await opened.value.close()
  return written.ok
}
