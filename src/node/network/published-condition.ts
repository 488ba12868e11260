// Tells on a VirtualMachineInstance which of its ports are published, and why others are not.
import { ApiError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Client } from '../../client/client.ts'
import type { Informers } from '../../client/informer.ts'
import type { Host } from '../../host/host.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import type { EventRecorder } from '../../loop/events.ts'
import { type ConditionWish, mergeConditions } from '../plan/conditions.ts'
import type { Published } from './published-ports.ts'

export const PORTS_PUBLISHED = 'croft.io/PortsPublished'

interface Ports {
  readonly host: Host
  readonly client: Client
  readonly informers: Informers
  readonly recorder: EventRecorder
}

/** `published` undefined: nothing is wished, and nothing is said. A version that moved on is told about next time. */
export async function tellPublished(
  { host, client, informers, recorder }: Ports,
  vmi: VirtualMachineInstance,
  published: Published | undefined,
): Promise<void> {
  const wish = published && conditionOf(published)
  const present = vmi.status?.conditions?.find((one) => one.type === PORTS_PUBLISHED)
  const same = wish
    ? present?.status === wish.status && present.message === wish.message && present.reason === wish.reason
    : present === undefined
  if (same) return
  const { name = '', namespace = '', uid = '', resourceVersion } = vmi.metadata
  const conditions = mergeConditions(
    vmi.status?.conditions,
    wish ? [wish] : [],
    [PORTS_PUBLISHED],
    host.clock.now(),
  )
  try {
    const patch = { metadata: { resourceVersion }, status: { conditions } } as unknown as JsonObject
    const written = await client.patch(VirtualMachineInstance, name, patch, {
      namespace,
      subresource: 'status',
    })
    informers.absorb(VirtualMachineInstance, written)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code !== 409 && error.code !== 404)
      host.log.warn('published ports were not told', { machine: `${namespace}/${name}`, why: error.message })
    return
  }
  if (wish?.status === 'False')
    recorder.note({
      about: { kind: VirtualMachineInstance, namespace, name, uid },
      type: 'Warning',
      reason: wish.reason ?? '',
      message: wish.message ?? '',
    })
}

function conditionOf({ granted, problems }: Published): ConditionWish {
  const list = granted.map(
    ({ hostPort, guestPort, protocol }) => `host port ${hostPort}/${protocol} to ${guestPort}`,
  )
  if (problems.length > 0)
    return {
      type: PORTS_PUBLISHED,
      status: 'False',
      reason: 'HostPortUnavailable',
      message: [...problems, ...list].join('; '),
    }
  return { type: PORTS_PUBLISHED, status: 'True', reason: 'Published', message: list.join('; ') }
}
