// Why a Pod does not run. The Pod of a machine is explained by its machine; others never run here.
import type { Pod } from '../kinds/core/pod.ts'
import { type About, fine, saying, type Tell, text, type Why, wrong } from './why.ts'

export interface PodFacts {
  readonly pod: Pod
  /** What the machine says that this Pod stands for. */
  readonly machine: Why | undefined
}

export function whyPod({ pod, machine }: PodFacts, tell: Tell): Why {
  const { name = '', namespace = '', labels } = pod.metadata
  const about: About = { kind: 'Pod', namespace, name }
  if (labels?.['kubevirt.io'] !== 'virt-launcher')
    return wrong(about, text(tell, 'why.pod.noRuntime'), text(tell, 'why.vm.pvcMissing.next'))
  if (machine && !machine.healthy) return machine
  const unplaced = saying(pod.status?.conditions, 'PodScheduled', 'False')
  if (unplaced)
    return wrong(
      about,
      text(tell, 'why.pod.pending', { message: unplaced.message ?? '' }),
      text(tell, 'why.vm.noNodeFits.next'),
    )
  return fine(tell, about)
}
