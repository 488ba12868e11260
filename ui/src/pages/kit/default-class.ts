// The storage class that volumes without one are made by.
import { call } from '../../data/api.ts'
import { pathOf } from '../../data/kinds.ts'
import { CLASSES, type StorageClass } from './places.ts'

export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

export function isUsual({ metadata }: StorageClass): boolean {
  return metadata.annotations?.[DEFAULT_CLASS] === 'true'
}

/** The new one first: two for a moment are better than none. */
export async function makeUsual(name: string, classes: readonly StorageClass[]): Promise<void> {
  await mark(name, 'true')
  for (const one of classes)
    if (one.metadata.name !== name && isUsual(one)) await mark(one.metadata.name ?? '', 'false')
}

async function mark(name: string, value: string): Promise<void> {
  await call(pathOf(CLASSES, undefined, name), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { [DEFAULT_CLASS]: value } } },
  })
}
