// Our side of the starter: a small process of its own that starts all programs, because a start holds up whoever does
// it until the program executes, which takes tens of milliseconds on a busy machine. It ends with us and is started
// anew when it ends before; what it had started detached lives on either way.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { getSystemErrorName } from 'node:util'
import type { Failure } from '../../base/result.ts'
import type { ProcessIdentity } from '../host.ts'
import { codedError, failureOf } from './failure.ts'
import { bootId, killWithGroup } from './process-identity.ts'
import { STARTER_PROGRAM } from './starter-program.ts'

/** Length, type and job of a frame. Bytes. */
const HEAD_BYTES = 9
const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

export interface StartOrder {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string | undefined
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  /** Given to the program; it has an empty input without. */
  readonly stdin?: Uint8Array | string | undefined
  /** Detached: its output is appended to these files and it lives on when we end. */
  readonly files?: { readonly stdoutPath: string; readonly stderrPath: string }
}

/** What a job tells; after `failed`, `finished` or `lost` nothing more. */
export interface JobListener {
  /** It executes. */
  started?(identity: ProcessIdentity): void
  output?(stream: 'stdout' | 'stderr', bytes: Buffer): void
  /** `signal` is the name of what killed it; its output may still come. */
  exited?(code: number, signal: string | undefined): void
  finished?(): void
  /** It never executed. */
  failed(failure: Failure): void
  /** The starter ended; a program that ran to its end is killed, a detached one lives on if it had started. */
  lost(failure: Failure): void
}

export interface Job {
  /** Kills it with all that it started. */
  kill(): void
  /** Waits no longer for output. */
  cut(): void
}

interface Running {
  readonly order: StartOrder
  readonly listener: JobListener
  /** Our process may end without it now. */
  readonly release: () => void
  process?: ProcessIdentity
  executes: boolean
}

export class Starter {
  readonly #path: () => string
  #connection: Connection | undefined
  readonly #jobs = new Map<number, Running>()
  #lastJob = 0
  #holders = 0

  /** `path` gives the folders where programs are looked for. */
  constructor(path: () => string) {
    this.#path = path
  }

  start(order: StartOrder, listener: JobListener): Job {
    const id = (this.#lastJob = (this.#lastJob + 1) % 2 ** 32)
    this.#jobs.set(id, { order, listener, release: this.hold(), executes: false })
    try {
      this.#connection ??= this.#connect()
    } catch (error) {
      queueMicrotask(() => this.#lose(failureOf(error, 'starting perl')))
    }
    const connection = this.#connection
    connection?.mind(true)
    connection?.send(order.files === undefined ? 'r' : 'd', id, orderOf(order))
    return {
      kill: () => connection?.send('k', id),
      cut: () => connection?.send('c', id),
    }
  }

  /** Keeps our process alive until the returned function is called; a job that is awaited does so by itself. */
  hold(): () => void {
    let held = true
    this.#holders += 1
    this.#connection?.mind(true)
    return () => {
      if (!held) return
      held = false
      this.#holders -= 1
      this.#connection?.mind(this.#holders > 0)
    }
  }

  /** The starter's pid, while there is one. */
  get pid(): number | undefined {
    return this.#connection?.pid
  }

  #connect(): Connection {
    const connection: Connection = connect(this.#path(), {
      report: (type, id, body) => this.#hear(type, id, body),
      ended: (failure) => {
        if (this.#connection !== connection) return
        this.#connection = undefined
        this.#lose(failure)
      },
    })
    return connection
  }

  #hear(type: string, id: number, body: Buffer): void {
    const job = this.#jobs.get(id)
    if (job === undefined) return
    const { listener, order } = job
    if (type === 'o' || type === 'e') listener.output?.(type === 'o' ? 'stdout' : 'stderr', body)
    else if (type === 'p') {
      const startTicks = Number(body.toString('latin1', 4))
      job.process = { pid: body.readUInt32BE(0), startTicks, bootId: bootId() }
    } else if (type === 's') {
      job.executes = true
      if (order.files !== undefined) job.release()
      if (job.process) listener.started?.(job.process)
    } else if (type === 'x') {
      const signal = body.readUInt32BE(4)
      listener.exited?.(body.readUInt32BE(0), signal === 0 ? undefined : signalName(signal))
    } else if (type === 'f') {
      this.#forget(id, job)
      const step = body.toString('utf8', 4)
      listener.failed(startFailure(order.argv[0] ?? '', body.readInt32BE(0), step))
    } else if (type === 'z') {
      this.#forget(id, job)
      listener.finished?.()
    }
  }

  #forget(id: number, job: Running): void {
    this.#jobs.delete(id)
    job.release()
  }

  /** Nothing runs on that its caller takes for failed: all processes were told of before they executed. */
  #lose(failure: Failure): void {
    const jobs = [...this.#jobs]
    for (const [, { order, process, executes }] of jobs)
      if (process !== undefined && (order.files === undefined || !executes)) killWithGroup(process)
    for (const [id, job] of jobs) {
      this.#forget(id, job)
      job.listener.lost(failure)
    }
  }
}

function signalName(number: number): string {
  return SIGNAL_NAMES.get(number) ?? `signal ${number}`
}

function startFailure(program: string, errno: number, step: string): Failure {
  const code = getSystemErrorName(-errno)
  const failure = failureOf(codedError(code, code), `starting ${program}${step === '' ? '' : `: ${step}`}`)
  return step === '' && code === 'ENOENT' ? missing(program) : failure
}

function missing(program: string): Failure {
  return {
    reason: 'CommandMissing',
    message: `${program} is not installed; "croft doctor" names its package`,
    retry: 'later',
  }
}

// --- the wire ---

function orderOf({ argv, env, cwd, uid, gid, stdin, files }: StartOrder): Buffer {
  const variables = Object.entries(env).filter(([, value]) => value !== undefined)
  const words = [
    cwd ?? '',
    uid ?? '',
    gid ?? '',
    files?.stdoutPath ?? '',
    files?.stderrPath ?? '',
    stdin === undefined ? '' : '1',
    stdin ?? '',
    variables.length,
    ...variables.flat(),
    ...argv,
  ]
  const pieces: Buffer[] = []
  for (const word of words) {
    const bytes = word instanceof Uint8Array ? Buffer.from(word) : Buffer.from(String(word))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.byteLength)
    pieces.push(length, bytes)
  }
  return Buffer.concat(pieces)
}

interface Connection {
  readonly pid: number | undefined
  send(type: string, id: number, body?: Buffer): void
  /** Whether it keeps our process alive. */
  mind(awaited: boolean): void
}

interface ConnectionEvents {
  report(type: string, id: number, body: Buffer): void
  ended(failure: Failure): void
}

/** Handles of the event loop; the types of streams do not know. */
interface Minded {
  ref?(): void
  unref?(): void
}

function connect(path: string, events: ConnectionEvents): Connection {
  const child: ChildProcess = spawn('perl', ['-e', STARTER_PROGRAM], {
    detached: true, // A Ctrl-C is meant for us; we decide what becomes of programs.
    env: { PATH: path, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { stdin, stdout } = child
  let started = true
  child.once('error', (error) => {
    if (child.pid !== undefined) return
    started = false
    events.ended(
      'code' in error && error.code === 'ENOENT' ? missing('perl') : failureOf(error, 'starting perl'),
    )
  })
  // What it told before its end is heard first: this comes when its pipe has ended, too.
  child.once('close', (code, signal) => {
    if (started) events.ended(lostFailure(signal ?? `code ${code}`))
  })
  stdout?.on('data', frameParser(events.report))
  stdin?.on('error', () => undefined) // Its end is told by the other pipe.
  let minded = true
  return {
    pid: child.pid,
    send(type, id, body = Buffer.alloc(0)) {
      if (stdin?.writable !== true) return
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt32BE(HEAD_BYTES - 4 + body.byteLength, 0)
      head.write(type, 4, 'latin1')
      head.writeUInt32BE(id, 5)
      stdin.write(Buffer.concat([head, body]))
    },
    mind(awaited) {
      if (minded === awaited) return
      minded = awaited
      for (const handle of [child, stdin, stdout] as readonly (Minded | null)[])
        if (awaited) handle?.ref?.()
        else handle?.unref?.()
    },
  }
}

function lostFailure(how: string): Failure {
  return {
    reason: 'StarterLost',
    message: `the process that starts programs ended (${how}); the next start makes a new one`,
    retry: 'later',
  }
}

function frameParser(report: ConnectionEvents['report']): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    let bytes: Buffer = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk])
    while (bytes.byteLength >= HEAD_BYTES) {
      const end = 4 + bytes.readUInt32BE(0)
      if (bytes.byteLength < end) break
      report(bytes.toString('latin1', 4, 5), bytes.readUInt32BE(5), bytes.subarray(HEAD_BYTES, end))
      bytes = bytes.subarray(end)
    }
    rest = bytes
  }
}
