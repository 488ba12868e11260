// Where a Pod may and should run, as core/v1 has it. Machines hand these on to their launcher Pod unchanged.
import { s } from '../../build.ts'

export const labelSelectorRequirement = s.object(
  {
    key: s.string('Label that is tested.'),
    operator: s.string('In, NotIn, Exists or DoesNotExist.'),
    values: s.list(s.string(), 'Values for In and NotIn.'),
  },
  'A test of one label.',
  { required: ['key', 'operator'] },
)

export const labelSelector = s.object(
  {
    matchExpressions: s.list(labelSelectorRequirement, 'Tests that must all hold.'),
    matchLabels: s.map(s.string(), 'Labels that must have exactly these values.'),
  },
  'Chooses objects by their labels; all its parts must hold.',
  { atomic: true },
)

export const nodeSelectorRequirement = s.object(
  {
    key: s.string('Label or field that is tested.'),
    operator: s.oneOf(
      ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'],
      'In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    ),
    values: s.list(s.string(), 'Values to compare with; one number for Gt and Lt.'),
  },
  'A test of one label or field of a node.',
  { required: ['key', 'operator'] },
)

export const nodeSelectorTerm = s.object(
  {
    matchExpressions: s.list(nodeSelectorRequirement, 'Tests of labels.'),
    matchFields: s.list(nodeSelectorRequirement, 'Tests of fields, for instance metadata.name.'),
  },
  'Tests that must all hold; an empty term matches no node.',
  { atomic: true },
)

export const nodeSelector = s.object(
  {
    nodeSelectorTerms: s.list(nodeSelectorTerm, 'Terms, of which one is enough.'),
  },
  'Chooses nodes; one of its terms must hold.',
  { required: ['nodeSelectorTerms'], atomic: true },
)

export const preferredSchedulingTerm = s.object(
  {
    preference: s.doc(nodeSelectorTerm, 'What a node should be like.'),
    weight: s.integer('How much it counts, 1 to 100.'),
  },
  'A wish about nodes with a weight.',
  { required: ['weight', 'preference'] },
)

export const nodeAffinity = s.object(
  {
    preferredDuringSchedulingIgnoredDuringExecution: s.list(
      preferredSchedulingTerm,
      'Wishes; the node with the greatest sum of weights is taken.',
    ),
    requiredDuringSchedulingIgnoredDuringExecution: s.doc(
      nodeSelector,
      'What a node must be like to be taken at all.',
    ),
  },
  'Which nodes are allowed, and which are liked.',
)

export const podAffinityTerm = s.object(
  {
    labelSelector: s.doc(labelSelector, 'Pods that are meant.'),
    matchLabelKeys: s.list(s.string(), 'Labels whose values must be those of this Pod.'),
    mismatchLabelKeys: s.list(s.string(), 'Labels whose values must differ from those of this Pod.'),
    namespaceSelector: s.doc(labelSelector, 'Namespaces to look in, by their labels.'),
    namespaces: s.list(s.string(), 'Namespaces to look in, by name.'),
    topologyKey: s.string('Node label that says what one place is, for instance kubernetes.io/hostname.'),
  },
  'Chooses Pods and says what counts as the same place.',
  { required: ['topologyKey'] },
)

export const weightedPodAffinityTerm = s.object(
  {
    podAffinityTerm: s.doc(podAffinityTerm, 'Pods and places.'),
    weight: s.integer('How much it counts, 1 to 100.'),
  },
  'A wish about other Pods with a weight.',
  { required: ['weight', 'podAffinityTerm'] },
)

export const podAffinity = s.object(
  {
    preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, 'Wishes to be near.'),
    requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, 'Pods that must be near.'),
  },
  'Pods to be near to.',
)

export const podAntiAffinity = s.object(
  {
    preferredDuringSchedulingIgnoredDuringExecution: s.list(weightedPodAffinityTerm, 'Wishes to be away.'),
    requiredDuringSchedulingIgnoredDuringExecution: s.list(podAffinityTerm, 'Pods that must not be near.'),
  },
  'Pods to be away from.',
)

export const affinity = s.object(
  {
    nodeAffinity: s.doc(nodeAffinity, 'Rules about nodes.'),
    podAffinity: s.doc(podAffinity, 'Rules about being near to Pods.'),
    podAntiAffinity: s.doc(podAntiAffinity, 'Rules about being away from Pods.'),
  },
  'Where to run, by nodes and by what runs there already.',
)
