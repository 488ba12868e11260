// Snapshots of volumes: where they live, and as much of them as is shown.
import type { KubeObject } from '../../../../src/base/object.ts'
import type { Language } from '../../../../src/words/say.ts'
import type { Shown } from '../../data/machine-state.ts'
import { sayUi } from '../../words/say.ts'
import type { KindPlace } from '../kit/places.ts'

export interface Snapshot extends KubeObject {
  readonly spec?: {
    readonly source?: { readonly persistentVolumeClaimName?: string }
    readonly volumeSnapshotClassName?: string
  }
  readonly status?: {
    readonly readyToUse?: boolean
    readonly restoreSize?: string
    readonly creationTime?: string
    readonly error?: { readonly message?: string; readonly time?: string }
  }
}

export const SNAPSHOTS: KindPlace<Snapshot> = {
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  namespaced: true,
}

export function snapshotState(language: Language, { metadata, status }: Snapshot): Shown {
  if (metadata.deletionTimestamp) return { tone: 'busy', word: sayUi(language, 'state.deleting') }
  const message = status?.error?.message
  if (status?.readyToUse) return { tone: 'ok', word: sayUi(language, 'snapshots.state.ready') }
  if (message) return { tone: 'bad', word: sayUi(language, 'snapshots.state.failed'), message }
  return { tone: 'busy', word: sayUi(language, 'snapshots.state.waiting') }
}
