// Updating: the main object and its status are written by different doors, identity never changes, and a version
// that is not the latest is refused.
import { deepEqual } from '../../base/equality.ts'
import { cause, refuse } from '../../base/errors.ts'
import type { KubeObject, ObjectMeta } from '../../base/object.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { keyFor, type Served } from '../served.ts'
import { readBody } from './body.ts'
import { type Before, type Committed, commitUpdate } from './commit.ts'
import { createObject, hasGeneration, namespaceOf } from './create.ts'
import { mergedMetadata } from './metadata.ts'
import { trackUpdate } from './ownership.ts'
import { check, complete } from './prepare.ts'

/** Compare-and-swaps tried before a writer without a resource version is told of a conflict. */
const WRITE_ATTEMPTS = 6
/** Kinds of Kubernetes that must be updated with a resource version, as custom ones must. */
const CONDITIONAL_ONLY = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
  'leases.coordination.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
])
/** Kinds that a PUT may create. */
const CREATE_ON_UPDATE = new Set([
  'leases.coordination.k8s.io',
  'events.',
  'events.events.k8s.io',
  'services.',
  'endpoints.',
  'limitranges.',
  'runtimeclasses.node.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
])
/** Kinds of Kubernetes whose labels and annotations may also be written through the status. */
const METADATA_THROUGH_STATUS = new Set(['pods', 'nodes'])

export async function updateOne(work: Work): Promise<Outcome> {
  const { call, served } = work
  const body = readBody(work)
  checkName(work, body)
  namespaceOf(work, body)
  const wanted = body.metadata.resourceVersion ?? ''
  for (let attempt = 0; attempt < WRITE_ATTEMPTS; attempt += 1) {
    const before = readBefore(work)
    if (!before) return createMissing(work, body, wanted)
    if (wanted === '' && needsRevision(served)) throw revisionMissing(served, call.name)
    checkIdentity(work, body, before)
    if (wanted !== '' && wanted !== before.object.metadata.resourceVersion) throw conflict(work)
    const committed = await writeNext(work, before, body)
    if (committed) return committed
    if (wanted !== '') break
  }
  throw conflict(work)
}

export function readBefore(work: Work): Before | undefined {
  const { core, served, call } = work
  const entry = core.store.get(keyFor(served, call.namespace, call.name ?? ''))
  return entry ? { entry, object: core.parsed.get(served, entry) } : undefined
}

export function conflict(work: Work) {
  return refuse.conflict(resourceOf(work.served), work.call.name ?? '')
}

/** Takes a wished-for state through merging, completing, checking and storing. */
export async function writeNext(work: Work, before: Before, wish: KubeObject): Promise<Committed> {
  const merged = mergeStates(work, before.object, wish)
  const completed = countGeneration(work.served, complete(work, merged, before.object), before.object)
  check(work, completed, before.object)
  return commitUpdate(work, before, trackUpdate(work, before.object, completed))
}

/** What the door that is written through may change of the previous state. */
export function mergeStates(work: Work, previous: KubeObject, wish: KubeObject): KubeObject {
  const { served, call } = work
  if (call.subresource === 'status') {
    const open = served.kind.habit === 'core' && METADATA_THROUGH_STATUS.has(served.kind.plural)
    const { status: _old, ...rest } = previous
    const metadata: ObjectMeta = open
      ? { ...mergedMetadata(wish.metadata, previous.metadata) }
      : withManagedFields(previous.metadata, wish.metadata)
    return {
      ...rest,
      metadata,
      ...(wish['status'] === undefined ? {} : { status: wish['status'] }),
    } as KubeObject
  }
  const metadata = mergedMetadata(wish.metadata, previous.metadata)
  if (served.kind.subresources['status'] === undefined) return { ...wish, metadata }
  const { status: _new, ...given } = wish
  const status = previous['status']
  // A Namespace's own finalizers change through /finalize alone.
  const rest = isNamespace(served) ? { ...given, spec: previous['spec'] } : given
  return { ...rest, metadata, ...(status === undefined ? {} : { status }) } as KubeObject
}

function isNamespace({ kind }: Served): boolean {
  return kind.group === '' && kind.plural === 'namespaces'
}

function withManagedFields(previous: ObjectMeta, wish: ObjectMeta): ObjectMeta {
  return wish.managedFields === undefined ? previous : { ...previous, managedFields: wish.managedFields }
}

/** The generation rises by one when anything but metadata and status changed. */
export function countGeneration(served: Served, next: KubeObject, previous: KubeObject): KubeObject {
  if (!hasGeneration(served.kind)) return next
  const { metadata: _nm, status: _ns, ...wanted } = next
  const { metadata: _pm, status: _ps, ...had } = previous
  const hasStatus = served.kind.subresources['status'] !== undefined
  const same = deepEqual(wanted, had) && (hasStatus || deepEqual(next['status'], previous['status']))
  if (same) return next
  const generation = Number(previous.metadata.generation ?? 0) + 1
  return { ...next, metadata: { ...next.metadata, generation } }
}

function checkName(work: Work, body: KubeObject): void {
  const { name } = body.metadata
  const wanted = work.call.name ?? ''
  if (!name) throw refuse.badRequest('name must be provided')
  if (name !== wanted)
    throw refuse.badRequest(`the name of the object (${name}) does not match the name on the URL (${wanted})`)
}

function checkIdentity(work: Work, body: KubeObject, before: Before): void {
  const { uid } = body.metadata
  const known = before.object.metadata.uid
  if (uid && uid !== known)
    throw refuse.conflict(
      resourceOf(work.served),
      work.call.name ?? '',
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known ?? ''}`,
    )
}

function fullName({ kind }: Served): string {
  return `${kind.plural}.${kind.group}`
}

function needsRevision(served: Served): boolean {
  return served.kind.habit === 'custom' || CONDITIONAL_ONLY.has(fullName(served))
}

function revisionMissing(served: Served, name: string | undefined) {
  return refuse.invalid(served.kind.group, served.kind.kind, name ?? '', [
    cause.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
  ])
}

async function createMissing(work: Work, body: KubeObject, wanted: string): Promise<Outcome> {
  const { served, call } = work
  const may = CREATE_ON_UPDATE.has(fullName(served)) && call.subresource === undefined
  if (!may || wanted !== '' || body.metadata.uid) throw refuse.notFound(resourceOf(served), call.name ?? '')
  return createObject(work, body)
}
