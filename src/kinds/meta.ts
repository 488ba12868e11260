// The metadata that every object has.
import { s } from './build.ts'

export const ownerReference = s.object(
  {
    apiVersion: s.string('Group and version of the owner.'),
    kind: s.string('Kind of the owner.'),
    name: s.string('Name of the owner.'),
    uid: s.string('UID of the owner; the name alone is not an identity.'),
    controller: s.boolean('True for the one owner that controls this object.'),
    blockOwnerDeletion: s.boolean('Foreground deletion of the owner waits for this object.'),
  },
  'An object that this one belongs to; when all owners are gone it is deleted.',
  { required: ['apiVersion', 'kind', 'name', 'uid'], atomic: true },
)

export const managedFieldsEntry = s.object(
  {
    manager: s.string('Who wrote the fields.'),
    operation: s.string('Apply or Update.'),
    apiVersion: s.string('Version in which the fields are named.'),
    time: s.time('When the fields were last changed.'),
    fieldsType: s.string('Always FieldsV1.'),
    fieldsV1: s.anything('Set of field paths.'),
    subresource: s.string('Subresource through which the fields were written.'),
  },
  'Fields of one writer.',
)

export const objectMetaSchema = s.object(
  {
    name: s.string('Name, unique within the namespace and kind.'),
    generateName: s.string('Prefix from which the server makes a name when none is given.'),
    namespace: s.string('Namespace of the object; empty for cluster-scoped kinds.'),
    selfLink: s.string('No longer set.'),
    uid: s.string('Identity of this object, set by the server.'),
    resourceVersion: s.string('Opaque version for optimistic concurrency and watches.'),
    generation: s.int64('Rises with every change of the wanted state.'),
    creationTimestamp: s.time('When the object was created.'),
    deletionTimestamp: s.time('When the object is to be gone; set by the server on deletion.'),
    deletionGracePeriodSeconds: s.int64('Seconds allowed for a graceful end.'),
    labels: s.map(s.string(), 'Words to select objects by.'),
    annotations: s.map(s.string(), 'Notes that are not selected by.'),
    ownerReferences: s.keyedList(ownerReference, ['uid'], 'Objects that this one belongs to.', {
      patchMergeKey: 'uid',
      patchStrategy: 'merge',
    }),
    finalizers: s.set(s.string(), 'Words that must be removed before the object goes.', {
      patchStrategy: 'merge',
    }),
    managedFields: s.list(managedFieldsEntry, 'Who owns which field.'),
  },
  'Name, identity, labels and life cycle of the object.',
)
