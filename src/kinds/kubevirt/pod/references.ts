// Small references to other objects and fields, as core/v1 has them.
import { s } from '../../build.ts'

export const localObjectReference = s.object(
  {
    name: s.string(),
  },
  undefined,
  { atomic: true },
)

export const typedLocalObjectReference = s.object(
  {
    apiGroup: s.string(),
    kind: s.string(),
    name: s.string(),
  },
  undefined,
  { required: ['kind', 'name'], atomic: true },
)

export const typedObjectReference = s.object(
  {
    apiGroup: s.string(),
    kind: s.string(),
    name: s.string(),
    namespace: s.string(),
  },
  undefined,
  { required: ['kind', 'name'] },
)

export const objectFieldSelector = s.object(
  {
    apiVersion: s.string(),
    fieldPath: s.string(),
  },
  undefined,
  { required: ['fieldPath'], atomic: true },
)

export const resourceFieldSelector = s.object(
  {
    containerName: s.string(),
    divisor: s.quantity(),
    resource: s.string(),
  },
  undefined,
  { required: ['resource'], atomic: true },
)
