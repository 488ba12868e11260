// One simulated computer of the storage world: its disk, its processes and their sockets, and the host's ports as the
// agent of that computer sees them. Processes outlive the agent; a power cut ends all of them and what was not synced.
import { failed, ok, type Result } from '../../base/result.ts'
import type {
  ByteStream,
  CommandOutput,
  Exec,
  Files,
  Host,
  Net,
  OpenFile,
  ProcessIdentity,
} from '../../host/host.ts'
import type { SimClockState, SimProcess } from '../process.ts'
import type { SeededRandom } from '../random.ts'
import { hostOf } from '../test-host.ts'
import type { World } from '../world.ts'
import { SimDisk } from './sim-disk.ts'
import { type Links, NbdConnection, NbdError, type NbdServer } from './wire.ts'

export interface Program {
  readonly identity: ProcessIdentity
  alive: boolean
  hung: boolean
  readonly onExit: Set<() => void>
  kill(): void
  hang(): void
  goOn(): void
}

/** What answers on a unix socket or a port. */
export interface Listening extends NbdServer {
  readonly program: Program
  /** Content of the file that an export serves as it lies on the disk. */
  fileBytes(exportName: string): Uint8Array | undefined
  hasExport(name: string): boolean
  /** Resolves once the process is able to answer at all. */
  awake(): Promise<boolean>
  /** A monitor session. */
  accept(): ByteStream
}

/** Starts the program that the words name; undefined: no such program. */
export type Launcher = (
  computer: SimComputer,
  identity: ProcessIdentity,
  argv: readonly string[],
) => Program | undefined

export class SimComputer {
  readonly name: string
  readonly address: string
  readonly clock: SimClockState
  readonly disk = new SimDisk()
  readonly programs = new Map<number, Program>()
  readonly unix = new Map<string, Listening>()
  readonly ports = new Map<number, Listening>()
  readonly world: World
  readonly links: Links
  readonly random: SeededRandom
  readonly #launch: Launcher
  /** All computers, for whoever connects from here. */
  network: readonly SimComputer[] = []
  up = true
  boots = 1
  #pid = 100

  constructor(
    world: World,
    links: Links,
    place: { readonly name: string; readonly address: string; readonly clock: SimClockState },
    launch: Launcher,
  ) {
    this.world = world
    this.links = links
    this.name = place.name
    this.address = place.address
    this.clock = place.clock
    this.random = world.random.fork(place.name)
    this.#launch = launch
  }

  nextIdentity(): ProcessIdentity {
    this.#pid += 1
    return { pid: this.#pid, startTicks: Math.round(this.world.nowMs), bootId: `${this.name}-${this.boots}` }
  }

  start(argv: readonly string[]): ProcessIdentity | undefined {
    const identity = this.nextIdentity()
    const program = this.#launch(this, identity, argv)
    if (!program) return undefined
    this.programs.set(identity.pid, program)
    program.onExit.add(() => this.programs.delete(identity.pid))
    return identity
  }

  find(identity: ProcessIdentity): Program | undefined {
    const program = this.programs.get(identity.pid)
    return program?.identity.bootId === identity.bootId ? program : undefined
  }

  powerOff(): void {
    if (!this.up) return
    this.world.note(this.name, 'power off')
    this.up = false
    this.links.dark.add(this.name)
    for (const program of [...this.programs.values()]) program.kill()
    this.disk.powerCut(this.random)
  }

  powerOn(): void {
    if (this.up) return
    this.up = true
    this.boots += 1
    this.links.dark.delete(this.name)
    this.world.note(this.name, 'power on')
  }
}

export interface NbdAddress {
  readonly type?: string
  readonly path?: string
  readonly host?: string
  readonly port?: string
}

/** Connects as an NBD client does; `given` takes a way to give up. Rejects with NbdError. */
export async function connectNbd(
  computers: readonly SimComputer[],
  from: SimComputer,
  { server, exportName }: { readonly server: NbdAddress; readonly exportName: string },
  given: { abort?: () => void } = {},
): Promise<NbdConnection> {
  let over = false
  const aborted = new Promise<never>((_, reject) => {
    given.abort = () => {
      over = true
      reject(new NbdError('the attempt was cut off'))
    }
  })
  aborted.catch(() => undefined)
  const attempt = async (): Promise<NbdConnection> => {
    const target = server.path === undefined ? computers.find((one) => one.address === server.host) : from
    const arrived = target && (await from.links.carry(from.name, target.name, () => over))
    if (!arrived) throw new NbdError('no route')
    const listening =
      server.path === undefined ? target.ports.get(Number(server.port)) : target.unix.get(server.path)
    if (!listening?.program.alive) throw new NbdError('connection refused')
    if (!(await listening.awake())) throw new NbdError('connection reset')
    if (!listening.hasExport(exportName)) throw new NbdError(`export '${exportName}' not present`)
    if (!(await from.links.carry(target.name, from.name, () => over))) throw new NbdError('no answer')
    return new NbdConnection(from.links, from.name, listening, exportName)
  }
  return Promise.race([attempt(), aborted])
}

const NO_SPACE = failed({ reason: 'NoSpace', message: 'no space left on device', retry: 'later' as const })
const IO_ERROR = failed({ reason: 'IoError', message: 'input/output error', retry: 'later' as const })
const missing = (path: string) =>
  failed({ reason: 'NotFound', message: `${path} does not exist`, retry: 'never' as const })

/** The host as a process on this computer has it. */
export function hostOn(computer: SimComputer, process: SimProcess): Host {
  return hostOf(process, {
    files: filesOn(computer, process),
    exec: execOn(computer, process),
    net: netOn(computer, process),
  })
}

function filesOn(computer: SimComputer, process: SimProcess): Files {
  const { disk } = computer
  const touch = async <T>(act: () => Result<T>, writes = false): Promise<Result<T>> => {
    await process.clock.sleep(0.1 + process.random.float() * 0.5 + disk.slowMs)
    if (disk.broken) return IO_ERROR
    if (writes && disk.full) return NO_SPACE
    return act()
  }
  const bytesAt = (path: string): Result<Uint8Array> => {
    const file = disk.files.get(path)
    return file ? ok(disk.bytesOf(file)) : missing(path)
  }
  const under = (folder: string): readonly string[] =>
    [...disk.files.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`))
  return {
    read: (path) => touch(() => bytesAt(path)),
    readText: (path) =>
      touch(() => {
        const bytes = bytesAt(path)
        return bytes.ok ? ok(new TextDecoder().decode(bytes.value)) : bytes
      }),
    readAt: (path, offset, length) =>
      touch(() => {
        const bytes = bytesAt(path)
        return bytes.ok ? ok(bytes.value.subarray(offset, offset + length)) : bytes
      }),
    writeDurable: (path, content) =>
      touch(() => {
        if (!disk.hasFolderOf(path)) return missing(path)
        const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
        disk.files.set(path, { kind: 'plain', bytes, durable: bytes })
        return ok(undefined)
      }, true),
    open: (path, how) =>
      touch((): Result<OpenFile> => {
        if (!disk.hasFolderOf(path)) return missing(path)
        if (how === 'create-new' && disk.files.has(path))
          return failed({ reason: 'AlreadyExists', message: `${path} exists`, retry: 'never' })
        if (how === 'create-new')
          disk.files.set(path, { kind: 'plain', bytes: new Uint8Array(), durable: undefined })
        return disk.files.has(path) ? ok(openFile(disk, path, touch)) : missing(path)
      }, true),
    list: (folder) =>
      touch(() =>
        ok([...new Set(under(folder).map((path) => path.slice(folder.length + 1).split('/')[0]!))]),
      ),
    stat: (path) =>
      touch(() => {
        const bytes = bytesAt(path)
        if (!bytes.ok) return bytes
        const sizeBytes = bytes.value.length
        return ok({ sizeBytes, allocatedBytes: sizeBytes, modifiedMs: 0, kind: 'file' as const, mode: 0o600 })
      }),
    makeFolder: (path) =>
      touch(() => {
        disk.folders.add(path)
        return ok(undefined)
      }, true),
    rename: (from, to) =>
      touch(() => {
        const file = disk.files.get(from)
        if (!file) return missing(from)
        disk.files.set(to, file)
        disk.files.delete(from)
        return ok(undefined)
      }),
    link: () => touch(() => ok(undefined)),
    remove: (path) =>
      touch(() => {
        disk.remove(path)
        return ok(undefined)
      }),
    chown: () => touch(() => ok(undefined)),
    chmod: () => touch(() => ok(undefined)),
    space: () => touch(() => ok({ totalBytes: 1e12, freeBytes: disk.full ? 0 : 5e11 })),
    syncFolder: () => touch(() => ok(undefined)),
  }
}

/** Only the head of a new image holds anything; its tables are zeros as far as this world goes. */
const KEPT_BYTES = 8_192

function openFile(
  disk: SimDisk,
  path: string,
  touch: <T>(act: () => Result<T>, writes?: boolean) => Promise<Result<T>>,
): OpenFile {
  const plain = () => {
    const file = disk.files.get(path)
    return file?.kind === 'plain' ? file : undefined
  }
  return {
    write: (bytes, offset = plain()?.bytes.length ?? 0) =>
      touch(() => {
        const file = plain()
        if (!file) return missing(path)
        if (offset >= KEPT_BYTES) return ok(undefined)
        const next = new Uint8Array(Math.max(file.bytes.length, offset + bytes.length))
        next.set(file.bytes)
        next.set(bytes, offset)
        file.bytes = next
        return ok(undefined)
      }, true),
    truncate: () => touch(() => ok(undefined), true),
    sync: () =>
      touch(() => {
        disk.settle(path)
        return ok(undefined)
      }, true),
    close: async () => undefined,
  }
}

function execOn(computer: SimComputer, process: SimProcess): Exec {
  const absent = failed({ reason: 'CommandMissing', message: 'no such program', retry: 'never' as const })
  const soon = () => process.clock.sleep(0.2 + process.random.float())
  return {
    run: async (argv) => {
      await soon()
      if (argv[0] === 'qemu-img') return convert(computer, argv)
      if (argv[0] !== 'sha512sum') return absent
      const path = argv.at(-1)!
      if (computer.disk.broken) return IO_ERROR
      const digest = computer.disk.digestOf(path)
      if (digest === undefined) return { ...missing(path) }
      return ok({ code: 0, stdout: `${digest} ${path}`, stderr: '' })
    },
    startDetached: async (argv) => {
      await soon()
      const identity = computer.start(argv)
      return identity ? ok(identity) : absent
    },
    isAlive: async (identity) => computer.find(identity) !== undefined,
    kill: async (identity, signal) => {
      const program = computer.find(identity)
      if (!program) return false
      if (signal === 'SIGSTOP') program.hang()
      else if (signal === 'SIGCONT') program.goOn()
      else program.kill()
      return true
    },
    waitExit: (identity, signal) =>
      new Promise((resolve, reject) => {
        const program = computer.find(identity)
        if (!program) return resolve()
        program.onExit.add(() => resolve())
        signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      }),
    find: async () => undefined,
  }
}

/** Reads in so many pieces, each of which can fail. */
const CONVERT_PIECES = 5

/** `qemu-img convert` from a file that a daemon serves as it lies on the disk. */
async function convert(computer: SimComputer, argv: readonly string[]): Promise<Result<CommandOutput>> {
  const broken = (message: string) => failed({ reason: 'CommandFailed', message, retry: 'later' as const })
  const { file } = JSON.parse(argv.at(-2)!.slice('json:'.length)) as {
    readonly file: { readonly server: NbdAddress; readonly export: string }
  }
  const target = argv.at(-1)!
  const { disk, random, world } = computer
  try {
    const connection = await connectNbd(computer.network, computer, {
      server: file.server,
      exportName: file.export,
    })
    const bytes = (connection.server as Listening).fileBytes(file.export)
    if (!bytes) return broken('no such file')
    if (!disk.hasFolderOf(target)) return broken('no such folder')
    disk.files.set(target, { kind: 'plain', bytes: new Uint8Array(), durable: undefined })
    for (let piece = 0; piece < CONVERT_PIECES; piece++) {
      await world.sleep(random.between(2, 30))
      await connection.request({ kind: 'read', sector: piece, value: 0 })
      if (disk.full) return broken('no space left on device')
      if (disk.broken) return broken('input/output error')
    }
    connection.break()
    if (!computer.up || !disk.files.has(target)) return broken('gone')
    disk.files.set(target, { kind: 'plain', bytes, durable: undefined })
    return ok({ code: 0, stdout: '', stderr: '' })
  } catch (error) {
    return broken((error as Error).message)
  }
}

function netOn(computer: SimComputer, process: SimProcess): Net {
  const refused = failed({
    reason: 'ConnectionRefused',
    message: 'connection refused',
    retry: 'later' as const,
  })
  const none = async () => refused
  return {
    listenHttp: none,
    request: none,
    openWebSocket: none,
    listenStream: none,
    dial: async (to) => {
      await process.clock.sleep(0.1)
      const listening = 'unix' in to ? computer.unix.get(to.unix) : undefined
      return listening?.program.alive ? ok(listening.accept()) : refused
    },
  }
}
