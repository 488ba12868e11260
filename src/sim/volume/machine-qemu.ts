// A simulated QEMU with one disk: NBD nodes and quorums over them, a device that holds failed requests while the
// machine is stopped, and a monitor that blocks as the real one does when a connection hangs.
import { failed, ok, type Result } from '../../base/result.ts'
import type { ProcessIdentity } from '../../host/host.ts'
import type { QmpEvent } from '../../node/qmp/qmp.ts'
import type { EngineQemu } from '../../node/volume/engine-qemu.ts'
import type { SimProcess } from '../process.ts'
import { connectNbd, type NbdAddress, type Program, type SimComputer } from './computer.ts'
import { type NbdConnection, NbdError, type NbdRequest } from './wire.ts'

interface ClientNode {
  readonly driver: 'nbd'
  readonly name: string
  readonly exportName: string
  readonly server: NbdAddress
  connection: NbdConnection | undefined
  yanked: boolean
  connecting: boolean
  abort?: () => void
}
interface QuorumNode {
  readonly driver: 'quorum'
  readonly name: string
  readonly children: readonly string[]
  readonly threshold: number
}
type Node = ClientNode | QuorumNode

export type Status = 'running' | 'paused' | 'io-error' | 'inmigrate' | 'postmigrate'

type Arguments = Readonly<Record<string, unknown>>

/** The guest's side of the device. */
export interface Device {
  /** The machine runs again, or does not. */
  running(now: boolean): void
  resized(sizeBytes: number): void
  /** The process is gone. */
  ended(): void
}

interface Held {
  readonly request: NbdRequest
  /** With the exports that took it. */
  readonly done: (value: number, exports: readonly string[]) => void
}

export const FRONT = '/machine/peripheral/ua-root/virtio-backend'

export class MachineQemu implements Program {
  readonly identity: ProcessIdentity
  readonly computer: SimComputer
  /** Of the engine that it was started for. */
  word: string
  readonly nodes = new Map<string, Node>()
  readonly onExit = new Set<() => void>()
  alive = true
  hung = false
  status: Status = 'paused'
  drive = ''
  device: Device | undefined
  /** Told before the guest goes on, with the exports under it. */
  onContinue: (exports: readonly string[]) => void = () => undefined
  readonly #listeners = new Set<(event: QmpEvent) => void>()
  #held: Held[] = []
  /** A request failed and waits for the machine to go on. */
  #failed = false
  #inFlight = 0
  #idle: (() => void)[] = []
  #wake: (() => void)[] = []
  #monitor: Promise<unknown> = Promise.resolve()

  constructor(computer: SimComputer, identity: ProcessIdentity, word: string) {
    this.computer = computer
    this.word = word
    this.identity = identity
  }

  /** Connects its disk as the words of its start say; false: it does not start. */
  async open(nodes: readonly Arguments[], top: string): Promise<boolean> {
    try {
      for (const node of nodes) await this.#addNode(node)
    } catch {
      this.kill()
      return false
    }
    this.drive = top
    return this.alive
  }

  /** The machine is switched on. */
  begin(): void {
    this.#continue()
  }

  /** Every request of the guest was answered. */
  get isDrained(): boolean {
    return this.#inFlight === 0 && this.#held.length === 0
  }

  kill(): void {
    if (!this.alive) return
    this.alive = false
    for (const node of this.nodes.values()) if (node.driver === 'nbd') node.connection?.break()
    this.#rouse()
    this.device?.ended()
    for (const call of this.onExit) call()
  }

  hang(): void {
    this.hung = true
  }

  goOn(): void {
    this.hung = false
    this.#rouse()
  }

  #rouse(): void {
    for (const resolve of this.#wake.splice(0)) resolve()
  }

  async #awake(): Promise<boolean> {
    while (this.alive && this.hung) await new Promise<void>((resolve) => this.#wake.push(resolve))
    return this.alive
  }

  /** Exports under the device now. */
  get attached(): readonly string[] {
    const top = this.nodes.get(this.drive)
    if (!top) return []
    const names = top.driver === 'nbd' ? [top.name] : top.children
    return names.map((name) => (this.nodes.get(name) as ClientNode).exportName)
  }

  // --- the guest's requests ---

  submit(request: NbdRequest, done: Held['done']): void {
    const held: Held = { request, done }
    if (this.status === 'running') void this.#carryOut(held)
    else this.#held.push(held)
  }

  async #carryOut(held: Held): Promise<void> {
    this.#inFlight += 1
    const top = this.drive
    const taken: string[] = []
    try {
      if (!(await this.#awake())) return
      const value = await this.#request(top, held.request, taken)
      if (this.alive && (await this.#awake())) held.done(value, taken)
    } catch {
      if (!this.alive) return
      this.#held.push(held)
      this.#failed = true
      const was = this.status
      if (was === 'running') {
        this.status = 'io-error'
        this.device?.running(false)
      }
      this.#tell('BLOCK_IO_ERROR', { 'node-name': top, action: 'stop', device: '' })
    } finally {
      this.#inFlight -= 1
      if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  /** `taken` gets the exports that did it. */
  async #request(name: string, request: NbdRequest, taken: string[]): Promise<number> {
    const node = this.nodes.get(name)
    if (!node) throw new NbdError('no medium')
    if (node.driver === 'nbd') return this.#ask(node, request, taken)
    if (request.kind === 'read') return this.#readFirst(node, request)
    if (request.kind === 'flush') {
      let good = 0
      for (const child of node.children) if (await this.#tryChild(child, request, taken)) good += 1
      if (good < node.threshold) throw new NbdError('quorum not reached')
      return 0
    }
    const answers = await Promise.all(node.children.map((child) => this.#tryChild(child, request, taken)))
    if (answers.filter(Boolean).length < node.threshold) throw new NbdError('quorum not reached')
    return 0
  }

  async #readFirst(node: QuorumNode, request: NbdRequest): Promise<number> {
    for (const child of node.children) {
      try {
        return await this.#ask(this.nodes.get(child) as ClientNode, request)
      } catch {
        this.#tell('QUORUM_REPORT_BAD', { 'node-name': child, type: 'read' })
      }
    }
    throw new NbdError('no child can be read')
  }

  async #tryChild(child: string, request: NbdRequest, taken: string[]): Promise<boolean> {
    try {
      await this.#ask(this.nodes.get(child) as ClientNode, request, taken)
      return true
    } catch {
      this.#tell('QUORUM_REPORT_BAD', { 'node-name': child, type: request.kind })
      return false
    }
  }

  async #ask(node: ClientNode, request: NbdRequest, taken: string[] = []): Promise<number> {
    if (node.connection && !node.connection.broken) {
      const value = await node.connection.request(request)
      taken.push(node.exportName)
      return value
    }
    // With reconnect-delay 0 this request fails at once, and the connection is made anew behind it.
    if (!node.yanked) void this.#reconnect(node)
    throw new NbdError('not connected')
  }

  async #reconnect(node: ClientNode): Promise<void> {
    if (node.connecting) return
    node.connecting = true
    try {
      const connection = await connectNbd(this.computer.network, this.computer, node, node)
      if (node.yanked || !this.alive || this.nodes.get(node.name) !== node) connection.break()
      else node.connection = connection
    } catch {
      // The next request tries again.
    } finally {
      node.connecting = false
    }
  }

  // --- the monitor ---

  /** As the agent's process sees it. */
  engine(process: SimProcess): EngineQemu {
    const session = <T>(answer: Promise<T>): Promise<T> => process.answer(answer)
    return {
      execute: (command, args = {}, timeoutMs = 10_000) =>
        session(this.#execute(process, command, args, timeoutMs)),
      rescue: (command, args = {}) => session(this.#rescue(command, args)),
      onEvent: (listener) => {
        const mine = (event: QmpEvent): void => {
          if (process.alive) listener(event)
        }
        this.#listeners.add(mine)
        return () => this.#listeners.delete(mine)
      },
    }
  }

  #tell(event: string, data: Arguments): void {
    for (const listener of [...this.#listeners]) listener({ event, data: data as never, at: 0 })
  }

  #execute(
    process: SimProcess,
    command: string,
    args: Arguments,
    timeoutMs: number,
  ): Promise<Result<unknown>> {
    const closed = failed({ reason: 'QmpClosed', message: 'QEMU is gone', retry: 'later' as const })
    if (!this.alive) return Promise.resolve(closed)
    const answer = this.#monitor.then(async (): Promise<Result<unknown>> => {
      await this.computer.world.sleep(0.1 + this.computer.random.float() * 0.5)
      if (!(await this.#awake())) return closed
      try {
        return ok((await this.#command(command, args)) ?? {})
      } catch (error) {
        return failed({
          reason: 'QmpError',
          message: `QEMU refused: ${(error as Error).message}`,
          retry: 'never',
        })
      }
    })
    this.#monitor = answer
    return new Promise((resolve) => {
      const cancel = process.clock.after(timeoutMs, () =>
        resolve(failed({ reason: 'QmpTimeout', message: `QEMU did not answer ${command}`, retry: 'later' })),
      )
      const gone = (): void => resolve(closed)
      this.onExit.add(gone)
      void answer.then((value) => {
        cancel()
        this.onExit.delete(gone)
        resolve(value)
      })
    })
  }

  /** Out of band: `yank` alone. */
  async #rescue(_command: string, args: Arguments): Promise<Result<unknown>> {
    if (!(await this.#awake())) return ok({})
    for (const instance of (args['instances'] ?? []) as readonly Arguments[]) {
      const node = this.nodes.get(String(instance['node-name']))
      if (node?.driver !== 'nbd') continue
      node.yanked = true
      node.connection?.break()
      node.abort?.()
    }
    return ok({})
  }

  async #command(command: string, args: Arguments): Promise<unknown> {
    switch (command) {
      case 'query-status':
        return { running: this.status === 'running', status: this.status }
      case 'query-named-block-nodes':
        return [...this.nodes.values()].map(nodeInfo)
      case 'query-block':
        return [
          { qdev: FRONT, 'io-status': this.#failed ? 'failed' : 'ok', inserted: { 'node-name': this.drive } },
        ]
      case 'stop':
        return this.#stop()
      case 'cont':
        return this.#continue()
      case 'blockdev-add':
        return this.#addNode(args)
      case 'blockdev-del':
        return this.#removeNode(String(args['node-name']))
      case 'qom-set':
        if (this.status === 'running') throw new Error('the device is in use')
        if (!this.nodes.has(String(args['value']))) throw new Error('no such node')
        this.drive = String(args['value'])
        return {}
      case 'block_resize':
        if (this.drive === args['node-name']) this.device?.resized(Number(args['size']))
        return {}
      case 'quit':
        void this.computer.world.sleep(0.2).then(() => this.kill())
        return {}
      default:
        throw new Error(`The command ${command} has not been found`)
    }
  }

  async #stop(): Promise<unknown> {
    if (this.status === 'running') {
      this.status = 'paused'
      this.device?.running(false)
    }
    await this.#drained()
    // A failing flush is not told to whoever stops the machine.
    await this.#request(this.drive, { kind: 'flush', sector: 0, value: 0 }, []).catch(() => undefined)
    return {}
  }

  async #drained(): Promise<void> {
    while (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #continue(): unknown {
    if (this.status === 'running') return {}
    if (this.status === 'inmigrate') throw new Error('the machine is still coming in')
    this.onContinue(this.attached)
    this.status = 'running'
    const again = this.#held
    this.#held = []
    this.#failed = false
    for (const held of again) void this.#carryOut(held)
    this.device?.running(true)
    return {}
  }

  async #addNode(args: Arguments): Promise<unknown> {
    const name = String(args['node-name'])
    if (this.nodes.has(name)) throw new Error(`Duplicate nodes with node-name='${name}'`)
    if (args['driver'] === 'quorum') {
      const children = args['children'] as readonly string[]
      for (const child of children) if (!this.nodes.has(child)) throw new Error(`no node ${child}`)
      const threshold = Number(args['vote-threshold'])
      this.nodes.set(name, { driver: 'quorum', name, children, threshold })
      return {}
    }
    const node: ClientNode = {
      driver: 'nbd',
      name,
      exportName: String(args['export']),
      server: args['server'] as NbdAddress,
      connection: undefined,
      yanked: false,
      connecting: false,
    }
    this.nodes.set(name, node)
    try {
      node.connection = await connectNbd(this.computer.network, this.computer, node, node)
      if (!this.alive) node.connection.break()
    } catch (error) {
      this.nodes.delete(name)
      throw error
    }
    return {}
  }

  #removeNode(name: string): unknown {
    const node = this.nodes.get(name)
    if (!node) throw new Error(`Failed to find node with node-name='${name}'`)
    const used = [...this.nodes.values()].some(
      (one) => one.driver === 'quorum' && one.children.includes(name),
    )
    if (used || this.drive === name) throw new Error(`Node ${name} is in use`)
    if (node.driver === 'nbd') node.connection?.break()
    this.nodes.delete(name)
    return {}
  }
}

function nodeInfo(node: Node): unknown {
  if (node.driver === 'quorum') return { 'node-name': node.name, drv: 'quorum', file: '' }
  const { server, exportName } = node
  const file =
    server.path === undefined
      ? `nbd://${server.host}:${server.port}/${exportName}`
      : `nbd+unix:///${exportName}?socket=${server.path}`
  return { 'node-name': node.name, drv: 'nbd', file }
}
