// Claims: they do not shrink, do not grow beyond what the disks can hold, do not start from an image that is not
// verified, and do not go away under a machine.
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { parseQuantity, toBigIntBytes } from '../../../base/quantity.ts'
import type { Infer } from '../../build.ts'
import { imageRef, machineRef, storageClassRef, storageNodeRef } from '../../foreign.ts'
import { IMAGE_ID, imageOf } from '../../harvester/claim-templates.ts'
import { type ImageLike, imageState } from '../../harvester/image-state.ts'
import { overcommitInForce } from '../../harvester/setting-look.ts'
import type { Rule, RuleAnswer, RuleLook } from '../../kind.ts'
import { invalid, notFound } from '../../kubevirt/rules/causes.ts'
import type { MachineSpec } from '../../kubevirt/types.ts'
import type { nodeSpec, nodeStatus } from '../schema/node.ts'
import { LONGHORN_DRIVER } from './storage-class.ts'
import { volumeSizeFor } from './volume.ts'

interface ClaimSpec {
  readonly storageClassName?: string
  readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> }
}
const SIZE = 'spec.resources.requests.storage'

export const claimRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  const size = sizeOf(next)
  const old = sizeOf(previous)
  if (!previous) return { causes: imageCauses(next, look) }
  if (size === undefined || old === undefined || size.bytes === old.bytes) return {}
  if (size.bytes < old.bytes)
    return {
      causes: [
        invalid(
          SIZE,
          `a claim cannot shrink: it asks for ${old.text} (${old.bytes} bytes), and ${size.text} (${size.bytes} bytes) is less`,
        ),
      ],
    }
  return { causes: roomCauses(next, old.bytes, size, look) }
}

interface Size {
  readonly text: string | number
  readonly bytes: bigint
}

function sizeOf(claim: KubeObject | undefined): Size | undefined {
  const text = (claim?.['spec'] as ClaimSpec | undefined)?.resources?.requests?.['storage']
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return text === undefined || !quantity ? undefined : { text, bytes: toBigIntBytes(quantity) }
}

/** Growing is refused where even an empty disk could not hold the new size by the over-provisioning in force. */
function roomCauses(claim: KubeObject, before: bigint, size: Size, look: RuleLook): readonly Cause[] {
  const name = (claim['spec'] as ClaimSpec).storageClassName
  const storageClass = name ? look.get(storageClassRef, undefined, name) : undefined
  if (storageClass?.['provisioner'] !== LONGHORN_DRIVER) return []
  const room = largestRoom(look)
  const more = volumeSizeFor(size.bytes) - volumeSizeFor(before)
  return room !== undefined && more > room
    ? [
        invalid(
          SIZE,
          `no disk has room for ${size.text} (${size.bytes} bytes): the most that can be added is ${room} bytes`,
        ),
      ]
    : []
}

/** Bytes that the roomiest disk may still promise; undefined while no disk has been measured. */
export function largestRoom(look: RuleLook): bigint | undefined {
  const percent = overcommitInForce(look).storage
  const rooms = look.list(storageNodeRef).flatMap((node) => {
    const spec = node['spec'] as Infer<typeof nodeSpec> | undefined
    const status = node['status'] as Infer<typeof nodeStatus> | undefined
    return Object.entries(status?.diskStatus ?? {}).flatMap(([name, disk]) => {
      const { storageMaximum, storageScheduled = 0 } = disk
      if (storageMaximum === undefined || storageMaximum <= 0) return []
      const reserved = BigInt(spec?.disks?.[name]?.storageReserved ?? 0)
      const promised = ((BigInt(storageMaximum) - reserved) * BigInt(percent)) / 100n
      return [promised - BigInt(storageScheduled)]
    })
  })
  return rooms.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[0]
}

function imageCauses(claim: KubeObject, look: RuleLook): readonly Cause[] {
  const id = claim.metadata.annotations?.[IMAGE_ID]
  if (!id) return []
  const field = `metadata.annotations[${IMAGE_ID}]`
  const where = imageOf(id)
  if (!where) return [invalid(field, `image id ${JSON.stringify(id)} must be namespace/name`)]
  if (!look.mayDo('get', imageRef, where.namespace, where.name))
    return [invalid(field, `user ${look.user.username} may not use image ${id}`)]
  const image = look.get(imageRef, where.namespace, where.name)
  if (!image) return [notFound(field, `image ${id} not found`)]
  const state = imageState(image as ImageLike)
  return state.state === 'ready' ? [] : [invalid(field, `image ${id} cannot be used yet: ${state.message}`)]
}

/** Computed from the machines there are, never from a note on the claim. */
function deletion(claim: KubeObject, look: RuleLook): RuleAnswer {
  const { namespace, name } = claim.metadata
  const owner = look.list(machineRef, namespace, name).find((machine) => {
    if (machine.metadata.deletionTimestamp) return false
    const volumes = (machine['spec'] as MachineSpec | undefined)?.template?.spec?.volumes ?? []
    return volumes.some(
      (volume) => (volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name) === name,
    )
  })
  return owner
    ? {
        refuse: {
          code: 409,
          reason: 'Conflict',
          message: `claim ${namespace}/${name} is attached to VirtualMachine ${namespace}/${owner.metadata.name}; detach it first`,
        },
      }
    : {}
}
