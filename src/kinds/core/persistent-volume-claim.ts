// PersistentVolumeClaims: a wish for a volume.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { accessModesText, ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { claimRule } from '../longhorn/rules/claim.ts'
import { persistentVolumeClaimSpec, persistentVolumeClaimStatus } from './claim-body.ts'
import { completeClaim } from './volume-defaults.ts'
import { checkClaim } from './volume-rules.ts'

const body = s.object({
  spec: s.write(persistentVolumeClaimSpec),
  status: s.write(persistentVolumeClaimStatus),
})
type Claim = KubeObject & Infer<typeof body>

export const PersistentVolumeClaim = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  scope: 'Namespaced',
  doc: 'A wish for a volume, bound to one PersistentVolume when it is fulfilled.',
  body: () => body,
  mutators: [completeClaim],
  rules: [checkClaim, claimRule],
  status: true,
  columns: [
    nameColumn,
    column<Claim>('Status', 'Phase of the claim.', (claim) =>
      claim.metadata.deletionTimestamp ? 'Terminating' : (claim.status?.phase ?? ''),
    ),
    column<Claim>('Volume', 'Volume that the claim is bound to.', (claim) => claim.spec?.volumeName ?? ''),
    column<Claim>('Capacity', 'Size of the bound volume.', (claim) =>
      claim.spec?.volumeName ? String(claim.status?.capacity?.['storage'] ?? '0') : '',
    ),
    column<Claim>('Access Modes', 'Ways in which the bound volume can be mounted.', (claim) =>
      claim.spec?.volumeName ? accessModesText(claim.status?.accessModes) : '',
    ),
    column<Claim>(
      'StorageClass',
      'Class of the claim.',
      (claim) =>
        claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ??
        claim.spec?.storageClassName ??
        '',
    ),
    column<Claim>(
      'VolumeAttributesClass',
      'VolumeAttributesClass of the claim.',
      (claim) => claim.spec?.volumeAttributesClassName ?? '<unset>',
    ),
    ageColumn,
    column<Claim>('VolumeMode', 'Filesystem or Block.', (claim) => claim.spec?.volumeMode ?? '<unset>', {
      wide: true,
    }),
  ],
})
export type PersistentVolumeClaim = KindOf<typeof PersistentVolumeClaim>
