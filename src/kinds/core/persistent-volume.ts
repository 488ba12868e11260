// PersistentVolumes: volumes of the cluster.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { accessModesText, ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { persistentVolumeSpec, persistentVolumeStatus } from './persistent-volume-body.ts'
import { completeVolume } from './volume-defaults.ts'
import { checkVolume } from './volume-rules.ts'

const body = s.object({ spec: s.write(persistentVolumeSpec), status: s.write(persistentVolumeStatus) })
type Volume = KubeObject & Infer<typeof body>

export const PersistentVolume = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  scope: 'Cluster',
  doc: 'A volume of the cluster, with or without a claim.',
  body: () => body,
  mutators: [completeVolume],
  rules: [checkVolume],
  status: true,
  columns: [
    nameColumn,
    column<Volume>('Capacity', 'Size of the volume.', (volume) =>
      String(volume.spec?.capacity?.['storage'] ?? '0'),
    ),
    column<Volume>('Access Modes', 'Ways in which it can be mounted.', (volume) =>
      accessModesText(volume.spec?.accessModes),
    ),
    column<Volume>(
      'Reclaim Policy',
      'What happens when the claim goes.',
      (volume) => volume.spec?.persistentVolumeReclaimPolicy ?? '',
    ),
    column<Volume>('Status', 'Phase of the volume.', (volume) =>
      volume.metadata.deletionTimestamp ? 'Terminating' : (volume.status?.phase ?? ''),
    ),
    column<Volume>('Claim', 'Claim that it is bound to.', ({ spec }) =>
      spec?.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
    ),
    column<Volume>(
      'StorageClass',
      'Class of the volume.',
      (volume) =>
        volume.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
        volume.spec?.storageClassName ??
        '',
    ),
    column<Volume>(
      'VolumeAttributesClass',
      'VolumeAttributesClass of the volume.',
      (volume) => volume.spec?.volumeAttributesClassName ?? '<unset>',
    ),
    column<Volume>('Reason', 'Why it is in this state.', (volume) => volume.status?.reason ?? ''),
    ageColumn,
    column<Volume>('VolumeMode', 'Filesystem or Block.', (volume) => volume.spec?.volumeMode ?? '<unset>', {
      wide: true,
    }),
  ],
})
export type PersistentVolume = KindOf<typeof PersistentVolume>
