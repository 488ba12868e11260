// Conditions, merged by type: one whose status did not change keeps its transition time, so that an unchanged
// status is equal to the one before and nothing is written.
import { formatTime } from '../../base/time.ts'

export interface ConditionWish {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

interface ConditionLike {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string | null
}

/** The list with each wish in it and without the types in `drop`; others stay, in their order. */
export function mergeConditions(
  present: readonly ConditionLike[] | undefined,
  wishes: readonly ConditionWish[],
  drop: readonly string[],
  now: number,
): readonly ConditionLike[] {
  const kept = (present ?? []).filter(
    (one) => !drop.includes(one.type ?? '') || wishes.some((wish) => wish.type === one.type),
  )
  const known = new Set(kept.map((one) => one.type))
  const merge = (wish: ConditionWish): ConditionLike => {
    const before = kept.find((one) => one.type === wish.type)
    const since = before?.status === wish.status ? before.lastTransitionTime : undefined
    return { ...wish, lastTransitionTime: since ?? formatTime(now) }
  }
  return [
    ...kept.map((one) => {
      const wish = wishes.find((other) => other.type === one.type)
      return wish ? merge(wish) : one
    }),
    ...wishes.filter((wish) => !known.has(wish.type)).map(merge),
  ]
}
