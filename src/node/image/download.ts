// Fetches a file over HTTP(S) into a part file: goes on after a broken connection where the server allows it, counts
// progress, and treats odd servers (no length, no ranges, endless redirects) with limits instead of trust.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host, HttpClientResponse, OpenFile } from '../../host/host.ts'
import { StreamFailure } from '../../host/host.ts'

const IDLE_TIMEOUT_MS = 30_000
const REDIRECTS_MAX = 10
/** Broken connections in a row without a new byte; each that brought bytes starts the count again. */
const STALLS_MAX = 3
const STALL_WAIT_MS = 500
/** Left free on the disk for everything else. Bytes. */
export const DISK_RESERVE_BYTES = 512 * 1024 * 1024
/** How often the free space is looked at. Bytes written. */
const SPACE_CHECK_BYTES = 64 * 1024 * 1024

export interface DownloadRequest {
  readonly url: string
  readonly partPath: string
  /** Holds what identifies the content, for resuming after our own restart. */
  readonly notePath: string
  readonly signal: AbortSignal
  /** Server-side request forgery: false refuses the address that a name resolved to. */
  readonly allowAddress: (ip: string) => boolean
  readonly onProgress: (doneBytes: number, totalBytes: number | undefined) => void
}

interface Note {
  readonly url: string
  readonly validator?: string
  readonly totalBytes?: number
}

interface Transfer {
  readonly host: Host
  readonly request: DownloadRequest
  note: Note
  doneBytes: number
}

/** The bytes of the part file that are known to belong to this content. */
async function resumePoint(host: Host, request: DownloadRequest): Promise<Transfer> {
  const text = await host.files.readText(request.notePath)
  const part = await host.files.stat(request.partPath)
  if (text.ok && part.ok) {
    try {
      const note = JSON.parse(text.value) as Note
      if (note.url === request.url && note.validator)
        return { host, request, note, doneBytes: part.value.sizeBytes }
    } catch {
      // A damaged note only means: from the beginning.
    }
  }
  return { host, request, note: { url: request.url }, doneBytes: 0 }
}

export async function download(
  host: Host,
  request: DownloadRequest,
): Promise<Result<{ readonly sizeBytes: number }>> {
  const transfer = await resumePoint(host, request)
  let stalls = 0
  for (;;) {
    const before = transfer.doneBytes
    const outcome = await attempt(transfer)
    if (outcome.ok) return ok({ sizeBytes: transfer.doneBytes })
    if (request.signal.aborted || outcome.failure.retry === 'never') return outcome
    stalls = transfer.doneBytes > before ? 0 : stalls + 1
    // Without a byte so far there is nothing to go on from: the caller decides about another attempt.
    if (transfer.doneBytes === 0 || stalls > STALLS_MAX) return outcome
    await host.clock.sleep(STALL_WAIT_MS * (stalls + 1), request.signal).catch(() => undefined)
  }
}

async function attempt(transfer: Transfer): Promise<Result<void>> {
  const answer = await open(transfer)
  if (!answer.ok) return answer
  const placed = await place(transfer, answer.value)
  if (!placed.ok) return placed
  const written = await write(transfer, answer.value, placed.value)
  await placed.value.close()
  if (!written.ok) return written
  const { totalBytes } = transfer.note
  if (totalBytes !== undefined && transfer.doneBytes < totalBytes)
    return failed({
      reason: 'DownloadShort',
      message: `the server ended after ${transfer.doneBytes} of ${totalBytes} bytes`,
      retry: 'later',
    })
  return ok(undefined)
}

/** Follows redirects by hand, so that every hop is checked like the first. */
async function open(transfer: Transfer): Promise<Result<HttpClientResponse>> {
  const { host, request, note, doneBytes } = transfer
  let { url } = request
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const scheme = URL.canParse(url) ? new URL(url).protocol : ''
    if (scheme !== 'http:' && scheme !== 'https:')
      return failed({
        reason: 'SchemeNotServed',
        message: `${hop === 0 ? 'the address' : 'the server redirects and'} uses ${scheme || 'no scheme'}; only http and https are served`,
        retry: 'never',
      })
    const range = doneBytes > 0 && note.validator
    const answer = await host.net.request({
      method: 'GET',
      url,
      headers: {
        'user-agent': 'croft',
        accept: '*/*',
        'accept-encoding': 'identity',
        ...(range ? { range: `bytes=${doneBytes}-`, 'if-range': note.validator! } : {}),
      },
      signal: request.signal,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      allowAddress: request.allowAddress,
    })
    if (!answer.ok) return unreachable(url, answer)
    const { status, headers } = answer.value
    const location = headers['location']
    if (status >= 300 && status < 400 && location && URL.canParse(location, url)) {
      url = new URL(location, url).href
      continue
    }
    return status === 200 || status === 206 ? answer : badStatus(url, status)
  }
  return failed({
    reason: 'TooManyRedirects',
    message: `the server redirects more than ${REDIRECTS_MAX} times; check the address`,
    retry: 'never',
  })
}

function unreachable(
  url: string,
  answer: Result<HttpClientResponse> & { readonly ok: false },
): Result<never> {
  const { reason, message, retry } = answer.failure
  if (reason === 'AddressRefused')
    return failed({
      reason: 'ImageAddressRefused',
      message: `${new URL(url).host} is an address of this host or of the cluster, from which images are not fetched; an administrator may allow it in the setting image-source-allow-list`,
      retry: 'never',
    })
  return failed({
    reason: 'ImageUnreachable',
    message: `cannot reach ${new URL(url).host}: ${message}; check the address and the network of this host`,
    retry,
  })
}

function badStatus(url: string, status: number): Result<never> {
  const final = status === 404 || status === 410 || status === 401 || status === 403
  return failed({
    reason: 'ImageUnreachable',
    message: `${new URL(url).host} answered ${status}, expected 200${final ? '; check the address' : ''}`,
    retry: 'later',
  })
}

/** Decides where the answer's bytes go: behind those we have, or from the beginning. */
async function place(transfer: Transfer, answer: HttpClientResponse): Promise<Result<OpenFile>> {
  const { host, request } = transfer
  const { headers, status } = answer
  const start = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '')
  const goesOn = status === 206 && start !== null && Number(start[1]) === transfer.doneBytes
  if (!goesOn) {
    transfer.doneBytes = 0
    if (status === 206)
      return failed({
        reason: 'OddServer',
        message: 'the server sent another part of the file than was asked for',
        retry: 'later',
      })
  }
  const length = Number(headers['content-length'])
  const total = goesOn ? Number(start?.[2]) : length
  const validator = headers['etag']?.startsWith('W/')
    ? undefined
    : (headers['etag'] ?? headers['last-modified'])
  transfer.note = {
    url: request.url,
    ...(validator ? { validator } : {}),
    ...(Number.isSafeInteger(total) ? { totalBytes: total } : {}),
  }
  const room = await checkRoom(transfer, transfer.note.totalBytes)
  if (!room.ok) return room
  const noted = await host.files.writeDurable(request.notePath, JSON.stringify(transfer.note))
  if (!noted.ok) return noted
  const file = await host.files.open(request.partPath, 'write', 0o600)
  if (!file.ok) return file
  const cut = await file.value.truncate(transfer.doneBytes)
  return cut.ok ? file : cut
}

async function checkRoom(
  { host, request, doneBytes }: Transfer,
  totalBytes: number | undefined,
): Promise<Result<void>> {
  const folder = request.partPath.slice(0, request.partPath.lastIndexOf('/'))
  const space = await host.files.space(folder)
  if (!space.ok) return space
  const missing = totalBytes === undefined ? 0 : totalBytes - doneBytes
  if (space.value.freeBytes - missing >= DISK_RESERVE_BYTES) return ok(undefined)
  return failed({
    reason: 'NoSpace',
    message: `the disk has ${space.value.freeBytes} bytes free, the file ${totalBytes === undefined ? 'goes on' : `needs ${missing} more`}; free space on the disk of the image`,
    retry: 'later',
  })
}

async function write(transfer: Transfer, answer: HttpClientResponse, file: OpenFile): Promise<Result<void>> {
  let sinceCheck = 0
  try {
    for await (const chunk of answer.body) {
      const written = await file.write(chunk, transfer.doneBytes)
      if (!written.ok) return written
      transfer.doneBytes += chunk.length
      sinceCheck += chunk.length
      if (sinceCheck > SPACE_CHECK_BYTES) {
        sinceCheck = 0
        const room = await checkRoom(transfer, undefined)
        if (!room.ok) return room
      }
      transfer.request.onProgress(transfer.doneBytes, transfer.note.totalBytes)
    }
  } catch (error) {
    const why = error instanceof StreamFailure ? error.failure.message : String(error)
    return failed({ reason: 'DownloadBroken', message: `the connection broke: ${why}`, retry: 'later' })
  }
  return file.sync()
}
