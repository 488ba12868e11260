// ResourceQuotas and LimitRanges.
import { s } from '../build.ts'

export const scopedResourceSelectorRequirement = s.object({
  scopeName: s.write(s.string()),
  operator: s.write(s.string()),
  values: s.list(s.string()),
})

export const scopeSelector = s.object(
  {
    matchExpressions: s.list(scopedResourceSelectorRequirement),
  },
  undefined,
  { atomic: true },
)

export const resourceQuotaSpec = s.object(
  {
    hard: s.map(s.quantity(), 'Most that all objects of the namespace may use together.'),
    scopes: s.list(s.string(), 'Which objects count.'),
    scopeSelector: s.doc(scopeSelector, 'Which objects count, by expressions.'),
  },
  'Wanted state of a ResourceQuota.',
)

export const resourceQuotaStatus = s.object(
  {
    hard: s.map(s.quantity(), 'Limits in force.'),
    used: s.map(s.quantity(), 'Present use.'),
  },
  'Observed state of a ResourceQuota.',
)

export const limitRangeItem = s.object(
  {
    type: s.write(s.string('Pod, Container or PersistentVolumeClaim.')),
    max: s.map(s.quantity(), 'Largest allowed.'),
    min: s.map(s.quantity(), 'Smallest allowed.'),
    default: s.map(s.quantity(), 'Limit where none is given.'),
    defaultRequest: s.map(s.quantity(), 'Request where none is given.'),
    maxLimitRequestRatio: s.map(s.quantity(), 'Largest ratio of limit to request.'),
  },
  'Limits for one type of thing.',
)

export const limitRangeSpec = s.object(
  {
    limits: s.write(s.list(limitRangeItem, 'Limits for each type of thing.')),
  },
  'Wanted state of a LimitRange.',
)
