// Programs of the machine: run to the end, or started so that they outlive this process. A process is known by
// pid, start time and boot, never by pid alone. A program that is stopped takes its whole process group along.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { CommandOptions, CommandOutput, DetachedOptions, Exec, ProcessIdentity } from '../host.ts'
import { abortError } from './clock.ts'
import { failureOf } from './failure.ts'

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
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin']

export function realExec(): Exec {
  const children = new Map<string, ChildProcess>()
  const wait = adoptedWaiter()
  return {
    run,
    find,
    startDetached: (argv, options) => startDetached(argv, options, children),
    isAlive: async (process) => isAlive(process),
    kill: async (identity, signal) => {
      if (!isAlive(identity)) return false
      try {
        return process.kill(identity.pid, signal)
      } catch {
        return false
      }
    },
    waitExit(process, signal) {
      const child = children.get(keyOf(process))
      return child === undefined ? wait(process, signal) : waitChild(child, signal)
    },
  }
}

/** The command as one could paste it into a shell. */
export function commandText(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

// --- run ---

function run(argv: readonly string[], options: CommandOptions): Promise<Result<CommandOutput>> {
  const [program = ''] = argv
  const command = commandText(argv)
  if (options.signal?.aborted)
    return Promise.resolve(failed({ ...failureOf(abortError(), `running ${program}`), command }))
  return new Promise((resolve) => {
    const child = spawnIn(argv, {
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: environment(options.env),
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    })
    const output = gather(child, options.onLine)
    let stopped: Failure | undefined
    const stop = (failure: Failure): void => {
      stopped ??= failure
      killGroup(child)
    }
    output.onTooMuch = () =>
      stop({ reason: 'OutputTooLarge', message: `${program} printed too much`, retry: 'never' })
    const timer = setTimeout(
      () =>
        stop({
          reason: 'TimedOut',
          message: `${program} was stopped after ${options.timeoutMs} ms`,
          retry: 'later',
        }),
      options.timeoutMs,
    )
    const onAbort = (): void => stop(failureOf(abortError(), `running ${program}`))
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const finish = (failure: Failure | undefined, code: number): void => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      const { stdout, stderr } = output.end()
      resolve(failure ? failed({ ...failure, command, stderr }) : ok({ code, stdout, stderr }))
    }
    child.once('error', (error) => {
      if (child.pid === undefined) finish(startFailure(error, program), -1)
    })
    child.once('exit', () => setTimeout(() => output.cut(), PIPE_LINGER_MS).unref())
    child.once('close', (code, signal) => {
      if (child.pid !== undefined)
        finish(stopped ?? endFailure(program, code, signal, output.tail()), code ?? -1)
    })
    child.stdin?.on('error', () => undefined) // The program may end without reading all; its code tells.
    child.stdin?.end(options.stdin)
  })
}

/** detached makes the child leader of its own session, so that a signal to the group reaches all it started. */
function spawnIn(argv: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(argv[0] ?? '', argv.slice(1), { ...options, detached: true })
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

function startFailure(error: Error, program: string): Failure {
  const failure = failureOf(error, `starting ${program}`)
  if (failure.reason !== 'NotFound') return failure
  return {
    reason: 'CommandMissing',
    message: `${program} is not installed; "croft doctor" names its package`,
    retry: 'later',
  }
}

function endFailure(
  program: string,
  code: number | null,
  signal: string | null,
  stderr: string,
): Failure | undefined {
  if (code === 0) return undefined
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const how = signal === null ? `ended with code ${code}` : `was killed by ${signal}`
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
  onTooMuch: () => void
  tail(): string
  cut(): void
  end(): { readonly stdout: string; readonly stderr: string }
}

function gather(child: ChildProcess, onLine: ((line: string) => void) | undefined): Gathered {
  const stdout: Buffer[] = []
  let stdoutBytes = 0
  let stderr = Buffer.alloc(0)
  const lineEnds = [lineSplitter(onLine), lineSplitter(onLine)] as const
  const gathered: Gathered = {
    onTooMuch: () => undefined,
    tail: () => stderr.toString(),
    cut() {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    end() {
      for (const lines of lineEnds) lines.end()
      return { stdout: Buffer.concat(stdout).toString(), stderr: stderr.toString() }
    },
  }
  child.stdout?.on('data', (chunk: Buffer) => {
    stdoutBytes += chunk.byteLength
    if (stdoutBytes > STDOUT_MAX_BYTES) return gathered.onTooMuch()
    stdout.push(chunk)
    lineEnds[0].push(chunk)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_KEPT_BYTES)
    lineEnds[1].push(chunk)
  })
  return gathered
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
  argv: readonly string[],
  options: DetachedOptions,
  children: Map<string, ChildProcess>,
): Promise<Result<ProcessIdentity>> {
  const [program = ''] = argv
  const command = commandText(argv)
  const files: number[] = []
  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      for (const path of [options.stdoutPath, options.stderrPath]) files.push(openSync(path, 'a', 0o600))
      child = spawnIn(argv, {
        cwd: options.cwd,
        env: environment(options.env),
        stdio: ['ignore', files[0], files[1]],
      })
    } catch (error) {
      return resolve(failed({ ...failureOf(error, `starting ${program}`), command }))
    } finally {
      for (const file of files) closeSync(file)
    }
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(failed({ ...startFailure(error, program), command }))
    })
    if (child.pid === undefined) return
    child.unref()
    // Read at once: before the event loop turns, even a program that ended already stands in /proc as a zombie.
    const seen = readProcess(child.pid)
    if (seen === undefined)
      return resolve(failed({ reason: 'NoProcFs', message: '/proc is not mounted', retry: 'never', command }))
    const identity = { pid: child.pid, startTicks: seen.startTicks, bootId: bootId() }
    const key = keyOf(identity)
    children.set(key, child)
    child.once('exit', () => children.delete(key))
    resolve(ok(identity))
  })
}

function keyOf({ pid, startTicks, bootId }: ProcessIdentity): string {
  return `${pid}/${startTicks}/${bootId}`
}

let knownBootId: string | undefined

function bootId(): string {
  return (knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** State letter and start time of a process, from /proc/PID/stat; the name in brackets may hold anything. */
function readProcess(pid: number): { readonly state: string; readonly startTicks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', startTicks: Number(fields[19]) }
  } catch {
    return undefined
  }
}

function isAlive(identity: ProcessIdentity): boolean {
  const seen = readProcess(identity.pid)
  return (
    seen !== undefined &&
    seen.startTicks === identity.startTicks &&
    seen.state !== 'Z' &&
    seen.state !== 'X' &&
    bootId() === identity.bootId
  )
}

/** The identity of this very process, for lock files. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: readProcess(process.pid)?.startTicks ?? 0, bootId: bootId() }
}

function waitChild(child: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError())
    child.ref()
    const onExit = (): void => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    const onAbort = (): void => {
      child.off('exit', onExit)
      child.unref()
      reject(abortError())
    }
    signal.addEventListener('abort', onAbort, { once: true })
    child.once('exit', onExit)
  })
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

function answersSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
