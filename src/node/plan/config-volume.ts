// Disks made from ConfigMaps, Secrets, service accounts, the machine's own metadata and Windows answer files.
import { type CloudInitInput, cloudInitDisk } from './cloud-init.ts'
import { type ConfigAnswer, type ConfigDisk, type FileData, utf8, wait } from './config-source.ts'
import type { VmiVolume } from './part.ts'

export interface ConfigVolumeInput extends CloudInitInput {
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
}

/** KubeVirt's label where the user gives none. */
const DEFAULT_LABEL = 'cfgdata'

/** The disk that a configuration volume stands for; undefined for every other kind of volume. */
export function configDisk(volume: VmiVolume, input: ConfigVolumeInput): ConfigAnswer | undefined {
  const { sources } = input
  if (volume.cloudInitNoCloud || volume.cloudInitConfigDrive) return cloudInitDisk(volume, input)
  if (volume.configMap) {
    const { name = '', optional, volumeLabel } = volume.configMap
    const data = sources.configMap(name)
    if (!data && !optional) return missing('MissingConfigMap', volume.name, `ConfigMap ${name}`)
    return { ok: true, disk: diskOf(data ?? {}, volumeLabel) }
  }
  if (volume.secret) {
    const { secretName = '', optional, volumeLabel } = volume.secret
    const data = sources.secret(secretName)
    if (!data && !optional) return missing('MissingSecret', volume.name, `Secret ${secretName}`)
    return { ok: true, disk: diskOf(data ?? {}, volumeLabel) }
  }
  if (volume.serviceAccount) {
    const name = volume.serviceAccount.serviceAccountName ?? ''
    const data = sources.serviceAccount(name)
    if (!data) return missing('MissingServiceAccount', volume.name, `service account ${name}`)
    return { ok: true, disk: diskOf(data, undefined) }
  }
  if (volume.downwardAPI) return downward(volume.downwardAPI, volume.name, input)
  if (volume.sysprep) return sysprep(volume.sysprep, volume.name, input)
  return undefined
}

function missing(
  reason: 'MissingConfigMap' | 'MissingSecret' | 'MissingServiceAccount',
  volume: string,
  what: string,
): ConfigAnswer {
  return wait(reason, `volume ${volume} needs the ${what}, which does not exist: create it`)
}

function diskOf(data: FileData, label: string | undefined): ConfigDisk {
  const files = Object.keys(data)
    .sort()
    .map((path) => ({ path, content: data[path] ?? new Uint8Array() }))
  return { label: label || DEFAULT_LABEL, files }
}

/** Windows looks for these names; any letter case is taken. */
const ANSWER_FILES = ['Autounattend.xml', 'Unattend.xml'] as const

function sysprep(
  source: NonNullable<VmiVolume['sysprep']>,
  volume: string,
  { sources }: ConfigVolumeInput,
): ConfigAnswer {
  const name = source.configMap?.name ?? source.secret?.name ?? ''
  const kind = source.configMap ? 'ConfigMap' : 'Secret'
  const data = source.configMap ? sources.configMap(name) : sources.secret(name)
  if (!data)
    return missing(kind === 'ConfigMap' ? 'MissingConfigMap' : 'MissingSecret', volume, `${kind} ${name}`)
  const files = ANSWER_FILES.flatMap((path) => {
    const key = Object.keys(data)
      .sort()
      .find((one) => one.toLowerCase() === path.toLowerCase())
    const content = key === undefined ? undefined : data[key]
    return content === undefined ? [] : [{ path, content }]
  })
  if (files.length === 0)
    return wait(
      'MissingUnattendFile',
      `volume ${volume}: the ${kind} ${name} has neither Autounattend.xml nor Unattend.xml: add one`,
    )
  return { ok: true, disk: { label: 'unattendCD', files } }
}

function downward(
  source: NonNullable<VmiVolume['downwardAPI']>,
  volume: string,
  input: ConfigVolumeInput,
): ConfigAnswer {
  const files: { path: string; content: Uint8Array }[] = []
  for (const { path, fieldRef } of source.fields ?? []) {
    const value = fieldRef && fieldValue(fieldRef.fieldPath, input)
    if (value === undefined)
      return wait(
        'FieldRefUnsupported',
        `volume ${volume}: ${fieldRef?.fieldPath ?? 'a resource field'} cannot be read: use metadata.name, namespace, uid, labels or annotations`,
      )
    files.push({ path, content: utf8(value) })
  }
  return { ok: true, disk: { label: source.volumeLabel || DEFAULT_LABEL, files } }
}

function fieldValue(
  path: string,
  { name, namespace, uid, labels, annotations }: ConfigVolumeInput,
): string | undefined {
  const one = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path)
  if (one) return (one[1] === 'labels' ? labels : annotations)[one[2] ?? ''] ?? ''
  const values: Readonly<Record<string, string>> = {
    'metadata.name': name,
    'metadata.namespace': namespace,
    'metadata.uid': uid,
    'metadata.labels': lines(labels),
    'metadata.annotations': lines(annotations),
  }
  return values[path]
}

/** The form that Kubernetes writes: one `key="value"` a line, sorted. */
function lines(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n')
}
