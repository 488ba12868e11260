// The replicas of a volume as members of its engine: those of this host are their daemons, those of other hosts are
// reached through the agent there.

import { ok, type Result } from '../../base/result.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import { Replica as ReplicaKind } from '../../kinds/longhorn/replica.ts'
import { daemonProcess, incarnationOf } from './daemon.ts'
import { replicaPlace } from './layout.ts'
import { localMember, type Member } from './member.ts'
import { bareDaemon, daemonOf, type VolumeContext } from './replica.ts'

export const VOLUME_LABEL = 'longhornvolume'

export function replicasOf(
  { look }: VolumeContext,
  namespace: string,
  volumeName: string,
): readonly Replica[] {
  return look
    .list(ReplicaKind, namespace)
    .filter((replica) => replica.metadata.labels?.[VOLUME_LABEL] === volumeName)
}

/** A replica on this host without a daemon is no member: nobody answers for it. */
export async function memberOf(context: VolumeContext, replica: Replica): Promise<Member | undefined> {
  const { host, nodeName, runFolder, runAs } = context
  if (replica.spec?.nodeID !== nodeName) return context.remoteMember?.(replica)
  const place = replicaPlace(runFolder, replica)
  const daemon = await daemonOf(context, replica)
  if (!daemon) return undefined
  return localMember({
    host,
    replica: replica.metadata.name!,
    place,
    daemon,
    ...(runAs ? { runAs } : {}),
    ...(context.address ? { tlsFolder: context.address.tlsFolder } : {}),
  })
}

export async function membersOf(
  context: VolumeContext,
  namespace: string,
  volumeName: string,
): Promise<readonly Member[]> {
  const replicas = replicasOf(context, namespace, volumeName)
  const found = await Promise.all(replicas.map((replica) => memberOf(context, replica)))
  return found.filter((member) => member !== undefined)
}

/** A member that holds nothing, ready to be rebuilt; what served it before is ended. */
export interface BareMember {
  readonly member: Member
  readonly incarnation: string
}

export async function bareMember(context: VolumeContext, replica: Replica): Promise<Result<BareMember>> {
  const { host, nodeName, runFolder, runAs } = context
  if (replica.spec?.nodeID !== nodeName && context.remoteBare) return context.remoteBare(replica)
  const daemon = await bareDaemon(context, replica)
  if (!daemon.ok) return daemon
  const member = localMember({
    host,
    replica: replica.metadata.name!,
    place: replicaPlace(runFolder, replica),
    daemon: daemon.value,
    ...(runAs ? { runAs } : {}),
    ...(context.address ? { tlsFolder: context.address.tlsFolder } : {}),
  })
  return ok({ member, incarnation: incarnationOf(daemon.value.process) })
}

/** Whether the process that served a replica of this host is no more; one that does not answer may still live. */
export async function hasEnded(
  { host, runFolder, daemons }: VolumeContext,
  replica: Replica,
  incarnation: string,
): Promise<boolean> {
  const known = daemons.get(replica.metadata.uid!)?.process
  const process = known ?? (await daemonProcess(host, replicaPlace(runFolder, replica)))
  if (!process || incarnationOf(process) !== incarnation) return true
  return known === undefined && !(await host.exec.isAlive(process))
}
