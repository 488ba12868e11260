// Terms that choose nodes, and the topology that a volume may be made in.
import { s } from '../build.ts'

export const nodeSelectorRequirement = s.object(
  {
    key: s.write(s.string('Key of the label, or the field.')),
    operator: s.write(s.string('In, NotIn, Exists, DoesNotExist, Gt or Lt.')),
    values: s.list(s.string(), 'Values to compare with.'),
  },
  'One condition on a node.',
)

export const nodeSelectorTerm = s.object(
  {
    matchExpressions: s.list(nodeSelectorRequirement, 'Conditions on labels of the node.'),
    matchFields: s.list(nodeSelectorRequirement, 'Conditions on fields of the node; only metadata.name.'),
  },
  'All conditions of a term must hold; an empty term chooses nothing.',
  { atomic: true },
)

export const nodeSelector = s.object(
  {
    nodeSelectorTerms: s.write(s.list(nodeSelectorTerm, 'Terms, of which one is enough.')),
  },
  'Chooses nodes; one of the terms must hold.',
  { atomic: true },
)

export const topologySelectorLabelRequirement = s.object(
  {
    key: s.write(s.string()),
    values: s.write(s.list(s.string())),
  },
  undefined,
  { required: ['key', 'values'] },
)

export const topologySelectorTerm = s.object(
  {
    matchLabelExpressions: s.list(topologySelectorLabelRequirement),
  },
  undefined,
  { atomic: true },
)
