// Objects of a kind whose definition is being deleted: no new one, or it would be left in the store without a kind.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { findObject } from '../resource/read.ts'

export function checkDefinition(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  const { definition } = work.served
  if (previous || definition === undefined) return next
  const definitions = work.core.served.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  const found = definitions && findObject(work.core, definitions, undefined, definition)
  if (found?.metadata.deletionTimestamp)
    throw refuse.methodNotAllowed('create not allowed while custom resource definition is terminating')
  return next
}
