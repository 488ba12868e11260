// The files that cloud-init reads in the guest (NoCloud and ConfigDrive), from the volume's fields and its secrets.
// Rules are KubeVirt's; both halves are resolved apart, and an empty text is kept as empty.
import { fromBase64 } from './base64.ts'
import { type ConfigAnswer, type ConfigSources, type ConfigWait, utf8, wait } from './config-source.ts'
import type { VmiSpec, VmiVolume } from './part.ts'

export interface CloudInitInput {
  readonly namespace: string
  readonly name: string
  /** SMBIOS UUID of the machine; NoCloud's instance id, so that first-boot work is done once per machine. */
  readonly uuid: string
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: VmiSpec
  readonly sources: ConfigSources
}

type Source = NonNullable<VmiVolume['cloudInitNoCloud']>
type Half =
  | { readonly ok: true; readonly content: Uint8Array | undefined }
  | { readonly ok: false; readonly wait: ConfigWait }

/** The lower-case spelling wins where a Secret has both. */
const USER_KEYS = ['userdata', 'userData'] as const
const NETWORK_KEYS = ['networkdata', 'networkData'] as const

export function cloudInitDisk(volume: VmiVolume, input: CloudInitInput): ConfigAnswer {
  const configDrive = volume.cloudInitConfigDrive !== undefined
  const source = volume.cloudInitConfigDrive ?? volume.cloudInitNoCloud ?? {}
  const user = userHalf(source, volume.name, input.sources)
  if (!user.ok) return user
  const network = networkHalf(source, volume.name, input.sources)
  if (!network.ok) return network
  const keys = publicKeys(input, configDrive ? 'configDrive' : 'noCloud')
  if (!keys.ok) return keys
  const content = { user: user.content, network: network.content, keys: keys.keys }
  return { ok: true, disk: configDrive ? configDriveDisk(content, input) : noCloudDisk(content, input) }
}

interface Content {
  readonly user: Uint8Array | undefined
  readonly network: Uint8Array | undefined
  readonly keys: readonly string[]
}

function noCloudDisk(
  { user, network, keys }: Content,
  input: CloudInitInput,
): { label: string; files: File[] } {
  const meta = {
    ...instanceType(input, 'instance-type'),
    'instance-id': input.uuid,
    'local-hostname': hostName(input),
    ...(keys.length > 0 ? { 'public-keys': numbered(keys) } : {}),
  }
  const files = [
    { path: 'meta-data', content: utf8(JSON.stringify(meta)) },
    // cloud-init takes a disk without this file for somebody else's.
    { path: 'user-data', content: user ?? new Uint8Array() },
    ...(network === undefined ? [] : [{ path: 'network-config', content: network }]),
  ]
  return { label: 'cidata', files }
}

type File = { readonly path: string; readonly content: Uint8Array }

function configDriveDisk(
  { user, network, keys }: Content,
  input: CloudInitInput,
): { label: string; files: File[] } {
  const hostname = hostName(input)
  const devices = taggedDevices(input.spec)
  const meta = {
    ...instanceType(input, 'instance_type'),
    instance_id: `${input.name}.${input.namespace}`,
    local_hostname: hostname,
    hostname,
    uuid: input.uuid,
    ...(devices.length > 0 ? { devices } : {}),
    ...(keys.length > 0 ? { public_keys: numbered(keys) } : {}),
  }
  const folder = 'openstack/latest'
  const files = [
    { path: `${folder}/meta_data.json`, content: utf8(JSON.stringify(meta)) },
    { path: `${folder}/user_data`, content: user ?? new Uint8Array() },
    ...(network === undefined ? [] : [{ path: `${folder}/network_data.json`, content: network }]),
  ]
  return { label: 'config-2', files }
}

/** `spec.hostname`, else the first label of the name: host names have no dots and at most 63 letters. */
export function hostName({ name, spec }: { readonly name: string; readonly spec: VmiSpec }): string {
  if (spec.hostname) return spec.hostname
  const [label = name] = name.split('.')
  return label.slice(0, 63).replace(/-+$/, '')
}

function instanceType({ annotations }: CloudInitInput, key: string): Readonly<Record<string, string>> {
  const type =
    annotations['kubevirt.io/cluster-instancetype-name'] ?? annotations['kubevirt.io/instancetype-name']
  return type === undefined ? {} : { [key]: type }
}

function numbered(keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key, index) => [String(index), key]))
}

function taggedDevices({ domain }: VmiSpec): readonly Readonly<Record<string, unknown>>[] {
  const nics = (domain.devices.interfaces ?? []).flatMap((one) =>
    one.tag
      ? [{ type: 'nic', bus: 'pci', ...(one.macAddress ? { mac: one.macAddress } : {}), tags: [one.tag] }]
      : [],
  )
  const disks = (domain.devices.disks ?? []).flatMap((one) =>
    one.tag
      ? [{ type: 'disk', bus: 'pci', ...(one.serial ? { serial: one.serial } : {}), tags: [one.tag] }]
      : [],
  )
  return [...nics, ...disks]
}

// --- the halves ---

function userHalf(source: Source, volume: string, sources: ConfigSources): Half {
  const { userData, userDataBase64, secretRef } = source
  if (secretRef?.name) return fromSecret({ secret: secretRef.name, keys: USER_KEYS, volume }, sources)
  return inline({ text: userData, base64: userDataBase64, field: 'userDataBase64', volume })
}

function networkHalf(source: Source, volume: string, sources: ConfigSources): Half {
  const { networkData, networkDataBase64, networkDataSecretRef } = source
  if (networkDataSecretRef?.name)
    return fromSecret({ secret: networkDataSecretRef.name, keys: NETWORK_KEYS, volume }, sources)
  return inline({ text: networkData, base64: networkDataBase64, field: 'networkDataBase64', volume })
}

interface Inline {
  readonly text: string | undefined
  readonly base64: string | undefined
  readonly field: string
  readonly volume: string
}

function inline({ text, base64, field, volume }: Inline): Half {
  if (text !== undefined && text !== '') return { ok: true, content: utf8(text) }
  if (base64 === undefined || base64 === '')
    return { ok: true, content: text === undefined ? undefined : new Uint8Array() }
  const content = fromBase64(base64)
  return content
    ? { ok: true, content }
    : wait('InvalidBase64', `volume ${volume}: ${field} is no base64 text: encode it again`)
}

interface SecretHalf {
  readonly secret: string
  readonly keys: readonly [string, string]
  readonly volume: string
}

function fromSecret({ secret, keys, volume }: SecretHalf, sources: ConfigSources): Half {
  const data = sources.secret(secret)
  if (!data)
    return wait(
      'MissingSecret',
      `volume ${volume} needs the Secret ${secret}, which does not exist: create it`,
    )
  const key = keys.find((one) => data[one] !== undefined)
  if (key === undefined)
    return wait(
      'SecretKeyMissing',
      `volume ${volume}: the Secret ${secret} has neither the key ${keys[0]} nor ${keys[1]}: add one`,
    )
  return { ok: true, content: data[key] }
}

type Keys =
  | { readonly ok: true; readonly keys: readonly string[] }
  | { readonly ok: false; readonly wait: ConfigWait }

/** SSH keys of accessCredentials that travel by this kind of disk: every line of every value. */
function publicKeys({ spec, sources }: CloudInitInput, way: 'noCloud' | 'configDrive'): Keys {
  const keys: string[] = []
  for (const { sshPublicKey } of spec.accessCredentials ?? []) {
    const name = sshPublicKey?.source.secret?.secretName
    if (name === undefined || sshPublicKey?.propagationMethod[way] === undefined) continue
    const data = sources.secret(name)
    if (!data)
      return wait(
        'MissingSecret',
        `the SSH keys of accessCredentials need the Secret ${name}, which does not exist: create it`,
      )
    for (const key of Object.keys(data).sort()) {
      const lines = new TextDecoder().decode(data[key]).split('\n')
      keys.push(...lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#')))
    }
  }
  return { ok: true, keys }
}
