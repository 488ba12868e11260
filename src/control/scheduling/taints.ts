// Taints of nodes against tolerations of Pods.

export interface Taint {
  readonly key?: string
  readonly value?: string
  readonly effect?: string
  readonly timeAdded?: string
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number | bigint
}

/** An empty key with Exists tolerates all taints, an empty effect all effects. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  switch (toleration.operator || 'Equal') {
    case 'Exists':
      return true
    case 'Equal':
      // Without a key there is nothing that could be equal.
      return Boolean(toleration.key) && (toleration.value ?? '') === (taint.value ?? '')
    default:
      return false
  }
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | null | undefined): boolean {
  return (tolerations ?? []).some((toleration) => tolerates(toleration, taint))
}

/** The first taint that keeps the Pod away. */
export function untolerated(
  taints: readonly Taint[] | null | undefined,
  tolerations: readonly Toleration[] | null | undefined,
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): Taint | undefined {
  return (taints ?? []).find(
    (taint) => effects.includes(taint.effect ?? '') && !isTolerated(taint, tolerations),
  )
}
