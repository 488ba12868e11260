// Where a Pod may and should run.
import { s } from '../../build.ts'
import { labelSelector } from '../meta-types.ts'
import { nodeSelector, nodeSelectorTerm } from '../topology.ts'

export const preferredSchedulingTerm = s.object({
  weight: s.write(s.integer()),
  preference: s.write(nodeSelectorTerm),
})

export const nodeAffinity = s.object({
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution: s.list(preferredSchedulingTerm),
})

export const podAffinityTerm = s.object(
  {
    labelSelector: labelSelector,
    namespaces: s.list(s.string()),
    topologyKey: s.write(s.string()),
    namespaceSelector: labelSelector,
    matchLabelKeys: s.list(s.string()),
    mismatchLabelKeys: s.list(s.string()),
  },
  undefined,
  { required: ['topologyKey'] },
)

export const weightedPodAffinityTerm = s.object({
  weight: s.write(s.integer()),
  podAffinityTerm: s.write(podAffinityTerm),
})

export const podAffinity = s.object({
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm),
})

export const podAntiAffinity = s.object({
  requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm),
})

export const affinity = s.object(
  {
    nodeAffinity: s.doc(nodeAffinity, 'Which nodes.'),
    podAffinity: s.doc(podAffinity, 'Near to which Pods.'),
    podAntiAffinity: s.doc(podAntiAffinity, 'Away from which Pods.'),
  },
  'Wishes about the nodes and Pods to be near to or away from.',
)

export const toleration = s.object(
  {
    key: s.string('Key of the taint; absent with Exists for all.'),
    operator: s.oneOf(['Equal', 'Exists', 'Gt', 'Lt'], 'Equal or Exists.'),
    value: s.string('Value of the taint.'),
    effect: s.oneOf(['NoExecute', 'NoSchedule', 'PreferNoSchedule'], 'Effect of the taint; absent for all.'),
    tolerationSeconds: s.keep(s.int64('With NoExecute, seconds until the Pod is evicted.')),
  },
  'Lets a Pod run in spite of a taint.',
)

export const topologySpreadConstraint = s.object(
  {
    maxSkew: s.write(s.integer()),
    topologyKey: s.write(s.string()),
    whenUnsatisfiable: s.write(s.oneOf(['DoNotSchedule', 'ScheduleAnyway'])),
    labelSelector: labelSelector,
    minDomains: s.keep(s.integer()),
    nodeAffinityPolicy: s.keep(s.oneOf(['Honor', 'Ignore'])),
    nodeTaintsPolicy: s.keep(s.oneOf(['Honor', 'Ignore'])),
    matchLabelKeys: s.list(s.string()),
  },
  undefined,
  { required: ['topologyKey', 'whenUnsatisfiable'] },
)

export const podSchedulingGate = s.object(
  {
    name: s.write(s.string()),
  },
  undefined,
  { required: ['name'] },
)

export const podSchedulingGroup = s.object({
  podGroupName: s.keep(s.string()),
})

export const podReadinessGate = s.object(
  {
    conditionType: s.write(s.string()),
  },
  undefined,
  { required: ['conditionType'] },
)

export const podResourceClaim = s.object(
  {
    name: s.write(s.string()),
    resourceClaimName: s.keep(s.string()),
    resourceClaimTemplateName: s.keep(s.string()),
  },
  undefined,
  { required: ['name'] },
)
