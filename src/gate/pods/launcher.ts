// The launcher Pod of a machine, as the streams of core/v1 see it: which machine it stands for, and on which node.
import { refuse } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import { Pod } from '../../kinds/core/pod.ts'
import type { Target } from '../actions/instance-actions.ts'
import type { Place } from '../actions/machine-actions.ts'
import { absentAsUndefined } from '../ask.ts'

export const LAUNCHER_CONTAINER = 'compute'

export interface Launcher extends Target {
  readonly pod: Pod
}

export async function readPod(client: Client, { namespace, name }: Place): Promise<Pod> {
  const pod = await absentAsUndefined(client.get(Pod, name, { namespace }))
  if (!pod) throw refuse.notFound({ group: '', resource: 'pods' }, name)
  return pod
}

/** Undefined for a Pod that stands for no machine. */
export function launcherOf(pod: Pod): Launcher | undefined {
  const { namespace = '', labels, ownerReferences } = pod.metadata
  if (labels?.['kubevirt.io'] !== 'virt-launcher') return undefined
  const owner = ownerReferences?.find(({ kind }) => kind === 'VirtualMachineInstance')
  const uid = owner?.uid ?? labels['kubevirt.io/created-by'] ?? ''
  const name = owner?.name ?? labels['vm.kubevirt.io/name'] ?? ''
  return { pod, nodeName: pod.spec?.nodeName ?? '', ref: { namespace, name, uid } }
}

export async function readLauncher(client: Client, place: Place): Promise<Launcher> {
  const launcher = launcherOf(await readPod(client, place))
  if (!launcher)
    throw refuse.badRequest(
      `pod "${place.name}" does not run: there is no container runtime here, only the pods of virtual machines run`,
    )
  if (launcher.nodeName === '')
    throw refuse.badRequest(
      `container "${LAUNCHER_CONTAINER}" in pod "${place.name}" is waiting to start: no node has been chosen yet`,
    )
  return launcher
}
