// Programs of the machine: run to the end, or started so that they outlive this process. A process is known by
// pid, start time and boot, never by pid alone. A program that is stopped takes its whole process group along.
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { CommandOptions, CommandOutput, DetachedOptions, Exec, ProcessIdentity } from '../host.ts'
import { abortError } from './clock.ts'
import { failureOf } from './failure.ts'
import { answersSignal, isAlive, keyOf, signalProcess } from './process-identity.ts'
import { Starter } from './starter.ts'

/** Enough for the last words of any program; a chatty one must not eat our memory. Bytes. */
const STDERR_KEPT_BYTES = 16 * 1024
/** The longest output that is asked for is a JSON dump of all rules of a firewall. Bytes. */
const STDOUT_MAX_BYTES = 64 * 1024 * 1024
/** A grandchild may hold the pipes open after the program ended; its output is not waited for longer. */
const PIPE_LINGER_MS = 500
/** Adopted processes are no children of ours, so that nobody tells us of their end. */
const ADOPTED_POLL_MS = 100
/** A signal 0 costs a microsecond but takes zombies and successors for alive; /proc is read every so many polls. */
const POLLS_PER_FULL_LOOK = 10
/** From the order until the program executes; only a disk that hangs takes this long. */
const START_TIMEOUT_MS = 60_000
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin']

export function realExec(): Exec {
  const starter = new Starter(() => searchPath().join(delimiter))
  const children = new Children(starter)
  return {
    run: (argv, options) => run(starter, argv, options),
    find,
    startDetached: (argv, options) => startDetached(starter, children, argv, options),
    isAlive: async (process) => isAlive(process),
    kill: async (process, signal) => signalProcess(process, signal),
    waitExit: (process, signal) => children.wait(process, signal),
  }
}

/** The command as one could paste it into a shell. */
export function commandText(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

// --- run ---

function run(
  starter: Starter,
  argv: readonly string[],
  options: CommandOptions,
): Promise<Result<CommandOutput>> {
  const [program = ''] = argv
  const command = commandText(argv)
  const { env, uid, gid, stdin } = options
  if (options.signal?.aborted)
    return Promise.resolve(failed({ ...failureOf(abortError(), `running ${program}`), command }))
  return new Promise((resolve) => {
    const output = gather(options.onLine)
    let stopped: Failure | undefined
    let end: { readonly code: number; readonly signal: string | undefined } | undefined
    let linger: NodeJS.Timeout | undefined
    const finish = (failure: Failure | undefined): void => {
      clearTimeout(timer)
      clearTimeout(linger)
      options.signal?.removeEventListener('abort', onAbort)
      const { stdout, stderr } = output.end()
      resolve(
        failure ? failed({ ...failure, command, stderr }) : ok({ code: end?.code ?? -1, stdout, stderr }),
      )
    }
    const job = starter.start(
      { argv, env: environment(env), uid, gid, stdin },
      {
        output(stream, bytes) {
          if (!output.take(stream, bytes))
            stop({ reason: 'OutputTooLarge', message: `${program} printed too much`, retry: 'never' })
        },
        exited(code, signal) {
          end = { code, signal }
          linger = setTimeout(() => job.cut(), PIPE_LINGER_MS)
        },
        finished: () => finish(stopped ?? (end && endFailure(program, end.code, end.signal, output.tail()))),
        failed: finish,
        lost: (failure) => finish(stopped ?? failure),
      },
    )
    const stop = (failure: Failure): void => {
      stopped ??= failure
      job.kill()
    }
    const timer = setTimeout(() => stop(timedOut(program, options.timeoutMs)), options.timeoutMs)
    const onAbort = (): void => stop(failureOf(abortError(), `running ${program}`))
    options.signal?.addEventListener('abort', onAbort, { once: true })
  })
}

function timedOut(program: string, afterMs: number): Failure {
  return { reason: 'TimedOut', message: `${program} was stopped after ${afterMs} ms`, retry: 'later' }
}

function endFailure(
  program: string,
  code: number,
  signal: string | undefined,
  stderr: string,
): Failure | undefined {
  if (code === 0 && signal === undefined) return undefined
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const how = signal === undefined ? `ended with code ${code}` : `was killed by ${signal}`
  return {
    reason: 'CommandFailed',
    message: `${program} ${how}${said === '' ? '' : `: ${said}`}`,
    retry: 'later',
  }
}

/** The environment of a program: messages in English so that they can be read, and the system's folders in PATH. */
function environment(extra: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  return { ...process.env, PATH: searchPath().join(delimiter), LC_ALL: 'C.UTF-8', ...extra }
}

function searchPath(): readonly string[] {
  const own = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))
  return [...new Set([...own, ...SYSTEM_FOLDERS])]
}

interface Gathered {
  /** False when it is too much. */
  take(stream: 'stdout' | 'stderr', bytes: Buffer): boolean
  /** The last of stderr. */
  tail(): string
  end(): { readonly stdout: string; readonly stderr: string }
}

function gather(onLine: ((line: string) => void) | undefined): Gathered {
  const stdout: Buffer[] = []
  let stdoutBytes = 0
  let stderr = Buffer.alloc(0)
  const lines = { stdout: lineSplitter(onLine), stderr: lineSplitter(onLine) }
  return {
    take(stream, bytes) {
      if (stream === 'stderr') stderr = Buffer.concat([stderr, bytes]).subarray(-STDERR_KEPT_BYTES)
      else {
        stdoutBytes += bytes.byteLength
        if (stdoutBytes > STDOUT_MAX_BYTES) return false
        stdout.push(bytes)
      }
      lines[stream].push(bytes)
      return true
    },
    tail: () => stderr.toString(),
    end() {
      lines.stdout.end()
      lines.stderr.end()
      return { stdout: Buffer.concat(stdout).toString(), stderr: stderr.toString() }
    },
  }
}

/** Progress bars end their lines with a carriage return alone, so that one counts as a line end too. */
function lineSplitter(onLine: ((line: string) => void) | undefined): {
  push(chunk: Buffer): void
  end(): void
} {
  let rest = ''
  const decoder = new TextDecoder()
  return {
    push(chunk) {
      if (onLine === undefined) return
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/[\r\n]+/)
      rest = (lines.pop() ?? '').slice(-STDERR_KEPT_BYTES)
      for (const line of lines) if (line !== '') onLine(line)
    },
    end() {
      if (rest !== '') onLine?.(rest)
      rest = ''
    },
  }
}

async function find(program: string): Promise<string | undefined> {
  const places = program.startsWith('/') ? [program] : searchPath().map((folder) => join(folder, program))
  for (const place of places) {
    const found = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return place
  }
  return undefined
}

// --- processes that outlive us ---

function startDetached(
  starter: Starter,
  children: Children,
  argv: readonly string[],
  options: DetachedOptions,
): Promise<Result<ProcessIdentity>> {
  const command = commandText(argv)
  const { cwd, stdoutPath, stderrPath } = options
  const order = { argv, cwd, env: environment(options.env), files: { stdoutPath, stderrPath } }
  return new Promise((resolve) => {
    let ended = (): void => undefined
    const fail = (failure: Failure): void => resolve(failed({ ...failure, command }))
    const job = starter.start(order, {
      started(identity) {
        clearTimeout(timer)
        if (identity.startTicks === 0) {
          job.kill()
          return fail({ reason: 'NoProcFs', message: '/proc is not mounted', retry: 'never' })
        }
        ended = children.add(identity)
        resolve(ok(identity))
      },
      exited: () => ended(),
      failed(failure) {
        clearTimeout(timer)
        fail(failure)
      },
      lost(failure) {
        clearTimeout(timer)
        ended()
        fail(failure)
      },
    })
    const timer = setTimeout(() => {
      job.kill()
      fail(timedOut(argv[0] ?? '', START_TIMEOUT_MS))
    }, START_TIMEOUT_MS)
  })
}

/** Processes that the starter tells the end of; the end of all others is looked for. */
class Children {
  readonly #starter: Starter
  readonly #ends = new Map<string, Set<() => void>>()
  readonly #waitAdopted = adoptedWaiter()

  constructor(starter: Starter) {
    this.#starter = starter
  }

  /** The returned function tells that it ended, or that the starter did: the waiting then look for themselves. */
  add(process: ProcessIdentity): () => void {
    const key = keyOf(process)
    const waiting = new Set<() => void>()
    this.#ends.set(key, waiting)
    return () => {
      this.#ends.delete(key)
      for (const call of waiting) call()
    }
  }

  async wait(process: ProcessIdentity, signal: AbortSignal): Promise<void> {
    const waiting = this.#ends.get(keyOf(process))
    if (waiting !== undefined) await this.#waitTold(waiting, signal)
    await this.#waitAdopted(process, signal)
  }

  #waitTold(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError())
      const release = this.#starter.hold()
      const leave = (): void => {
        release()
        waiting.delete(onEnd)
        signal.removeEventListener('abort', onAbort)
      }
      const onEnd = (): void => {
        leave()
        resolve()
      }
      const onAbort = (): void => {
        leave()
        reject(abortError())
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.add(onEnd)
    })
  }
}

/** One timer for all adopted processes, running only while somebody waits. */
function adoptedWaiter(): Exec['waitExit'] {
  const waiting = new Map<() => void, ProcessIdentity>()
  let timer: NodeJS.Timeout | undefined
  let polls = 0
  const poll = (): void => {
    polls += 1
    const full = polls % POLLS_PER_FULL_LOOK === 0
    for (const [ended, identity] of waiting) {
      if (full ? !isAlive(identity) : !answersSignal(identity.pid)) ended()
    }
  }
  const leave = (ended: () => void): void => {
    waiting.delete(ended)
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return (identity, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError())
      if (!isAlive(identity)) return resolve()
      const onAbort = (): void => {
        leave(ended)
        reject(abortError())
      }
      const ended = (): void => {
        leave(ended)
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(ended, identity)
      timer ??= setInterval(poll, ADOPTED_POLL_MS)
    })
}
