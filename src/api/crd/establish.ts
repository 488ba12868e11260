// The names of a custom resource definition: accepted when nobody else in the group has them, and then established at
// once, so that the kind can be used with the next request.
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { timestamp } from '../resource/metadata.ts'
import { listObjects } from '../resource/read.ts'

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

interface Names {
  readonly plural?: string
  readonly singular?: string
  readonly kind?: string
  readonly listKind?: string
  readonly shortNames?: readonly string[]
}
export interface DefinitionShape extends KubeObject {
  readonly spec?: {
    readonly group?: string
    readonly names?: Names
    readonly versions?: readonly JsonObject[]
  }
  readonly status?: {
    readonly conditions?: readonly JsonObject[] | null
    readonly acceptedNames?: Names
    readonly storedVersions?: readonly string[]
  }
}

/** A definition with the conditions that its names deserve. */
export function establish(work: Work, object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const definition = object as DefinitionShape
  const held = previous ? definition : withFinalizer(definition)
  const conflict = nameConflict(work, definition)
  const conditions = conditionsFor(definition, conflict, timestamp(work.now))
  const acceptedNames = conflict === undefined ? definition.spec?.names : definition.status?.acceptedNames
  return {
    ...held,
    status: { ...definition.status, ...(acceptedNames ? { acceptedNames } : {}), conditions },
  } as KubeObject
}

function withFinalizer(definition: DefinitionShape): DefinitionShape {
  const { finalizers = [] } = definition.metadata
  if (finalizers.includes(CLEANUP_FINALIZER)) return definition
  return {
    ...definition,
    metadata: { ...definition.metadata, finalizers: [...finalizers, CLEANUP_FINALIZER] },
  }
}

/** Undefined when no other definition of the group uses one of the names. */
function nameConflict(work: Work, definition: DefinitionShape): string | undefined {
  const { group, names = {} } = definition.spec ?? {}
  for (const other of listObjects(work.core, work.served) as readonly DefinitionShape[]) {
    if (other.metadata.name === definition.metadata.name || other.spec?.group !== group) continue
    if (!isAccepted(other)) continue
    const taken = other.status?.acceptedNames ?? {}
    const resources = new Set([taken.plural, taken.singular, ...(taken.shortNames ?? [])])
    const clash = [names.plural, names.singular, ...(names.shortNames ?? [])].find(
      (name) => name !== undefined && resources.has(name),
    )
    if (clash !== undefined) return `"${clash}" is already in use`
    const kind = [names.kind, names.listKind].find(
      (name) => name !== undefined && (name === taken.kind || name === taken.listKind),
    )
    if (kind !== undefined) return `"${kind}" is already in use`
  }
  return undefined
}

export function isAccepted(definition: DefinitionShape): boolean {
  return hasCondition(definition, 'NamesAccepted')
}

export function hasCondition({ status }: DefinitionShape, type: string): boolean {
  return status?.conditions?.some((one) => one['type'] === type && one['status'] === 'True') ?? false
}

function conditionsFor(
  definition: DefinitionShape,
  conflict: string | undefined,
  now: string,
): readonly JsonObject[] {
  const had = definition.status?.conditions ?? []
  const accepted = conflict === undefined
  const wanted = [
    accepted
      ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
      : condition('NamesAccepted', 'False', 'NamesConflict', conflict),
    accepted || hasCondition(definition, 'Established')
      ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
      : condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
  ]
  const kept = had.filter((one) => !wanted.some(({ type }) => type === one['type']))
  return [
    ...wanted.map((one) => {
      const before = had.find(({ type }) => type === one.type)
      const same = before?.['status'] === one.status
      return { lastTransitionTime: (same && before?.['lastTransitionTime']) || now, ...one }
    }),
    ...kept,
  ]
}

function condition(type: string, status: 'True' | 'False', reason: string, message: string) {
  return { message, reason, status, type }
}
