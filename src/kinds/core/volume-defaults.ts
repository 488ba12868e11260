// What the server adds to claims and volumes: the finalizers that protect them while in use, their first phase.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Mutator } from '../kind.ts'
import type { persistentVolumeClaimSpec } from './claim-body.ts'

type ClaimSpec = Infer<typeof persistentVolumeClaimSpec>

const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection'
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection'
const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io'

function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers ?? []
  if (finalizers.includes(finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } }
}

type Source = NonNullable<ClaimSpec['dataSource']>

function isSource({ apiGroup, kind }: Source): boolean {
  return (
    (apiGroup === SNAPSHOT_GROUP && kind === 'VolumeSnapshot') ||
    (!apiGroup && kind === 'PersistentVolumeClaim')
  )
}

/** dataSource and dataSourceRef say the same; a dataSource that is neither a snapshot nor a claim is dropped. */
function withSources(spec: ClaimSpec): ClaimSpec {
  const { dataSource, dataSourceRef, ...rest } = spec
  const source = dataSource && isSource(dataSource) ? dataSource : undefined
  if (source) return { ...rest, dataSource: source, dataSourceRef: dataSourceRef ?? { ...source } }
  if (dataSourceRef && !dataSourceRef.namespace && isSource(dataSourceRef)) {
    const { namespace: _namespace, ...same } = dataSourceRef
    return { ...rest, dataSource: same, dataSourceRef }
  }
  return dataSourceRef ? { ...rest, dataSourceRef } : rest
}

export const completeClaim: Mutator = (next, previous) => {
  const spec = withSources((next as { spec?: ClaimSpec }).spec ?? {})
  if (previous) return { ...next, spec }
  return { ...withFinalizer(next, CLAIM_PROTECTION), spec, status: { phase: 'Pending' } }
}

export const completeVolume: Mutator = (next, previous, look) => {
  if (previous) return next
  const lastPhaseTransitionTime = `${new Date(look.now).toISOString().slice(0, 19)}Z`
  return { ...withFinalizer(next, VOLUME_PROTECTION), status: { phase: 'Pending', lastPhaseTransitionTime } }
}
