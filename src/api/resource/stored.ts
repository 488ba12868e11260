// Between stored bytes and objects. Bytes are the truth; parsed objects are frozen, shared and kept only in a bounded
// cache. The resource version is never stored: it is the revision of the entry and is woven in on the way out, so
// that plain reads need no parsing at all.
import { deepFreeze } from '../../base/freeze.ts'
import { parseJson, printJson } from '../../base/json.ts'
import type { KubeObject, ObjectMeta } from '../../base/object.ts'
import type { StoredEntry } from '../../store/store.ts'
import { isPlain, type Served } from '../served.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Stored bytes that parsed objects may stand for, in all. Memory in objects is about 1.5 times this. */
const PARSED_CACHE_MAX_BYTES = 6 * 1024 * 1024

/** The stored form: apiVersion, kind and metadata first, no resourceVersion. */
export function encodeStored(served: Served, object: KubeObject): Uint8Array {
  const shape = served.toStored?.(object) ?? object
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = shape
  const { resourceVersion: _revision, ...meta } = metadata
  return encoder.encode(
    printJson({ apiVersion: served.storageApiVersion, kind: served.kind.kind, metadata: meta, ...rest }),
  )
}

export function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** Text of an entry as a whole object, its resource version woven in. Undefined when it needs conversion first. */
export function plainText(served: Served, entry: StoredEntry): string | undefined {
  if (!isPlain(served, entry.revision)) return undefined
  const text = decoder.decode(entry.value)
  return text.startsWith(served.head)
    ? `${served.head}"resourceVersion":"${entry.revision}",${text.slice(served.head.length)}`
    : undefined
}

export function parseStored(served: Served, value: Uint8Array, revision: number): KubeObject {
  const parsed = parseJson(decoder.decode(value)) as unknown as KubeObject
  // The parsed value is ours alone until it is frozen below.
  ;(parsed.metadata as { resourceVersion?: string }).resourceVersion = String(revision)
  const object = isPlain(served, revision) ? parsed : (served.fromStored?.(parsed) ?? parsed)
  return deepFreeze(object)
}

interface Cached {
  readonly apiVersion: string
  readonly revision: number
  readonly object: KubeObject
  readonly sizeBytes: number
}

/** Parsed objects by store key, least recently used ones forgotten first. */
export class ParsedCache {
  #entries = new Map<string, Cached>()
  #sizeBytes = 0
  readonly #maxBytes: number

  constructor(maxBytes = PARSED_CACHE_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(served: Served, entry: StoredEntry): KubeObject {
    const known = this.#entries.get(entry.key)
    if (known && known.revision === entry.revision && known.apiVersion === served.apiVersion) {
      this.#entries.delete(entry.key)
      this.#entries.set(entry.key, known)
      return known.object
    }
    const object = parseStored(served, entry.value, entry.revision)
    this.put(served, entry, object)
    return object
  }

  /** The object of exactly this revision, when it is at hand. */
  peek(served: Served, key: string, revision: number): KubeObject | undefined {
    const known = this.#entries.get(key)
    return known?.revision === revision && known.apiVersion === served.apiVersion ? known.object : undefined
  }

  /** The same for what does not depend on the version that it is read in. */
  metadataOf(key: string, revision: number): ObjectMeta | undefined {
    const known = this.#entries.get(key)
    return known?.revision === revision ? known.object.metadata : undefined
  }

  put(served: Served, entry: StoredEntry, object: KubeObject): void {
    this.forget(entry.key)
    const sizeBytes = entry.value.length
    if (sizeBytes > this.#maxBytes / 8) return
    this.#entries.set(entry.key, {
      apiVersion: served.apiVersion,
      revision: entry.revision,
      object: deepFreeze(object),
      sizeBytes,
    })
    this.#sizeBytes += sizeBytes
    for (const [key, oldest] of this.#entries) {
      if (this.#sizeBytes <= this.#maxBytes) break
      this.#entries.delete(key)
      this.#sizeBytes -= oldest.sizeBytes
    }
  }

  forget(key: string): void {
    const known = this.#entries.get(key)
    if (!known) return
    this.#entries.delete(key)
    this.#sizeBytes -= known.sizeBytes
  }

  clear(): void {
    this.#entries.clear()
    this.#sizeBytes = 0
  }
}
