// Who belongs to whom, by UID: an index over all stored objects that name owners. Objects without owners are never
// parsed for it.
import { parseJson } from '../../base/json.ts'
import type { KubeObject, OwnerReference } from '../../base/object.ts'

const decoder = new TextDecoder()
const MARK = '"ownerReferences":'

/** The owners that stored bytes name; empty for most objects, found without parsing. */
export function ownersIn(value: Uint8Array): readonly OwnerReference[] {
  const text = decoder.decode(value)
  if (!text.includes(MARK)) return []
  const object = parseJson(text) as unknown as KubeObject
  return object.metadata.ownerReferences ?? []
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

  /** Store keys of the objects that name this UID. */
  dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])]
  }

  keys(): readonly string[] {
    return [...this.#owners.keys()]
  }
}
