// A claim that names no class gets the default one; of several, the youngest.
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { listObjects } from '../resource/read.ts'

const DEFAULT_MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

export function addDefaultStorageClass(
  work: Work,
  next: KubeObject,
  previous: KubeObject | undefined,
): KubeObject {
  const spec = (next['spec'] as { readonly storageClassName?: string } | undefined) ?? {}
  const old = next.metadata.annotations?.['volume.beta.kubernetes.io/storage-class']
  if (previous || spec.storageClassName !== undefined || old !== undefined) return next
  const served = work.core.served.find('storage.k8s.io', 'v1', 'storageclasses')
  if (!served) return next
  const [youngest] = listObjects(work.core, served)
    .filter(({ metadata }) => DEFAULT_MARKS.some((mark) => metadata.annotations?.[mark] === 'true'))
    .sort(byAge)
  return youngest ? { ...next, spec: { ...spec, storageClassName: youngest.metadata.name } } : next
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (first !== second) return first < second ? 1 : -1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}
