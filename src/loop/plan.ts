// From a decision to the writes that it really needs, judged against the caches. Pure but for reading the caches.
import { type JsonObject, printJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Action, Decision, Look, ObjectRef } from '../kinds/decide.ts'
import { isNoChange, mergePatchBetween } from './changes.ts'

export type Write = Exclude<Action, { readonly do: 'note' }>
export type NoteAction = Extract<Action, { readonly do: 'note' }>

export interface Plan {
  readonly writes: readonly Write[]
  readonly notes: readonly NoteAction[]
  /** Merge patch of the status, where it differs. */
  readonly status: JsonObject | undefined
  /** Tells two sets of writes apart, whatever the status; empty when there are none. */
  readonly digest: string
}

const NOTHING: readonly never[] = Object.freeze([])
const EMPTY: Plan = Object.freeze({ writes: NOTHING, notes: NOTHING, status: undefined, digest: '' })

/** `isDeleting` tells whether a deletion of that very object was sent and is still to show in the cache. */
export function planOf(
  object: KubeObject,
  decision: Decision,
  look: Look,
  isDeleting: (target: ObjectRef) => boolean,
): Plan {
  if (decision.actions.length === 0 && decision.status === undefined) return EMPTY
  const writes: Write[] = []
  const notes: NoteAction[] = []
  for (const action of decision.actions) {
    if (action.do === 'note') notes.push(action)
    else if (!isDone(action, look, isDeleting)) writes.push(action)
  }
  const status =
    decision.status === undefined ? undefined : mergePatchBetween(object['status'], decision.status)
  if (writes.length === 0 && notes.length === 0 && status === undefined) return EMPTY
  return { writes, notes, status, digest: digestOf(writes) }
}

function isDone(action: Write, look: Look, isDeleting: (target: ObjectRef) => boolean): boolean {
  if (action.do === 'delete') return isDeleting(action.target)
  if (action.do !== 'patch') return false
  const { kind, namespace, name } = action.target
  let present: KubeObject | undefined
  try {
    present = look.get(kind, namespace, name)
  } catch {
    // Writing to a kind that is not watched is allowed; it is just never known to be superfluous.
    return false
  }
  return present !== undefined && isNoChange(present, action.patch)
}

function digestOf(writes: readonly Write[]): string {
  return writes.length === 0 ? '' : printJson(writes.map(essenceOf))
}

/** What a write says, without the schema and the functions that travel with a kind. */
function essenceOf(write: Write): readonly unknown[] {
  switch (write.do) {
    case 'create':
    case 'update':
      return [write.do, write.kind.kind, write.object]
    case 'patch':
      return [write.do, refText(write.target), write.subresource, write.patch]
    case 'post':
      return [write.do, refText(write.target), write.subresource, write.object]
    case 'delete':
      return [write.do, refText(write.target), write.propagation, write.graceSeconds]
  }
}

/** Creates of one decision that are under way at one time. */
const CREATES_AT_ONCE = 16

/** Creates that follow each other share one commit, unless one says that it stands on the others. All else keeps its order. */
export function inSteps(writes: readonly Write[]): readonly (readonly Write[])[] {
  const steps: Write[][] = []
  for (const write of writes) {
    const last = steps.at(-1)
    const joins = write.do === 'create' && !write.afterOthers && last?.[0]?.do === 'create'
    if (joins && last.length < CREATES_AT_ONCE) last.push(write)
    else steps.push([write])
  }
  return steps
}

/** Names one object in logs and digests. */
export function refText({ kind, namespace, name }: ObjectRef): string {
  return `${kind.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}
