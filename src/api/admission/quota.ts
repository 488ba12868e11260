// ResourceQuotas: what a write adds is charged to the quotas of its namespace in the same turn as the write, so that a
// burst never gets more than is allowed. Use is given back by the quota controller, which counts anew.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { formatQuantity, parseQuantity } from '../../base/quantity.ts'
import { type QuotaScopes, quotaCovers, quotaUsage } from '../../kinds/quota-usage.ts'
import { ACCEPTED, type StoreWrite } from '../../store/store.ts'
import { resourceOf, type Work } from '../core.ts'
import { encodeStored } from '../resource/stored.ts'
import { prefixFor } from '../served.ts'

type Listed = Readonly<Record<string, string>>
interface QuotaShape extends KubeObject {
  readonly spec?: QuotaScopes & { readonly hard?: Listed }
  readonly status?: { readonly hard?: Listed; readonly used?: Listed }
}

/** The charges of a write, to be written just before it. Throws 403 when one quota does not allow it. */
export function quotaCharges(
  work: Work,
  next: KubeObject,
  previous: KubeObject | undefined,
): readonly StoreWrite[] {
  const { core, served } = work
  const quotas = core.served.find('', 'v1', 'resourcequotas')
  if (!quotas || !served.namespaced || work.call.subresource !== undefined) return []
  const prefix = prefixFor(quotas, next.metadata.namespace)
  const { entries } = core.store.range(prefix, { revision: ACCEPTED })
  const charges: StoreWrite[] = []
  for (const entry of entries) {
    const quota = core.parsed.get(quotas, entry) as QuotaShape
    if (!quotaCovers(quota.spec, served.kind, next)) continue
    const used = chargedUse(work, quota, next, previous)
    if (!used) continue
    const hard = quota.spec?.hard ?? {}
    const value = encodeStored(quotas, { ...quota, status: { ...quota.status, hard, used } })
    charges.push({ type: 'put', key: entry.key, value, expected: entry.revision })
  }
  return charges
}

/** Undefined when nothing is charged to this quota. */
function chargedUse(
  work: Work,
  quota: QuotaShape,
  next: KubeObject,
  previous: KubeObject | undefined,
): Listed | undefined {
  const { kind } = work.served
  const usage = quotaUsage(kind, next)
  const before = previous ? quotaUsage(kind, previous) : new Map<string, bigint>()
  const hard = quota.spec?.hard ?? {}
  const used: Record<string, string> = { ...quota.status?.used }
  const over: string[] = []
  let charged = false
  for (const [name, limit] of Object.entries(hard)) {
    const delta = (usage.get(name) ?? 0n) - (before.get(name) ?? 0n)
    if (delta <= 0n) continue
    const most = parseQuantity(limit)
    if (!most) continue
    const now = parseQuantity(used[name] ?? '0')?.nano ?? 0n
    if (now + delta > most.nano) over.push(name)
    used[name] = formatQuantity({ nano: now + delta, format: most.format })
    charged = true
  }
  requireAmounts(work, quota, next, usage)
  if (over.length > 0) throw exceeded(work, quota, next, { usage, before, over })
  return charged ? used : undefined
}

/** A quota on requests or limits makes them mandatory. */
function requireAmounts(
  work: Work,
  quota: QuotaShape,
  next: KubeObject,
  usage: ReadonlyMap<string, bigint>,
): void {
  if (work.served.kind.plural !== 'pods' || work.served.kind.group !== '') return
  const missing = Object.keys(quota.spec?.hard ?? {}).filter(
    (name) => /^(limits\.|requests\.)?(cpu|memory)$/.test(name) && !usage.has(name),
  )
  if (missing.length === 0) return
  const containers = (next['spec'] as { containers?: readonly { name?: string }[] } | undefined)?.containers
  const names = (containers ?? []).map(({ name = '' }) => name).join(',')
  throw refuse.forbidden(
    resourceOf(work.served),
    next.metadata.name ?? '',
    `failed quota: ${quota.metadata.name ?? ''}: must specify ${missing.map((name) => `${name} for: ${names}`).join('; ')}`,
  )
}

interface Excess {
  readonly usage: ReadonlyMap<string, bigint>
  readonly before: ReadonlyMap<string, bigint>
  readonly over: readonly string[]
}

function exceeded(work: Work, quota: QuotaShape, next: KubeObject, { usage, before, over }: Excess) {
  const hard = quota.spec?.hard ?? {}
  const listed = (value: (name: string) => string) => over.map((name) => `${name}=${value(name)}`).join(',')
  const requested = listed((name) => {
    const nano = (usage.get(name) ?? 0n) - (before.get(name) ?? 0n)
    return formatQuantity({ nano, format: parseQuantity(hard[name] ?? '0')?.format ?? 'DecimalSI' })
  })
  const used = listed((name) => quota.status?.used?.[name] ?? '0')
  const limited = listed((name) => hard[name] ?? '0')
  return refuse.forbidden(
    resourceOf(work.served),
    next.metadata.name ?? '',
    `exceeded quota: ${quota.metadata.name ?? ''}, requested: ${requested}, used: ${used}, limited: ${limited}`,
  )
}
