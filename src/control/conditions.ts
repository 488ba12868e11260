// Conditions, merged by type: one that did not change keeps its transition time, so that an unchanged status is
// equal to the one before and nothing is written.
import { formatTime } from '../base/time.ts'

export interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly lastProbeTime?: string
}

export interface ConditionWish {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

/** The list with each wish in it; others stay as they are. */
export function withConditions<C extends ConditionLike>(
  present: readonly C[] | undefined,
  wishes: readonly ConditionWish[],
  now: number,
): readonly C[] {
  const rest = (present ?? []).filter((condition) => !wishes.some((wish) => wish.type === condition.type))
  const merged = wishes.map((wish) => {
    const before = present?.find((condition) => condition.type === wish.type)
    const since = before?.status === wish.status ? before.lastTransitionTime : undefined
    return { ...wish, lastTransitionTime: since ?? formatTime(now) } as unknown as C
  })
  // The order of the list stays, so that a status differs only where something did.
  const order = (present ?? []).map((condition) => condition.type)
  const rank = (type: string): number => {
    const index = order.indexOf(type)
    return index === -1 ? order.length : index
  }
  return [...rest, ...merged].sort((a, b) => rank(a.type) - rank(b.type))
}

export function withoutConditions<C extends ConditionLike>(
  present: readonly C[] | undefined,
  types: readonly string[],
): readonly C[] {
  return (present ?? []).filter((condition) => !types.includes(condition.type))
}

export function findCondition<C extends { readonly type?: string }>(
  present: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return present?.find((condition) => condition.type === type)
}
