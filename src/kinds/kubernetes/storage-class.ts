// StorageClasses: ways to make volumes.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { storageClassRule } from '../longhorn/rules/storage-class.ts'
import { checkStorageClass } from './small-rules.ts'
import { storageClassBody } from './storage-bodies.ts'

type ClassObject = KubeObject & Infer<typeof storageClassBody>

/** The annotations that make a class the default one; the second is the old form. */
export const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const

export function isDefaultClass(object: KubeObject): boolean {
  return DEFAULT_CLASS_ANNOTATIONS.some((name) => object.metadata.annotations?.[name] === 'true')
}

export const StorageClass = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  scope: 'Cluster',
  rules: [checkStorageClass, storageClassRule],
  doc: 'A way to make volumes.',
  body: () => storageClassBody,
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the class.',
      value: (object) => (object.metadata.name ?? '') + (isDefaultClass(object) ? ' (default)' : ''),
    },
    column<ClassObject>('Provisioner', 'Driver that makes the volumes.', (one) => one.provisioner ?? ''),
    column<ClassObject>(
      'ReclaimPolicy',
      'What happens when a claim goes.',
      (one) => one.reclaimPolicy ?? 'Delete',
    ),
    column<ClassObject>(
      'VolumeBindingMode',
      'When volumes are made.',
      (one) => one.volumeBindingMode ?? 'Immediate',
    ),
    column<ClassObject>(
      'AllowVolumeExpansion',
      'Whether volumes may grow.',
      (one) => one.allowVolumeExpansion ?? false,
    ),
    ageColumn,
  ],
})
export type StorageClass = KindOf<typeof StorageClass>
