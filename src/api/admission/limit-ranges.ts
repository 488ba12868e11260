// LimitRanges of the namespace: requests and limits where none are given, and bounds on those that are.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { compareQuantity, formatQuantity, parseQuantity } from '../../base/quantity.ts'
import { amountsOf, podLimits, podRequests } from '../../kinds/pod-requests.ts'
import { resourceOf, type Work } from '../core.ts'
import { listObjects } from '../resource/read.ts'

type Listed = Readonly<Record<string, string | number>>
interface LimitItem {
  readonly type?: string
  readonly max?: Listed
  readonly min?: Listed
  readonly default?: Listed
  readonly defaultRequest?: Listed
  readonly maxLimitRequestRatio?: Listed
}
interface Resources {
  readonly requests?: Listed
  readonly limits?: Listed
}
interface ContainerShape {
  readonly name?: string
  readonly resources?: Resources
}
interface PodShape extends KubeObject {
  readonly spec?: {
    readonly containers?: readonly ContainerShape[]
    readonly initContainers?: readonly ContainerShape[]
  }
}
interface ClaimShape extends KubeObject {
  readonly spec?: { readonly resources?: Resources }
}

export function limitRanges(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  const served = work.core.served.find('', 'v1', 'limitranges')
  if (!served) return next
  const items = listObjects(work.core, served, { namespace: next.metadata.namespace }).flatMap(
    (range) => (range['spec'] as { readonly limits?: readonly LimitItem[] } | undefined)?.limits ?? [],
  )
  if (items.length === 0) return next
  const isPod = work.served.kind.plural === 'pods'
  // What runs keeps what it was given; only new Pods get defaults and are measured.
  if (isPod && previous) return next
  const object = isPod ? withDefaults(next as PodShape, items) : next
  const problems = isPod ? podProblems(object as PodShape, items) : claimProblems(object as ClaimShape, items)
  if (problems.length > 0)
    throw refuse.forbidden(
      resourceOf(work.served),
      next.metadata.name ?? '',
      problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`,
    )
  return object
}

function withDefaults(pod: PodShape, items: readonly LimitItem[]): PodShape {
  const containers = items.filter(({ type }) => type === 'Container')
  if (containers.length === 0 || !pod.spec) return pod
  const fill = (list: readonly ContainerShape[] | undefined) =>
    list?.map((container) => ({
      ...container,
      resources: containers.reduce(filled, container.resources ?? {}),
    }))
  const { containers: main, initContainers: init } = pod.spec
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(main ? { containers: fill(main) ?? [] } : {}),
      ...(init ? { initContainers: fill(init) ?? [] } : {}),
    },
  }
}

function filled(resources: Resources, item: LimitItem): Resources {
  const limitDefaults = item.default ?? item.max ?? {}
  const requestDefaults = item.defaultRequest ?? limitDefaults
  const limits = { ...limitDefaults, ...resources.limits }
  // A limit that was given is the request too, before any default.
  const requests = { ...requestDefaults, ...resources.limits, ...resources.requests }
  return {
    ...resources,
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(requests).length > 0 ? { requests } : {}),
  }
}

function podProblems(pod: PodShape, items: readonly LimitItem[]): readonly string[] {
  const { containers = [], initContainers = [] } = pod.spec ?? {}
  return items.flatMap((item) => {
    if (item.type === 'Container')
      return [...containers, ...initContainers].flatMap(({ resources = {} }) =>
        bounds(item, {
          requests: amountsOf({ ...resources.limits, ...resources.requests }),
          limits: amountsOf(resources.limits),
        }),
      )
    if (item.type === 'Pod') return bounds(item, { requests: podRequests(pod), limits: podLimits(pod) })
    return []
  })
}

function claimProblems(claim: ClaimShape, items: readonly LimitItem[]): readonly string[] {
  const requests = amountsOf(claim.spec?.resources?.requests)
  return items
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((item) => bounds(item, { requests, limits: new Map() }))
}

type Amounts = ReadonlyMap<string, bigint>

function bounds(item: LimitItem, used: { readonly requests: Amounts; readonly limits: Amounts }): string[] {
  const { type = '', min = {}, max = {}, maxLimitRequestRatio = {} } = item
  const problems: string[] = []
  for (const [name, least] of Object.entries(min)) {
    const request = used.requests.get(name)
    if (request === undefined)
      problems.push(`minimum ${name} usage per ${type} is ${shown(least)}.  No request is specified`)
    else if (below(request, least))
      problems.push(
        `minimum ${name} usage per ${type} is ${shown(least)}, but request is ${amount(request, least)}`,
      )
  }
  for (const [name, most] of Object.entries(max)) {
    const isClaim = type === 'PersistentVolumeClaim'
    const value = isClaim ? used.requests.get(name) : used.limits.get(name)
    const word = isClaim ? 'request' : 'limit'
    if (value === undefined)
      problems.push(`maximum ${name} usage per ${type} is ${shown(most)}.  No ${word} is specified`)
    else if (above(value, most))
      problems.push(
        `maximum ${name} usage per ${type} is ${shown(most)}, but ${word} is ${amount(value, most)}`,
      )
  }
  for (const [name, ratio] of Object.entries(maxLimitRequestRatio)) {
    const [limit, request] = [used.limits.get(name), used.requests.get(name)]
    const allowed = parseQuantity(ratio)
    if (limit === undefined || !request || !allowed) continue
    if (limit * 1_000_000_000n > allowed.nano * request)
      problems.push(
        `${name} max limit to request ratio per ${type} is ${shown(ratio)}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}`,
      )
  }
  return problems
}

function below(nano: bigint, bound: string | number): boolean {
  const quantity = parseQuantity(bound)
  return quantity !== undefined && compareQuantity({ ...quantity, nano }, quantity) < 0
}

function above(nano: bigint, bound: string | number): boolean {
  const quantity = parseQuantity(bound)
  return quantity !== undefined && compareQuantity({ ...quantity, nano }, quantity) > 0
}

function shown(value: string | number): string {
  const quantity = parseQuantity(value)
  return quantity ? formatQuantity(quantity) : String(value)
}

/** An amount in the way of writing of the bound it is compared with. */
function amount(nano: bigint, like: string | number): string {
  return formatQuantity({ nano, format: parseQuantity(like)?.format ?? 'DecimalSI' })
}
