// Volumes: each has exactly one source, and each source is whole.
import type { Cause } from '../../../base/errors.ts'
import { utf8Length } from '../../../base/names.ts'
import { parseQuantity } from '../../../base/quantity.ts'
import type { InstanceSpec, Volume } from '../types.ts'
import { invalid, present, required } from './causes.ts'
import { DEVICES_MAX, nameCauses, sameNames } from './disks.ts'

/** Largest inline cloud-init document in bytes, counted after base64; larger ones belong into a Secret. */
export const CLOUD_INIT_INLINE_MAX_BYTES = 2048

/** Every source a volume can have. */
export const VOLUME_SOURCES = [
  'cloudInitConfigDrive',
  'cloudInitNoCloud',
  'configMap',
  'containerDisk',
  'containerPath',
  'dataVolume',
  'downwardAPI',
  'downwardMetrics',
  'emptyDisk',
  'ephemeral',
  'hostDisk',
  'memoryDump',
  'persistentVolumeClaim',
  'secret',
  'serviceAccount',
  'sysprep',
] as const
export type VolumeSource = (typeof VOLUME_SOURCES)[number]

/** The one source of a valid volume. */
export function volumeSourceOf(volume: Volume): VolumeSource | undefined {
  const [source] = present(volume, VOLUME_SOURCES)
  return source as VolumeSource | undefined
}

/** Name of the claim that a volume uses: its own name for a DataVolume, since both are named alike. */
export function claimNameOf(volume: Volume): string | undefined {
  return (
    volume.persistentVolumeClaim?.claimName ??
    volume.dataVolume?.name ??
    volume.ephemeral?.persistentVolumeClaim?.claimName ??
    volume.memoryDump?.claimName
  )
}

export function volumeCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const volumes = spec.volumes ?? []
  const field = `${at}.volumes`
  if (volumes.length > DEVICES_MAX)
    return [invalid(field, `${field} list exceeds the ${DEVICES_MAX} element limit in length`)]
  return [
    ...sameNames(volumes, field),
    ...volumes.flatMap((volume, index) => oneVolume(volume, `${field}[${index}]`)),
    ...singleCauses(volumes, field),
  ]
}

function oneVolume(volume: Volume, field: string): readonly Cause[] {
  const names = nameCauses(volume.name, `${field}.name`)
  const sources = present(volume, VOLUME_SOURCES)
  if (sources.length !== 1)
    return [
      ...names,
      invalid(
        field,
        `${field} must have exactly one source type set${sources.length > 1 ? `, not ${sources.join(' and ')}` : ''}`,
      ),
    ]
  return [...names, ...sourceCauses(volume, field)]
}

function sourceCauses(volume: Volume, field: string): readonly Cause[] {
  const { cloudInitNoCloud, cloudInitConfigDrive, emptyDisk, hostDisk, sysprep, containerDisk } = volume
  if (cloudInitNoCloud) return cloudInitCauses(cloudInitNoCloud, `${field}.cloudInitNoCloud`)
  if (cloudInitConfigDrive) return cloudInitCauses(cloudInitConfigDrive, `${field}.cloudInitConfigDrive`)
  if (emptyDisk) return capacityCauses(emptyDisk.capacity, `${field}.emptyDisk.capacity`)
  if (hostDisk) return hostDiskCauses(hostDisk, `${field}.hostDisk`)
  if (sysprep) return sysprepCauses(sysprep, `${field}.sysprep`)
  if (containerDisk) return containerDiskCauses(containerDisk, `${field}.containerDisk`)
  return referenceCauses(volume, field)
}

function referenceCauses(volume: Volume, field: string): readonly Cause[] {
  const names: readonly [string, string | undefined, unknown][] = [
    [
      'persistentVolumeClaim.claimName',
      volume.persistentVolumeClaim?.claimName,
      volume.persistentVolumeClaim,
    ],
    ['dataVolume.name', volume.dataVolume?.name, volume.dataVolume],
    ['configMap.name', volume.configMap?.name, volume.configMap],
    ['secret.secretName', volume.secret?.secretName, volume.secret],
    ['serviceAccount.serviceAccountName', volume.serviceAccount?.serviceAccountName, volume.serviceAccount],
    ['memoryDump.claimName', volume.memoryDump?.claimName, volume.memoryDump],
    [
      'ephemeral.persistentVolumeClaim.claimName',
      volume.ephemeral?.persistentVolumeClaim?.claimName,
      volume.ephemeral,
    ],
  ]
  return names.flatMap(([path, name, source]) =>
    source === undefined || (name !== undefined && name !== '')
      ? []
      : [required(`${field}.${path}`, `${field}.${path} is a required field`)],
  )
}

type CloudInit = NonNullable<Volume['cloudInitNoCloud']>

function cloudInitCauses(source: CloudInit, field: string): readonly Cause[] {
  const causes: Cause[] = [
    ...halfCauses('user', source.userData, source.userDataBase64, field),
    ...halfCauses('network', source.networkData, source.networkDataBase64, field),
  ]
  const user = [source.userData, source.userDataBase64, source.secretRef?.name].filter(Boolean)
  const network = [source.networkData, source.networkDataBase64, source.networkDataSecretRef?.name].filter(
    Boolean,
  )
  if (user.length > 1) causes.push(invalid(field, `${field} must have only one userdatasource set.`))
  if (network.length > 1) causes.push(invalid(field, `${field} must have only one networkdata source set.`))
  if (user.length + network.length === 0)
    causes.push(
      invalid(field, `${field} must have at least one userdatasource or one networkdatasource set.`),
    )
  return causes
}

/** The bound is on what the guest reads, so base64 is counted after decoding. */
function halfCauses(
  half: 'user' | 'network',
  text: string | undefined,
  base64: string | undefined,
  field: string,
): readonly Cause[] {
  if (base64) {
    const bytes = base64Length(base64)
    if (bytes === undefined)
      return [
        invalid(`${field}.${half}DataBase64`, `${field}.${half}DataBase64 is not a valid base64 value.`),
      ]
    return sizeCauses(half, bytes, field, `${half}DataBase64`)
  }
  return text ? sizeCauses(half, utf8Length(text), field, `${half}Data`) : []
}

function sizeCauses(half: 'user' | 'network', bytes: number, field: string, name: string): readonly Cause[] {
  if (bytes <= CLOUD_INIT_INLINE_MAX_BYTES) return []
  const way = half === 'user' ? 'secretRef' : 'networkDataSecretRef'
  return [
    invalid(
      field,
      `${field} ${half}data exceeds ${CLOUD_INIT_INLINE_MAX_BYTES} byte limit: ${name} has ${bytes} bytes. Put it into a Secret (key ${half}data) and name that in ${field}.${way}.`,
    ),
  ]
}

/** Bytes behind standard base64; undefined when it is not that. Line breaks are allowed, as Go allows them. */
export function base64Length(text: string): number | undefined {
  const plain = text.replace(/[\r\n]/g, '')
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0
  return (plain.length / 4) * 3 - padding
}

function capacityCauses(capacity: string | number | undefined, field: string): readonly Cause[] {
  const nano = capacity === undefined ? undefined : parseQuantity(capacity)?.nano
  return nano !== undefined && nano > 0n
    ? []
    : [invalid(field, `${field} must be greater than 0, for instance 2Gi.`)]
}

function hostDiskCauses(disk: NonNullable<Volume['hostDisk']>, field: string): readonly Cause[] {
  const causes: Cause[] = []
  if (!disk.path) causes.push(required(`${field}.path`, `${field}.path is required for hostDisk volume`))
  else if (!disk.path.startsWith('/') || disk.path.split('/').includes('..'))
    causes.push(
      invalid(`${field}.path`, `${field}.path must be an absolute path without relative components`),
    )
  if (disk.type !== 'Disk' && disk.type !== 'DiskOrCreate')
    causes.push(
      invalid(
        `${field}.type`,
        `${field}.type has invalid value '${disk.type}', allowed are 'Disk' or 'DiskOrCreate'`,
      ),
    )
  if (disk.type === 'DiskOrCreate' && disk.capacity === undefined)
    causes.push(
      invalid(`${field}.capacity`, `${field}.capacity is required for hostDisk volume type 'DiskOrCreate'`),
    )
  if (disk.type === 'Disk' && disk.capacity !== undefined)
    causes.push(
      invalid(`${field}.capacity`, `${field}.capacity is only allowed for hostDisk type 'DiskOrCreate'`),
    )
  if (disk.capacity !== undefined) causes.push(...capacityCauses(disk.capacity, `${field}.capacity`))
  return causes
}

function sysprepCauses(source: NonNullable<Volume['sysprep']>, field: string): readonly Cause[] {
  const sources = present(source, ['configMap', 'secret'])
  if (sources.length !== 1)
    return [invalid(field, `${field} must have exactly one of configMap and secret set`)]
  const name = source.configMap?.name ?? source.secret?.name
  return name
    ? []
    : [required(`${field}.${String(sources[0])}.name`, `${field} must name a ConfigMap or Secret`)]
}

function containerDiskCauses(source: NonNullable<Volume['containerDisk']>, field: string): readonly Cause[] {
  const causes: Cause[] = []
  if (!source.image) causes.push(required(`${field}.image`, `${field}.image is a required field`))
  if (source.path) causes.push(...imagePathCauses(source.path, `${field}.path`))
  return causes
}

/** A path inside an image: absolute, below the root, without detours. */
export function imagePathCauses(path: string, field: string): readonly Cause[] {
  if (path === '/') return [invalid(field, `${field} must not point to root`)]
  if (!path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '.'))
    return [invalid(field, `${field} must be an absolute path to a file without relative components`)]
  return []
}

/** Sources of which a machine can have one only. */
function singleCauses(volumes: readonly Volume[], field: string): readonly Cause[] {
  const words = {
    serviceAccount: 'serviceAccount',
    downwardMetrics: 'downwardMetric',
    memoryDump: 'memory dump',
  } as const
  return Object.entries(words).flatMap(([source, word]) =>
    volumes.filter((volume) => volume[source as keyof typeof words]).length > 1
      ? [invalid(field, `${field} must have max one ${word} volume set`)]
      : [],
  )
}
