// A Pod's priority is that of its PriorityClass; users name classes, never numbers.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { resourceOf, type Work } from '../core.ts'
import { findObject, listObjects } from '../resource/read.ts'

interface PodSpecShape {
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
}
interface ClassShape extends KubeObject {
  readonly value?: number
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: string
}
const DEFAULT_POLICY = 'PreemptLowerPriority'

export function addPriority(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (previous) return next
  const spec = (next['spec'] as PodSpecShape | undefined) ?? {}
  const chosen = classFor(work, next, spec.priorityClassName ?? '')
  const priority = chosen?.value ?? 0
  const refusal = (why: string) => refuse.forbidden(resourceOf(work.served), next.metadata.name ?? '', why)
  if (spec.priority !== undefined && spec.priority !== priority)
    throw refusal(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    )
  const policy = chosen?.preemptionPolicy ?? DEFAULT_POLICY
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refusal(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    )
  const name = chosen?.metadata.name
  return {
    ...next,
    spec: {
      ...spec,
      priority,
      preemptionPolicy: policy,
      ...(name === undefined ? {} : { priorityClassName: name }),
    },
  }
}

function classFor(work: Work, pod: KubeObject, name: string): ClassShape | undefined {
  const served = work.core.served.find('scheduling.k8s.io', 'v1', 'priorityclasses')
  if (!served) return undefined
  if (name === '')
    return (listObjects(work.core, served) as readonly ClassShape[])
      .filter(({ globalDefault }) => globalDefault)
      .sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0]
  const found = findObject(work.core, served, undefined, name) as ClassShape | undefined
  if (!found)
    throw refuse.forbidden(
      resourceOf(work.served),
      pod.metadata.name ?? '',
      `no PriorityClass with name ${name} was found`,
    )
  return found
}
