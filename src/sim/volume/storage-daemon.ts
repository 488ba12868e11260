// A simulated qemu-storage-daemon: block nodes over the images of its computer's disk, exports by NBD, jobs, and a
// monitor with the answers of the real one as far as the volume room asks for them.
import type { ProcessIdentity } from '../../host/host.ts'
import { connectNbd, type Listening, type NbdAddress, type Program, type SimComputer } from './computer.ts'
import { type Monitor, openMonitor } from './monitor.ts'
import { type Cluster, type Image, SECTOR_BYTES, SECTORS_PER_CLUSTER, setCluster } from './sim-disk.ts'
import { type NbdConnection, NbdError, type NbdRequest } from './wire.ts'

interface FormatNode {
  readonly driver: 'qcow2'
  readonly name: string
  readonly file: string
  readonly image: Image
  readonly readOnly: boolean
  backing: string | undefined
}
interface ClientNode {
  readonly driver: 'nbd'
  readonly name: string
  readonly connection: NbdConnection
}
interface FileNode {
  readonly driver: 'file'
  readonly name: string
  readonly path: string
}
type Node = FormatNode | ClientNode | FileNode

interface Export {
  readonly name: string
  node: string
  readonly writable: boolean
  closing: boolean
  busy: number
}

interface Job {
  readonly id: string
  status: 'running' | 'concluded'
}

/** What a daemon tells the checkers. */
export interface DaemonWatch {
  exported(daemon: StorageDaemon, name: string): void
  applied(daemon: StorageDaemon, exportName: string, request: NbdRequest): void
}

type Arguments = Readonly<Record<string, unknown>>

const OPEN_MS = { from: 2, to: 25 }
const CLUSTER_COPY_MS = 3

export class StorageDaemon implements Listening, Program {
  readonly identity: ProcessIdentity
  readonly computer: SimComputer
  readonly connections = new Set<NbdConnection>()
  readonly onExit = new Set<() => void>()
  readonly exports = new Map<string, Export>()
  readonly nodes = new Map<string, Node>()
  readonly jobs = new Map<string, Job>()
  readonly program: Program = this
  alive = true
  hung = false
  #open = false
  readonly #watch: DaemonWatch
  readonly #flushes: boolean
  readonly #monitors = new Set<Monitor>()
  readonly #sleepers: ((awake: boolean) => void)[] = []
  #io: Promise<unknown> = Promise.resolve()

  constructor(
    computer: SimComputer,
    identity: ProcessIdentity,
    argv: readonly string[],
    { watch, flushes }: { readonly watch: DaemonWatch; readonly flushes: boolean },
  ) {
    this.identity = identity
    this.computer = computer
    this.#watch = watch
    this.#flushes = flushes
    const { random, world } = this.computer
    void world.sleep(random.between(OPEN_MS.from, OPEN_MS.to)).then(() => this.#begin(argv))
  }

  get node(): string {
    return this.computer.name
  }

  async #begin(argv: readonly string[]): Promise<void> {
    if (!this.alive || !(await this.awake())) return
    try {
      for (const [index, word] of argv.entries())
        if (word === '--blockdev') await this.#addNode(JSON.parse(argv[index + 1]!) as Arguments)
    } catch {
      this.kill()
      return
    }
    for (const word of argv) {
      const qmp = /^socket,id=qmp,path=([^,]+)/.exec(word)
      const nbd = /^addr\.type=unix,addr\.path=([^,]+)/.exec(word)
      for (const path of [qmp?.[1], nbd?.[1]]) if (path) this.computer.unix.set(path, this)
    }
    this.#listen(argv)
    this.#open = true
    this.#rouse()
  }

  /** `perl -e PROGRAM address port file`: takes a port and notes it (node/volume/tcp-listen.ts). */
  #listen(argv: readonly string[]): void {
    const perl = argv.indexOf('perl')
    if (perl < 0) return
    const { computer } = this
    const port = 20_000 + this.identity.pid
    computer.ports.set(port, this)
    const bytes = new TextEncoder().encode(String(port))
    computer.disk.files.set(argv[perl + 5]!, { kind: 'plain', bytes, durable: undefined })
  }

  async awake(): Promise<boolean> {
    while (this.alive && this.hung)
      await new Promise<boolean>((resolve) => {
        this.#sleepers.push(resolve)
      })
    return this.alive
  }

  #rouse(): void {
    for (const resolve of this.#sleepers.splice(0)) resolve(this.alive)
  }

  hang(): void {
    this.hung = true
  }

  goOn(): void {
    this.hung = false
    this.#rouse()
  }

  /** kill -9, or the end of a `quit`. */
  kill(): void {
    if (!this.alive) return
    this.alive = false
    this.#rouse()
    for (const node of this.nodes.values()) {
      if (node.driver === 'nbd') node.connection.break()
      else if (node.driver === 'qcow2' && node.image.lockedBy === this.identity.pid)
        this.computer.disk.crash(node.image, this.computer.random)
    }
    this.exports.clear()
    for (const connection of [...this.connections]) connection.close()
    for (const [path, one] of [...this.computer.unix]) if (one === this) this.computer.unix.delete(path)
    for (const [port, one] of [...this.computer.ports]) if (one === this) this.computer.ports.delete(port)
    for (const monitor of this.#monitors) monitor.close()
    for (const call of this.onExit) call()
  }

  accept() {
    const monitor = openMonitor(
      async () => this.#open && this.awake(),
      (name, args) => this.#carryOut(name, args),
    )
    this.#monitors.add(monitor)
    void monitor.stream.closed.then(() => this.#monitors.delete(monitor))
    return monitor.stream
  }

  /** Whether a file below this path is open here. */
  hasOpen(prefix: string): boolean {
    return [...this.nodes.values()].some((node) => node.driver === 'file' && node.path.startsWith(prefix))
  }

  // --- input and output ---

  hasExport(name: string): boolean {
    return this.exports.get(name)?.closing === false
  }

  fileBytes(exportName: string): Uint8Array | undefined {
    const node = this.nodes.get(this.exports.get(exportName)?.node ?? '')
    const file = node?.driver === 'file' ? this.computer.disk.files.get(node.path) : undefined
    return file && this.computer.disk.bytesOf(file)
  }

  async take(exportName: string, request: NbdRequest): Promise<number> {
    if (!(await this.awake())) return never()
    const turn = this.#io.then(() => this.#serve(exportName, request))
    this.#io = turn.catch(() => undefined)
    return turn
  }

  async #serve(exportName: string, request: NbdRequest): Promise<number> {
    const one = this.exports.get(exportName)
    if (!one || one.closing) throw new NbdError('the export is gone')
    one.busy += 1
    try {
      const { slowMs } = this.computer.disk
      if (slowMs > 0) await this.computer.world.sleep(slowMs)
      if (!this.alive) return await never()
      if (this.computer.disk.broken) throw new NbdError('input/output error')
      if (this.nodes.get(one.node)?.driver === 'file') return 0
      if (request.kind === 'read') return await this.#read(one.node, request.sector)
      if (!one.writable) throw new NbdError('read-only')
      if (request.kind === 'flush') {
        if (this.#flushes) this.#flush(one.node)
      } else {
        await this.#write(one.node, request.sector, request.value)
        if (!this.alive) return await never()
        this.#watch.applied(this, exportName, request)
      }
      return 0
    } finally {
      one.busy -= 1
    }
  }

  async #read(name: string | undefined, sector: number): Promise<number> {
    const node = name === undefined ? undefined : this.nodes.get(name)
    if (!node) return 0
    if (node.driver === 'nbd') return node.connection.request({ kind: 'read', sector, value: 0 })
    if (node.driver === 'file') throw new NbdError('raw nodes are not read in this world')
    if (sector * SECTOR_BYTES >= node.image.sizeBytes) return 0
    const held = node.image.clusters.get(Math.floor(sector / SECTORS_PER_CLUSTER))
    return held ? held[sector % SECTORS_PER_CLUSTER]! : this.#read(node.backing, sector)
  }

  async #write(name: string, sector: number, value: number): Promise<void> {
    const node = this.nodes.get(name)
    if (node?.driver !== 'qcow2') throw new NbdError('no such node')
    if (sector * SECTOR_BYTES >= node.image.sizeBytes) throw new NbdError('beyond the end')
    const cluster = Math.floor(sector / SECTORS_PER_CLUSTER)
    const at = sector % SECTORS_PER_CLUSTER
    let held = node.image.clusters.get(cluster)
    if (!held) {
      if (this.computer.disk.full) throw new NbdError('no space left on device')
      // Copy on write: the rest of a new cluster comes from below.
      const other = await this.#read(node.backing, cluster * SECTORS_PER_CLUSTER + (1 - at))
      held = at === 0 ? [0, other] : [other, 0]
    }
    if (!this.alive) return
    setCluster(node.image, cluster, at === 0 ? [value, held[1]] : [held[0], value])
  }

  /** Everything below is on the disk: this node's own and the frozen ones. */
  #flush(name: string | undefined): void {
    const node = name === undefined ? undefined : this.nodes.get(name)
    if (node?.driver !== 'qcow2') return
    node.image.unsynced.clear()
    this.#flush(node.backing)
  }

  // --- the monitor ---

  async #carryOut(command: string, args: Arguments): Promise<unknown> {
    const { world, random } = this.computer
    await world.sleep(0.1 + random.float() * 0.4)
    const id = String(args['id'] ?? args['job-id'] ?? '')
    switch (command) {
      case 'query-block-exports':
        return [...this.exports.values()].map((one) => ({ id: one.name, type: 'nbd', 'node-name': one.node }))
      case 'block-export-add':
        return this.#export(args)
      case 'block-export-del':
        return this.#unexport(id)
      case 'query-named-block-nodes':
        return [...this.nodes.values()].map(nodeInfo)
      case 'blockdev-add':
        return this.#addNode(args)
      case 'blockdev-del':
        return this.#removeNode(String(args['node-name']))
      case 'blockdev-snapshot':
        return this.#snapshot(String(args['node']), String(args['overlay']))
      case 'blockdev-reopen':
        for (const options of args['options'] as readonly Arguments[]) this.#reopen(options)
        return {}
      case 'block_resize':
        return this.#resize(String(args['node-name']), Number(args['size']))
      case 'block-stream':
        return this.#stream(id, args)
      case 'query-jobs':
        return [...this.jobs.values()].map((job) => ({ id: job.id, status: job.status, type: 'stream' }))
      case 'job-dismiss':
        if (!this.jobs.delete(id)) throw new Error('Job not found')
        return {}
      case 'quit':
        return this.#quit()
      default:
        throw new Error(`The command ${command} has not been found`)
    }
  }

  #format(name: string): FormatNode {
    const node = this.nodes.get(name)
    if (node?.driver !== 'qcow2') throw new Error(`Cannot find device='' nor node-name='${name}'`)
    return node
  }

  #export(args: Arguments): unknown {
    const name = String(args['name'])
    const node = String(args['node-name'])
    if (this.exports.has(name)) throw new Error(`Block export id '${name}' is already in use`)
    const writable = args['writable'] === true
    if (writable || this.nodes.get(node)?.driver !== 'file') this.#format(node)
    this.exports.set(name, { name, node, writable, closing: false, busy: 0 })
    if (writable) this.#watch.exported(this, name)
    return {}
  }

  async #unexport(name: string): Promise<unknown> {
    const one = this.exports.get(name)
    if (!one) throw new Error(`Export '${name}' is not found`)
    for (const connection of [...this.connections]) if (connection.exportName === name) connection.close()
    one.closing = true
    // Requests that were begun are ended before it is gone.
    void this.#io.then(() => this.exports.delete(name))
    return {}
  }

  async #addNode(args: Arguments): Promise<unknown> {
    const name = String(args['node-name'])
    const { disk } = this.computer
    if (this.nodes.has(name)) throw new Error(`Duplicate nodes with node-name='${name}'`)
    const readOnly = args['read-only'] === true
    if (args['driver'] === 'file') {
      const path = String(args['filename'])
      if (!disk.files.has(path)) throw new Error(`Could not open '${path}': No such file or directory`)
      this.nodes.set(name, { driver: 'file', name, path })
      return {}
    }
    if (args['driver'] === 'nbd') {
      const server = args['server'] as NbdAddress
      const wish = { server, exportName: String(args['export']) }
      const connection = await connectNbd(this.computer.network, this.computer, wish)
      this.nodes.set(name, { driver: 'nbd', name, connection })
      return {}
    }
    const below = this.nodes.get(String(args['file']))
    const image = below?.driver === 'file' ? disk.image(below.path) : undefined
    if (below?.driver !== 'file' || !image) throw new Error('Image is not in qcow2 format')
    if (!readOnly) {
      if (image.lockedBy !== undefined && image.lockedBy !== this.identity.pid)
        throw new Error('Failed to get "write" lock')
      image.lockedBy = this.identity.pid
    }
    const backing = args['backing']
    this.nodes.set(name, {
      driver: 'qcow2',
      name,
      file: below.path,
      image,
      readOnly,
      backing: typeof backing === 'string' ? backing : undefined,
    })
    return {}
  }

  #removeNode(name: string): unknown {
    const node = this.nodes.get(name)
    if (!node) throw new Error(`Failed to find node with node-name='${name}'`)
    const users = [...this.nodes.values()].some((one) => one.driver === 'qcow2' && one.backing === name)
    if (users || [...this.exports.values()].some((one) => one.node === name))
      throw new Error(`Node ${name} is in use`)
    if (node.driver === 'nbd') node.connection.break()
    if (node.driver === 'qcow2' && node.image.lockedBy === this.identity.pid) node.image.lockedBy = undefined
    this.nodes.delete(name)
    return {}
  }

  #snapshot(name: string, overlay: string): unknown {
    const below = this.#format(name)
    const above = this.#format(overlay)
    if (above.backing !== undefined) throw new Error('The overlay already has a backing image')
    if (this.computer.disk.broken) throw new Error('Input/output error')
    this.#flush(name)
    above.backing = below.name
    for (const one of this.exports.values()) if (one.node === name) one.node = overlay
    return {}
  }

  #reopen(options: Arguments): void {
    const node = this.#format(String(options['node-name']))
    const backing = String(options['backing'])
    this.#format(backing)
    node.backing = backing
  }

  #resize(name: string, sizeBytes: number): unknown {
    const node = this.#format(name)
    if ([...this.exports.values()].some((one) => one.node === name)) throw new Error(`Node ${name} is busy`)
    if (this.computer.disk.broken) throw new Error('Input/output error')
    if (this.computer.disk.full) throw new Error('No space left on device')
    node.image.sizeBytes = Math.max(node.image.sizeBytes, sizeBytes)
    return {}
  }

  #stream(id: string, args: Arguments): unknown {
    if (this.jobs.has(id)) throw new Error(`Job ID '${id}' already in use`)
    const device = this.#format(String(args['device']))
    const base = args['base-node'] === undefined ? undefined : String(args['base-node'])
    const job: Job = { id, status: 'running' }
    this.jobs.set(id, job)
    void this.#runStream(job, device, base, args['backing-file'] as string | undefined)
    return {}
  }

  async #runStream(
    job: Job,
    device: FormatNode,
    base: string | undefined,
    backingFile: string | undefined,
  ): Promise<void> {
    const layers: FormatNode[] = []
    for (let at = device.backing; at !== undefined && at !== base; ) {
      const node = this.#format(at)
      layers.push(node)
      at = node.backing
    }
    for (const layer of layers) {
      for (const [cluster, value] of [...layer.image.clusters]) {
        await this.computer.world.sleep(CLUSTER_COPY_MS)
        if (!(await this.awake())) return
        const held: Cluster | undefined = device.image.clusters.get(cluster)
        if (!held) setCluster(device.image, cluster, value)
      }
    }
    device.image.unsynced.clear()
    device.backing = base
    device.image.backing = backingFile
    job.status = 'concluded'
  }

  #quit(): unknown {
    for (const node of this.nodes.values()) if (node.driver === 'qcow2') node.image.unsynced.clear()
    void this.computer.world.sleep(0.2).then(() => this.kill())
    return {}
  }
}

function nodeInfo(node: Node): unknown {
  const file = node.driver === 'nbd' ? '' : node.driver === 'file' ? node.path : node.file
  return {
    'node-name': node.name,
    drv: node.driver,
    file,
    ...(node.driver === 'qcow2' && node.backing !== undefined ? { backing_file: node.backing } : {}),
  }
}

/** The process is gone before it answers: the connection's end tells. */
function never<T>(): Promise<T> {
  return new Promise(() => undefined)
}
