// The steps that every new state of an object passes before it is stored: defaults, mutators, admission, and every
// check. Synchronous, so that what was checked is still true when it is written.
import { ApiError, type Cause, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { validateObject, withDefaults } from '../../kinds/interpreter.ts'
import type { RuleLook } from '../../kinds/kind.ts'
import { admit } from '../admission/admit.ts'
import type { Work } from '../core.ts'
import { establish } from '../crd/establish.ts'
import { lookFor } from './look.ts'
import { checkMetadata, checkMetadataUpdate } from './metadata.ts'

/** Most causes told at once; a body of nothing but mistakes must not make an endless answer. */
const CAUSES_MAX = 100

/** The object with everything that defaults, the kind's own mutators and admission add. */
export function complete(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  const { kind } = work.served
  const look = lookFor(work.core, work.user, work.now)
  // Admission comes first: what it adds (requests, accounts) counts for what the kind derives from them.
  let object = admit(work, withDefaults(kind, next), previous)
  for (const mutate of kind.mutators) object = mutate(object, previous, look)
  const isDefinition = kind.group === 'apiextensions.k8s.io' && kind.plural === 'customresourcedefinitions'
  return isDefinition ? establish(work, object, previous) : object
}

/** Throws 422 with all causes, or the refusal of a rule. */
export function check(work: Work, next: KubeObject, previous: KubeObject | undefined): void {
  const { served, core, user, now } = work
  const causes: Cause[] = [
    ...checkMetadata(served, next),
    ...(previous ? checkMetadataUpdate(next, previous) : []),
    ...validateObject(served.kind, next, previous),
  ]
  // Rules may rely on the schema: they are asked only about objects that have the right shape.
  if (causes.length === 0) causes.push(...askRules(work, next, previous, lookFor(core, user, now)))
  if (causes.length > 0)
    throw refuse.invalid(
      served.kind.group,
      served.kind.kind,
      next.metadata.name ?? '',
      causes.slice(0, CAUSES_MAX),
    )
}

/** Asks the kind's own rules, collecting warnings. `next` is absent on deletion. */
export function askRules(
  work: Work,
  next: KubeObject | undefined,
  previous: KubeObject | undefined,
  look: RuleLook,
): readonly Cause[] {
  const causes: Cause[] = []
  for (const rule of work.served.kind.rules) {
    const answer = rule(next, previous, look)
    if (answer.refuse) throw new ApiError(answer.refuse.code, answer.refuse.reason, answer.refuse.message)
    work.warnings.push(...(answer.warnings ?? []))
    causes.push(...(answer.causes ?? []))
  }
  return causes
}
