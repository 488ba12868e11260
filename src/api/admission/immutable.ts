// Fields of Kubernetes' own kinds that never change once set, with the words that clients know for it.
import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { compareQuantity, parseQuantity } from '../../base/quantity.ts'
import { resourceOf, type Work } from '../core.ts'
import { findObject } from '../resource/read.ts'

type Shape = Readonly<Record<string, unknown>>
type Check = (next: Shape, previous: Shape, work: Work) => readonly Cause[]

const CLAIM_SPEC =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
const POD_SPEC =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

const CHECKS: Readonly<Record<string, Check>> = {
  'secrets.': (next, previous) => [
    ...unchanged(next, previous, ['type'], 'field is immutable'),
    ...frozenData(next, previous),
  ],
  'configmaps.': (next, previous) => frozenData(next, previous),
  'persistentvolumeclaims.': claimCauses,
  'persistentvolumes.': volumeCauses,
  'pods.': podCauses,
  'storageclasses.storage.k8s.io': (next, previous) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((field) =>
      deepEqual(next[field], previous[field])
        ? []
        : [cause.forbidden(field, `updates to ${field} are forbidden.`)],
    ),
  'priorityclasses.scheduling.k8s.io': (next, previous) =>
    deepEqual(next['value'], previous['value'])
      ? []
      : [cause.forbidden('value', 'may not be changed in an update.')],
}

export function checkImmutable(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (!previous) return next
  const { plural, group, kind } = work.served.kind
  const check = CHECKS[`${plural}.${group}`]
  const causes = check?.(next, previous, work) ?? []
  if (causes.length > 0) throw refuse.invalid(group, kind, next.metadata.name ?? '', causes)
  return next
}

function unchanged(next: Shape, previous: Shape, fields: readonly string[], why: string): readonly Cause[] {
  return fields
    .filter((field) => !deepEqual(next[field], previous[field]))
    .map((field) => cause.invalid(field, next[field], why))
}

function frozenData(next: Shape, previous: Shape): readonly Cause[] {
  if (previous['immutable'] !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return ['immutable', 'data', 'binaryData']
    .filter((field) => !deepEqual(next[field], previous[field]))
    .map((field) => cause.forbidden(field, why))
}

function part(object: Shape, name: string): Shape {
  const value = object[name]
  return typeof value === 'object' && value !== null ? (value as Shape) : {}
}

function without(object: Shape, fields: readonly string[]): Shape {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)))
}

function claimCauses(next: Shape, previous: Shape, work: Work): readonly Cause[] {
  const [now, had] = [part(next, 'spec'), part(previous, 'spec')]
  // The volume is set once, by whoever binds; a class that was missing may be filled in before.
  const free = ['resources', 'volumeAttributesClassName', ...(had['volumeName'] ? [] : ['volumeName'])]
  if (had['storageClassName'] === undefined) free.push('storageClassName')
  if (!deepEqual(without(now, free), without(had, free))) return [cause.forbidden('spec', CLAIM_SPEC)]
  const [wanted, given] = [storageOf(now), storageOf(had)]
  if (!wanted || !given || compareQuantity(wanted, given) === 0) return []
  if (compareQuantity(wanted, given) < 0)
    return [cause.forbidden('spec.resources.requests.storage', 'field can not be less than previous value')]
  checkExpandable(work, next, had)
  return []
}

function storageOf(spec: Shape) {
  const text = part(part(spec, 'resources'), 'requests')['storage']
  return typeof text === 'string' || typeof text === 'number' ? parseQuantity(text) : undefined
}

function checkExpandable(work: Work, next: Shape, had: Shape): void {
  const served = work.core.served.find('storage.k8s.io', 'v1', 'storageclasses')
  const name = String(had['storageClassName'] ?? '')
  const storageClass = served && findObject(work.core, served, undefined, name)
  if (storageClass?.['allowVolumeExpansion'] === true) return
  throw refuse.forbidden(
    resourceOf(work.served),
    String(part(next, 'metadata')['name'] ?? ''),
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  )
}

const VOLUME_FREE = [
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
]

function volumeCauses(next: Shape, previous: Shape): readonly Cause[] {
  const [now, had] = [part(next, 'spec'), part(previous, 'spec')]
  if (deepEqual(without(now, VOLUME_FREE), without(had, VOLUME_FREE))) return []
  return [
    cause.forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation'),
  ]
}

const POD_FREE = [
  'activeDeadlineSeconds',
  'containers',
  'initContainers',
  'schedulingGates',
  'terminationGracePeriodSeconds',
  'tolerations',
]

function podCauses(next: Shape, previous: Shape): readonly Cause[] {
  const [now, had] = [part(next, 'spec'), part(previous, 'spec')]
  const same =
    deepEqual(without(now, POD_FREE), without(had, POD_FREE)) &&
    deepEqual(withoutImages(now['containers']), withoutImages(had['containers'])) &&
    deepEqual(withoutImages(now['initContainers']), withoutImages(had['initContainers'])) &&
    keepsAll(now['tolerations'], had['tolerations'])
  return same ? [] : [cause.forbidden('spec', POD_SPEC)]
}

function withoutImages(list: unknown): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => without(item as Shape, ['image'])) : list
}

function keepsAll(next: unknown, previous: unknown): boolean {
  if (!Array.isArray(previous)) return true
  return Array.isArray(next) && previous.every((one) => next.some((other) => deepEqual(one, other)))
}
