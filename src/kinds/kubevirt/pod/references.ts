// Small references to other objects and fields, as core/v1 has them.
import { s } from '../../build.ts'

export const localObjectReference = s.object(
  {
    name: s.string('Name of the object.'),
  },
  'An object of the same namespace.',
  { atomic: true },
)

export const typedLocalObjectReference = s.object(
  {
    apiGroup: s.string('Group of the kind; empty for core kinds.'),
    kind: s.string('Kind of the object.'),
    name: s.string('Name of the object.'),
  },
  'An object of the same namespace and of a named kind.',
  { required: ['kind', 'name'], atomic: true },
)

export const typedObjectReference = s.object(
  {
    apiGroup: s.string('Group of the kind; empty for core kinds.'),
    kind: s.string('Kind of the object.'),
    name: s.string('Name of the object.'),
    namespace: s.string('Namespace of the object.'),
  },
  'An object of a named kind, possibly in another namespace.',
  { required: ['kind', 'name'] },
)

export const objectFieldSelector = s.object(
  {
    apiVersion: s.string('Version that the path is written for.'),
    fieldPath: s.string('Path of the field, for instance metadata.labels.'),
  },
  'A field of the Pod.',
  { required: ['fieldPath'], atomic: true },
)

export const resourceFieldSelector = s.object(
  {
    containerName: s.string('Container that is meant.'),
    divisor: s.quantity('Unit of the answer.'),
    resource: s.string('For instance limits.cpu.'),
  },
  'A request or limit of a container.',
  { required: ['resource'], atomic: true },
)
