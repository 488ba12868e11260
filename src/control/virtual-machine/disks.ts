// The disks that come with a VirtualMachine: DataVolumes from its templates, and claims from Harvester's annotation
// `harvesterhci.io/volumeClaimTemplates`; and which claims go with it when it is deleted.
import { isObject, parseJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { DataVolume } from '../../kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { controllerRef } from '../owner.ts'

export const CLAIM_TEMPLATES = 'harvesterhci.io/volumeClaimTemplates'
export const REMOVED_CLAIMS = 'harvesterhci.io/removedPersistentVolumeClaims'

type Template = NonNullable<VirtualMachine['spec']['dataVolumeTemplates']>[number]

function dataVolumeOf(vm: VirtualMachine, template: Template): DataVolume {
  return {
    apiVersion: apiVersionOf(DataVolume),
    kind: DataVolume.kind,
    metadata: {
      name: template.metadata!.name!,
      namespace: vm.metadata.namespace!,
      labels: { ...template.metadata?.labels, 'kubevirt.io/created-by': vm.metadata.uid! },
      ...(template.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
      ownerReferences: [controllerRef(VirtualMachine, vm)],
    },
    spec: template.spec,
  }
}

/** DataVolumes of the templates that do not exist yet. A claim of that name without one counts: it was adopted. */
export function missingDataVolumes(
  vm: VirtualMachine,
  dataVolumes: readonly DataVolume[],
  claims: readonly PersistentVolumeClaim[],
): readonly Action[] {
  const present = new Set([...dataVolumes, ...claims].map((object) => object.metadata.name))
  return (vm.spec.dataVolumeTemplates ?? [])
    .filter((template) => template.metadata?.name && !present.has(template.metadata.name))
    .map((template) => ({ do: 'create', kind: DataVolume, object: dataVolumeOf(vm, template) }))
}

/** The claims of the annotation, as they were written; malformed text was refused at admission and gives none. */
export function claimTemplates(vm: VirtualMachine): readonly KubeObject[] {
  const text = vm.metadata.annotations?.[CLAIM_TEMPLATES]
  if (!text) return []
  try {
    const parsed = parseJson(text)
    if (!Array.isArray(parsed)) return []
    return parsed.filter(
      (entry) => isObject(entry) && isObject(entry['metadata']),
    ) as unknown as readonly KubeObject[]
  } catch {
    return []
  }
}

export function missingClaims(
  vm: VirtualMachine,
  claims: readonly PersistentVolumeClaim[],
): readonly Action[] {
  const present = new Set(claims.map((claim) => claim.metadata.name))
  return claimTemplates(vm)
    .filter((template) => template.metadata.name && !present.has(template.metadata.name))
    .map((template) => {
      const { labels, annotations, name } = template.metadata
      const object: PersistentVolumeClaim = {
        apiVersion: apiVersionOf(PersistentVolumeClaim),
        kind: PersistentVolumeClaim.kind,
        metadata: {
          name: name!,
          namespace: vm.metadata.namespace!,
          ...(labels ? { labels } : {}),
          ...(annotations ? { annotations } : {}),
        },
        spec: template['spec'] as NonNullable<PersistentVolumeClaim['spec']>,
      }
      return { do: 'create', kind: PersistentVolumeClaim, object }
    })
}

/** Claims that the user chose to delete together with the machine. */
export function claimsToRemove(
  vm: VirtualMachine,
  claims: readonly PersistentVolumeClaim[],
): readonly PersistentVolumeClaim[] {
  const chosen = (vm.metadata.annotations?.[REMOVED_CLAIMS] ?? '').split(',').map((name) => name.trim())
  return claims.filter((claim) => chosen.includes(claim.metadata.name!) && !claim.metadata.deletionTimestamp)
}

/** Names of all claims that the machine mounts, in the order of its volumes. */
export function mountedClaims(vm: VirtualMachine): readonly string[] {
  return (vm.spec.template?.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return name ? [name] : []
  })
}
