// What a DataVolume may ask for. The same function judges a DataVolume and a template of one inside a machine.
// Field names are spelt as CDI answers them, which is not always as they are written (`PVC`, `HTTP`).
import type { Cause } from '../../../base/errors.ts'
import { parseQuantity } from '../../../base/quantity.ts'
import type { Infer } from '../../build.ts'
import { invalid, notSupported, present, required } from '../../kubevirt/rules/causes.ts'
import type { dataVolumeSpec } from '../data-volume-body.ts'

export type DataVolumeSpec = Infer<typeof dataVolumeSpec>
type Source = NonNullable<DataVolumeSpec['source']>

export const DATA_VOLUME_SOURCES = [
  'http',
  's3',
  'gcs',
  'registry',
  'pvc',
  'snapshot',
  'upload',
  'blank',
  'imageio',
  'vddk',
] as const
const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const CONTENT_TYPES: readonly string[] = ['', 'kubevirt', 'archive']
const SIZE_MIN_BYTES = 1024n * 1024n
const NANO = 1_000_000_000n
/** Digits of a checksum by algorithm. */
const CHECKSUM_DIGITS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 }

export function dataVolumeSpecCauses(spec: DataVolumeSpec, at: string): readonly Cause[] {
  return [...contentCauses(spec, at), ...sourceCauses(spec, at), ...targetCauses(spec, at)]
}

function contentCauses(spec: DataVolumeSpec, at: string): readonly Cause[] {
  const type = spec.contentType ?? ''
  const field = `${at}.contentType`
  if (!CONTENT_TYPES.includes(type))
    return [invalid(field, `ContentType not one of: kubevirt, archive, but is ${type}`)]
  if (type === 'archive' && spec.source?.blank)
    return [invalid(field, 'SourceType cannot be blank and the contentType be archive')]
  if (type === 'archive' && spec.source?.registry)
    return [invalid(field, 'ContentType must be kubevirt when Source is Registry')]
  return []
}

function sourceCauses(spec: DataVolumeSpec, at: string): readonly Cause[] {
  const external = [spec.pvc, spec.storage].some((target) => target?.dataSource || target?.dataSourceRef)
  const { source, sourceRef } = spec
  const field = `${at}.source`
  if (external)
    return source || sourceRef
      ? [invalid(field, 'External population is incompatible with Source and SourceRef')]
      : []
  if ((source === undefined) === (sourceRef === undefined))
    return [
      invalid(
        field,
        `Data volume should have either Source or SourceRef, or be externally populated, at ${field}`,
      ),
    ]
  if (sourceRef) return sourceRefCauses(sourceRef, at)
  const kinds = present(source, DATA_VOLUME_SOURCES)
  if (kinds.length > 1) return [invalid(field, `Multiple Data volume sources: ${kinds.join(', ')}`)]
  if (!source || kinds.length === 0)
    return [invalid(field, `Missing Data volume source; use one of ${DATA_VOLUME_SOURCES.join(', ')}`)]
  return oneSource(source, field)
}

function sourceRefCauses(ref: NonNullable<DataVolumeSpec['sourceRef']>, at: string): readonly Cause[] {
  if (!ref.kind) return [invalid(`${at}.sourceRef.Kind`, 'Missing sourceRef kind')]
  if (ref.kind !== 'DataSource')
    return [
      invalid(
        `${at}.sourceRef.Kind`,
        `Unsupported sourceRef kind ${ref.kind}, currently only DataSource is supported`,
      ),
    ]
  return ref.name ? [] : [invalid(`${at}.sourceRef.Name`, 'Missing sourceRef name')]
}

function oneSource(source: Source, field: string): readonly Cause[] {
  const { http, s3, gcs, imageio, registry, pvc, snapshot } = source
  if (http)
    return [
      ...urlCauses(http.url, `${field}.HTTP`, ['http', 'https']),
      ...checksumCauses(http.checksum, `${field}.HTTP.checksum`),
    ]
  if (s3) return urlCauses(s3.url, `${field}.S3`, ['http', 'https', 'gs'])
  if (gcs) return urlCauses(gcs.url, `${field}.GCS`, ['http', 'https', 'gs'])
  if (imageio) return urlCauses(imageio.url, `${field}.Imageio`, ['http', 'https'])
  if (registry) return registryCauses(registry, `${field}.Registry`)
  if (pvc && (!pvc.name || !pvc.namespace))
    return [invalid(`${field}.PVC`, `${field} source PVC is not valid`)]
  if (snapshot && (!snapshot.name || !snapshot.namespace))
    return [invalid(`${field}.Snapshot`, `${field} source snapshot is not valid`)]
  return []
}

function urlCauses(url: string | undefined, field: string, schemes: readonly string[]): readonly Cause[] {
  if (!url) return [invalid(`${field}.url`, `${field} source URL is empty`)]
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/[^\s/?#]/.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined || /\s/.test(url))
    return [invalid(`${field}.url`, `${field} Invalid source URL: ${url}`)]
  return schemes.includes(scheme)
    ? []
    : [invalid(`${field}.url`, `${field} Invalid source URL scheme: ${scheme}; use ${schemes.join(' or ')}`)]
}

function checksumCauses(checksum: string | undefined, field: string): readonly Cause[] {
  if (!checksum) return []
  const [algorithm = '', digits = '', more] = checksum.toLowerCase().split(':')
  const length = CHECKSUM_DIGITS[algorithm]
  return length !== undefined && more === undefined && digits.length === length && /^[0-9a-f]*$/.test(digits)
    ? []
    : [
        invalid(
          field,
          `Invalid checksum format: ${checksum}; write for instance sha256:<64 hexadecimal digits>`,
        ),
      ]
}

function registryCauses(registry: NonNullable<Source['registry']>, field: string): readonly Cause[] {
  const { url, imageStream, pullMethod = '' } = registry
  if ((url === undefined) === (imageStream === undefined))
    return [invalid(field, 'Source registry should have either URL or ImageStream')]
  const causes: Cause[] = []
  if (!['', 'pod', 'node'].includes(pullMethod))
    causes.push(invalid(`${field}.importMethod`, `ImportMethod ${pullMethod} is neither pod, node or ""`))
  if (imageStream !== undefined && pullMethod !== 'node')
    causes.push(invalid(`${field}.imageStream`, 'ImageStream is supported only with node pull import method'))
  if (url !== undefined && !/^(docker|oci-archive):\/\/./.test(url))
    causes.push(
      invalid(`${field}.URL`, `Illegal registry source URL scheme ${url}; use docker:// or oci-archive://`),
    )
  return causes
}

function targetCauses(spec: DataVolumeSpec, at: string): readonly Cause[] {
  const { pvc, storage, source, sourceRef } = spec
  if (pvc && storage)
    return [
      invalid(
        `${at}.PVC.Storage`,
        'Duplicate storage definition, both target storage and target pvc defined',
      ),
    ]
  const target = pvc ?? storage
  if (!target) return [invalid(`${at}.PVC`, 'Missing Data volume PVC: set spec.storage or spec.pvc')]
  // The size of a copy follows from its source when it is not given.
  const copied = source?.pvc !== undefined || source?.snapshot !== undefined || sourceRef !== undefined
  return [
    ...sizeCauses(
      target.resources?.requests?.['storage'],
      `${at}.PVC.resources.requests.size`,
      copied && !pvc,
    ),
    ...modeCauses(target.accessModes, `${at}.PVC.accessModes`, pvc !== undefined),
  ]
}

function sizeCauses(size: string | number | undefined, field: string, optional: boolean): readonly Cause[] {
  if (size === undefined) return optional ? [] : [required(field, 'PVC size is missing')]
  const quantity = parseQuantity(size)
  if (!quantity)
    return [invalid(field, `PVC size ${JSON.stringify(size)} is not an amount; write for instance 10Gi`)]
  if (quantity.nano <= 0n) return [invalid(field, "PVC size can't be equal or less than zero")]
  return quantity.nano < SIZE_MIN_BYTES * NANO ? [invalid(field, 'PVC size should be at least 1MiB')] : []
}

function modeCauses(modes: readonly string[] | undefined, field: string, needed: boolean): readonly Cause[] {
  if (!modes || modes.length === 0)
    return needed ? [required(field, 'Required value: at least 1 access mode is required')] : []
  if (modes.length > 1) return [invalid(field, 'PVC multiple accessModes: choose one')]
  const bad = modes.find((mode) => !ACCESS_MODES.includes(mode))
  return bad === undefined
    ? []
    : [
        notSupported(
          field,
          `Unsupported value: "${bad}": supported values: ${ACCESS_MODES.map((mode) => `"${mode}"`).join(', ')}`,
        ),
      ]
}
