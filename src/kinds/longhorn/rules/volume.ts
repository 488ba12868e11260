// Longhorn volumes: sizes in whole blocks that never shrink, a number of copies that makes sense, and what cannot be
// changed once data is there.

import { boundedName } from '../../../base/derived-name.ts'
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import type { Infer } from '../../build.ts'
import type { AnyKind, Mutator, Rule, RuleLook } from '../../kind.ts'
import { invalid, notFound, required } from '../../kubevirt/rules/causes.ts'
import type { volumeSpec, volumeStatus } from '../schema/volume.ts'

export type VolumeSpec = Infer<typeof volumeSpec>
export type VolumeStatus = Infer<typeof volumeStatus>

/** Sizes are whole multiples of this; Longhorn's block. Bytes. */
export const VOLUME_BLOCK_BYTES = 2n * 1024n * 1024n
export const REPLICAS_MIN = 1
export const REPLICAS_MAX = 20
const VOLUME_NAME = /^[a-z0-9][a-z0-9_.-]+$/
/** Longer names are cut and hashed, so that names of replicas and engines made from them fit; `pvc-<uuid>` is 40. */
export const VOLUME_NAME_MAX = 40

const backingImageRef = {
  group: 'longhorn.io',
  version: 'v1beta2',
  plural: 'backingimages',
  kind: 'BackingImage',
} as AnyKind
const DEFAULTS: VolumeSpec = {
  numberOfReplicas: 3,
  dataLocality: 'disabled',
  frontend: 'blockdev',
  accessMode: 'rwo',
  dataEngine: 'v1',
  staleReplicaTimeout: 2880,
  replicaAutoBalance: 'ignored',
  replicaSoftAntiAffinity: 'ignored',
  replicaZoneSoftAntiAffinity: 'ignored',
  replicaDiskSoftAntiAffinity: 'ignored',
  snapshotDataIntegrity: 'ignored',
  freezeFilesystemForSnapshot: 'ignored',
  unmapMarkSnapChainRemoved: 'ignored',
  restoreVolumeRecurringJob: 'ignored',
  offlineRebuilding: 'ignored',
  backupCompressionMethod: 'lz4',
  backupBlockSize: '2097152',
  backupTargetName: 'default',
  revisionCounterDisabled: true,
  snapshotMaxCount: 250,
}

/** Bytes rounded up to whole blocks. */
export function volumeSizeFor(bytes: bigint): bigint {
  return ((bytes + VOLUME_BLOCK_BYTES - 1n) / VOLUME_BLOCK_BYTES) * VOLUME_BLOCK_BYTES
}

/** The size field is a whole number of bytes as text; undefined when it is not. */
export function volumeBytes(text: string | undefined): bigint | undefined {
  return text !== undefined && /^\d{1,19}$/.test(text) ? BigInt(text) : undefined
}

/** A name that a volume can have, from any name; the same for every caller. */
export function volumeNameFor(name: string): string {
  return boundedName(name, VOLUME_NAME_MAX)
}

export const volumeMutator: Mutator = (next, previous) => {
  const spec = next['spec']
  if (previous && deepEqual(spec, previous['spec'])) return next
  if (typeof spec !== 'object' || spec === null) return next
  const old = previous?.['spec'] as VolumeSpec | undefined
  const filled: Record<string, unknown> = { ...(spec as VolumeSpec) }
  for (const [name, value] of Object.entries(DEFAULTS)) {
    const given = filled[name]
    if (given === undefined || given === null) filled[name] = old?.[name as keyof VolumeSpec] ?? value
  }
  const bytes = typeof filled['size'] === 'string' ? volumeBytes(filled['size']) : undefined
  if (bytes !== undefined) filled['size'] = String(volumeSizeFor(bytes))
  return { ...next, spec: filled }
}

export const volumeRule: Rule = (next, previous, look) => {
  if (!next || (previous && deepEqual(next['spec'], previous['spec']))) return {}
  const spec = next['spec'] as VolumeSpec | undefined
  if (!spec) return { causes: [required('spec', 'Required value: a volume needs a spec')] }
  const old = previous?.['spec'] as VolumeSpec | undefined
  return {
    causes: [
      ...(old ? changeCauses(spec, old, previous as KubeObject) : nameCauses(next)),
      ...sizeCauses(spec, old),
      ...copyCauses(spec),
      ...accessCauses(spec),
      // A volume that stands on its image already is not asked again with every change.
      ...(old?.size === spec.size ? [] : imageCauses(spec, look)),
    ],
  }
}

function nameCauses({ metadata: { name = '' } }: KubeObject): readonly Cause[] {
  return VOLUME_NAME.test(name)
    ? []
    : [invalid('metadata.name', `invalid volume name ${name}: it must match ${VOLUME_NAME.source}`)]
}

function sizeCauses({ size }: VolumeSpec, old: VolumeSpec | undefined): readonly Cause[] {
  const bytes = volumeBytes(size)
  if (bytes === undefined || bytes <= 0n)
    return [
      invalid(
        'spec.size',
        `spec.size must be a whole number of bytes greater than 0, not ${JSON.stringify(size ?? null)}`,
      ),
    ]
  const before = volumeBytes(old?.size)
  return before !== undefined && bytes < before
    ? [invalid('spec.size', `a volume cannot shrink: it has ${before} bytes and ${bytes} are asked for`)]
    : []
}

function copyCauses(spec: VolumeSpec): readonly Cause[] {
  const { numberOfReplicas: count = REPLICAS_MIN, dataLocality, snapshotMaxSize, size } = spec
  const causes: Cause[] = []
  if (count < REPLICAS_MIN || count > REPLICAS_MAX)
    causes.push(
      invalid(
        'spec.numberOfReplicas',
        `spec.numberOfReplicas must be from ${REPLICAS_MIN} to ${REPLICAS_MAX}, not ${count}`,
      ),
    )
  if (dataLocality === 'strict-local' && (count !== 1 || spec.migratable || spec.accessMode === 'rwx'))
    causes.push(
      invalid(
        'spec.dataLocality',
        'strict-local needs one replica, and a volume that is neither migratable nor rwx',
      ),
    )
  const most = volumeBytes(snapshotMaxSize)
  const bytes = volumeBytes(size)
  if (most !== undefined && most > 0n && bytes !== undefined && most < 2n * bytes)
    causes.push(
      invalid(
        'spec.snapshotMaxSize',
        `spec.snapshotMaxSize must be 0 or at least twice the size, ${2n * bytes} bytes`,
      ),
    )
  return causes
}

function accessCauses({ migratable, accessMode }: VolumeSpec): readonly Cause[] {
  return migratable && accessMode !== 'rwx'
    ? [
        invalid(
          'spec.migratable',
          'a migratable volume needs accessMode rwx: two nodes hold it while a machine moves',
        ),
      ]
    : []
}

function imageCauses({ backingImage, size }: VolumeSpec, look: RuleLook): readonly Cause[] {
  if (!backingImage) return []
  const image = look.get(backingImageRef, 'longhorn-system', backingImage)
  if (!image) return [notFound('spec.backingImage', `backing image ${backingImage} not found`)]
  const virtualSize = (image['status'] as { readonly virtualSize?: number } | undefined)?.virtualSize ?? 0
  const bytes = volumeBytes(size)
  return bytes !== undefined && BigInt(virtualSize) > bytes
    ? [
        invalid(
          'spec.size',
          `the volume of ${bytes} bytes is smaller than its backing image ${backingImage}, whose disk has ${virtualSize} bytes`,
        ),
      ]
    : []
}

function changeCauses(spec: VolumeSpec, old: VolumeSpec, stored: KubeObject): readonly Cause[] {
  const status = stored['status'] as VolumeStatus | undefined
  const causes: Cause[] = []
  for (const name of [
    'backingImage',
    'dataSource',
    'cloneMode',
    'fromBackup',
    'backupBlockSize',
    'dataEngine',
    'encrypted',
  ] as const)
    if ((spec[name] ?? '') !== (old[name] ?? ''))
      causes.push(invalid(`spec.${name}`, `spec.${name} cannot be changed after the volume is made`))
  if (old.migrationNodeID)
    for (const name of ['size', 'numberOfReplicas', 'image', 'snapshotMaxCount', 'snapshotMaxSize'] as const)
      if (spec[name] !== old[name])
        causes.push(
          invalid(
            `spec.${name}`,
            `spec.${name} cannot be changed while the volume moves to node ${old.migrationNodeID}`,
          ),
        )
  const strict =
    [spec.dataLocality, old.dataLocality].includes('strict-local') && spec.dataLocality !== old.dataLocality
  if (strict && status?.state !== undefined && status.state !== 'detached')
    causes.push(
      invalid('spec.dataLocality', 'strict-local can be switched only while the volume is detached'),
    )
  return causes
}
