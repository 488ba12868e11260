// A Pod stays on a node that is not ready or not reachable for five minutes, unless it says otherwise.
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'

const STAY_SECONDS = 300
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export function addTolerations(_work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (previous) return next
  const spec = (next['spec'] as { readonly tolerations?: readonly Toleration[] } | undefined) ?? {}
  const given = spec.tolerations ?? []
  const missing = TAINTS.filter((taint) => !given.some((toleration) => covers(toleration, taint)))
  if (missing.length === 0) return next
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: STAY_SECONDS,
  }))
  return { ...next, spec: { ...spec, tolerations: [...given, ...added] } }
}

function covers({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '')
}
