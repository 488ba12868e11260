// What snapshots and restores of machines share: which disks a machine has, how they are kept all at one instant, and
// how a machine is written that stands on other claims.
import { isObject, type JsonObject, parseJson, printJson } from '../../base/json.ts'
import type { OwnerReference } from '../../base/object.ts'
import { formatQuantity, parseQuantity, quantityOf, toBigIntBytes } from '../../base/quantity.ts'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action, Look } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotClass } from '../../kinds/snapshot/volume-snapshot-class.ts'
import { LONGHORN_DRIVER } from '../claim/provision.ts'
import { findCondition } from '../conditions.ts'

export const SNAPSHOT_CLASS = 'longhorn-snapshot'

type MachineTemplate = NonNullable<VirtualMachine['spec']['template']>
type MachineVolume = NonNullable<NonNullable<MachineTemplate['spec']>['volumes']>[number]

/** A claim as it is kept: without what belongs to the cluster's bookkeeping. */
export interface KeptClaim {
  readonly metadata: JsonObject
  readonly spec: JsonObject
}

export interface MachineDisk {
  readonly volumeName: string
  readonly claimName: string
  /** Absent: it is not there (yet). */
  readonly claim: PersistentVolumeClaim | undefined
  /** It is bound to a volume of our driver. */
  readonly canBeKept: boolean
}

function claimNameOf(volume: MachineVolume): string | undefined {
  return volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
}

/** Disks of a machine that lie in claims; of a running one those of the run, so that plugged ones are in. */
export function machineDisks(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  look: Look,
): readonly MachineDisk[] {
  const volumes = (vmi?.spec?.volumes ?? vm.spec.template?.spec?.volumes ?? []) as readonly MachineVolume[]
  return volumes.flatMap((volume) => {
    const claimName = claimNameOf(volume)
    if (!claimName) return []
    const claim = look.get(PersistentVolumeClaim, vm.metadata.namespace, claimName)
    const bound = claim?.spec?.volumeName
      ? look.get(PersistentVolume, undefined, claim.spec.volumeName)
      : undefined
    const canBeKept = claim?.status?.phase === 'Bound' && bound?.spec?.csi?.driver === LONGHORN_DRIVER
    return [{ volumeName: volume.name ?? claimName, claimName, claim, canBeKept }]
  })
}

/** Names of volumes that are not disks in claims; they are not kept. */
export function otherVolumes(vm: VirtualMachine): readonly string[] {
  return ((vm.spec.template?.spec?.volumes ?? []) as readonly MachineVolume[])
    .filter((volume) => claimNameOf(volume) === undefined)
    .flatMap((volume) => (volume.name ? [volume.name] : []))
}

export function keptClaim(claim: PersistentVolumeClaim): KeptClaim {
  const { name, namespace, labels, annotations } = claim.metadata
  const own = Object.entries(annotations ?? {}).filter(
    ([key]) => !/^(pv\.kubernetes\.io|volume\.(beta\.)?kubernetes\.io)\//.test(key),
  )
  const { dataSource: _source, dataSourceRef: _ref, ...spec } = (claim.spec ?? {}) as JsonObject
  return {
    metadata: {
      name: name!,
      namespace: namespace!,
      ...(labels ? { labels } : {}),
      annotations: Object.fromEntries(own),
    },
    spec,
  }
}

export interface Circumstances {
  /** The machine runs. */
  readonly online: boolean
  /** A guest agent answers, so that file systems are at rest for the moment. */
  readonly hasAgent: boolean
  readonly paused: boolean
}

export function circumstancesOf(vmi: VirtualMachineInstance | undefined): Circumstances {
  const online = vmi?.status?.phase === 'Running'
  const says = (type: string): boolean => findCondition(vmi?.status?.conditions, type)?.status === 'True'
  return { online, hasAgent: online && says('AgentConnected'), paused: online && says('Paused') }
}

export interface DiskSnapshotWish {
  readonly name: string
  readonly namespace: string
  readonly claimName: string
  readonly owner?: OwnerReference | undefined
  readonly labels?: Readonly<Record<string, string>>
  /** All disks of one machine at one instant. */
  readonly group: { readonly id: string; readonly size: number }
  readonly quiesce: boolean
}

export function diskSnapshot(wish: DiskSnapshotWish): Action {
  const object: VolumeSnapshot = {
    apiVersion: apiVersionOf(VolumeSnapshot),
    kind: VolumeSnapshot.kind,
    metadata: {
      name: wish.name,
      namespace: wish.namespace,
      ...(wish.owner ? { ownerReferences: [wish.owner] } : {}),
      ...(wish.labels ? { labels: wish.labels } : {}),
      annotations: {
        'croft.io/group': wish.group.id,
        'croft.io/group-size': String(wish.group.size),
        ...(wish.quiesce ? { 'croft.io/quiesce': 'true' } : {}),
      },
    },
    spec: {
      volumeSnapshotClassName: SNAPSHOT_CLASS,
      source: { persistentVolumeClaimName: wish.claimName },
    },
  }
  return { do: 'create', kind: VolumeSnapshot, object }
}

export interface DiskCopyWish {
  readonly name: string
  readonly namespace: string
  readonly kept: { readonly metadata?: unknown; readonly spec?: unknown }
  readonly snapshotName: string
  /** The snapshot's size, which the claim must have at least. */
  readonly restoreSize: string | number | undefined
  readonly owner?: OwnerReference | undefined
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** A claim like the kept one, filled from its snapshot. */
export function diskCopy(wish: DiskCopyWish): Action {
  const metadata = (wish.kept.metadata ?? {}) as PersistentVolumeClaim['metadata']
  const { volumeName: _volume, ...spec } = (wish.kept.spec ?? {}) as JsonObject
  const asked = (spec['resources'] as JsonObject | undefined)?.['requests'] as JsonObject | undefined
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: wish.name,
      namespace: wish.namespace,
      labels: { ...metadata.labels, ...wish.labels },
      annotations: { ...metadata.annotations, ...wish.annotations },
      ...(wish.owner ? { ownerReferences: [wish.owner] } : {}),
    },
    spec: {
      ...spec,
      resources: {
        requests: { ...asked, storage: larger(asked?.['storage'] as string | undefined, wish.restoreSize) },
      },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: wish.snapshotName },
    },
  }
  return { do: 'create', kind: PersistentVolumeClaim, object: object as never }
}

function larger(a: string | undefined, b: string | number | undefined): string {
  const bytes = [a, b].map((text) => {
    const quantity = text === undefined ? undefined : parseQuantity(text)
    return quantity ? toBigIntBytes(quantity) : 0n
  })
  return bytes[0]! >= bytes[1]! && a !== undefined ? a : formatQuantity(quantityOf(bytes[1]!, 'BinarySI'))
}

/** The machine's words with its disks in other claims. DataVolumes of its own are not made again: the copies are there. */
export function onClaims(
  spec: VirtualMachine['spec'],
  claims: ReadonlyMap<string, string>,
): VirtualMachine['spec'] {
  const replaced = new Set<string>()
  const volumes = ((spec.template?.spec?.volumes ?? []) as readonly MachineVolume[]).map((volume) => {
    const claimName = claims.get(volume.name ?? '')
    if (claimName === undefined) return volume
    const before = claimNameOf(volume)
    if (before) replaced.add(before)
    const { dataVolume: _data, persistentVolumeClaim: claim, ...rest } = volume
    return { ...rest, persistentVolumeClaim: { ...claim, claimName } }
  })
  const templates = (spec.dataVolumeTemplates ?? []).filter(
    (template) => !replaced.has(template.metadata?.name ?? ''),
  )
  const { dataVolumeTemplates: _templates, ...plain } = spec
  return {
    ...plain,
    ...(templates.length > 0 ? { dataVolumeTemplates: templates } : {}),
    template: { ...spec.template, spec: { ...spec.template?.spec, volumes } },
  } as VirtualMachine['spec']
}

/** Network addresses that a machine's words name. */
export function addressesOf(spec: VirtualMachine['spec'] | undefined): ReadonlySet<string> {
  const interfaces = spec?.template?.spec?.domain?.devices?.interfaces ?? []
  return new Set(interfaces.flatMap(({ macAddress }) => (macAddress ? [macAddress.toLowerCase()] : [])))
}

/** A new machine gets network addresses of its own in place of those `taken`. */
export function withoutAddresses(
  spec: VirtualMachine['spec'],
  taken: ReadonlySet<string> = addressesOf(spec),
): VirtualMachine['spec'] {
  const { template } = spec
  const devices = template?.spec?.domain?.devices
  const interfaces = devices?.interfaces?.map((one) => {
    const { macAddress, ...rest } = one
    return macAddress && taken.has(macAddress.toLowerCase()) ? rest : one
  })
  if (!interfaces) return spec
  return {
    ...spec,
    template: {
      ...template,
      spec: {
        ...template?.spec,
        domain: { ...template?.spec?.domain, devices: { ...devices, interfaces } },
      },
    },
  } as VirtualMachine['spec']
}

/** Whether the class that keeps disks is there and makes local snapshots. */
export function snapshotClassProblem(look: Look): string | undefined {
  const found = look.get(VolumeSnapshotClass, undefined, SNAPSHOT_CLASS)
  return found ? undefined : `there is no VolumeSnapshotClass ${SNAPSHOT_CLASS}`
}

/** Harvester's list of claims in the machine's annotation, with the new names and without what they were filled from. */
export function renamedTemplates(text: string, names: ReadonlyMap<string, string>): string {
  try {
    const parsed = parseJson(text)
    if (!Array.isArray(parsed)) return text
    const renamed = parsed.map((entry) => {
      if (!isObject(entry) || !isObject(entry['metadata'])) return entry
      const name = String(entry['metadata']['name'] ?? '')
      const { dataSource: _source, ...spec } = (entry['spec'] ?? {}) as JsonObject
      return { ...entry, metadata: { ...entry['metadata'], name: names.get(name) ?? name }, spec }
    })
    return printJson(renamed)
  } catch {
    return text
  }
}
