// The form of the explainer's answers: whether something is as it should be and, where not, the cause, what follows
// from it and what to do, in a person's language.
import type { Key, Params } from '../words/catalogue.ts'
import { type Language, say } from '../words/say.ts'

export interface About {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface Why {
  /** True only when everything below is as it should be, too. */
  readonly healthy: boolean
  /** It goes on by itself; nobody needs to do anything. */
  readonly waiting: boolean
  readonly cause: string
  readonly effect?: string
  readonly next: string
  /** The object that the cause lies in. */
  readonly about: About
  /** What is good to know and no fault. */
  readonly notes: readonly string[]
}

export interface Tell {
  readonly language: Language
  /** Milliseconds since 1970. */
  readonly now: number
}

type Rest<K extends Key> = keyof Params<K> extends never ? [] : [params: Params<K>]

/** Text for a key in the language of the asker. */
export function text<K extends Key>({ language }: Tell, key: K, ...rest: Rest<K>): string {
  return say(language, key, ...(rest as never))
}

export function wrong(about: About, cause: string, next: string, effect?: string): Why {
  return {
    healthy: false,
    waiting: false,
    cause,
    ...(effect === undefined ? {} : { effect }),
    next,
    about,
    notes: [],
  }
}

export function waits(tell: Tell, about: About, cause: string): Why {
  return { healthy: false, waiting: true, cause, next: text(tell, 'why.waiting'), about, notes: [] }
}

export function fine(tell: Tell, about: About): Why {
  const { kind, name } = about
  return {
    healthy: true,
    waiting: false,
    cause: text(tell, 'why.fine', { kind, name }),
    next: '',
    about,
    notes: [],
  }
}

/** As it should be, and still worth a word: a stopped machine is stopped because somebody wanted it so. */
export function fineBut(about: About, cause: string, next: string): Why {
  return { healthy: true, waiting: false, cause, next, about, notes: [] }
}

export function withNotes(why: Why, notes: readonly (string | undefined)[]): Why {
  return { ...why, notes: [...why.notes, ...notes.filter((note) => note !== undefined)] }
}

export interface ConditionLike {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

export function conditionOf(
  conditions: readonly ConditionLike[] | null | undefined,
  type: string,
): ConditionLike | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** The condition when it says `status`. */
export function saying(
  conditions: readonly ConditionLike[] | null | undefined,
  type: string,
  status: 'True' | 'False',
): ConditionLike | undefined {
  const condition = conditionOf(conditions, type)
  return condition?.status === status ? condition : undefined
}
