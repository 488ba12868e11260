// Gathers what one machine stands on: its claims' volumes, the Secrets and ConfigMaps of its configuration disks,
// its networks. What is not there yet is told as a wait with its reason; nothing here fails for good.
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { ConfigMap } from '../kinds/core/config-map.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod.ts'
import { Secret } from '../kinds/core/secret.ts'
import { ServiceAccount } from '../kinds/core/service-account.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions } from './agent-options.ts'
import type { PlannedVolume } from './plan/backing.ts'
import { fromBase64 } from './plan/base64.ts'
import { type ConfigSources, type FileData, utf8 } from './plan/config-source.ts'
import { configDisk } from './plan/config-volume.ts'
import type { RunAs } from './plan/facts.ts'
import { writeIso } from './plan/iso9660.ts'
import type { MachineWait } from './plan/machine-view.ts'
import type { NicAttachment } from './plan/nic.ts'
import type { FileStep, VmiInterface, VmiSpec, VmiVolume } from './plan/part.ts'
import type { NicRequest } from './ports.ts'

/** Longest life of a service account's token on a disk, as KubeVirt's. Seconds. */
const TOKEN_SECONDS = 365 * 24 * 3600

export interface MachineInputs {
  readonly volumes: readonly PlannedVolume[]
  readonly files: readonly FileStep[]
}

export type InputsAnswer =
  | { readonly ok: true; readonly inputs: MachineInputs }
  | { readonly ok: false; readonly wait: MachineWait }

/** Empty lists of networks and interfaces mean the Pod's network, unless that is switched off. */
export function effectiveSpec(spec: VmiSpec): VmiSpec {
  const { devices } = spec.domain
  const none = (spec.networks ?? []).length === 0 && (devices.interfaces ?? []).length === 0
  if (!none || devices.autoattachPodInterface === false) return spec
  return {
    ...spec,
    networks: [{ name: 'default', pod: {} }],
    domain: { ...spec.domain, devices: { ...devices, interfaces: [{ name: 'default', masquerade: {} }] } },
  }
}

export interface InputsRequest {
  readonly vmi: VirtualMachineInstance
  readonly uuid: string
  readonly folder: string
}

export async function gatherInputs(options: AgentOptions, request: InputsRequest): Promise<InputsAnswer> {
  const volumes: PlannedVolume[] = []
  const files: FileStep[] = []
  const { vmi } = request
  const sources = await configSources(options, vmi)
  for (const [index, volume] of (vmi.spec.volumes ?? []).entries()) {
    const claim = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    if (claim !== undefined) {
      const found = await claimBacking(options, vmi, volume, claim)
      if ('wait' in found) return { ok: false, wait: found.wait }
      volumes.push(found.volume)
      continue
    }
    const made = configIso(volume, index, request, { sources, now: options.host.clock.now() })
    if (!made) continue
    if ('wait' in made) return { ok: false, wait: made.wait }
    volumes.push(made.volume)
    files.push(made.file)
  }
  return { ok: true, inputs: { volumes, files } }
}

type ClaimFound = { readonly volume: PlannedVolume } | { readonly wait: MachineWait }

async function claimBacking(
  options: AgentOptions,
  vmi: VirtualMachineInstance,
  volume: VmiVolume,
  claimName: string,
): Promise<ClaimFound> {
  const namespace = vmi.metadata.namespace ?? ''
  const wait = (reason: string, message: string): ClaimFound => ({
    wait: { reason, message: `volume ${volume.name}: ${message}` },
  })
  const claim = await findObject(options, PersistentVolumeClaim, claimName, namespace)
  if (!claim) return wait('FailedPvcNotFound', `the claim ${claimName} does not exist`)
  if (claim.status?.phase !== 'Bound' || !claim.spec?.volumeName)
    return wait('VolumeNotBound', `the claim ${claimName} is not bound to a volume yet`)
  const persistent = await findObject(options, PersistentVolume, claim.spec.volumeName)
  const csi = persistent?.spec?.csi
  if (csi?.driver !== 'driver.longhorn.io')
    return wait(
      'VolumeUnsupported',
      `the claim ${claimName} is not on a volume of driver.longhorn.io: use a class of that provisioner`,
    )
  const backing = options.rooms.volume.endpoint(csi.volumeHandle)
  if (!backing)
    return wait('VolumeNotReady', `the volume ${csi.volumeHandle} is not attached to this node yet`)
  return { volume: { name: volume.name, backing, longhornVolume: csi.volumeHandle } }
}

// --- configuration disks ---

type IsoMade = { readonly volume: PlannedVolume; readonly file: FileStep } | { readonly wait: MachineWait }

function configIso(
  volume: VmiVolume,
  index: number,
  { vmi, uuid, folder }: InputsRequest,
  { sources, now }: { readonly sources: ConfigSources; readonly now: number },
): IsoMade | undefined {
  const { metadata, spec } = vmi
  const answer = configDisk(volume, {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    uuid,
    spec,
    sources,
  })
  if (!answer) return undefined
  if (!answer.ok) return { wait: answer.wait }
  const iso = writeIso({ label: answer.disk.label, files: answer.disk.files, at: now })
  if (!iso.ok)
    return { wait: { reason: iso.failure.reason, message: `volume ${volume.name}: ${iso.failure.message}` } }
  const path = `${folder}/config-${index}.iso`
  return {
    volume: {
      name: volume.name,
      backing: { kind: 'file', path, format: 'raw' },
      sizeBytes: iso.value.length,
    },
    file: { do: 'write', path, content: iso.value },
  }
}

/** Fetches all objects that any configuration disk names, so that the disks can be made in one go. */
async function configSources(options: AgentOptions, vmi: VirtualMachineInstance): Promise<ConfigSources> {
  const namespace = vmi.metadata.namespace ?? ''
  const secrets = new Map<string, FileData>()
  const configMaps = new Map<string, FileData>()
  const accounts = new Map<string, FileData>()
  const names = namesOf(vmi.spec)
  for (const name of names.secrets) {
    const secret = await findObject(options, Secret, name, namespace)
    if (secret) secrets.set(name, decoded(secret.data))
  }
  for (const name of names.configMaps) {
    const map = await findObject(options, ConfigMap, name, namespace)
    if (map) configMaps.set(name, { ...encoded(map.data), ...decoded(map.binaryData) })
  }
  for (const name of names.serviceAccounts) {
    const files = await accountFiles(options, name, namespace)
    if (files) accounts.set(name, files)
  }
  return {
    secret: (name) => secrets.get(name),
    configMap: (name) => configMaps.get(name),
    serviceAccount: (name) => accounts.get(name),
  }
}

function namesOf(spec: VmiSpec): {
  readonly secrets: ReadonlySet<string>
  readonly configMaps: ReadonlySet<string>
  readonly serviceAccounts: ReadonlySet<string>
} {
  const secrets = new Set<string | undefined>()
  const configMaps = new Set<string | undefined>()
  const serviceAccounts = new Set<string | undefined>()
  for (const volume of spec.volumes ?? []) {
    for (const source of [volume.cloudInitNoCloud, volume.cloudInitConfigDrive]) {
      secrets.add(source?.secretRef?.name)
      secrets.add(source?.networkDataSecretRef?.name)
    }
    secrets.add(volume.secret?.secretName).add(volume.sysprep?.secret?.name)
    configMaps.add(volume.configMap?.name).add(volume.sysprep?.configMap?.name)
    serviceAccounts.add(volume.serviceAccount?.serviceAccountName)
  }
  for (const credential of spec.accessCredentials ?? [])
    secrets.add(credential.sshPublicKey?.source.secret?.secretName)
  const given = (names: ReadonlySet<string | undefined>): ReadonlySet<string> =>
    new Set([...names].filter((name) => name !== undefined && name !== '') as string[])
  return { secrets: given(secrets), configMaps: given(configMaps), serviceAccounts: given(serviceAccounts) }
}

function decoded(data: Readonly<Record<string, string>> | undefined | null): FileData {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, fromBase64(value) ?? new Uint8Array()]),
  )
}

function encoded(data: Readonly<Record<string, string>> | undefined | null): FileData {
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, utf8(value)]))
}

async function accountFiles(
  options: AgentOptions,
  name: string,
  namespace: string,
): Promise<FileData | undefined> {
  const account = await findObject(options, ServiceAccount, name, namespace)
  if (!account) return undefined
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: TOKEN_SECONDS },
  }
  const answer = await options.client.post(ServiceAccount, name, 'token', request, { namespace })
  const status = answer['status'] as JsonObject | undefined
  const root = await findObject(options, ConfigMap, 'kube-root-ca.crt', namespace)
  return {
    namespace: utf8(namespace),
    token: utf8(String(status?.['token'] ?? '')),
    'ca.crt': utf8(root?.data?.['ca.crt'] ?? ''),
  }
}

/** Undefined when it does not exist; every other refusal is thrown on and tried again. */
export async function findObject<K extends Kind>(
  options: AgentOptions,
  kind: K,
  name: string,
  namespace?: string,
): Promise<KindOf<K> | undefined> {
  try {
    return await options.client.get(kind, name, namespace === undefined ? {} : { namespace })
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

// --- networks ---

export type NetworksAnswer =
  | { readonly ok: true; readonly networks: readonly NicAttachment[] }
  | { readonly ok: false; readonly wait: MachineWait }

export async function attachNetworks(
  options: AgentOptions,
  {
    vmi,
    pod,
    spec,
    user,
  }: {
    readonly vmi: VirtualMachineInstance
    readonly pod: Pod
    readonly spec: VmiSpec
    readonly user: RunAs
  },
): Promise<NetworksAnswer> {
  const networks: NicAttachment[] = []
  for (const [index, one] of (spec.domain.devices.interfaces ?? []).entries()) {
    if (one.state === 'absent') continue
    const answer = await options.rooms.network.attach(nicRequest(one, index, { vmi, pod, spec, user }))
    if (!answer.ok)
      return {
        ok: false,
        wait: { reason: answer.failure.reason, message: `interface ${one.name}: ${answer.failure.message}` },
      }
    networks.push(answer.value)
  }
  return { ok: true, networks }
}

function nicRequest(
  one: VmiInterface,
  index: number,
  {
    vmi,
    pod,
    spec,
    user,
  }: {
    readonly vmi: VirtualMachineInstance
    readonly pod: Pod
    readonly spec: VmiSpec
    readonly user: RunAs
  },
): NicRequest {
  const network = (spec.networks ?? []).find((candidate) => candidate.name === one.name)
  return {
    vmiUid: vmi.metadata.uid ?? '',
    podNamespace: pod.metadata.namespace ?? '',
    podName: pod.metadata.name ?? '',
    podUid: pod.metadata.uid ?? '',
    vmiName: vmi.metadata.name ?? '',
    name: one.name,
    index,
    binding: one.masquerade ? 'masquerade' : one.bridge ? 'bridge' : 'other',
    network: network?.multus ? { multus: network.multus.networkName } : 'pod',
    ...(one.macAddress ? { mac: one.macAddress.toLowerCase().replaceAll('-', ':') } : {}),
    ports: (one.ports ?? []).map((port) => ({
      ...(port.name === undefined ? {} : { name: port.name }),
      port: port.port,
      protocol: port.protocol === 'UDP' ? 'UDP' : 'TCP',
    })),
    user: { uid: user.uid, gid: user.gid },
  }
}
