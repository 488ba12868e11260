// Harvester's way of making disks with a machine: a list of claims in an annotation of the VirtualMachine.
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'

export const CLAIM_TEMPLATES = 'harvesterhci.io/volumeClaimTemplates'
/** `namespace/name` of the image that a claim's disk starts from. */
export const IMAGE_ID = 'harvesterhci.io/imageId'
/** Names, separated by commas, of the claims that are deleted together with the machine. */
export const REMOVED_CLAIMS = 'harvesterhci.io/removedPersistentVolumeClaims'
/** Run strategy to go back to when a stopped machine is started. */
export const RUN_STRATEGY_NOTE = 'harvesterhci.io/vmRunStrategy'
/** Part of limits.memory that the guest does not get. */
export const RESERVED_MEMORY = 'harvesterhci.io/reservedMemory'

export interface ClaimTemplate {
  readonly metadata: {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly accessModes?: readonly string[]
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> }
    readonly storageClassName?: string
    readonly volumeMode?: string
    readonly dataSource?: JsonObject
  }
  /** Claim that the disk is being moved to. */
  readonly targetVolume?: string
}

/** The claims of a machine; a sentence when the annotation cannot be read. */
export function claimTemplatesOf(machine: KubeObject | undefined): readonly ClaimTemplate[] | string {
  const text = machine?.metadata.annotations?.[CLAIM_TEMPLATES]
  if (!text) return []
  let read: unknown
  try {
    read = parseJson(text)
  } catch {
    return 'is not JSON'
  }
  if (!Array.isArray(read)) return 'must be a JSON list of PersistentVolumeClaims'
  for (const [index, entry] of read.entries()) {
    if (!isObject(entry)) return `has an entry [${index}] that is no object`
    const { metadata, spec } = entry
    if (!isObject(metadata) || typeof metadata['name'] !== 'string' || metadata['name'] === '')
      return `has an entry [${index}] without metadata.name`
    if (!isObject(spec)) return `has an entry [${index}] (${metadata['name']}) without spec`
  }
  return read as readonly ClaimTemplate[]
}

/** `{ namespace, name }` of an image id; undefined when it names none. */
export function imageOf(
  id: string | undefined,
): { readonly namespace: string; readonly name: string } | undefined {
  const match = /^([^/]+)\/([^/]+)$/.exec(id ?? '')
  return match?.[1] && match[2] ? { namespace: match[1], name: match[2] } : undefined
}
