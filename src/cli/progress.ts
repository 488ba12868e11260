// Waiting before somebody's eyes: one live line on a terminal, one line a step elsewhere. Ctrl-C leaves the thing
// alone and ends the waiting; what was asked for goes on.

import { formatDuration } from '../base/duration.ts'
import { ApiError } from '../base/errors.ts'
import type { Client } from '../client/client.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { say } from '../words/say.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type World } from './command.ts'
import { widthOf } from './output.ts'

export interface Progress {
  /** Shows what is going on now; the same words twice are shown once. */
  step(text: string): void
  /** Takes the live line away, so that other words may follow. */
  end(): void
}

/** In a log the same step with other numbers is told this often. Milliseconds. */
const NUMBERS_EVERY_MS = 10_000

export function progressOf({ terminal, host }: World): Progress {
  let shown = ''
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = (text: string): void => {
    const now = host.clock.monotonic()
    if (withoutNumbers(text) === withoutNumbers(shown) && now - toldAt < NUMBERS_EVERY_MS) return
    toldAt = now
    shown = text
    terminal.note(`${text}\n`)
  }
  return {
    step(text) {
      if (text === shown) return
      if (!terminal.noteIsTerminal) return tell(text)
      terminal.note(`\r\u001b[K${cut(text, terminal.columns - 1)}`)
      shown = text
    },
    end() {
      if (terminal.noteIsTerminal && shown !== '') terminal.note('\r\u001b[K')
      shown = ''
    },
  }
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '')
}

function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

export interface Wait<K extends Kind> {
  readonly client: Client
  readonly kind: K
  readonly name: string
  readonly namespace?: string
  readonly timeoutMs: number
  /** What is waited for, for instance `web runs`. */
  readonly what: string
  /** What to try when it does not come. */
  readonly next?: string
  /** Undefined stands for an object that is not there. Throws to give up. */
  readonly look: (object: KindOf<K> | undefined) => { readonly done: boolean; readonly step: string }
}

/** A server that is being restarted is waited for. Milliseconds between two tries. */
const AGAIN_MS = 500

/** Resolves with the object once `look` is content. Throws CliError: 124 after the time, 130 after Ctrl-C. */
export async function waitFor<K extends Kind>(world: World, wait: Wait<K>): Promise<KindOf<K> | undefined> {
  const { host, terminal } = world
  const progress = progressOf(world)
  const ending = new AbortController()
  let why: 'time' | 'interrupt' | undefined
  const end = (reason: 'time' | 'interrupt') => (): void => {
    why = reason
    ending.abort()
  }
  const stopTimer = host.clock.after(wait.timeoutMs, end('time'))
  const stopListening = terminal.onInterrupt(end('interrupt'))
  let step = ''
  try {
    for (;;) {
      try {
        return await watchOnce(wait, ending.signal, (text) => progress.step((step = text)))
      } catch (error) {
        if (why !== undefined) throw endOf(world, wait, why, step)
        if (!(error instanceof ApiError) || (error.code !== 503 && error.code !== 410 && error.code !== 429))
          throw error
        await host.clock.sleep(AGAIN_MS, ending.signal).catch(() => undefined)
        if (why !== undefined) throw endOf(world, wait, why, step)
      }
    }
  } finally {
    stopTimer()
    stopListening()
    progress.end()
  }
}

/** Gets, then watches from there. Throws 503 when the watch ends before the wish came true. */
async function watchOnce<K extends Kind>(
  wait: Wait<K>,
  signal: AbortSignal,
  show: (step: string) => void,
): Promise<KindOf<K> | undefined> {
  const where = { signal, ...(wait.namespace === undefined ? {} : { namespace: wait.namespace }) }
  const list = await wait.client.list(wait.kind, { ...where, fieldSelector: `metadata.name=${wait.name}` })
  const [first] = list.items
  const looked = wait.look(first)
  if (looked.done) return first
  show(looked.step)
  const events = wait.client.watch(wait.kind, {
    ...where,
    fieldSelector: `metadata.name=${wait.name}`,
    resourceVersion: list.resourceVersion,
  })
  for await (const { type, object } of events) {
    if (type === 'BOOKMARK') continue
    if (type === 'ERROR') break
    const now = type === 'DELETED' ? undefined : (object as KindOf<K>)
    const seen = wait.look(now)
    if (seen.done) return now
    show(seen.step)
  }
  throw new ApiError(503, 'ServiceUnavailable', 'the watch ended')
}

function endOf<K extends Kind>(
  { language }: World,
  wait: Wait<K>,
  why: 'time' | 'interrupt',
  step: string,
): CliError {
  if (why === 'interrupt')
    return new CliError({ what: say(language, 'cli.detached'), code: EXIT.interrupted, reason: 'Detached' })
  return new CliError({
    what: say(language, 'cli.timedOut', { time: formatDuration(wait.timeoutMs), what: wait.what }),
    ...(step === '' ? {} : { why: step }),
    ...(wait.next === undefined ? {} : { next: wait.next }),
    code: EXIT.timedOut,
    reason: 'TimedOut',
  })
}
