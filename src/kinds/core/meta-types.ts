// Small types of apimachinery that many kinds use: label selectors and conditions.
import { s } from '../build.ts'

export const labelSelectorRequirement = s.object(
  {
    key: s.write(s.string('Key of the label.')),
    operator: s.write(s.string('In, NotIn, Exists or DoesNotExist.')),
    values: s.list(s.string(), 'Values for In and NotIn.'),
  },
  'One condition on a label.',
)

export const labelSelector = s.object(
  {
    matchLabels: s.map(s.string(), 'Labels that must be there with these values.'),
    matchExpressions: s.list(labelSelectorRequirement, 'Further conditions on labels; all must hold.'),
  },
  'Chooses objects by their labels; an empty selector chooses all, an absent one none.',
  { atomic: true },
)

export const condition = s.object(
  {
    type: s.write(s.string('What is observed.')),
    status: s.write(s.string('True, False or Unknown.')),
    observedGeneration: s.int64('Generation of the object that was looked at.'),
    lastTransitionTime: s.write(s.time('When the status last changed.')),
    reason: s.write(s.string('The reason in one CamelCase word.')),
    message: s.write(s.string('The reason for a person.')),
  },
  'One observation about an object.',
)

export const preconditions = s.object({
  uid: s.keep(s.string()),
  resourceVersion: s.keep(s.string()),
})

export const deleteOptions = s.object(
  {
    gracePeriodSeconds: s.keep(s.int64('Seconds allowed for a graceful end.')),
    preconditions: s.doc(preconditions, 'Delete only the object that is meant.'),
    orphanDependents: s.keep(s.boolean('Old form of propagationPolicy.')),
    propagationPolicy: s.keep(s.string('What happens to dependents: Orphan, Background or Foreground.')),
    dryRun: s.list(s.string(), 'With All nothing is deleted.'),
    ignoreStoreReadErrorWithClusterBreakingPotential: s.keep(s.boolean()),
  },
  'How an object is to be deleted.',
)

export const fieldSelectorRequirement = s.object({
  key: s.write(s.string()),
  operator: s.write(s.string()),
  values: s.list(s.string()),
})
