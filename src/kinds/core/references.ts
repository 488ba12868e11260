// References from one object to another.
import { s } from '../build.ts'

export const localObjectReference = s.object(
  {
    name: s.string('Name of the object.'),
  },
  'Names an object of the same namespace.',
  { atomic: true },
)

export const objectReference = s.object(
  {
    kind: s.string('Kind of the object.'),
    namespace: s.string('Namespace of the object.'),
    name: s.string('Name of the object.'),
    uid: s.string('UID of the object.'),
    apiVersion: s.string('Group and version of the object.'),
    resourceVersion: s.string('Version of the object that is meant.'),
    fieldPath: s.string('Part of the object that is meant.'),
  },
  'Names an object anywhere.',
  { atomic: true },
)

export const secretReference = s.object(
  {
    name: s.string('Name of the Secret.'),
    namespace: s.string('Namespace of the Secret.'),
  },
  'Names a Secret anywhere.',
  { atomic: true },
)

export const typedLocalObjectReference = s.object(
  {
    apiGroup: s.keep(s.string('Group of the kind; absent for the core group.')),
    kind: s.write(s.string('Kind of the object.')),
    name: s.write(s.string('Name of the object.')),
  },
  'Names an object of any kind in the same namespace.',
  { atomic: true },
)

export const typedObjectReference = s.object(
  {
    apiGroup: s.keep(s.string('Group of the kind; absent for the core group.')),
    kind: s.write(s.string('Kind of the object.')),
    name: s.write(s.string('Name of the object.')),
    namespace: s.keep(s.string('Namespace of the object; needs a grant there when it is another one.')),
  },
  'Names an object of any kind, also in another namespace.',
)
