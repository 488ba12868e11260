// Deleting: at once where nothing holds the object, else a mark on it that others act upon. Whoever removes the last
// finalizer removes the object.
import { type Cause, cause, refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { checkNamespaceDeletion } from '../admission/namespace-lifecycle.ts'
import { restrictNode } from '../admission/node-restriction.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { prefixFor } from '../served.ts'
import { type Before, type Committed, commitDelete, commitUpdate, isFinished } from './commit.ts'
import { hasGeneration } from './create.ts'
import { lookFor } from './look.ts'
import { timestamp } from './metadata.ts'
import { askRules } from './prepare.ts'
import { readSelection } from './selection.ts'
import { conflict, readBefore } from './update.ts'

const DELETE_ATTEMPTS = 6
const POD_GRACE_SECONDS = 30
/** Kinds that answer a deletion with the object instead of a Status even when they are gone at once. */
const ANSWER_OBJECT = new Set(['pods', 'services', 'persistentvolumeclaims', 'persistentvolumes'])

export interface DeleteWish {
  readonly graceSeconds?: number
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly uid?: string
  readonly resourceVersion?: string
}

export async function deleteOne(work: Work): Promise<Outcome> {
  const wish = readDeleteWish(work.call.body)
  checkNamespaceDeletion(work, work.call.name ?? '')
  checkDefinitionDeletion(work, work.call.name ?? '')
  for (let attempt = 0; attempt < DELETE_ATTEMPTS; attempt += 1) {
    const before = readBefore(work)
    if (!before) throw refuse.notFound(resourceOf(work.served), work.call.name ?? '')
    const committed = await deleteBefore(work, before, wish)
    if (committed) return committed
  }
  throw conflict(work)
}

export async function deleteCollection(work: Work): Promise<Outcome> {
  const { core, served, call } = work
  const wish = readDeleteWish(call.body)
  const selection = readSelection(served, call.options)
  const page = core.store.range(prefixFor(served, call.namespace))
  const deleted: KubeObject[] = []
  for (const entry of page.entries) {
    const object = core.parsed.get(served, entry)
    if (!selection.matches(object)) continue
    const { name = '', namespace } = object.metadata
    const one: Work = {
      ...work,
      call: { ...call, verb: 'delete', name, ...(namespace ? { namespace } : {}) },
    }
    const before = readBefore(one)
    if (!before) continue
    checkNamespaceDeletion(one, name)
    checkDefinitionDeletion(one, name)
    await deleteBefore(one, before, wish)
    deleted.push(object)
  }
  const list = {
    kind: `${served.kind.kind}List`,
    apiVersion: served.apiVersion,
    metadata: { resourceVersion: String(core.store.revision()) },
    items: deleted as unknown as readonly JsonObject[],
  }
  return { is: 'object', code: 200, object: list }
}

async function deleteBefore(work: Work, before: Before, wish: DeleteWish): Promise<Committed> {
  restrictNode(work, undefined, before.object)
  checkPreconditions(work, before.object, wish)
  askDeletionRules(work, before.object)
  const marked = markDeleted(work, before.object, wish)
  if (isFinished(marked)) {
    const gone = await commitDelete(work, before, marked)
    return gone && answerGone(work, before.object, gone)
  }
  const committed = await commitUpdate(work, before, marked)
  return committed && { ...committed, code: 200 }
}

/** The definitions of our own kinds stay: with them all machines and volumes would go. */
function checkDefinitionDeletion({ served, core }: Work, name: string): void {
  if (served.kind.plural === 'customresourcedefinitions' && core.definitions.isBuiltIn(name))
    throw refuse.forbidden(resourceOf(served), name, 'this kind is part of croft and cannot be removed')
}

function askDeletionRules(work: Work, object: KubeObject): void {
  if (object.metadata.deletionTimestamp) return
  const { served } = work
  const causes = askRules(work, undefined, object, lookFor(work.core, work.user, work.now))
  if (causes.length > 0)
    throw refuse.invalid(served.kind.group, served.kind.kind, object.metadata.name ?? '', causes)
}

function answerGone(work: Work, object: KubeObject, gone: Outcome): Outcome {
  const { kind } = work.served
  if (ANSWER_OBJECT.has(kind.plural)) return gone
  return {
    is: 'object',
    code: 200,
    object: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: object.metadata.name,
        ...(kind.group === '' ? {} : { group: kind.group }),
        kind: kind.plural,
        uid: object.metadata.uid,
      },
    },
  }
}

/** The object as its deletion leaves it: times, grace, and the finalizers that the way of deletion asks for. */
function markDeleted(work: Work, object: KubeObject, wish: DeleteWish): KubeObject {
  const grace = graceFor(work, object, wish)
  const finalizers = finalizersFor(object, wish)
  const known = object.metadata
  if (known.deletionTimestamp !== undefined) {
    // A second deletion can only shorten the grace.
    const had = known.deletionGracePeriodSeconds ?? 0
    if (grace >= had) return object
    return {
      ...object,
      metadata: { ...known, ...deletionMarks(deletedAt(known.deletionTimestamp, had), grace) },
    }
  }
  const { finalizers: _had, ...rest } = known
  const generation = hasGeneration(work.served.kind) ? { generation: Number(known.generation ?? 0) + 1 } : {}
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...rest,
      ...generation,
      ...deletionMarks(work.now, grace),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  }
  return object.kind === 'Namespace' && object.apiVersion === 'v1' ? terminating(marked) : marked
}

function deletionMarks(deletedAtMs: number, grace: number) {
  return {
    deletionTimestamp: timestamp(deletedAtMs + grace * 1000),
    deletionGracePeriodSeconds: grace,
  }
}

function deletedAt(deletionTimestamp: string, grace: number): number {
  return Date.parse(deletionTimestamp) - grace * 1000
}

function terminating(namespace: KubeObject): KubeObject {
  return {
    ...namespace,
    status: { ...(namespace['status'] as JsonObject | undefined), phase: 'Terminating' },
  }
}

/** Only Pods leave gracefully; those that run nowhere go at once. Seconds. */
function graceFor({ served }: Work, object: KubeObject, wish: DeleteWish): number {
  if (served.kind.plural !== 'pods' || served.kind.group !== '') return 0
  const spec = object['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined
  const phase = (object['status'] as { phase?: string } | undefined)?.phase
  if (!spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0
  return wish.graceSeconds ?? Number(spec.terminationGracePeriodSeconds ?? POD_GRACE_SECONDS)
}

function finalizersFor(object: KubeObject, wish: DeleteWish): readonly string[] {
  const others = (object.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion',
  )
  if (wish.propagation === 'Orphan') return [...others, 'orphan']
  if (wish.propagation === 'Foreground') return [...others, 'foregroundDeletion']
  if (wish.propagation === 'Background') return others
  return object.metadata.finalizers ?? []
}

function checkPreconditions(work: Work, object: KubeObject, wish: DeleteWish): void {
  const { uid = '', resourceVersion = '' } = object.metadata
  const name = object.metadata.name ?? ''
  const refuseWith = (why: string) =>
    refuse.conflict(resourceOf(work.served), name, `Precondition failed: ${why}`)
  if (wish.uid !== undefined && wish.uid !== uid)
    throw refuseWith(`UID in precondition: ${wish.uid}, UID in object meta: ${uid}`)
  if (wish.resourceVersion !== undefined && wish.resourceVersion !== resourceVersion)
    throw refuseWith(
      `ResourceVersion in precondition: ${wish.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    )
}

/** Reads DeleteOptions. Throws 400 for what is none, 422 for wishes that contradict each other. */
export function readDeleteWish(body: unknown): DeleteWish {
  if (body === undefined || body === null) return {}
  if (!isObject(body)) throw refuse.badRequest('the body of a deletion must be DeleteOptions')
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = body
  const causes: Cause[] = []
  if (propagationPolicy !== undefined && orphanDependents !== undefined)
    causes.push(
      cause.invalid(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    )
  if (
    propagationPolicy !== undefined &&
    !['Background', 'Foreground', 'Orphan'].includes(String(propagationPolicy))
  )
    causes.push(
      cause.notSupported('propagationPolicy', propagationPolicy, ['Foreground', 'Background', 'Orphan']),
    )
  if (gracePeriodSeconds !== undefined && typeof gracePeriodSeconds !== 'number')
    throw refuse.badRequest('gracePeriodSeconds must be a number')
  if (causes.length > 0) throw refuse.invalid('meta.k8s.io', 'DeleteOptions', '', causes)
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {}
  const propagation =
    propagationPolicy === undefined && orphanDependents === true ? 'Orphan' : propagationPolicy
  return {
    ...(gracePeriodSeconds === undefined ? {} : { graceSeconds: Math.max(0, gracePeriodSeconds as number) }),
    ...(propagation === undefined
      ? {}
      : { propagation: propagation as 'Background' | 'Foreground' | 'Orphan' }),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  }
}
