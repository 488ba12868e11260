// Turns a file of unknown origin into a backing image: unwrapped, recognised, without a reference to anything else,
// qcow2, read only. Programs that parse it run as an unprivileged user with bounded time and memory.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { RunAs } from '../plan/facts.ts'
import { launchArgv } from '../plan/launch.ts'
import { DISK_RESERVE_BYTES } from './download.ts'
import { type DiskFormat, HEAD_BYTES, recognise, type Wrapper } from './recognise.ts'

/** A wrapper in a wrapper is a mistake, and more of them a bomb. */
const WRAPPERS_MAX = 2
const UNWRAP_TIMEOUT_MS = 3_600_000
const CONVERT_TIMEOUT_MS = 3_600_000
const INFO_TIMEOUT_MS = 30_000
/** Address space and processor time that a program may use on a foreign file. */
const MEMORY_MAX_BYTES = 2 * 1024 * 1024 * 1024
const CPU_MAX_SECONDS = 3_600
/** Largest virtual disk; Longhorn's own volumes stay far below. */
const VIRTUAL_MAX_BYTES = 64n * 1024n ** 4n

export interface NormaliseRequest {
  readonly host: Host
  /** The file as it came; it is consumed. */
  readonly source: string
  /** Folder of the image, for files in between. */
  readonly folder: string
  /** Where the finished image goes. */
  readonly target: string
  readonly runAs: RunAs | undefined
  readonly signal: AbortSignal
  readonly onStage: (stage: 'unwrapping' | 'converting') => void
}

export interface NormalisedImage {
  readonly virtualSize: bigint
  readonly sizeBytes: number
}

const UNWRAP: Readonly<Record<Wrapper, string>> = {
  xz: 'xz -dc --memlimit=1GiB',
  gzip: 'gzip -dc',
  zstd: 'zstd -dc --memory=1024MB -q',
}

function sandboxed(argv: readonly string[], runAs: RunAs | undefined): readonly string[] {
  return launchArgv(['prlimit', `--as=${MEMORY_MAX_BYTES}`, `--cpu=${CPU_MAX_SECONDS}`, '--', ...argv], {
    cgroupFiles: [],
    ...(runAs ? { runAs } : {}),
  })
}

async function hand(request: NormaliseRequest, path: string): Promise<Result<void>> {
  return request.runAs ? request.host.files.chown(path, request.runAs.uid, request.runAs.gid) : ok(undefined)
}

/** An empty file that the unprivileged program may fill. */
async function emptyFor(request: NormaliseRequest, path: string): Promise<Result<void>> {
  const { files } = request.host
  await files.remove(path)
  const file = await files.open(path, 'create-new', 0o600)
  if (!file.ok) return file
  await file.value.close()
  return hand(request, path)
}

interface DiskFile {
  readonly path: string
  readonly format: DiskFormat
  readonly plain: boolean
}

/** Unwraps as often as needed and allowed, and says what lies inside. */
async function unwrapped(request: NormaliseRequest): Promise<Result<DiskFile>> {
  const { files } = request.host
  let path = request.source
  for (let depth = 0; ; depth++) {
    const stat = await files.stat(path)
    if (!stat.ok) return stat
    const head = await files.readAt(path, 0, HEAD_BYTES)
    if (!head.ok) return head
    const found = recognise(head.value, stat.value.sizeBytes)
    if (found.is === 'refused')
      return failed({ reason: found.reason, message: found.message, retry: 'never' })
    if (found.is === 'disk') return ok({ path, format: found.format, plain: found.plain })
    if (depth >= WRAPPERS_MAX)
      return failed({
        reason: 'TooManyWrappers',
        message: 'the file is wrapped more than twice',
        retry: 'never',
      })
    request.onStage('unwrapping')
    const inner = `${request.folder}/unwrapped-${depth}`
    const done = await unwrap(request, path, inner, found.by)
    if (!done.ok) return done
    await files.remove(path)
    path = inner
  }
}

async function unwrap(
  request: NormaliseRequest,
  from: string,
  to: string,
  by: Wrapper,
): Promise<Result<void>> {
  const { host, folder } = request
  const space = await host.files.space(folder)
  if (!space.ok) return space
  const limit = space.value.freeBytes - DISK_RESERVE_BYTES
  if (limit <= 0)
    return failed({
      reason: 'NoSpace',
      message: 'no space is left to unwrap the image; free space on its disk',
      retry: 'later',
    })
  for (const ready of [await hand(request, from), await emptyFor(request, to)]) if (!ready.ok) return ready
  // dd skips zeros, so that what was sparse stays sparse; head bounds a file that never stops growing.
  const script = `set -o pipefail; ${UNWRAP[by]} < "$1" | head -c "$3" | dd of="$2" bs=1M iflag=fullblock conv=sparse,notrunc status=none`
  const ran = await host.exec.run(
    sandboxed(['bash', '-c', script, 'unwrap', from, to, String(limit + 1)], request.runAs),
    { timeoutMs: UNWRAP_TIMEOUT_MS, signal: request.signal },
  )
  const size = await host.files.stat(to)
  if (size.ok && size.value.sizeBytes > limit)
    return failed({
      reason: 'ImageTooLarge',
      message: `unwrapped the image is larger than the ${limit} bytes that the disk has left`,
      retry: 'later',
    })
  if (!ran.ok)
    return failed({
      ...ran.failure,
      reason: 'ImageDamaged',
      message: `the ${by} data cannot be unwrapped, it is cut off or damaged: ${(ran.failure.stderr ?? ran.failure.message).trim().split('\n').pop()}`,
      retry: 'later',
    })
  return ok(undefined)
}

/** A clean qcow2 is taken as it is; everything else is written anew, which also drops what nobody asked for. */
async function converted(request: NormaliseRequest, disk: DiskFile): Promise<Result<string>> {
  if (disk.format === 'qcow2' && disk.plain) return ok(disk.path)
  request.onStage('converting')
  const out = `${request.folder}/converted`
  for (const ready of [await hand(request, disk.path), await emptyFor(request, out)])
    if (!ready.ok) return ready
  const format = disk.format === 'iso' ? 'raw' : disk.format
  const ran = await request.host.exec.run(
    sandboxed(
      [
        ...['qemu-img', 'convert', '-q', '-f', format, '-O', 'qcow2', '-o', 'compat=1.1,lazy_refcounts=off'],
        // Written through to the disk: what is called ready must be there after a power cut.
        ...['-t', 'writeback', disk.path, out],
      ],
      request.runAs,
    ),
    { timeoutMs: CONVERT_TIMEOUT_MS, signal: request.signal },
  )
  if (!ran.ok)
    return failed({
      ...ran.failure,
      reason: 'ImageDamaged',
      message: `the image cannot be read as ${disk.format}: ${ran.failure.stderr?.trim().split('\n').pop() ?? ran.failure.message}`,
      retry: 'later',
    })
  await request.host.files.remove(disk.path)
  return ok(out)
}

interface QemuImgInfo {
  readonly format: string
  readonly 'virtual-size': number
  readonly 'backing-filename'?: string
}

async function inspect(request: NormaliseRequest, path: string): Promise<Result<bigint>> {
  const handed = await hand(request, path)
  if (!handed.ok) return handed
  const ran = await request.host.exec.run(
    sandboxed(['qemu-img', 'info', '--output=json', '-f', 'qcow2', path], request.runAs),
    { timeoutMs: INFO_TIMEOUT_MS, signal: request.signal },
  )
  if (!ran.ok)
    return failed({
      ...ran.failure,
      reason: 'ImageDamaged',
      message: `the image cannot be opened: ${ran.failure.stderr?.trim() ?? ran.failure.message}`,
    })
  const info = JSON.parse(ran.value.stdout) as QemuImgInfo
  const virtual = BigInt(info['virtual-size'])
  if (info['backing-filename'] !== undefined)
    return failed({
      reason: 'ImageRefersToFiles',
      message: 'the image stands on a backing file',
      retry: 'never',
    })
  if (virtual === 0n || virtual > VIRTUAL_MAX_BYTES)
    return failed({
      reason: 'ImageTooLarge',
      message: `a virtual size of ${virtual} bytes is not served`,
      retry: 'never',
    })
  return ok(virtual)
}

export async function normalise(request: NormaliseRequest): Promise<Result<NormalisedImage>> {
  const { files } = request.host
  const disk = await unwrapped(request)
  if (!disk.ok) return disk
  const image = await converted(request, disk.value)
  if (!image.ok) return image
  const virtualSize = await inspect(request, image.value)
  if (!virtualSize.ok) return virtualSize
  const file = await files.open(image.value, 'write')
  if (!file.ok) return file
  const synced = await file.value.sync()
  await file.value.close()
  if (!synced.ok) return synced
  // Read only for everybody, its owner too: nothing may change under the volumes that stand on it.
  for (const step of [
    () => files.chmod(image.value, 0o444),
    () => files.rename(image.value, request.target),
    () => files.syncFolder(request.folder),
  ]) {
    const done = await step()
    if (!done.ok) return done
  }
  const stat = await files.stat(request.target)
  return stat.ok ? ok({ virtualSize: virtualSize.value, sizeBytes: stat.value.sizeBytes }) : stat
}
