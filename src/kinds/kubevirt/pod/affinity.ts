// Where a Pod may and should run, as core/v1 has it. Machines hand these on to their launcher Pod unchanged.
import { s } from '../../build.ts'

export const labelSelectorRequirement = s.object(
  {
    key: s.string(),
    operator: s.string(),
    values: s.list(s.string()),
  },
  undefined,
  { required: ['key', 'operator'] },
)

export const labelSelector = s.object(
  {
    matchExpressions: s.list(labelSelectorRequirement),
    matchLabels: s.map(s.string()),
  },
  undefined,
  { atomic: true },
)

export const nodeSelectorRequirement = s.object(
  {
    key: s.string(),
    operator: s.oneOf(['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn']),
    values: s.list(s.string()),
  },
  undefined,
  { required: ['key', 'operator'] },
)

export const nodeSelectorTerm = s.object(
  {
    matchExpressions: s.list(nodeSelectorRequirement),
    matchFields: s.list(nodeSelectorRequirement),
  },
  undefined,
  { atomic: true },
)

export const nodeSelector = s.object(
  {
    nodeSelectorTerms: s.list(nodeSelectorTerm),
  },
  undefined,
  { required: ['nodeSelectorTerms'], atomic: true },
)

export const preferredSchedulingTerm = s.object(
  {
    preference: nodeSelectorTerm,
    weight: s.integer(),
  },
  undefined,
  { required: ['weight', 'preference'] },
)

export const nodeAffinity = s.object({
  preferredDuringSchedulingIgnoredDuringExecution: s.list(preferredSchedulingTerm),
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
})

export const podAffinityTerm = s.object(
  {
    labelSelector: labelSelector,
    matchLabelKeys: s.list(s.string()),
    mismatchLabelKeys: s.list(s.string()),
    namespaceSelector: labelSelector,
    namespaces: s.list(s.string()),
    topologyKey: s.string(),
  },
  undefined,
  { required: ['topologyKey'] },
)

export const weightedPodAffinityTerm = s.object(
  {
    podAffinityTerm: podAffinityTerm,
    weight: s.integer(),
  },
  undefined,
  { required: ['weight', 'podAffinityTerm'] },
)

export const podAffinity = s.object({
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm),
})

export const podAntiAffinity = s.object({
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm),
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm),
})

export const affinity = s.object({
  nodeAffinity: nodeAffinity,
  podAffinity: podAffinity,
  podAntiAffinity: podAntiAffinity,
})
