// What rules and mutators of kinds may see of other objects: reads under the server's own rights, and a question
// about the user's.
import type { UserInfo } from '../../base/call.ts'
import type { KubeObject } from '../../base/object.ts'
import type { AnyKind, RuleLook } from '../../kinds/kind.ts'
import type { Core } from '../core.ts'
import { findObject, listObjects } from './read.ts'

export function lookFor(core: Core, user: UserInfo, now: number): RuleLook {
  return {
    get: <T extends KubeObject>(kind: AnyKind, namespace: string | undefined, name: string) => {
      const served = core.served.of(kind)
      return served ? (findObject(core, served, namespace, name) as T | undefined) : undefined
    },
    list: <T extends KubeObject>(kind: AnyKind, namespace?: string, saying?: string) => {
      const served = core.served.of(kind)
      return (served ? listObjects(core, served, { namespace, saying }) : []) as readonly T[]
    },
    user,
    now,
    mayDo: (verb, kind, namespace, name) =>
      core.rbac.decide(user, {
        verb,
        group: kind.group,
        resource: kind.plural,
        subresource: '',
        namespace: namespace ?? '',
        name,
      }).allowed,
  }
}
