// Environment variables of a container and where they come from.
import { s } from '../../build.ts'

export const objectFieldSelector = s.object(
  {
    apiVersion: s.string(undefined, { default: 'v1' }),
    fieldPath: s.write(s.string()),
  },
  undefined,
  { required: ['fieldPath'], atomic: true },
)

export const resourceFieldSelector = s.object(
  {
    containerName: s.string(),
    resource: s.write(s.string()),
    divisor: s.write(s.quantity()),
  },
  undefined,
  { required: ['resource'], atomic: true },
)

export const configMapKeySelector = s.object(
  {
    name: s.string(),
    key: s.write(s.string()),
    optional: s.keep(s.boolean()),
  },
  undefined,
  { atomic: true },
)

export const secretKeySelector = s.object(
  {
    name: s.string(),
    key: s.write(s.string()),
    optional: s.keep(s.boolean()),
  },
  undefined,
  { atomic: true },
)

export const fileKeySelector = s.object(
  {
    volumeName: s.write(s.string()),
    path: s.write(s.string()),
    key: s.write(s.string()),
    optional: s.keep(s.boolean()),
  },
  undefined,
  { required: ['volumeName', 'path', 'key'], atomic: true },
)

export const envVarSource = s.object({
  fieldRef: objectFieldSelector,
  resourceFieldRef: resourceFieldSelector,
  configMapKeyRef: configMapKeySelector,
  secretKeyRef: secretKeySelector,
  fileKeyRef: fileKeySelector,
})

export const envVar = s.object(
  {
    name: s.write(s.string('Name of the variable.')),
    value: s.string('Its value.'),
    valueFrom: s.doc(envVarSource, 'Where the value comes from.'),
  },
  'One environment variable.',
  { required: ['name'] },
)

export const configMapEnvSource = s.object({
  name: s.string(),
  optional: s.keep(s.boolean()),
})

export const secretEnvSource = s.object({
  name: s.string(),
  optional: s.keep(s.boolean()),
})

export const envFromSource = s.object({
  prefix: s.string(),
  configMapRef: configMapEnvSource,
  secretRef: secretEnvSource,
})
