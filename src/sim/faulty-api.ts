// The way between a process and the API server: late answers, lost answers, a link that is cut. A write whose answer
// is lost has happened all the same, which is what makes it a good test.
import type { ApiAnswer, ApiCall, ApiPort, WatchEvent } from '../base/call.ts'
import { refuse } from '../base/errors.ts'
import { abortError, type SimProcess } from './process.ts'

export interface FaultyLink {
  readonly port: ApiPort
  /** Nothing comes through in either direction. */
  cut: boolean
  /** Asked beside `cut`, for a cause that outlives this link. */
  isCut: () => boolean
  /** One way, in milliseconds; asked for each message. */
  delayMs: () => number
  /** Asked for each answer to a call. */
  losesAnswer: () => boolean
  /** Ends the watches that are open, as a broken connection does. */
  breakWatches(): void
}

/** A call over a cut link fails after this. */
const CUT_TIMEOUT_MS = 5_000

export function faultyApi(api: ApiPort, process: SimProcess): FaultyLink {
  const breakers = new Set<() => void>()
  const link: FaultyLink = {
    port: {
      call: (call) => process.answer(callThrough(api, process, link, call)),
      watch: (call) => watchThrough(api, process, { link, breakers }, call),
    },
    cut: false,
    isCut: () => false,
    delayMs: () => 0,
    losesAnswer: () => false,
    breakWatches() {
      for (const stop of [...breakers]) stop()
    },
  }
  return link
}

async function callThrough(
  api: ApiPort,
  process: SimProcess,
  link: FaultyLink,
  call: ApiCall,
): Promise<ApiAnswer> {
  const { world } = process
  await pass(process, link, call.signal)
  if (!process.alive) await never()
  // The signal is the client's affair: what reached the server is done there.
  const { signal, ...sent } = call
  let answer: ApiAnswer | undefined
  let refusal: unknown
  try {
    answer = await api.call(sent)
  } catch (error) {
    refusal = error
  }
  const backMs = link.delayMs()
  if (backMs > 0) await abortable(world.sleep(backMs), signal)
  if (severed(link) || link.losesAnswer()) {
    await abortable(world.sleep(CUT_TIMEOUT_MS), signal)
    throw refuse.unavailable('the connection was lost')
  }
  if (answer === undefined) throw refusal
  return answer
}

async function pass(process: SimProcess, link: FaultyLink, signal: AbortSignal | undefined): Promise<void> {
  const { world } = process
  if (severed(link)) {
    await abortable(world.sleep(CUT_TIMEOUT_MS), signal)
    throw refuse.unavailable('the connection was refused')
  }
  const delayMs = link.delayMs()
  if (delayMs > 0) await abortable(world.sleep(delayMs), signal)
}

async function* watchThrough(
  api: ApiPort,
  process: SimProcess,
  { link, breakers }: { readonly link: FaultyLink; readonly breakers: Set<() => void> },
  call: ApiCall,
): AsyncGenerator<WatchEvent> {
  await process.answer(pass(process, link, call.signal))
  const limit = new AbortController()
  const stop = (): void => limit.abort()
  breakers.add(stop)
  const forget = process.onDeath(stop)
  call.signal?.addEventListener('abort', stop, { once: true })
  try {
    for await (const event of api.watch({ ...call, signal: limit.signal })) {
      const delayMs = link.delayMs()
      if (delayMs > 0) await process.answer(process.world.sleep(delayMs))
      // Events wait in the socket while the link is cut; a long cut breaks the connection (see breakWatches).
      while (severed(link) && !limit.signal.aborted) await process.answer(process.world.sleep(200))
      if (!process.alive) await never()
      if (limit.signal.aborted) break
      yield event
    }
  } finally {
    breakers.delete(stop)
    forget()
  }
  if (!call.signal?.aborted) throw refuse.unavailable('the watch was cut')
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError())
    const stop = (): void => reject(abortError())
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function severed(link: FaultyLink): boolean {
  return link.cut || link.isCut()
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
