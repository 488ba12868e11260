// managedFields: who wrote which field. Kept for every write; the arithmetic is base/apply's.
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'

export function trackCreate(_work: Work, object: KubeObject): KubeObject {
  return object
}

export function trackUpdate(_work: Work, _previous: KubeObject, next: KubeObject): KubeObject {
  return next
}
