// Whether an image can be used. One answer for claims, machines and the class that comes with it.
import type { Infer } from '../build.ts'
import type { virtualMachineImageSpec, virtualMachineImageStatus } from './schema/virtual-machine-image.ts'

export interface ImageLike {
  readonly spec?: Infer<typeof virtualMachineImageSpec>
  readonly status?: Infer<typeof virtualMachineImageStatus>
}
export type ImageState =
  | { readonly state: 'ready' }
  | { readonly state: 'importing' | 'failed'; readonly message: string }

/** Ready is: all of it is here, and neither Initialized nor Imported is False. */
export function imageState({ status }: ImageLike): ImageState {
  const conditions = status?.conditions ?? []
  const bad = conditions.find(
    ({ type, status: holds }) =>
      (type === 'RetryLimitExceeded' && holds === 'True') ||
      ((type === 'Initialized' || type === 'Imported') && holds === 'False'),
  )
  if (bad) return { state: 'failed', message: bad.message || bad.reason || `${bad.type} is ${bad.status}` }
  const imported = conditions.some(({ type, status: holds }) => type === 'Imported' && holds === 'True')
  return imported && status?.progress === 100
    ? { state: 'ready' }
    : { state: 'importing', message: `${status?.progress ?? 0}% of it is here` }
}
