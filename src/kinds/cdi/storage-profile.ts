// StorageProfile: what volumes of a storage class can do; cdi.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { storageProfileSpec, storageProfileStatus } from './storage-profile-body.ts'

export const StorageProfile = defineKind({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'StorageProfile',
  plural: 'storageprofiles',
  shortNames: [],
  scope: 'Cluster',
  doc: 'What volumes of a storage class can do; one for each class, with its name.',
  body: () =>
    s.object({ spec: storageProfileSpec, status: storageProfileStatus }, undefined, { required: ['spec'] }),
  status: true,
  columns: [],
})
export type StorageProfile = KindOf<typeof StorageProfile>
