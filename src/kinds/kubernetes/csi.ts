// The kinds that CSI drivers and the attachment of volumes leave behind.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { checkCsiDriver, checkCsiNode, checkVolumeAttachment } from './small-rules.ts'
import { csiDriverSpec, csiNodeSpec, volumeAttachmentSpec, volumeAttachmentStatus } from './storage-bodies.ts'

const driverBody = s.object({ spec: s.write(csiDriverSpec) })
const nodeBody = s.object({ spec: s.write(csiNodeSpec) })
const attachmentBody = s.object({
  spec: s.write(volumeAttachmentSpec),
  status: s.write(volumeAttachmentStatus),
})
type Driver = KubeObject & Infer<typeof driverBody>
type DriverNode = KubeObject & Infer<typeof nodeBody>
type Attachment = KubeObject & Infer<typeof attachmentBody>

const storage = { group: 'storage.k8s.io', version: 'v1', scope: 'Cluster' } as const

export const CSIDriver = defineKind({
  ...storage,
  kind: 'CSIDriver',
  plural: 'csidrivers',
  doc: 'A driver for volumes.',
  body: () => driverBody,
  rules: [checkCsiDriver],
  columns: [
    nameColumn,
    column<Driver>(
      'AttachRequired',
      'Volumes are attached first.',
      ({ spec }) => spec?.attachRequired ?? true,
    ),
    column<Driver>(
      'PodInfoOnMount',
      'The driver is told about Pods.',
      ({ spec }) => spec?.podInfoOnMount ?? false,
    ),
    column<Driver>('StorageCapacity', 'Free capacity counts.', ({ spec }) => spec?.storageCapacity ?? false),
    column<Driver>(
      'TokenRequests',
      'Audiences of tokens.',
      ({ spec }) => (spec?.tokenRequests ?? []).map((one) => one.audience ?? '').join(',') || '<unset>',
    ),
    column<Driver>(
      'RequiresRepublish',
      'Published again and again.',
      ({ spec }) => spec?.requiresRepublish ?? false,
    ),
    column<Driver>(
      'Modes',
      'Lives of volumes.',
      ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(',') || '<none>',
    ),
    ageColumn,
  ],
})

export const CSINode = defineKind({
  ...storage,
  kind: 'CSINode',
  plural: 'csinodes',
  doc: 'The volume drivers of a node.',
  body: () => nodeBody,
  rules: [checkCsiNode],
  columns: [
    nameColumn,
    column<DriverNode>('Drivers', 'Number of drivers.', ({ spec }) => (spec?.drivers ?? []).length, {
      type: 'integer',
    }),
    ageColumn,
  ],
})

export const VolumeAttachment = defineKind({
  ...storage,
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  doc: 'The wish that a volume be attached to a node.',
  body: () => attachmentBody,
  rules: [checkVolumeAttachment],
  status: true,
  columns: [
    nameColumn,
    column<Attachment>('Attacher', 'Driver that attaches.', ({ spec }) => spec?.attacher ?? ''),
    column<Attachment>('PV', 'Volume.', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    column<Attachment>('Node', 'Node.', ({ spec }) => spec?.nodeName ?? ''),
    column<Attachment>('Attached', 'Whether it is attached.', ({ status }) => status?.attached ?? false, {
      type: 'boolean',
    }),
    ageColumn,
  ],
})
