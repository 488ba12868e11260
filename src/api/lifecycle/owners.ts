// Who belongs to whom, by UID: an index over all stored objects that name owners. Objects without owners are never
// parsed for it.

import { parseJson } from '../../base/json.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../base/object.ts'
import { includesText } from '../bytes.ts'

const decoder = new TextDecoder()
const OWNERS = '"ownerReferences":'
const GOING = '"deletionTimestamp":'
export const FOREGROUND = 'foregroundDeletion'
export const ORPHAN = 'orphan'

/** What the collector must know of stored bytes; for most objects found without parsing. */
export interface Facts {
  readonly owners: readonly OwnerReference[]
  /** True when the object may wait for the collector to carry out its way of deletion. */
  readonly mayBeGoing: boolean
}

/** `metadata` is the object's, when it is at hand. */
export function factsOf(value: Uint8Array, metadata?: ObjectMeta): Facts {
  const named = metadata
    ? metadata.ownerReferences
    : includesText(value, OWNERS) && metadataIn(value).ownerReferences
  return {
    owners: named || [],
    mayBeGoing:
      includesText(value, GOING) && (includesText(value, FOREGROUND) || includesText(value, `"${ORPHAN}"`)),
  }
}

/** The object's own UID: stored metadata has it before anything else that is called so. */
export function uidIn(value: Uint8Array): string | undefined {
  return /"uid":"([^"]*)"/.exec(decoder.decode(value))?.[1]
}

function metadataIn(value: Uint8Array): ObjectMeta {
  return (parseJson(decoder.decode(value)) as unknown as KubeObject).metadata
}

export class OwnerIndex {
  readonly #owners = new Map<string, readonly OwnerReference[]>()
  readonly #dependents = new Map<string, Set<string>>()

  set(key: string, owners: readonly OwnerReference[]): void {
    this.remove(key)
    if (owners.length === 0) return
    this.#owners.set(key, owners)
    for (const { uid } of owners) {
      const known = this.#dependents.get(uid)
      if (known) known.add(key)
      else this.#dependents.set(uid, new Set([key]))
    }
  }

  remove(key: string): void {
    for (const { uid } of this.#owners.get(key) ?? []) {
      const known = this.#dependents.get(uid)
      known?.delete(key)
      if (known?.size === 0) this.#dependents.delete(uid)
    }
    this.#owners.delete(key)
  }

  ownersOf(key: string): readonly OwnerReference[] {
    return this.#owners.get(key) ?? []
  }

  get isEmpty(): boolean {
    return this.#owners.size === 0
  }

  /** Store keys of the objects that name this UID. */
  dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])]
  }

  keys(): readonly string[] {
    return [...this.#owners.keys()]
  }
}
