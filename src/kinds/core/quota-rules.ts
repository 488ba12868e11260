// What LimitRanges and ResourceQuotas must be, and what a LimitRange's items default to.
import { type Cause, cause } from '../../base/errors.ts'
import { checkQualifiedName } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import { compareQuantity, parseQuantity } from '../../base/quantity.ts'
import type { Infer } from '../build.ts'
import type { Mutator, Rule } from '../kind.ts'
import { checkImmutable, checkText } from '../rule-checks.ts'
import { roundedAmounts } from './pod-defaults.ts'
import type { limitRangeItem, limitRangeSpec, resourceQuotaSpec } from './quota-bodies.ts'

type Item = Infer<typeof limitRangeItem>
type LimitRangeObject = KubeObject & { readonly spec?: Infer<typeof limitRangeSpec> }
type QuotaSpec = Infer<typeof resourceQuotaSpec>
type QuotaObject = KubeObject & { readonly spec?: QuotaSpec }
type Amounts = Readonly<Record<string, string | number>>

function completeItem(item: Item): Item {
  if (item.type !== 'Container') return item
  const max = roundedAmounts(item.max) ?? {}
  const min = roundedAmounts(item.min) ?? {}
  const limits: Amounts = { ...max, ...roundedAmounts(item.default) }
  const requests: Amounts = {
    ...min,
    ...limits,
    ...without(min, limits),
    ...roundedAmounts(item.defaultRequest),
  }
  return {
    ...item,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  }
}

/** Minimums for what has no limit: a limit is the better guess at a request. */
function without(min: Amounts, limits: Amounts): Amounts {
  return Object.fromEntries(Object.entries(min).filter(([name]) => limits[name] === undefined))
}

export const completeLimitRange: Mutator = (next) => {
  const { spec, ...range } = next as LimitRangeObject
  if (!spec?.limits) return next
  return { ...range, spec: { ...spec, limits: spec.limits.map(completeItem) } } as KubeObject
}

export const checkLimitRange: Rule = (next) => {
  if (!next) return {}
  const limits = (next as LimitRangeObject).spec?.limits ?? []
  return { causes: limits.flatMap((item, index) => checkItem(item, `spec.limits[${index}]`)) }
}

/** One amount of an item that must not be above another; the words name both. */
interface Pair {
  readonly low: Amounts
  readonly high: Amounts
  readonly lowName: string
  readonly highName: string
  /** The list that is blamed, and whose value is shown. */
  readonly blamed: string
  readonly shown: Amounts
}

function checkItem(item: Item, at: string): readonly Cause[] {
  const causes: Cause[] = [...checkText(`${at}.type`, item.type ?? '', checkQualifiedName)]
  const { max = {}, min = {}, default: limit = {}, defaultRequest: request = {} } = item
  if (item.type === 'PersistentVolumeClaim' && max['storage'] === undefined && min['storage'] === undefined) {
    const why = 'either minimum or maximum storage value is required, but neither was provided'
    causes.push(cause.required(`${at}.limits`, why))
  }
  if (item.type === 'Pod') {
    for (const name of ['default', 'defaultRequest'] as const) {
      if (Object.keys(item[name] ?? {}).length > 0) {
        causes.push(cause.forbidden(`${at}.${name}`, "may not be specified when `type` is 'Pod'"))
      }
    }
  }
  const pairs: readonly Pair[] = [
    { low: min, high: max, lowName: 'min', highName: 'max', blamed: 'min', shown: min },
    {
      low: min,
      high: request,
      lowName: 'min',
      highName: 'default request',
      blamed: 'defaultRequest',
      shown: request,
    },
    {
      low: request,
      high: max,
      lowName: 'default request',
      highName: 'max',
      blamed: 'defaultRequest',
      shown: request,
    },
    {
      low: request,
      high: limit,
      lowName: 'default request',
      highName: 'default limit',
      blamed: 'defaultRequest',
      shown: request,
    },
    { low: min, high: limit, lowName: 'min', highName: 'default', blamed: 'default', shown: min },
    { low: limit, high: max, lowName: 'default', highName: 'max', blamed: 'default', shown: max },
  ]
  for (const pair of pairs) causes.push(...checkPair(pair, at))
  return [...causes, ...checkRatio(item, at)]
}

function checkPair(pair: Pair, at: string): readonly Cause[] {
  return Object.entries(pair.low).flatMap(([name, low]) => {
    const high = pair.high[name]
    const lower = parseQuantity(low)
    const upper = high === undefined ? undefined : parseQuantity(high)
    if (!lower || !upper || compareQuantity(lower, upper) <= 0) return []
    const why = `${pair.lowName} value ${low} is greater than ${pair.highName} value ${high}`
    return [cause.invalid(`${at}.${pair.blamed}[${name}]`, String(pair.shown[name] ?? ''), why)]
  })
}

function checkRatio({ maxLimitRequestRatio = {}, max = {}, min = {} }: Item, at: string): readonly Cause[] {
  return Object.entries(maxLimitRequestRatio).flatMap(([name, text]) => {
    const ratio = parseQuantity(text)
    const upper = parseQuantity(max[name] ?? '0')
    const lower = parseQuantity(min[name] ?? '0')
    const field = `${at}.maxLimitRequestRatio[${name}]`
    if (!ratio) return []
    if (ratio.nano < 1_000_000_000n)
      return [cause.invalid(field, String(text), `ratio ${text} is less than 1`)]
    if (!upper || !lower || upper.nano === 0n || lower.nano === 0n) return []
    const most = Number(upper.nano) / Number(lower.nano)
    if (Number(ratio.nano) / 1e9 <= most) return []
    return [cause.invalid(field, String(text), `ratio ${text} is greater than max/min = ${most.toFixed(6)}`)]
  })
}

const SCOPES = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
])
const OPERATORS = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])
/** Resources that each scope can be asked about; others are not counted by Pod scopes. */
const POD_RESOURCE =
  /^(pods|cpu|memory|ephemeral-storage|requests\.(cpu|memory|ephemeral-storage)|limits\.(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.+)$/

/** Names that Kubernetes counts without a domain; every other one needs a domain or `count/`. */
const STANDARD_RESOURCE =
  /^(pods|services|services\.(nodeports|loadbalancers)|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|requests\.storage|(requests\.)?hugepages-.+)$/

export const checkQuota: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next as QuotaObject).spec ?? {}
  const before = (previous as QuotaObject | undefined)?.spec
  const causes: Cause[] = []
  for (const [name, text] of Object.entries(spec.hard ?? {})) {
    const amount = parseQuantity(text)
    causes.push(...checkText(`spec.hard[${name}]`, name, checkQualifiedName))
    if (!name.includes('/') && !STANDARD_RESOURCE.test(name))
      causes.push(cause.invalid(`spec.hard[${name}]`, name, 'must be a standard resource for quotas'))
    if (amount && amount.nano < 0n) {
      causes.push(cause.invalid(`spec.hard[${name}]`, String(text), 'must be greater than or equal to 0'))
    }
  }
  causes.push(...checkScopes(spec))
  if (before) {
    causes.push(...checkImmutable('spec.scopes', spec.scopes ?? [], before.scopes ?? []))
  }
  return { causes }
}

function checkScopes(spec: QuotaSpec): readonly Cause[] {
  const causes: Cause[] = []
  const names = Object.keys(spec.hard ?? {})
  for (const scope of spec.scopes ?? []) {
    if (!SCOPES.has(scope)) causes.push(cause.invalid('spec.scopes', spec.scopes, 'unsupported scope'))
    else if (scope !== 'VolumeAttributesClass' && names.some((name) => !POD_RESOURCE.test(name))) {
      causes.push(cause.invalid('spec.scopes', spec.scopes, 'unsupported scope applied to resource'))
    }
  }
  const at = 'spec.scopeSelector.matchExpressions'
  for (const { scopeName = '', operator = '', values } of spec.scopeSelector?.matchExpressions ?? []) {
    const count = values?.length ?? 0
    if (!SCOPES.has(scopeName)) causes.push(cause.invalid(`${at}.scopeName`, scopeName, 'unsupported scope'))
    else if (scopeName !== 'VolumeAttributesClass') {
      for (const name of names) {
        if (POD_RESOURCE.test(name)) continue
        causes.push(cause.invalid(at, spec.scopeSelector ?? null, 'unsupported scope applied to resource'))
      }
    }
    if (!OPERATORS.has(operator))
      causes.push(cause.invalid(`${at}.operator`, operator, 'not a valid selector operator'))
    else if ((operator === 'In' || operator === 'NotIn') && count === 0) {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
      causes.push(cause.required(`${at}.values`, why))
    } else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
      causes.push(cause.invalid(`${at}.values`, values ?? [], why))
    }
  }
  return causes
}
