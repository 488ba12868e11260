// Copies frozen files of one replica to another by way of the source's daemon, so that it is the same within a host
// and between two; a program of QEMU moves the bytes, not we.
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { LAYER_EXPORT_PREFIX } from './daemon.ts'
import { DELTA_MIN_BYTES, type FileBlocks, patchFile } from './delta.ts'
import { nodeOf } from './layers.ts'
import { type LocalMemberInput, serverOf } from './member.ts'
import { tlsArgv } from './tls.ts'

/** A whole layer; a slow disk with a terabyte needs hours. Milliseconds. */
const COPY_TIMEOUT_MS = 24 * 3600 * 1000
const PROGRESS_MS = 250

export interface CopyOrder {
  readonly file: string
  readonly source: NbdChild
  /** sha512 of the source's file. */
  readonly digest: string
  /** Of the source's file: where one is here that differs in some blocks, those alone are fetched. */
  readonly blocks?: FileBlocks
  /** Answer `BlocksWanted` where `blocks` would help. */
  readonly asksBlocks?: boolean
  /** Bytes a second; absent: as fast as it goes. */
  readonly rateBytes?: number
  /** How much of the file lies on the disk; called now and then. */
  readonly onBytes?: (count: number) => void
  readonly signal?: AbortSignal
}

const fileExport = (replica: string, file: string): string => `${LAYER_EXPORT_PREFIX}${replica}-${file}`

/** The options of QEMU that reach an export. */
export function nbdOptions({ server, exportName }: NbdChild): Readonly<Record<string, unknown>> {
  return {
    driver: 'nbd',
    server:
      'unix' in server
        ? { type: 'unix', path: server.unix }
        : { type: 'inet', host: server.host, port: String(server.port) },
    export: exportName,
    ...('tlsCreds' in server && server.tlsCreds ? { 'tls-creds': server.tlsCreds } : {}),
  }
}

export interface ServedFile {
  readonly child: NbdChild
  /** Bytes of it that lie on the disk. */
  readonly sizeBytes: number
}

/** Serves a frozen file as it lies on the disk. Idempotent. */
export async function openFile(input: LocalMemberInput, file: string): Promise<Result<ServedFile>> {
  const stat = await input.host.files.stat(`${input.place.folder}/${file}`)
  if (!stat.ok) return stat
  const id = fileExport(input.replica, file)
  const opened = await input.daemon.qmp.execute('block-export-add', {
    type: 'nbd',
    id,
    name: id,
    'node-name': `${nodeOf(file)}_f`,
    writable: false,
  })
  if (!opened.ok && !/already|in use/.test(opened.failure.message)) return opened
  return ok({
    child: { server: serverOf(input), exportName: id },
    sizeBytes: stat.value.allocatedBytes,
  })
}

export async function closeFile({ daemon, replica }: LocalMemberInput, file: string): Promise<void> {
  await daemon.qmp.execute('block-export-del', { id: fileExport(replica, file), mode: 'hard' })
}

/** Failures: `NotFound`, and those of the program. */
export async function digestOf({ host, place }: LocalMemberInput, file: string): Promise<Result<string>> {
  const path = `${place.folder}/${file}`
  const stat = await host.files.stat(path)
  if (!stat.ok) return stat
  const sum = await host.exec.run(['sha512sum', '--', path], { timeoutMs: COPY_TIMEOUT_MS })
  return sum.ok ? ok(sum.value.stdout.split(' ')[0] ?? '') : sum
}

/**
 * Fetches one frozen file, unless an equal one is there, and compares it. Failures: `CopyDiffers`, `BlocksWanted` where
 * it was asked for.
 */
export async function copyFile(to: LocalMemberInput, order: CopyOrder): Promise<Result<void>> {
  const { files, log } = to.host
  const target = `${to.place.folder}/${order.file}`
  const present = await digestOf(to, order.file)
  if (present.ok && present.value === order.digest) return ok(undefined)
  if (present.ok && order.asksBlocks) {
    const stat = await files.stat(target)
    if (stat.ok && stat.value.sizeBytes >= DELTA_MIN_BYTES)
      return failed({ reason: 'BlocksWanted', message: 'an older copy of the file is here', retry: 'later' })
  }
  if (present.ok && order.blocks) {
    const patched = await patchFile(to, { ...order, blocks: order.blocks })
    const done = patched.ok ? await settle(to, order, target) : patched
    if (done.ok || order.signal?.aborted) return done
    log.info('a file of a replica is copied whole', { path: target, message: done.failure.message })
  }
  await files.remove(target)
  const copied = await convert(to, order, target)
  return copied.ok ? settle(to, order, target) : copied
}

/** What was fetched is on the disk, is the daemon's, and equal to its source. */
async function settle(to: LocalMemberInput, order: CopyOrder, target: string): Promise<Result<void>> {
  const synced = await sync(to, target)
  if (!synced.ok) return synced
  if (to.runAs) {
    const owned = await to.host.files.chown(target, to.runAs.uid, to.runAs.gid)
    if (!owned.ok) return owned
  }
  const got = await digestOf(to, order.file)
  if (!got.ok) return got
  return got.value === order.digest
    ? ok(undefined)
    : failed({ reason: 'CopyDiffers', message: `${target} is not equal to its source`, retry: 'later' })
}

async function convert(
  { host }: LocalMemberInput,
  { source, rateBytes, onBytes, signal }: CopyOrder,
  target: string,
): Promise<Result<void>> {
  const from = `json:${JSON.stringify({ driver: 'raw', file: nbdOptions(source) })}`
  const rate = rateBytes === undefined ? [] : ['-r', String(rateBytes)]
  const over = new AbortController()
  const progress = (async () => {
    while (!over.signal.aborted) {
      await host.clock.sleep(PROGRESS_MS, over.signal).catch(() => undefined)
      const stat = await host.files.stat(target)
      if (stat.ok) onBytes?.(stat.value.allocatedBytes)
    }
  })()
  const done = await host.exec.run(
    [
      'qemu-img',
      'convert',
      ...tlsArgv(source),
      '-t',
      'none',
      '-W',
      '-m',
      '8',
      ...rate,
      '-O',
      'raw',
      from,
      target,
    ],
    { timeoutMs: COPY_TIMEOUT_MS, ...(signal ? { signal } : {}) },
  )
  over.abort()
  await progress
  return done.ok ? ok(undefined) : done
}

async function sync({ host }: LocalMemberInput, path: string): Promise<Result<void>> {
  const opened = await host.files.open(path, 'write')
  if (!opened.ok) return opened
  const synced = await opened.value.sync()
  await opened.value.close()
  return synced
}
