// The volume room of the agent: replicas and engines of this node, kept as the API wants them.

import { aborted } from '../../base/aborted.ts'
import { deepEqual } from '../../base/equality.ts'
import { keyOf } from '../../base/object.ts'
import type { Client } from '../../client/client.ts'
import type { Informers } from '../../client/informer.ts'
import type { Host } from '../../host/host.ts'
import { Node } from '../../kinds/core/node.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { DONE, keyedWork, type WorkAnswer } from '../keyed-work.ts'
import type { AgentLink } from '../link/agent-link.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { RunAs } from '../plan/facts.ts'
import type { VolumeRoom } from '../ports.ts'
import type { StartGate } from '../start-gate.ts'
import { connect } from './connect.ts'
import type { ReplicaDaemon } from './daemon.ts'
import { type EngineContext, type LiveVolumeWork, reconcileEngine } from './engine.ts'
import { replicasOf } from './members.ts'
import { answerMembers, remoteBare, remoteMember } from './remote-member.ts'
import { type HostAddress, reconcileReplica } from './replica.ts'
import { reconcileSnapshots } from './snapshot-work.ts'
import type { StandingDisk, Turns } from './standing.ts'
import { endStrays } from './strays.ts'

const KINDS = [Volume, Replica, Engine, VolumeEpoch, Snapshot, BackingImage, Node]
/** Replicas and engines looked at at one time: more only fight for the disk. */
const CONCURRENCY = 8

export interface VolumeRoomOptions {
  readonly host: Host
  readonly client: Client
  readonly informers: Informers
  readonly nodeName: string
  /** Shared with the machines. */
  readonly starts: StartGate
  /** Short folder for sockets. */
  readonly runFolder: string
  /** User of the storage daemons; absent: as Croft itself. */
  readonly runAs?: RunAs
  /** How the other hosts of the cluster reach this one, and the way to their agents; absent: it is alone. */
  readonly cluster?: HostAddress & { readonly link: AgentLink }
}

const splitKey = (key: string): readonly [string, string] => {
  const [namespace = '', name = ''] = key.split('/')
  return [namespace, name]
}

function overLink(
  { ip, tlsFolder, link }: HostAddress & { readonly link: AgentLink },
  context: () => EngineContext,
): Pick<EngineContext, 'address' | 'remoteMember' | 'remoteBare'> {
  return {
    address: { ip, tlsFolder },
    remoteMember: (replica) => remoteMember({ link, context: context() }, replica),
    remoteBare: (replica) => remoteBare({ link, context: context() }, replica),
  }
}

export function volumeRoom(options: VolumeRoomOptions): VolumeRoom {
  const { host, client, informers, nodeName } = options
  const { look } = informers
  const listeners = new Set<(volumeName: string) => void>()
  const endpoints = new Map<string, DiskBacking>()
  const stop = new AbortController()
  const context: EngineContext = {
    host,
    client,
    look,
    nodeName,
    starts: options.starts,
    runFolder: options.runFolder,
    runAs: options.runAs,
    daemons: new Map<string, ReplicaDaemon>(),
    turns: new Map<string, Turns>(),
    fills: new Set<string>(),
    live: new Map<string, LiveVolumeWork>(),
    stands: new Map<string, Set<StandingDisk>>(),
    waitingSince: new Map<string, number>(),
    ...(options.cluster ? overLink(options.cluster, () => context) : {}),
    wakeEngine: (replica) => {
      const engine = replica.spec?.engineName
      if (engine) engineWork.add(`${replica.metadata.namespace}/${engine}`)
    },
    wakeReplica: (replica) => replicaWork.add(keyOf(replica)),
    wakeSnapshots: (namespace, volumeName) => snapshotWork.add(`${namespace}/${volumeName}`),
    wakeEngineOf: (namespace, name) => engineWork.add(`${namespace}/${name}`),
    setEndpoint: (volumeName, backing) => {
      const before = endpoints.get(volumeName)
      if (deepEqual(before, backing)) return
      if (backing) endpoints.set(volumeName, backing)
      else endpoints.delete(volumeName)
      for (const listener of listeners) listener(volumeName)
    },
  }
  if (options.cluster) answerMembers({ link: options.cluster.link, context })
  const replicaWork = keyedWork({
    host,
    signal: stop.signal,
    name: 'replica',
    concurrency: CONCURRENCY,
    work: async (key): Promise<WorkAnswer> => {
      const replica = look.get(Replica, ...splitKey(key))
      return replica?.spec?.nodeID === nodeName ? reconcileReplica(context, replica) : DONE
    },
  })
  const engineWork = keyedWork({
    host,
    signal: stop.signal,
    name: 'engine',
    concurrency: CONCURRENCY,
    work: async (key): Promise<WorkAnswer> => {
      const engine = look.get(Engine, ...splitKey(key))
      return engine ? reconcileEngine(context, engine) : DONE
    },
  })
  const snapshotWork = keyedWork({
    host,
    signal: stop.signal,
    name: 'snapshot',
    concurrency: CONCURRENCY,
    work: (key): Promise<WorkAnswer> => reconcileSnapshots(context, ...splitKey(key)),
  })
  const stand = (disk: StandingDisk): void => {
    const { volumeName } = disk
    const stands = context.stands.get(volumeName) ?? new Set()
    context.stands.set(volumeName, stands.add(disk))
    context.live.get(volumeName)?.engine.stand(disk)
    void disk.ended.then(() => {
      stands.delete(disk)
      if (stands.size === 0 && context.stands.get(volumeName) === stands) context.stands.delete(volumeName)
    })
  }
  return {
    endpoint: (volumeName) => endpoints.get(volumeName),
    stand,
    connect: (connection) => connect(context, { connection, stand, endpoint: (name) => endpoints.get(name) }),
    onChange: (call) => {
      listeners.add(call)
      return () => listeners.delete(call)
    },
    run: async (signal) => {
      for (const kind of KINDS) informers.start(kind)
      await informers.synced(KINDS)
      await endStrays(context)
      const subscriptions = [
        informers.subscribe(Replica, ({ object }) => replicaWork.add(keyOf(object))),
        informers.subscribe(Engine, ({ object }) => engineWork.add(keyOf(object))),
        informers.subscribe(VolumeEpoch, ({ object }) => {
          // A replica that waits for the record, or that joined or left the set.
          for (const replica of replicasOf(context, object.metadata.namespace!, object.metadata.name!))
            if (!context.daemons.has(replica.metadata.uid!)) replicaWork.add(keyOf(replica))
        }),
        informers.subscribe(Snapshot, ({ object }) => {
          const volumeName = (object as Snapshot).spec?.volume
          if (volumeName) snapshotWork.add(`${object.metadata.namespace}/${volumeName}`)
        }),
        informers.subscribe(BackingImage, ({ object }) => {
          for (const replica of look.list(Replica, object.metadata.namespace))
            if (replica.spec?.backingImage === object.metadata.name) {
              replicaWork.add(keyOf(replica))
              context.wakeEngine(replica)
            }
        }),
      ]
      await aborted(signal)
      for (const unsubscribe of subscriptions) unsubscribe()
      stop.abort()
      await Promise.all([replicaWork.idle(), engineWork.idle(), snapshotWork.idle()])
      for (const { engine, rebuild } of context.live.values()) {
        engine.letGo()
        await rebuild.stop()
      }
      const daemons = [...context.daemons.values()]
      context.daemons.clear()
      for (const daemon of daemons) daemon.qmp.close()
    },
  }
}
