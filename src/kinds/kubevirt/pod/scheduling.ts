// Tolerations, spreading, device claims and DNS of a Pod, as core/v1 has them.

import { s } from '../../build.ts'
import { labelSelector } from './affinity.ts'

export const toleration = s.object({
  effect: s.oneOf(['NoExecute', 'NoSchedule', 'PreferNoSchedule']),
  key: s.string(),
  operator: s.oneOf(['Equal', 'Exists']),
  tolerationSeconds: s.integer(undefined, { format: 'int64' }),
  value: s.string(),
})

export const topologySpreadConstraint = s.object(
  {
    labelSelector: labelSelector,
    matchLabelKeys: s.list(s.string()),
    maxSkew: s.integer(),
    minDomains: s.integer(),
    nodeAffinityPolicy: s.oneOf(['Honor', 'Ignore']),
    nodeTaintsPolicy: s.oneOf(['Honor', 'Ignore']),
    topologyKey: s.string(),
    whenUnsatisfiable: s.oneOf(['DoNotSchedule', 'ScheduleAnyway']),
  },
  undefined,
  { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
)

export const podResourceClaim = s.object(
  {
    name: s.string(),
    resourceClaimName: s.string(),
    resourceClaimTemplateName: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const podDNSConfigOption = s.object({
  name: s.string(),
  value: s.string(),
})

export const podDNSConfig = s.object({
  nameservers: s.list(s.string()),
  options: s.list(podDNSConfigOption),
  searches: s.list(s.string()),
})
