// Sends one write of a decision to the API and tells how it went. What a write brought back goes into the caches
// before anybody decides again.
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Client } from '../client/client.ts'
import type { Informers } from '../client/informer.ts'
import type { Look, ObjectRef, OnlyIf } from '../kinds/decide.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { refText, type Write } from './plan.ts'

export type Outcome =
  /** `changed` is false when the API said that it was so already. */
  | { readonly result: 'done'; readonly changed: boolean }
  /** The cache was behind: decide again soon. */
  | { readonly result: 'stale'; readonly why: string }
  /** The API could not be asked or was not able to; try again later. */
  | { readonly result: 'unavailable'; readonly error: ApiError }
  | { readonly result: 'refused'; readonly error: ApiError }

export interface Carrier {
  readonly client: Client
  readonly informers: Informers
  readonly fieldManager: string
  readonly signal: AbortSignal
  /** Notes that a deletion was sent. */
  readonly deleting: (target: ObjectRef) => void
}

const CHANGED: Outcome = { result: 'done', changed: true }
const UNCHANGED: Outcome = { result: 'done', changed: false }

export async function carryOut(write: Write, carrier: Carrier): Promise<Outcome> {
  try {
    if ('onlyIf' in write && write.onlyIf !== undefined) {
      const hindrance = await hindranceOf(write.onlyIf, carrier)
      if (hindrance !== undefined) return { result: 'stale', why: hindrance }
    }
    return await send(write, carrier)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return judge(error)
  }
}

function judge(error: ApiError): Outcome {
  if (error.code === 409 || error.code === 404 || error.code === 410) {
    return { result: 'stale', why: error.message }
  }
  if (error.code >= 500 || error.code === 429 || error.code === 401) return { result: 'unavailable', error }
  return { result: 'refused', error }
}

async function send(write: Write, carrier: Carrier): Promise<Outcome> {
  switch (write.do) {
    case 'create':
      return create(write.kind, write.object, carrier)
    case 'update': {
      const options = { ...subresourceOf(write), ...common(carrier) }
      return took(write.kind, await carrier.client.update(write.kind, write.object, options), carrier)
    }
    case 'patch':
      return patch(write, carrier)
    case 'delete':
      return remove(write, carrier)
    case 'post': {
      const { kind, namespace, name } = write.target
      const where = placeOf(namespace, carrier)
      await carrier.client.post(kind, name, write.subresource, write.object, where)
      // The answer is another kind of object, so what became of the target is asked for: the next decision may
      // build on it (the scheduler's does).
      return took(kind, await carrier.client.get(kind, name, where), carrier)
    }
  }
}

async function create(kind: AnyKind, object: KubeObject, carrier: Carrier): Promise<Outcome> {
  try {
    return took(kind, await carrier.client.create(kind, object, common(carrier)), carrier)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    const where = placeOf(object.metadata.namespace, carrier)
    const present = await carrier.client.get(kind, object.metadata.name ?? '', where)
    carrier.informers.absorb(kind, present)
    if (isOurs(present, object)) return UNCHANGED
    // An earlier object of that name on its way out, or one whose owner is: its end will wake us.
    if (present.metadata.deletionTimestamp !== undefined) return { result: 'stale', why: error.message }
    return { result: 'refused', error }
  }
}

/** Ours when it belongs to the same owner; where we wanted no owner, when it has none. */
function isOurs(present: KubeObject, wanted: KubeObject): boolean {
  const uids = (wanted.metadata.ownerReferences ?? []).map((owner) => owner.uid)
  const owners = present.metadata.ownerReferences ?? []
  if (uids.length === 0) return owners.every((owner) => owner.controller !== true)
  return owners.some((owner) => uids.includes(owner.uid))
}

async function patch(write: Extract<Write, { do: 'patch' }>, carrier: Carrier): Promise<Outcome> {
  const { kind, namespace, name, uid } = write.target
  const present = cached(carrier.informers.look, write.target)
  if (uid !== undefined && present !== undefined && present.metadata.uid !== uid) {
    return { result: 'stale', why: `${refText(write.target)} is another object by now` }
  }
  const body: JsonObject =
    write.resourceVersion === undefined
      ? write.patch
      : { ...write.patch, metadata: withVersion(write.patch['metadata'], write.resourceVersion) }
  const options = {
    ...subresourceOf(write),
    ...placeOf(namespace, carrier),
    fieldManager: carrier.fieldManager,
  }
  const answer = await carrier.client.patch(kind, name, body, options)
  carrier.informers.absorb(kind, answer)
  const same = answer.metadata.resourceVersion === present?.metadata.resourceVersion
  return same ? UNCHANGED : CHANGED
}

function withVersion(metadata: unknown, resourceVersion: string): JsonObject {
  return { ...(metadata as JsonObject | undefined), resourceVersion }
}

async function remove(write: Extract<Write, { do: 'delete' }>, carrier: Carrier): Promise<Outcome> {
  const { kind, namespace, name } = write.target
  const uid = write.target.uid ?? cached(carrier.informers.look, write.target)?.metadata.uid
  try {
    await carrier.client.delete(kind, name, {
      ...placeOf(namespace, carrier),
      ...(uid === undefined ? {} : { uid }),
      ...(write.propagation === undefined ? {} : { propagation: write.propagation }),
      ...(write.graceSeconds === undefined ? {} : { graceSeconds: write.graceSeconds }),
    })
  } catch (error) {
    // Gone already, or its name is another object's by now: what was meant is gone. Any other conflict is a refusal
    // that passes, for instance of what is still in use, and is tried again.
    if (error instanceof ApiError && error.code === 404) return UNCHANGED
    if (error instanceof ApiError && error.code === 409 && /UID in precondition/.test(error.message))
      return UNCHANGED
    throw error
  }
  carrier.deleting({ ...write.target, ...(uid === undefined ? {} : { uid }) })
  return CHANGED
}

async function hindranceOf(onlyIf: OnlyIf, carrier: Carrier): Promise<string | undefined> {
  for (const target of onlyIf.absent ?? []) {
    if (await exists(target, carrier)) return `${refText(target)} exists`
  }
  for (const kind of onlyIf.empty?.kinds ?? []) {
    const namespace = onlyIf.empty?.namespace ?? ''
    const page = await carrier.client.list(kind, { ...placeOf(namespace, carrier), limit: 1 })
    if (page.items.length > 0) return `namespace ${namespace} still holds ${kind.plural}`
  }
  return undefined
}

async function exists({ kind, namespace, name, uid }: ObjectRef, carrier: Carrier): Promise<boolean> {
  try {
    const present = await carrier.client.get(kind, name, placeOf(namespace, carrier))
    return uid === undefined || present.metadata.uid === uid
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false
    throw error
  }
}

function took(kind: AnyKind, answer: KubeObject, carrier: Carrier): Outcome {
  carrier.informers.absorb(kind, answer)
  return CHANGED
}

function cached(look: Look, { kind, namespace, name }: ObjectRef): KubeObject | undefined {
  try {
    return look.get(kind, namespace, name)
  } catch {
    return undefined
  }
}

function common(carrier: Carrier): { readonly fieldManager: string; readonly signal: AbortSignal } {
  return { fieldManager: carrier.fieldManager, signal: carrier.signal }
}

function placeOf(
  namespace: string | undefined,
  carrier: Carrier,
): { readonly namespace?: string; readonly signal: AbortSignal } {
  return { ...(namespace === undefined ? {} : { namespace }), signal: carrier.signal }
}

function subresourceOf(write: { readonly subresource?: string }): { readonly subresource?: string } {
  return write.subresource === undefined ? {} : { subresource: write.subresource }
}
