// Tolerations, spreading, device claims and DNS of a Pod, as core/v1 has them.

import { s } from '../../build.ts'
import { labelSelector } from './affinity.ts'

export const toleration = s.object(
  {
    effect: s.oneOf(
      ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
      'Effect that is tolerated; empty means all.',
    ),
    key: s.string('Key of the taint; empty with operator Exists means all.'),
    operator: s.oneOf(['Equal', 'Exists'], 'Equal or Exists.'),
    tolerationSeconds: s.integer('How long a NoExecute taint is borne; unset means for ever.', {
      format: 'int64',
    }),
    value: s.string('Value of the taint for Equal.'),
  },
  'Lets a machine run on a node in spite of a taint.',
)

export const topologySpreadConstraint = s.object(
  {
    labelSelector: s.doc(labelSelector, 'Pods that are counted.'),
    matchLabelKeys: s.list(s.string(), 'Labels whose values must be those of this Pod to be counted.'),
    maxSkew: s.integer('Greatest difference between two places.'),
    minDomains: s.integer('Least number of places to spread over.'),
    nodeAffinityPolicy: s.oneOf(
      ['Honor', 'Ignore'],
      'Whether nodes that affinity excludes are left out: Honor or Ignore.',
    ),
    nodeTaintsPolicy: s.oneOf(
      ['Honor', 'Ignore'],
      'Whether nodes with taints that are not tolerated are left out: Honor or Ignore.',
    ),
    topologyKey: s.string('Node label that says what one place is.'),
    whenUnsatisfiable: s.oneOf(['DoNotSchedule', 'ScheduleAnyway'], 'DoNotSchedule or ScheduleAnyway.'),
  },
  'Spreads Pods over places.',
  { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
)

export const podResourceClaim = s.object(
  {
    name: s.string('Name within the machine.'),
    resourceClaimName: s.string('ResourceClaim to use.'),
    resourceClaimTemplateName: s.string('Template to make a ResourceClaim from.'),
  },
  'A claim to devices, by a name that devices refer to.',
  { required: ['name'] },
)

export const podDNSConfigOption = s.object(
  {
    name: s.string('Name of the option, for instance ndots.'),
    value: s.string('Value, where it has one.'),
  },
  'An option of the resolver.',
)

export const podDNSConfig = s.object(
  {
    nameservers: s.list(s.string(), 'Addresses of name servers, three at most.'),
    options: s.list(podDNSConfigOption, 'Options of the resolver.'),
    searches: s.list(s.string(), 'Domains that short names are looked up in, six at most.'),
  },
  'How names are resolved.',
)
