// What every door does with an object, in one call and without a server: for forms, the command line and tests.
import type { Cause } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { readObject, validateObject, withDefaults } from './interpreter.ts'
import type { AnyKind, RuleAnswer, RuleLook } from './kind.ts'

export interface Judgement {
  /** The object as it would be stored. */
  readonly object: KubeObject
  /** Fields that no schema names; a strict door refuses them. */
  readonly unknown: readonly string[]
  readonly causes: readonly Cause[]
  readonly warnings: readonly string[]
  readonly refuse?: NonNullable<RuleAnswer['refuse']>
}

/** Judges a create, or with `previous` an update. Rules are asked only when the schema finds nothing wrong. */
export function judge(kind: AnyKind, body: JsonObject, look: RuleLook, previous?: KubeObject): Judgement {
  const { object: read, unknown } = readObject(kind, body)
  const object = kind.mutators.reduce(
    (next, mutate) => mutate(next, previous, look),
    withDefaults(kind, read),
  )
  const wrong = validateObject(kind, object, previous)
  if (wrong.length > 0) return { object, unknown, causes: wrong, warnings: [] }
  return { object, unknown, ...ask(kind, object, previous, look) }
}

/** Judges a deletion. */
export function judgeDelete(
  kind: AnyKind,
  previous: KubeObject,
  look: RuleLook,
): Omit<Judgement, 'object' | 'unknown'> {
  return ask(kind, undefined, previous, look)
}

function ask(
  kind: AnyKind,
  next: KubeObject | undefined,
  previous: KubeObject | undefined,
  look: RuleLook,
): Omit<Judgement, 'object' | 'unknown'> {
  const answers = kind.rules.map((rule) => rule(next, previous, look))
  const refusal = answers.find(({ refuse }) => refuse)?.refuse
  return {
    causes: answers.flatMap(({ causes }) => causes ?? []),
    warnings: answers.flatMap(({ warnings }) => warnings ?? []),
    ...(refusal ? { refuse: refusal } : {}),
  }
}

/** A look over a fixed set of objects, for doors that have no server behind them. */
export function lookOver(
  objects: readonly KubeObject[],
  { now = 0, username = 'admin', groups = ['system:masters'], mayDo = () => true }: Partial<LookOptions> = {},
): RuleLook {
  const of = (kind: AnyKind, namespace: string | undefined): readonly KubeObject[] =>
    objects.filter(
      (object) =>
        object.kind === kind.kind &&
        object.apiVersion === (kind.group === '' ? kind.version : `${kind.group}/${kind.version}`) &&
        (namespace === undefined || object.metadata.namespace === namespace),
    )
  return {
    get: <T extends KubeObject>(kind: AnyKind, namespace: string | undefined, name: string) =>
      of(kind, namespace).find((object) => object.metadata.name === name) as T | undefined,
    list: <T extends KubeObject>(kind: AnyKind, namespace?: string) => of(kind, namespace) as readonly T[],
    user: { username, groups },
    now,
    mayDo,
  }
}

interface LookOptions {
  readonly now: number
  readonly username: string
  readonly groups: readonly string[]
  readonly mayDo: RuleLook['mayDo']
}
