// What the server adds to a CustomResourceDefinition.
import type { KubeObject } from '../../base/object.ts'
import type { Mutator } from '../kind.ts'
import type { Definition, DefinitionNames } from './definition.ts'

function completeNames(names: DefinitionNames): DefinitionNames {
  return {
    ...names,
    singular: names.singular || (names.kind ?? '').toLowerCase(),
    ...(names.listKind || names.kind ? { listKind: names.listKind || `${names.kind ?? ''}List` } : {}),
  }
}

export const completeDefinition: Mutator = (next, previous) => {
  const definition = next as Definition
  const spec = { ...definition.spec }
  const names = completeNames(spec.names ?? {})
  const completed = {
    ...definition,
    spec: { ...spec, names, conversion: spec.conversion ?? { strategy: 'None' } },
  }
  const storage = spec.versions?.find((one) => one.storage)?.name
  const stored = definition.status?.storedVersions ?? []
  if (previous) {
    if (storage === undefined || stored.includes(storage) || !definition.status)
      return completed as KubeObject
    return {
      ...completed,
      status: { ...definition.status, storedVersions: [...stored, storage] },
    } as KubeObject
  }
  const status = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storage === undefined ? null : [storage],
  }
  return { ...completed, status } as unknown as KubeObject
}
