// Takes an upload into a part file, with the space of the disk in view.
import type { UploadRequest } from '../../base/agent-port.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { DISK_RESERVE_BYTES } from './download.ts'

/** How often the free space is looked at. Bytes written. */
const SPACE_CHECK_BYTES = 64 * 1024 * 1024

async function hasRoom(host: Host, path: string, moreBytes: number): Promise<boolean> {
  const space = await host.files.space(path.slice(0, path.lastIndexOf('/')))
  return space.ok && space.value.freeBytes - moreBytes >= DISK_RESERVE_BYTES
}

const NO_SPACE = {
  reason: 'NoSpace',
  message: 'the disk has no room for this image; free space on it, then upload again',
  retry: 'later',
} as const

/** Bytes received. Failures: `NoSpace`, `UploadBroken`, `UploadShort`. */
export async function receive(
  host: Host,
  path: string,
  { body, sizeBytes }: UploadRequest,
  onProgress: (doneBytes: number) => void,
): Promise<Result<number>> {
  if (!(await hasRoom(host, path, sizeBytes ?? 0))) return failed(NO_SPACE)
  await host.files.remove(path)
  const file = await host.files.open(path, 'create-new', 0o600)
  if (!file.ok) return file
  let done = 0
  let unchecked = 0
  try {
    for await (const chunk of body) {
      const written = await file.value.write(chunk, done)
      if (!written.ok) return written
      done += chunk.length
      unchecked += chunk.length
      if (unchecked > SPACE_CHECK_BYTES) {
        unchecked = 0
        if (!(await hasRoom(host, path, 0))) return failed(NO_SPACE)
      }
      onProgress(done)
    }
    const synced = await file.value.sync()
    if (!synced.ok) return synced
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed({
      reason: 'UploadBroken',
      message: `the upload broke off after ${done} bytes: ${why}; send it again`,
      retry: 'later',
    })
  } finally {
    await file.value.close()
  }
  if (sizeBytes !== undefined && done !== sizeBytes)
    return failed({
      reason: 'UploadShort',
      message: `${done} of ${sizeBytes} bytes came; send the file again`,
      retry: 'later',
    })
  return ok(done)
}
