// Wires the agent of one host: the same on a server, over the API in its own process, and on a host that joined, over
// HTTPS. With it comes the link by which agents and servers reach each other.
import type { AgentUploads } from '../base/agent-port.ts'
import { shortHash } from '../base/derived-name.ts'
import { SOCKET_PATH_MAX } from '../base/limits.ts'
import type { SampleSink } from '../base/metrics-port.ts'
import { ok, type Result } from '../base/result.ts'
import type { Client } from '../client/client.ts'
import { createInformers, type Informers } from '../client/informer.ts'
import { callerOf } from '../cluster/node-names.ts'
import { qemuFolder, writeQemuFolder } from '../cluster/qemu-folder.ts'
import type { Certificates } from '../host/certificates.ts'
import type { Host, Listener } from '../host/host.ts'
import { Event } from '../kinds/core/event.ts'
import { Node } from '../kinds/core/node.ts'
import { createEventRecorder } from '../loop/events.ts'
import { type Agent, createAgent } from '../node/agent.ts'
import { imageRoom } from '../node/image/room.ts'
import { createLink, type Link } from '../node/link/create-link.ts'
import { type SendImage, tlsMaterial } from '../node/link/link-server.ts'
import { LINK_PORT, peersOf } from '../node/link/peers.ts'
import { type NodeAgent, serverFacing } from '../node/link/remote-agent.ts'
import type { LinkTls } from '../node/link/wire.ts'
import { machineUser } from '../node/machine/host-facts.ts'
import { defaultNetworkRoom } from '../node/network/choose-room.ts'
import { LEASE_SECONDS } from '../node/node-registration.ts'
import { type SelfFenceOptions, selfFence } from '../node/self-fence.ts'
import { startGateOf } from '../node/start-gate.ts'
import { volumeRoom } from '../node/volume/room.ts'
import { createSampler } from '../observe/sampler.ts'
import { sampledMachine } from './sampled.ts'
import { CROFT_VERSION } from './version.ts'

export interface NodeAgentOptions {
  readonly host: Host
  readonly certificates: Certificates
  /** With the rights of the node. */
  readonly client: Client
  readonly dataFolder: string
  readonly nodeName: string
  readonly nodeIp: string
  /** Address that other agents and servers reach this one at; loopback where nobody else is to. */
  readonly linkHost: string
  /** The node's present certificate; asked again at every use. */
  readonly tls: () => LinkTls
  /** Networks of the cluster itself, from which no image is fetched. */
  readonly clusterNetworks: readonly string[]
  /** The server is in this very process, so it is never lost. */
  readonly hasServer?: boolean
  /** Where samples of this host's load go; absent: none are taken. */
  readonly samples?: SampleSink
}

export interface RunningAgent {
  readonly agent: Agent
  readonly uploads: AgentUploads
  readonly link: Link
  readonly informers: Informers
  /** Takes up a renewed certificate: for the link, and for QEMU's connections. */
  renewed(): Promise<void>
  stop(): Promise<void>
}

/** Longest part of a socket path below the run folder: `/m/<hash>/rescue.sock` and its like. */
const BELOW_RUN_FOLDER = 60
const STOP_GRACE_MS = 1_000

/** Sockets lie below the data folder unless its path is too long for them. */
export function runFolderFor(dataFolder: string): string {
  const near = `${dataFolder}/run`
  return near.length + BELOW_RUN_FOLDER <= SOCKET_PATH_MAX ? near : `/run/croft-${shortHash(dataFolder, 8)}`
}

export async function startNodeAgent(options: NodeAgentOptions): Promise<Result<RunningAgent>> {
  const { host } = options
  const stopping = new AbortController()
  const informers = createInformers(options.client, host, { signal: stopping.signal })
  informers.start(Node)
  let facing: NodeAgent | undefined
  let sendImage: SendImage | undefined
  const link = createLink({
    host,
    certificates: options.certificates,
    nodeName: options.nodeName,
    tls: options.tls,
    callerOf,
    peer: peersOf(informers.look),
    serverFacing: () => facing && serverFacing(options.nodeName, facing),
    sendImage: () => sendImage,
  })
  const listener = await listenSomewhere(host, link, options.linkHost)
  if (!listener.ok) return stopWith(stopping, listener)
  const made = await makeAgent(options, { informers, link, linkPort: portOf(listener.value) })
  if (!made.ok) {
    await listener.value.close(0)
    return stopWith(stopping, made)
  }
  const { agent, uploads, writeKeys } = made.value
  sendImage = made.value.sendImage
  facing = { dial: agent.dial, actions: agent.actions, uploads }
  const renewedAt = options.hasServer === true ? () => host.clock.monotonic() : () => agent.renewedAt()
  const fencing = { host, link, look: informers.look, agent, renewedAt, nodeName: options.nodeName }
  const running = Promise.all([
    agent.run(stopping.signal),
    sampleLoad(options, agent, stopping.signal),
    fence(fencing, stopping.signal),
  ])
  return ok({
    agent,
    uploads,
    link,
    informers,
    async renewed() {
      listener.value.setTls(tlsMaterial(options.tls()))
      const written = await writeKeys()
      if (!written.ok) host.log.warn('QEMU keeps its old certificate', { why: written.failure.message })
    },
    stop: async () => {
      stopping.abort()
      await running
      await listener.value.close(STOP_GRACE_MS)
    },
  })
}

async function sampleLoad(options: NodeAgentOptions, agent: Agent, signal: AbortSignal): Promise<void> {
  const { host, nodeName, dataFolder, samples } = options
  if (!samples) return
  const machines = () => agent.machines().flatMap((machine) => sampledMachine(machine) ?? [])
  await createSampler({ host, nodeName, dataFolder, machines, sink: samples }).run(signal)
}

function fence(
  {
    agent,
    ...parts
  }: Pick<SelfFenceOptions, 'host' | 'link' | 'look' | 'nodeName' | 'renewedAt'> & { readonly agent: Agent },
  signal: AbortSignal,
): Promise<void> {
  return selfFence(
    {
      ...parts,
      leaseMs: LEASE_SECONDS * 1_000,
      machines: () => agent.machines(),
    },
    signal,
  )
}

function stopWith<T>(stopping: AbortController, result: Result<T>): Result<never> {
  stopping.abort()
  return result as Result<never>
}

/** The usual port, so that firewalls know it; a free one where several nodes share an address. */
async function listenSomewhere(host: Host, link: Link, at: string): Promise<Result<Listener>> {
  const usual = await link.listen({ host: at, port: LINK_PORT })
  if (usual.ok || usual.failure.reason !== 'AddressInUse') return usual
  const free = await link.listen({ host: at, port: 0 })
  if (free.ok)
    host.log.info('other agents reach this one at a port of chance', {
      port: portOf(free.value),
      taken: LINK_PORT,
    })
  return free
}

function portOf({ address }: Listener): number {
  return 'port' in address ? address.port : 0
}

interface Around {
  readonly informers: Informers
  readonly link: Link
  readonly linkPort: number
}

interface Made {
  readonly agent: Agent
  readonly uploads: AgentUploads
  readonly sendImage: SendImage
  readonly writeKeys: () => Promise<Result<void>>
}

async function makeAgent(
  options: NodeAgentOptions,
  { informers, link, linkPort }: Around,
): Promise<Result<Made>> {
  const { host, client, nodeName, nodeIp, dataFolder } = options
  const runFolder = runFolderFor(dataFolder)
  const runAs = await machineUser(host)
  const made = await host.files.makeFolder(runFolder, 0o711)
  if (!made.ok) return made
  const writeKeys = (): Promise<Result<void>> => {
    const { caPem, certificatePem, keyPem } = options.tls()
    const pki = `${dataFolder}/pki`
    return writeQemuFolder({
      host,
      pki,
      caPem,
      node: { certificatePem, keyPem },
      ...(runAs ? { owner: runAs } : {}),
    })
  }
  const keys = await writeKeys()
  if (!keys.ok) return keys
  const images = imageRoom({
    host,
    client,
    informers,
    nodeName,
    clusterNetworks: options.clusterNetworks,
    peers: { fetchImage: link.fetchImage },
    ...(runAs ? { runAs } : {}),
  })
  const recorder = createEventRecorder({
    client,
    host,
    kind: Event,
    component: 'croft-agent',
    node: nodeName,
  })
  const network = await defaultNetworkRoom({ host, client, informers, recorder, nodeName, dataFolder })
  if (!network.ok) return network
  const starts = await startGateOf(host)
  const agent = await createAgent({
    host,
    client,
    informers,
    recorder,
    nodeName,
    nodeIp,
    dataFolder,
    runFolder,
    starts,
    rooms: {
      volume: volumeRoom({
        host,
        client,
        informers,
        nodeName,
        starts,
        runFolder,
        cluster: { ip: nodeIp, tlsFolder: qemuFolder(`${dataFolder}/pki`), link },
        ...(runAs ? { runAs } : {}),
      }),
      network: network.value,
      image: images,
    },
    linkPort,
    version: CROFT_VERSION,
  })
  if (!agent.ok) return agent
  return ok({ agent: agent.value, uploads: images.uploads, sendImage: images.send, writeKeys })
}
