// The part of every object that the server rules over: identity, times, names, and what may be written there.
import { type Cause, cause } from '../../base/errors.ts'
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
} from '../../base/names.ts'
import type { KubeObject, ObjectMeta } from '../../base/object.ts'
import type { Random } from '../../host/host.ts'
import type { AnyKind } from '../../kinds/kind.ts'
import type { Served } from '../served.ts'

/** Bytes of all annotations of one object, keys and values; kube-apiserver's own limit. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024
const GENERATED_BASE_MAX = 58
const GENERATED_LABEL_BASE_MAX = 58
const RANDOM_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const RANDOM_COUNT = 5
const OLD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

/** RFC 3339 with seconds, UTC. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`
}

export function randomSuffix(random: Random): string {
  let text = ''
  for (const byte of random.bytes(RANDOM_COUNT)) text += RANDOM_LETTERS[byte % RANDOM_LETTERS.length]
  return text
}

/** A fresh name from a prefix, short enough to be a label value. */
export function generatedName(kind: AnyKind, prefix: string, random: Random): string {
  const longest =
    kind.nameRule === 'dns-subdomain' || kind.nameRule === 'path-segment'
      ? GENERATED_BASE_MAX
      : GENERATED_LABEL_BASE_MAX
  return prefix.slice(0, longest) + randomSuffix(random)
}

const NAME_RULES: Readonly<Record<AnyKind['nameRule'], (name: string) => readonly string[]>> = {
  'dns-subdomain': checkDns1123Subdomain,
  'dns-label': checkDns1123Label,
  'dns-1035-label': checkDns1035Label,
  'path-segment': checkPathSegment,
}

export function checkMetadata(served: Served, object: KubeObject): readonly Cause[] {
  const { name = '', labels, annotations, finalizers, ownerReferences } = object.metadata
  const causes: Cause[] = []
  if (name === '') causes.push(cause.required('metadata.name', 'name or generateName is required'))
  else
    for (const problem of NAME_RULES[served.kind.nameRule](name))
      causes.push(cause.invalid('metadata.name', name, problem))
  if (labels) causes.push(...checkLabels(labels))
  if (annotations) causes.push(...checkAnnotations(annotations))
  if (finalizers) causes.push(...checkFinalizers(finalizers))
  if (ownerReferences) causes.push(...checkOwners(object.metadata))
  return causes
}

function checkLabels(labels: Readonly<Record<string, string>>): readonly Cause[] {
  const causes: Cause[] = []
  for (const [key, value] of Object.entries(labels)) {
    for (const problem of checkQualifiedName(key)) causes.push(cause.invalid('metadata.labels', key, problem))
    if (typeof value === 'string')
      for (const problem of checkLabelValue(value))
        causes.push(cause.invalid('metadata.labels', value, problem))
  }
  return causes
}

function checkAnnotations(annotations: Readonly<Record<string, string>>): readonly Cause[] {
  const causes: Cause[] = []
  let sizeBytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    for (const problem of checkQualifiedName(key.toLowerCase()))
      causes.push(cause.invalid('metadata.annotations', key, problem))
    sizeBytes += key.length + (typeof value === 'string' ? value.length : 0)
  }
  if (sizeBytes > ANNOTATIONS_MAX_BYTES)
    causes.push(cause.tooLong('metadata.annotations', ANNOTATIONS_MAX_BYTES))
  return causes
}

function checkFinalizers(finalizers: readonly string[]): readonly Cause[] {
  return finalizers.flatMap((finalizer, index) => {
    const field = `metadata.finalizers[${index}]`
    const problems = checkQualifiedName(finalizer).map((problem) => cause.invalid(field, finalizer, problem))
    if (problems.length > 0 || finalizer.includes('/') || OLD_FINALIZERS.has(finalizer)) return problems
    // Names without a domain were always accepted on custom resources; they stay so.
    return []
  })
}

function checkOwners({ ownerReferences = [] }: ObjectMeta): readonly Cause[] {
  const causes: Cause[] = []
  ownerReferences.forEach((owner, index) => {
    const field = `metadata.ownerReferences[${index}]`
    for (const part of ['apiVersion', 'kind', 'name', 'uid'] as const)
      if (!owner[part]) causes.push(cause.invalid(`${field}.${part}`, '', `${part} must not be empty`))
  })
  const controllers = ownerReferences.filter((owner) => owner.controller)
  if (controllers.length > 1)
    causes.push(
      cause.invalid(
        'metadata.ownerReferences',
        controllers,
        'Only one reference can have Controller set to true.',
      ),
    )
  return causes
}

/** What an update may not do to metadata; identity and times are kept by the server without a word. */
export function checkMetadataUpdate(next: KubeObject, previous: KubeObject): readonly Cause[] {
  if (!previous.metadata.deletionTimestamp) return []
  const before = new Set(previous.metadata.finalizers ?? [])
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer))
  if (added.length === 0) return []
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`
  return [
    cause.forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ]
}

/** Metadata of an update: what the user may change from `next`, all else from `previous`. */
export function mergedMetadata(next: ObjectMeta, previous: ObjectMeta): ObjectMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = next
  const kept: Record<string, unknown> = { ...previous }
  const given: Record<string, unknown> = { labels, annotations, ownerReferences, finalizers }
  for (const [field, value] of Object.entries(given)) {
    if (isEmptyValue(value)) delete kept[field]
    else kept[field] = value
  }
  if (managedFields !== undefined) kept['managedFields'] = managedFields
  return kept as ObjectMeta
}

function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) ? value.length === 0 : Object.keys(value as object).length === 0
}
