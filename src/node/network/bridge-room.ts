// The default network as root: a bridge of the host. Remembers what is attached, keeps the host as it should be every
// 30 s and on every change, and publishes ports.
import { aborted } from '../../base/aborted.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Informers } from '../../client/informer.ts'
import type { Host } from '../../host/host.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import type { EventRecorder } from '../../loop/events.ts'
import type { NicAttachment } from '../plan/nic.ts'
import type { NetworkRoom, NetworkState, NicRequest } from '../ports.ts'
import { gatewayOf, stableMac } from './address-range.ts'
import { allocateAddress, confirmAddress } from './allocate.ts'
import type { DefaultNetwork } from './default-network.ts'
import { run } from './host-network.ts'
import { tellPublished } from './published-condition.ts'
import {
  assignPorts,
  type GrantedPort,
  listeningPorts,
  type Published,
  type Publisher,
  portKey,
} from './published-ports.ts'
import { askPublishedText, publishedText } from './published-text.ts'
import { type AttachedNic, readNics, removeNic, tapName, writeNic } from './records.ts'
import { refusal } from './requests.ts'
import { removeUserRecord, userRecords } from './user-records.ts'

const CHECK_EVERY_MS = 30_000

export interface BridgeRoomOptions {
  readonly host: Host
  readonly client: Client
  readonly informers: Informers
  readonly recorder: EventRecorder
  readonly nodeName: string
  /** Of this network's own files. */
  readonly folder: string
  readonly network: DefaultNetwork
}

/** Reads what was attached before; nothing of the host is touched before the first pass. */
export async function bridgeNetworkRoom(options: BridgeRoomOptions): Promise<Result<BridgeRoom>> {
  const nics = await readNics(options.host.files, options.folder)
  return nics.ok ? ok(new BridgeRoom(options, nics.value)) : nics
}

export class BridgeRoom implements NetworkRoom {
  readonly #options: BridgeRoomOptions
  readonly #nics: Map<string, AttachedNic>
  #published: ReadonlyMap<string, Published> = new Map()
  #watching = false
  #failure: Failure | undefined
  /** The pass under way, and the one that begins after it and sees everything that is wished by then. */
  #running: Promise<unknown> = Promise.resolve()
  #next: { how: 'quick' | 'whole'; readonly done: Promise<Result<void>> } | undefined

  constructor(options: BridgeRoomOptions, nics: readonly AttachedNic[]) {
    this.#options = options
    this.#nics = new Map(nics.map((nic) => [nic.tap, nic]))
  }

  state(): NetworkState {
    const { network } = this.#options
    const facts = network.facts
    const base = `bridge ${facts?.bridge ?? ''}, machines have addresses of ${network.range.cidr}`
    if (this.#failure)
      return { kind: 'bridge', ready: false, reason: this.#failure.reason, message: this.#failure.message }
    const [warning] = facts?.warnings ?? []
    if (warning !== undefined)
      return { kind: 'bridge', ready: true, reason: 'BridgeObstructed', message: `${base}; ${warning}` }
    return { kind: 'bridge', ready: true, reason: 'Bridge', message: base }
  }

  async attach(request: NicRequest): Promise<Result<NicAttachment>> {
    const refused = refusal(request)
    if (refused) return failed(refused)
    const { host, client, folder, network } = this.#options
    const owner = { namespace: request.podNamespace, name: request.vmiName }
    const mac = request.mac ?? stableMac(owner, request.name)
    const tap = tapName(request.vmiUid, request.name)
    const twin = [...this.#nics.values()].find((nic) => nic.mac === mac && nic.tap !== tap)
    if (twin)
      return failed({
        reason: 'MacInUse',
        message: `MAC ${mac} is in use by ${twin.namespace}/${twin.vmiName} on this network: give this interface another macAddress`,
        retry: 'later',
      })
    const address = await allocateAddress(client, {
      range: network.range,
      namespace: request.podNamespace,
      vmiName: request.vmiName,
      podName: request.podName,
      podUid: request.podUid,
      nic: request.name,
    })
    if (!address.ok) return address
    const before = this.#nics.get(tap)
    const nic: AttachedNic = {
      version: 1,
      vmiUid: request.vmiUid,
      vmiName: request.vmiName,
      namespace: request.podNamespace,
      podName: request.podName,
      podUid: request.podUid,
      name: request.name,
      tap,
      mac,
      ip: address.value,
      uid: request.user.uid,
      since: before?.since ?? host.clock.now(),
    }
    const written = await writeNic(host.files, folder, nic)
    if (!written.ok) return written
    this.#nics.set(tap, nic)
    const done = await this.converge('quick')
    return done.ok ? ok(this.#attachment(nic)) : done
  }

  #attachment(nic: AttachedNic): NicAttachment {
    return {
      name: nic.name,
      mac: nic.mac,
      ip: nic.ip,
      mtu: this.#options.network.facts?.mtu ?? 1500,
      reach: { host: nic.ip },
      link: { kind: 'tap', ifname: nic.tap },
    }
  }

  async detach(vmiUid: string): Promise<Result<void>> {
    const { host, folder } = this.#options
    const user = await removeUserRecord(host.files, folder, vmiUid)
    if (!user.ok) return user
    const leaving = [...this.#nics.values()].filter((nic) => nic.vmiUid === vmiUid)
    if (leaving.length === 0) return ok(undefined)
    for (const nic of leaving) {
      const removed = await removeNic(host.files, folder, nic.tap)
      if (!removed.ok) return removed
      this.#nics.delete(nic.tap)
    }
    return this.converge('quick')
  }

  async attached(): Promise<readonly string[]> {
    const { host, folder } = this.#options
    const users = await userRecords(host.files, folder)
    return [...new Set([...users, ...[...this.#nics.values()].map((nic) => nic.vmiUid)])]
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host, informers, nodeName } = this.#options
    informers.start(VirtualMachineInstance, { labelSelector: `kubevirt.io/nodeName=${nodeName}` })
    informers.start(VirtualMachine)
    await Promise.race([informers.synced([VirtualMachineInstance, VirtualMachine]), aborted(signal)])
    this.#watching = true
    const texts = new Map<string, string>()
    const onChange = ({ object }: { readonly object: VirtualMachineInstance | VirtualMachine }): void => {
      const { namespace = '', name = '' } = object.metadata
      const text = this.#watchedText(namespace, name)
      const key = `${namespace}/${name}`
      const known = texts.get(key) ?? ''
      if (text === known || !this.#isHere(namespace, name)) return
      texts.set(key, text)
      void this.converge('quick')
    }
    const leave = [
      informers.subscribe(VirtualMachineInstance, (event) => onChange(event as never)),
      informers.subscribe(VirtualMachine, (event) => onChange(event as never)),
    ]
    while (!signal.aborted) {
      await this.converge('whole')
      await host.clock.sleep(CHECK_EVERY_MS, signal).catch(() => undefined)
    }
    for (const unsubscribe of leave) unsubscribe()
    await this.#running
  }

  #isHere(namespace: string, name: string): boolean {
    return [...this.#nics.values()].some((nic) => nic.namespace === namespace && nic.vmiName === name)
  }

  // --- passes ---

  /** One pass at a time; callers that come during one share the next. */
  converge(how: 'quick' | 'whole'): Promise<Result<void>> {
    if (this.#next) {
      if (how === 'whole') this.#next.how = how
      return this.#next.done
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result<void>>()
    const next = { how, done: promise }
    this.#next = next
    this.#running = this.#running.then(() => {
      this.#next = undefined
      return this.#pass(next.how).then(resolve, reject)
    })
    return promise
  }

  async #pass(how: 'quick' | 'whole'): Promise<Result<void>> {
    const { network, host } = this.#options
    const known = network.facts !== undefined
    this.#published = await this.#assign()
    const ports = [...this.#published.values()].flatMap(({ granted }) => granted)
    const done = await network.converge({ nics: [...this.#nics.values()], ports }, how)
    const before = this.#failure
    this.#failure = done.ok ? undefined : done.failure
    if (!done.ok) {
      const { message: why, command, stderr } = done.failure
      if (before?.message !== why)
        host.log.error('the default network is not as it should be', { why, command, stderr })
      return done
    }
    if (how === 'whole' && done.value.length > 0)
      host.log[known ? 'warn' : 'info'](
        known ? 'repaired the default network' : 'set up the default network',
        {
          changed: done.value,
        },
      )
    if (how === 'whole') await this.#confirm()
    await this.#tell()
    return ok(undefined)
  }

  /** What the API lost of our addresses is written again; an address that went to somebody else is told. */
  async #confirm(): Promise<void> {
    const { client, host, network } = this.#options
    for (const nic of this.#nics.values()) {
      const wish = { ...nic, nic: nic.name, range: network.range }
      const ours = await confirmAddress(client, wish, nic.ip).catch(() => true)
      if (!ours)
        host.log.error('an address has two holders: restart the machine to give it another', {
          machine: `${nic.namespace}/${nic.vmiName}`,
          address: nic.ip,
        })
    }
  }

  // --- published ports ---

  async #assign(): Promise<ReadonlyMap<string, Published>> {
    const { host, network } = this.#options
    const gateway = gatewayOf(network.range)
    const publishers: Publisher[] = []
    for (const nic of this.#nics.values()) {
      if (publishers.some(({ vmiUid }) => vmiUid === nic.vmiUid)) continue
      const text = await this.#textOf(nic)
      const { vmiUid, ip, since } = nic
      if (text !== '') publishers.push({ vmiUid, ip, since, text, name: `${nic.namespace}/${nic.vmiName}` })
    }
    if (publishers.length === 0) return new Map()
    const listening = new Set<string>()
    for (const protocol of ['tcp', 'udp'] as const) {
      const text = await run(host, ['cat', `/proc/net/${protocol}`, `/proc/net/${protocol}6`])
      if (text.ok) for (const port of listeningPorts(text.value, protocol, gateway)) listening.add(port)
    }
    const kept = [...this.#published.values()].flatMap(({ granted }) => granted.map(portKey))
    return assignPorts(publishers, listening, new Set(kept))
  }

  #textOf({ namespace, vmiName }: AttachedNic): Promise<string> | string {
    return this.#watching
      ? this.#watchedText(namespace, vmiName)
      : askPublishedText(this.#options.client, namespace, vmiName).catch(() => '')
  }

  #watchedText(namespace: string, name: string): string {
    const { look } = this.#options.informers
    return publishedText(
      look.get(VirtualMachineInstance, namespace, name),
      look.get(VirtualMachine, namespace, name),
    )
  }

  async #tell(): Promise<void> {
    if (!this.#watching) return
    const { informers } = this.#options
    for (const nic of this.#nics.values()) {
      const vmi = informers.look.get(VirtualMachineInstance, nic.namespace, nic.vmiName)
      if (vmi?.metadata.uid !== nic.vmiUid) continue
      await tellPublished(this.#options, vmi, this.#published.get(nic.vmiUid))
    }
  }

  /** Ports of the host that lead to machines at the moment. */
  get granted(): readonly GrantedPort[] {
    return [...this.#published.values()].flatMap(({ granted }) => granted)
  }
}
