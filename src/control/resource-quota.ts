// Decides one ResourceQuota: counts anew what its namespace uses. Admission charges at once when something is made;
// this only corrects, so it waits until things are quiet: a charge is seen before the object that it is for.
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { parseQuantity } from '../base/quantity.ts'
import { ResourceQuota } from '../kinds/core/resource-quota.ts'
import type { Decider, Decision } from '../kinds/decide.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { type QuotaScopes, quotaCovers, quotaUsage, usedFor } from '../kinds/quota-usage.ts'

export interface SeenQuota {
  readonly quota: ResourceQuota
  readonly contents: readonly { readonly kind: AnyKind; readonly objects: readonly KubeObject[] }[]
}

/** Longer than the way from a charge to the object's appearance in the cache. */
const SETTLE_MS = 1_000

/** Each counted kind costs a cache of all its objects, so only those are that tenants make. */
const COUNTED_GROUPS = ['', 'kubevirt.io', 'cdi.kubevirt.io', 'harvesterhci.io']

export function decideQuota({ quota, contents }: SeenQuota, _now: number): Decision {
  const { spec, status } = quota
  const hard = (spec?.hard ?? {}) as Readonly<Record<string, string | number>>
  const usages = contents.flatMap(({ kind, objects }) =>
    objects
      .filter((object) => quotaCovers(spec as QuotaScopes | undefined, kind, object))
      .map((object) => quotaUsage(kind, object)),
  )
  const used = { ...usedFor(hard, usages), ...uncounted(hard, (status?.used ?? {}) as Amounts, contents) }
  // Equal amounts may be written differently by whoever charged them.
  if (sameAmounts(status?.hard, hard) && sameAmounts(status?.used, used)) return { actions: [] }
  return { actions: [], status: { ...(status as JsonObject | undefined), hard, used } }
}

/** What is charged for kinds that are not recounted stays as it was charged. */
function uncounted(hard: Amounts, used: Amounts, contents: SeenQuota['contents']): Amounts {
  const counted = new Set(contents.map(({ kind }) => countName(kind)))
  const names = Object.keys(hard).filter((name) => name.startsWith('count/') && !counted.has(name))
  return Object.fromEntries(names.map((name) => [name, used[name] ?? '0']))
}

function countName(kind: AnyKind): string {
  return `count/${kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`}`
}

type Amounts = Readonly<Record<string, string | number>>

function sameAmounts(present: Amounts | undefined, wanted: Amounts): boolean {
  const names = Object.keys(present ?? {})
  if (names.length !== Object.keys(wanted).length) return false
  return names.every((name) => {
    const other = wanted[name]
    return other !== undefined && parseQuantity(present![name]!)?.nano === parseQuantity(other)?.nano
  })
}

/** Whether any quota of `hard` names asks about this kind at all. */
function concerns(quota: ResourceQuota, kind: AnyKind): boolean {
  const count = countName(kind)
  return Object.keys(quota.spec?.hard ?? {}).some(
    (name) => name === count || (kind.group === '' && !name.startsWith('count/')),
  )
}

export function resourceQuotaDecider(allKinds: readonly AnyKind[]): Decider<typeof ResourceQuota, SeenQuota> {
  const kinds = allKinds.filter(
    (kind) =>
      kind.scope === 'Namespaced' &&
      !kind.virtual &&
      kind.kind !== 'Event' &&
      COUNTED_GROUPS.includes(kind.group) &&
      ['create', 'list', 'watch'].every((verb) => kind.verbs.includes(verb)),
  )
  return {
    name: 'resource-quota',
    kind: ResourceQuota,
    settleMs: SETTLE_MS,
    watches: kinds.map((kind) => ({
      kind,
      keys: ({ metadata }, look) =>
        look
          .list(ResourceQuota, metadata.namespace)
          .filter((quota) => concerns(quota, kind))
          .map((quota) => `${quota.metadata.namespace}/${quota.metadata.name}`),
    })),
    gather: (quota, look) => ({
      quota,
      contents: kinds
        .filter((kind) => concerns(quota, kind))
        .map((kind) => ({ kind, objects: look.list(kind, quota.metadata.namespace) })),
    }),
    decide: decideQuota,
  }
}
