// Wires the agent of this host to the control plane in the same process.
import type { AgentUploads } from '../base/agent-port.ts'
import type { UserInfo } from '../base/call.ts'
import { shortHash } from '../base/derived-name.ts'
import { SOCKET_PATH_MAX } from '../base/limits.ts'
import { ok, type Result } from '../base/result.ts'
import { createInformers } from '../client/informer.ts'
import type { Host } from '../host/host.ts'
import { Event } from '../kinds/core/event.ts'
import { createEventRecorder } from '../loop/events.ts'
import { type Agent, createAgent } from '../node/agent.ts'
import { imageRoom } from '../node/image/room.ts'
import { machineUser } from '../node/machine/host-facts.ts'
import { defaultNetworkRoom } from '../node/network/choose-room.ts'
import { volumeRoom } from '../node/volume/room.ts'
import type { ControlPlane } from './control-plane.ts'
import { CROFT_VERSION } from './version.ts'

export interface LocalAgentOptions {
  readonly host: Host
  readonly plane: ControlPlane
  readonly dataFolder: string
  readonly nodeName: string
  readonly nodeIp: string
  /** Networks of the cluster itself, from which no image is fetched. */
  readonly clusterNetworks: readonly string[]
}

export interface LocalAgent {
  readonly agent: Agent
  readonly uploads: AgentUploads
  stop(): Promise<void>
}

/** Longest part of a socket path below the run folder: `/m/<hash>/rescue.sock` and its like. */
const BELOW_RUN_FOLDER = 60

/** Sockets lie below the data folder unless its path is too long for them. */
export function runFolderFor(dataFolder: string): string {
  const near = `${dataFolder}/run`
  return near.length + BELOW_RUN_FOLDER <= SOCKET_PATH_MAX ? near : `/run/croft-${shortHash(dataFolder, 8)}`
}

export async function startLocalAgent(options: LocalAgentOptions): Promise<Result<LocalAgent>> {
  const { host, plane, nodeName, dataFolder } = options
  const user: UserInfo = {
    username: `system:node:${nodeName}`,
    groups: ['system:nodes', 'system:masters', 'system:authenticated'],
  }
  const stopping = new AbortController()
  const client = plane.clientFor(user, 'croft-agent')
  const informers = createInformers(client, host, { signal: stopping.signal })
  const runFolder = runFolderFor(dataFolder)
  const runAs = await machineUser(host)
  const made = await host.files.makeFolder(runFolder, 0o711)
  if (!made.ok) return made
  const images = imageRoom({
    host,
    client,
    informers,
    nodeName,
    clusterNetworks: options.clusterNetworks,
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
  const agent = await createAgent({
    host,
    client,
    informers,
    recorder,
    nodeName,
    nodeIp: options.nodeIp,
    dataFolder,
    runFolder,
    rooms: {
      volume: volumeRoom({ host, client, informers, nodeName, runFolder, ...(runAs ? { runAs } : {}) }),
      network: network.value,
      image: images,
    },
    version: CROFT_VERSION,
  })
  if (!agent.ok) return agent
  const running = agent.value.run(stopping.signal)
  return ok({
    agent: agent.value,
    uploads: images.uploads,
    stop: async () => {
      stopping.abort()
      await running
    },
  })
}
