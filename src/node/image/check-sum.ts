// Sums of downloaded files, by coreutils: they read at the disk's speed and hold nothing of ours up.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'

const TIMEOUT_MS = 3_600_000
const ALGORITHMS: Readonly<Record<string, string>> = {
  md5: 'md5sum',
  sha1: 'sha1sum',
  sha256: 'sha256sum',
  sha512: 'sha512sum',
}

async function sumOf(
  host: Host,
  path: string,
  program: string,
  signal: AbortSignal,
): Promise<Result<string>> {
  const ran = await host.exec.run([program, '--', path], { timeoutMs: TIMEOUT_MS, signal })
  return ran.ok ? ok(ran.value.stdout.split(/\s/)[0]!.replace(/^\\/, '')) : ran
}

/**
 * The file's SHA-512, after the wanted sum was compared: hexadecimal SHA-512 as Longhorn and Harvester write it, or
 * `algorithm:sum` as CDI does; letter case does not matter. Failure `ChecksumMismatch`.
 */
export async function checkSum(
  host: Host,
  path: string,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<Result<string>> {
  const sha512 = await sumOf(host, path, 'sha512sum', signal)
  if (!sha512.ok || !wanted) return sha512
  const [algorithm, sum] = wanted.includes(':')
    ? (wanted.split(':', 2) as [string, string])
    : ['sha512', wanted]
  const program = ALGORITHMS[algorithm.toLowerCase()]
  if (!program)
    return failed({
      reason: 'ChecksumUnknown',
      message: `checksum algorithm ${algorithm} is not known; use ${Object.keys(ALGORITHMS).join(', ')}`,
      retry: 'never',
    })
  const actual = algorithm.toLowerCase() === 'sha512' ? sha512 : await sumOf(host, path, program, signal)
  if (!actual.ok) return actual
  if (actual.value === sum.toLowerCase()) return sha512
  return failed({
    reason: 'ChecksumMismatch',
    message: `checksum mismatch: expected ${sum.toLowerCase()}, the file has ${actual.value}`,
    retry: 'later',
  })
}
