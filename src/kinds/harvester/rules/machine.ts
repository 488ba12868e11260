// Harvester's rules over a VirtualMachine: the claims in its annotation, and claims that other machines hold.
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { parseQuantity } from '../../../base/quantity.ts'
import { claimRef, imageRef, machineRef, storageClassRef } from '../../foreign.ts'
import type { Rule, RuleLook } from '../../kind.ts'
import { invalid, notFound } from '../../kubevirt/rules/causes.ts'
import type { InstanceSpec, MachineSpec } from '../../kubevirt/types.ts'
import {
  CLAIM_TEMPLATES,
  type ClaimTemplate,
  claimTemplatesOf,
  IMAGE_ID,
  imageOf,
  RESERVED_MEMORY,
} from '../claim-templates.ts'
import { type ImageLike, imageState } from '../image-state.ts'

const FIELD = `metadata.annotations[${CLAIM_TEMPLATES}]`
const MAINTAIN_LABEL = 'harvesterhci.io/maintain-mode-strategy'
const MAINTAIN_STRATEGIES: readonly string[] = [
  'Migrate',
  'ShutdownAndRestartAfterEnable',
  'ShutdownAndRestartAfterDisable',
  'Shutdown',
]

export const harvesterMachineRule: Rule = (next, previous, look) => {
  if (!next) return {}
  return {
    causes: [
      ...templatesCauses(next, previous, look),
      ...claimsInUse(next, previous, look),
      ...reservedMemoryCauses(next),
      ...labelCauses(next),
    ],
  }
}

function templatesCauses(
  next: KubeObject,
  previous: KubeObject | undefined,
  look: RuleLook,
): readonly Cause[] {
  const text = next.metadata.annotations?.[CLAIM_TEMPLATES]
  if (!text || text === previous?.metadata.annotations?.[CLAIM_TEMPLATES]) return []
  const templates = claimTemplatesOf(next)
  if (typeof templates === 'string') return [invalid(FIELD, `annotation ${CLAIM_TEMPLATES} ${templates}`)]
  const before = claimTemplatesOf(previous)
  const old = new Map((typeof before === 'string' ? [] : before).map((entry) => [entry.metadata.name, entry]))
  const names = new Set<string>()
  return templates.flatMap((entry, index) => {
    const { name } = entry.metadata
    const at = `${FIELD}[${index}]`
    const twice = names.has(name) ? [invalid(at, `claim ${name} is listed twice`)] : []
    names.add(name)
    const was = old.get(name)
    return [...twice, ...(was ? changeCauses(entry, was, at) : newCauses(entry, at, next, look))]
  })
}

function newCauses(entry: ClaimTemplate, at: string, machine: KubeObject, look: RuleLook): readonly Cause[] {
  const { name } = entry.metadata
  const { storageClassName } = entry.spec
  const size = entry.spec.resources?.requests?.['storage']
  const causes: Cause[] = []
  if (size === undefined || (parseQuantity(size)?.nano ?? 0n) <= 0n)
    causes.push(
      invalid(at, `claim ${name} must ask for storage, for instance spec.resources.requests.storage: 10Gi`),
    )
  const id = entry.metadata.annotations?.[IMAGE_ID]
  if (id) return [...causes, ...imageCauses(id, entry, at, look)]
  // A claim that is there already keeps the class it has.
  const exists = look.get(claimRef, machine.metadata.namespace, name) !== undefined
  if (storageClassName && !exists && !look.get(storageClassRef, undefined, storageClassName))
    causes.push(notFound(at, `storage class ${storageClassName} of claim ${name} not found`))
  return causes
}

function imageCauses(id: string, entry: ClaimTemplate, at: string, look: RuleLook): readonly Cause[] {
  const { name } = entry.metadata
  const where = imageOf(id)
  if (!where) return [invalid(at, `image id ${JSON.stringify(id)} of claim ${name} must be namespace/name`)]
  // Whether an image exists is told only to those who may see it.
  if (!look.mayDo('get', imageRef, where.namespace, where.name))
    return [
      invalid(at, `image ${id} of claim ${name} cannot be used: user ${look.user.username} may not get it`),
    ]
  const image = look.get(imageRef, where.namespace, where.name)
  if (!image) return [notFound(at, `image ${id} of claim ${name} not found`)]
  const state = imageState(image as ImageLike)
  if (state.state === 'failed')
    return [invalid(at, `image ${id} of claim ${name} cannot be used: ${state.message}`)]
  const own = (image as ImageLike).status?.storageClassName
  const given = entry.spec.storageClassName
  return own && given && own !== given
    ? [invalid(at, `claim ${name} has storage class ${given}, but image ${id} needs ${own}`)]
    : []
}

function changeCauses(entry: ClaimTemplate, was: ClaimTemplate, at: string): readonly Cause[] {
  const { name } = entry.metadata
  const causes: Cause[] = []
  const [size, old] = [entry.spec.resources?.requests?.['storage'], was.spec.resources?.requests?.['storage']]
  const [now, before] = [size, old].map((text) => (text === undefined ? undefined : parseQuantity(text)))
  if (now && before && now.nano < before.nano)
    causes.push(invalid(at, `claim ${name} cannot shrink from ${old} to ${size}`))
  if (size !== undefined && !now)
    causes.push(invalid(at, `claim ${name} has size ${JSON.stringify(size)}, which is no amount`))
  if (!entry.targetVolume && (entry.spec.storageClassName ?? '') !== (was.spec.storageClassName ?? ''))
    causes.push(
      invalid(
        at,
        `storageClassName of claim ${name} is immutable: it is ${was.spec.storageClassName ?? '(default)'}`,
      ),
    )
  return causes
}

/** Names of claims that a machine uses, without those whose disk is meant to be shared. */
function ownClaims(
  run: InstanceSpec | undefined,
): readonly { readonly name: string; readonly index: number }[] {
  const shared = new Set(
    (run?.domain?.devices?.disks ?? []).filter((disk) => disk.shareable).map(({ name }) => name),
  )
  return (run?.volumes ?? []).flatMap((volume, index) => {
    const name = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
    return name && !shared.has(volume.name) ? [{ name, index }] : []
  })
}

function runOf(machine: KubeObject | undefined): InstanceSpec | undefined {
  return (machine?.['spec'] as MachineSpec | undefined)?.template?.spec
}

/** Two machines that write one disk destroy it; so a claim belongs to one machine, running or not. */
function claimsInUse(next: KubeObject, previous: KubeObject | undefined, look: RuleLook): readonly Cause[] {
  const before = new Set(ownClaims(runOf(previous)).map(({ name }) => name))
  const fresh = ownClaims(runOf(next)).filter(({ name }) => !before.has(name))
  if (fresh.length === 0) return []
  return fresh.flatMap(({ name, index }) => {
    const owner = look
      .list(machineRef, next.metadata.namespace, name)
      .filter((other) => other.metadata.name !== next.metadata.name && !other.metadata.deletionTimestamp)
      .find((other) => ownClaims(runOf(other)).some((claim) => claim.name === name))
    return owner
      ? [
          invalid(
            `spec.template.spec.volumes[${index}]`,
            `claim ${name} is already used by VirtualMachine ${owner.metadata.namespace}/${owner.metadata.name}; remove it there first`,
          ),
        ]
      : []
  })
}

function reservedMemoryCauses(machine: KubeObject): readonly Cause[] {
  const text = machine.metadata.annotations?.[RESERVED_MEMORY]
  if (!text) return []
  const field = `metadata.annotations[${RESERVED_MEMORY}]`
  const reserved = parseQuantity(text)
  if (!reserved || reserved.nano < 0n)
    return [
      invalid(
        field,
        `annotation ${RESERVED_MEMORY} must be an amount of at least 0, not ${JSON.stringify(text)}`,
      ),
    ]
  const { memory, resources } = runOf(machine)?.domain ?? {}
  const limit = resources?.limits?.['memory']
  const most = limit === undefined ? undefined : parseQuantity(limit)
  if (!most) return []
  if (reserved.nano >= most.nano)
    return [invalid(field, `reserved memory ${text} must be less than the memory limit ${limit}`)]
  const guest = memory?.guest === undefined ? undefined : parseQuantity(memory.guest)
  return guest && guest.nano + reserved.nano > most.nano
    ? [
        invalid(
          field,
          `guest memory ${memory?.guest} and reserved memory ${text} together exceed the memory limit ${limit}`,
        ),
      ]
    : []
}

function labelCauses(machine: KubeObject): readonly Cause[] {
  const strategy = machine.metadata.labels?.[MAINTAIN_LABEL]
  return strategy === undefined || MAINTAIN_STRATEGIES.includes(strategy)
    ? []
    : [
        invalid(
          `metadata.labels[${MAINTAIN_LABEL}]`,
          `label ${MAINTAIN_LABEL} must be one of ${MAINTAIN_STRATEGIES.join(', ')}`,
        ),
      ]
}
