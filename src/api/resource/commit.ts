// The last step of every write: whether anything changed at all, whether the object is gone with it, and the
// compare-and-swap in the store.
import { assert } from '../../base/assert.ts'
import { deepEqual } from '../../base/equality.ts'
import { ApiError, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import {
  StoreClosedError,
  type StoredEntry,
  StoreFullError,
  type StoreWrite,
  type WriteOutcome,
} from '../../store/store.ts'
import { quotaCharges } from '../admission/quota.ts'
import type { Outcome, Work } from '../core.ts'
import { DEFINITIONS_PREFIX } from '../crd/definitions.ts'
import { isPlain, keyFor } from '../served.ts'
import { encodeStored, withRevision } from './stored.ts'

/** Undefined: somebody else wrote first. */
export type Committed = Outcome | undefined

export interface Before {
  readonly entry: StoredEntry
  readonly object: KubeObject
}

export async function commitCreate(work: Work, object: KubeObject): Promise<Committed> {
  const { core, served } = work
  const charges = quotaCharges(work, object, undefined)
  if (work.call.options.dryRun) return { is: 'object', code: 201, object }
  const key = keyFor(served, object.metadata.namespace, object.metadata.name ?? '')
  const value = encodeStored(served, object)
  if (core.store.get(key)) return undefined
  const writing = writeCharged(work, charges, { type: 'put', key, value, expected: 0 })
  foresee(work, key, value, object)
  const outcome = await writing
  if (!outcome.ok) return undefined
  return written(
    work,
    { key, value, revision: outcome.revision, createRevision: outcome.revision },
    object,
    201,
  )
}

export async function commitUpdate(work: Work, before: Before, next: KubeObject): Promise<Committed> {
  const { served } = work
  if (isUnchanged(before.object, next)) return { is: 'entry', code: 200, served, entry: before.entry }
  const charges = quotaCharges(work, next, before.object)
  if (work.call.options.dryRun)
    return { is: 'object', code: 200, object: withRevision(next, before.entry.revision) }
  if (isFinished(next)) return commitDelete(work, before, next)
  const { key, createRevision, revision: expected } = before.entry
  const value = encodeStored(served, next)
  const writing = writeCharged(work, charges, { type: 'put', key, value, expected })
  foresee(work, key, value, next)
  const outcome = await writing
  if (!outcome.ok) return undefined
  return written(work, { key, value, revision: outcome.revision, createRevision }, next, 200)
}

/** Removes the object; `last` is its last state as the answer shows it. */
export async function commitDelete(work: Work, before: Before, last: KubeObject): Promise<Committed> {
  const { core } = work
  if (work.call.options.dryRun) return { is: 'object', code: 200, object: last }
  const { key, revision: expected } = before.entry
  const outcome = await kept(core.store.write({ type: 'delete', key, expected }))
  if (!outcome.ok) return undefined
  core.parsed.forget(key)
  return { is: 'object', code: 200, object: withRevision(last, outcome.revision) }
}

/**
 * Charges and write are handed to the store in one turn, so nobody comes between. A charge without its write, after a
 * crash, is corrected when the quota controller counts.
 */
async function writeCharged(
  work: Work,
  charges: readonly StoreWrite[],
  write: StoreWrite,
): Promise<WriteOutcome> {
  const { store } = work.core
  const [outcome] = await kept(Promise.all([...[write, ...charges].map((one) => store.write(one))]))
  assert(outcome !== undefined, 'one outcome for each write')
  return outcome
}

/** What the store refuses is told as the API's refusal; anything else is a bug and goes on as it is. */
export async function kept<T>(written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    throw storeRefusal(error)
  }
}

function storeRefusal(error: unknown): unknown {
  if (error instanceof StoreFullError) return new ApiError(507, 'InsufficientStorage', error.message)
  if (error instanceof StoreClosedError) return refuse.unavailable('the server is stopping')
  return error
}

/**
 * Keeps the object at hand as soon as the store has accepted it, under the revision that it will have: watchers are
 * told before its writer goes on, and need not parse it then. If it is refused after all, nobody asks for that revision.
 */
function foresee({ core, served }: Work, key: string, value: Uint8Array, object: KubeObject): void {
  const entry = core.store.get(key)
  // Another version of the same resource may be stored differently from what this call saw.
  if (entry?.value !== value || !isPlain(served, entry.revision)) return
  core.parsed.put(served, entry, withRevision(object, entry.revision))
}

function written({ core, served }: Work, entry: StoredEntry, object: KubeObject, code: number): Outcome {
  if (entry.key.startsWith(DEFINITIONS_PREFIX)) core.definitions.take(withRevision(object, entry.revision))
  return { is: 'entry', code, served, entry }
}

function isUnchanged(previous: KubeObject, next: KubeObject): boolean {
  const revision = previous.metadata.resourceVersion
  return deepEqual(previous, { ...next, metadata: { ...next.metadata, resourceVersion: revision } })
}

/** An object on its way out goes with the write that removes its last finalizer. */
export function isFinished(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  return (
    deletionTimestamp !== undefined &&
    (deletionGracePeriodSeconds ?? 0) === 0 &&
    (finalizers ?? []).length === 0 &&
    specFinalizers(object).length === 0
  )
}

/** Finalizers that a Namespace keeps in its spec. */
function specFinalizers(object: KubeObject): readonly string[] {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return []
  return (object['spec'] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? []
}
