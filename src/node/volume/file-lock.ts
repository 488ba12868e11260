// QEMU's programs lock the images that they open. The kernel lets go of the files of a killed process a moment after
// the process itself is gone (its last I/O must end first), so whoever opens them next waits for that, bounded.
import type { Clock, Files } from '../../host/host.ts'
import { findProcesses } from '../processes.ts'

/** A dying process lets go within milliseconds; on a disk that is busy within a second or two. Milliseconds. */
export const LOCK_WAIT_MS = 3_000
export const LOCK_POLL_MS = 25

const LOCKED = /Failed to get (?:shared )?"[a-z ]+" lock/

/** Whether a program of QEMU says that another one has the image open. */
export function saysLocked(stderr: string): boolean {
  return LOCKED.test(stderr)
}

/** Tries again while the answer says that the image is locked, for `LOCK_WAIT_MS` at most; gives the last answer. */
export async function whenUnlocked<T>(
  clock: Clock,
  attempt: () => Promise<T>,
  isLocked: (answer: T) => boolean,
): Promise<T> {
  const deadline = clock.monotonic() + LOCK_WAIT_MS
  for (;;) {
    const answer = await attempt()
    if (!isLocked(answer) || clock.monotonic() >= deadline) return answer
    await clock.sleep(LOCK_POLL_MS)
  }
}

/** Processes that name the folder on their command line, for whoever has to end one. */
export async function holdersOf(files: Files, folder: string): Promise<readonly string[]> {
  const found = await findProcesses(files, `${folder}/`)
  return found.map(({ identity, argv: [program = ''] }) => {
    const name = program.slice(program.lastIndexOf('/') + 1)
    return `${name} (process ${identity.pid})`
  })
}
