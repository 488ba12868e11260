// The disks of this host as Longhorn's Node says them: folders that people name are taken up, given an identity that
// stays with their data, measured, and told with what is wrong with them. A folder without its identity where there
// was one before is a disk that is not mounted, and is never taken for an empty one.
import { deepEqual } from '../base/equality.ts'
import type { JsonObject } from '../base/json.ts'
import { isObject, parseJson } from '../base/json.ts'
import { failed, ok, type Result } from '../base/result.ts'
import type { Files, Host } from '../host/host.ts'
import type { KindOf } from '../kinds/kind.ts'
import { Node as LonghornNode } from '../kinds/longhorn/node.ts'
import type { AgentOptions } from './agent-options.ts'
import { mergeConditions } from './plan/conditions.ts'

type StorageNode = KindOf<typeof LonghornNode>
type DiskWish = NonNullable<NonNullable<StorageNode['spec']>['disks']>[string]
type DiskStatus = NonNullable<NonNullable<StorageNode['status']>['diskStatus']>[string]

export const LONGHORN_NAMESPACE = 'longhorn-system'
/** Longhorn's file with the identity of a disk. */
const IDENTITY_FILE = 'longhorn-disk.cfg'
/** The user that storage daemons run as passes through, and sees nothing. */
const DISK_MODE = 0o711
/** A change of the free space below this is not worth a write. Bytes. */
const SPACE_STEP_BYTES = 256 * 1024 * 1024

export interface Disk {
  readonly path: string
  readonly uuid: string
  readonly totalBytes: number
  readonly freeBytes: number
}

function uuidIn(text: string): string | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) && typeof value['diskUUID'] === 'string' ? value['diskUUID'] : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes the folder and its identity where they are missing, and measures it. `knownUuid` is the identity that the
 * folder had before. Failures: `NoDiskInfo`, `DiskFilesystemChanged`, `DiskDamaged`, or what the system said.
 */
export async function prepareDisk(host: Host, path: string, knownUuid?: string): Promise<Result<Disk>> {
  const made = await host.files.makeFolder(path, DISK_MODE)
  if (!made.ok) return made
  const file = `${path}/${IDENTITY_FILE}`
  const read = await host.files.readText(file)
  const found = read.ok ? uuidIn(read.value) : undefined
  if (read.ok && found === undefined)
    return failed({
      reason: 'DiskDamaged',
      message: `${file} names no diskUUID: restore it, or remove it if the disk is empty`,
      retry: 'later',
    })
  if (found === undefined && knownUuid)
    return failed({
      reason: 'NoDiskInfo',
      message: `${path} holds no ${IDENTITY_FILE}, which disk ${knownUuid} had: mount its file system again, or take the disk out`,
      retry: 'later',
    })
  if (found !== undefined && knownUuid && found !== knownUuid)
    return failed({
      reason: 'DiskFilesystemChanged',
      message: `${path} is disk ${found} now and was ${knownUuid}: bring the old one back, or take the disk out and add it anew`,
      retry: 'later',
    })
  const uuid = found ?? host.random.uuid()
  if (found === undefined) {
    const written = await host.files.writeDurable(file, JSON.stringify({ diskUUID: uuid }))
    if (!written.ok) return written
  }
  const space = await host.files.space(path)
  return space.ok ? ok({ path, uuid, ...space.value }) : space
}

/** Which mounted file system a path lies on: its device, from the longest mount point above the path. */
export function deviceOf(path: string, mountinfo: string): string {
  let best = { length: -1, device: '' }
  for (const line of mountinfo.split('\n')) {
    const [, , device = '', , point = ''] = line.split(' ')
    const above = point === '/' || path === point || path.startsWith(`${point}/`)
    // Of two mounts at one place the later one is seen.
    if (device && above && point.length >= best.length) best = { length: point.length, device }
  }
  return best.device
}

async function mountsOf(files: Files): Promise<string> {
  const read = await files.readText('/proc/self/mountinfo')
  return read.ok ? read.value : ''
}

export interface Looked {
  readonly name: string
  readonly wish: DiskWish
  readonly result: Result<Disk>
  readonly device: string
}

/** Folders of one file system share its space evenly, so that none is promised twice. */
function shareOf(one: Looked, all: readonly Looked[]): number {
  if (one.device === '') return 1
  return Math.max(1, all.filter((other) => other.result.ok && other.device === one.device).length)
}

function isSecond(one: Looked, all: readonly Looked[]): string | undefined {
  const { result } = one
  if (!result.ok) return undefined
  const before = all.slice(0, all.indexOf(one))
  return before.find(({ result: other }) => other.ok && other.value.uuid === result.value.uuid)?.name
}

/** What is told of each disk; undefined where nothing worth a write changed. */
export function diskStatuses(
  looked: readonly Looked[],
  present: Readonly<Record<string, DiskStatus>>,
  now: number,
): JsonObject | undefined {
  const changes: Record<string, JsonObject | null> = {}
  for (const one of looked) {
    const status = statusOf(one, looked, present[one.name], now)
    if (status) changes[one.name] = status
  }
  for (const name of Object.keys(present)) if (!looked.some((one) => one.name === name)) changes[name] = null
  return Object.keys(changes).length === 0 ? undefined : (changes as JsonObject)
}

function statusOf(
  one: Looked,
  all: readonly Looked[],
  before: DiskStatus | undefined,
  now: number,
): JsonObject | undefined {
  const { name, wish, result } = one
  const second = isSecond(one, all)
  const problem = !result.ok
    ? { reason: result.failure.reason, message: result.failure.message }
    : second
      ? {
          reason: 'DiskFilesystemChanged',
          message: `it is the same folder as disk ${second}: take one of them out`,
        }
      : undefined
  const ready = problem
    ? ({ type: 'Ready', status: 'False', ...problem } as const)
    : ({ type: 'Ready', status: 'True', reason: '', message: '' } as const)
  // Whether it takes more is judged by the control plane; a new disk does.
  const first = before?.conditions?.some(({ type }) => type === 'Schedulable')
    ? []
    : [{ type: 'Schedulable', status: 'True', reason: '', message: '' } as const]
  const conditions = mergeConditions(before?.conditions ?? [], [ready, ...first], [], now)
  if (!result.ok || second)
    return before && deepEqual(before.conditions, conditions)
      ? undefined
      : ({ diskName: name, diskPath: wish.path ?? '', conditions } as unknown as JsonObject)
  const share = shareOf(one, all)
  const free = Math.floor(result.value.freeBytes / share)
  const total = Math.floor(result.value.totalBytes / share)
  const moved = Math.abs(Number(before?.storageAvailable ?? 0) - free) >= SPACE_STEP_BYTES
  const same =
    before?.diskUUID === result.value.uuid &&
    Number(before.storageMaximum ?? 0) === total &&
    before.diskPath === wish.path &&
    !moved &&
    deepEqual(before.conditions, conditions)
  if (same) return undefined
  return {
    diskUUID: result.value.uuid,
    diskName: name,
    diskPath: wish.path ?? '',
    diskType: 'filesystem',
    storageMaximum: total,
    storageAvailable: free,
    conditions,
  } as unknown as JsonObject
}

async function look(host: Host, node: StorageNode, mounts: string): Promise<readonly Looked[]> {
  const looked: Looked[] = []
  // One after another: two names of one folder must not both give it an identity.
  for (const [name, wish] of Object.entries(node.spec?.disks ?? {})) {
    const path = wish.path ?? ''
    const known = node.status?.diskStatus?.[name]
    const knownUuid = known?.diskPath === path ? known.diskUUID : undefined
    const result =
      wish.diskType === 'block'
        ? failed({
            reason: 'BlockDisk',
            message: 'block disks are not served: make a file system on it, mount it, and name its folder',
            retry: 'never' as const,
          })
        : await prepareDisk(host, path, knownUuid || undefined)
    looked.push({ name, wish, result, device: deviceOf(path, mounts) })
  }
  return looked
}

const NODE_CONDITIONS = [
  { type: 'Ready', status: 'True', reason: '', message: '' },
  { type: 'Schedulable', status: 'True', reason: '', message: '' },
] as const

/** Looks at every disk that the node is to have, and writes what changed. */
export async function reportDisks(
  { client, host, nodeName }: AgentOptions,
  node: StorageNode,
): Promise<void> {
  const now = host.clock.now()
  const looked = await look(host, node, await mountsOf(host.files))
  const diskStatus = diskStatuses(looked, node.status?.diskStatus ?? {}, now)
  // Afterwards the control plane says whether the node is ready: it is asked when we are silent.
  const isNew = !node.status?.conditions?.some(({ type }) => type === 'Ready')
  const conditions = isNew
    ? { conditions: mergeConditions(node.status?.conditions ?? [], NODE_CONDITIONS, [], now) }
    : {}
  if (!diskStatus && !isNew) return
  const status = { ...(diskStatus ? { diskStatus } : {}), ...conditions }
  await client.patch(LonghornNode, nodeName, { status } as unknown as JsonObject, {
    subresource: 'status',
    namespace: LONGHORN_NAMESPACE,
  })
}
