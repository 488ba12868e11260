// Bodies of PodDisruptionBudgets and Evictions.
import { s } from '../build.ts'
import { condition, deleteOptions, labelSelector } from '../core/meta-types.ts'

export const podDisruptionBudgetSpec = s.object(
  {
    minAvailable: s.intOrString('Pods that must stay, as a number or a percentage.'),
    selector: s.replaced(s.doc(labelSelector, 'Pods that the budget is for.')),
    maxUnavailable: s.intOrString('Pods that may be away, as a number or a percentage.'),
    unhealthyPodEvictionPolicy: s.keep(
      s.oneOf(['AlwaysAllow', 'IfHealthyBudget'], 'Whether Pods that are not ready may be evicted.'),
    ),
  },
  'Wanted state of a PodDisruptionBudget.',
)

export const podDisruptionBudgetStatus = s.object(
  {
    observedGeneration: s.int64('Generation that this status speaks of.'),
    disruptedPods: s.map(s.time(), 'Pods whose eviction is under way.'),
    disruptionsAllowed: s.write(s.integer('Evictions that are allowed now.')),
    currentHealthy: s.write(s.integer('Ready Pods.')),
    desiredHealthy: s.write(s.integer('Ready Pods that are needed.')),
    expectedPods: s.write(s.integer('Pods that the budget counts.')),
    conditions: s.keyedList(condition, ['type'], 'Observations about the budget.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
  },
  'Observed state of a PodDisruptionBudget.',
)

export const evictionBody = s.object({
  deleteOptions: s.doc(deleteOptions, 'How the Pod is deleted.'),
})
