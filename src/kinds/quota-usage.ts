// What one object counts for in a ResourceQuota. Admission charges by this and the controller recounts by it, so the
// two can never disagree.

import type { KubeObject } from '../base/object.ts'
import { formatQuantity, parseQuantity } from '../base/quantity.ts'
import type { AnyKind } from './kind.ts'
import { type Amounts, type AskingPod, add, amountsOf, podLimits, podRequests } from './pod-requests.ts'

const NANO = 1_000_000_000n
/** Kinds that quotas count under their bare plural; all others only as `count/<plural>.<group>`. */
const PLAIN_COUNTS = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]
/** Names that may stand without `requests.` in front. */
const SHORT_REQUESTS = ['cpu', 'memory', 'ephemeral-storage']

interface Claim {
  readonly spec?: {
    readonly storageClassName?: string
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> }
  }
}
interface Service {
  readonly spec?: {
    readonly type?: string
    readonly ports?: readonly { readonly nodePort?: number }[]
    readonly allocateLoadBalancerNodePorts?: boolean
  }
}
interface ScopedPod extends AskingPod {
  readonly spec?: AskingPod['spec'] & {
    readonly activeDeadlineSeconds?: number | bigint
    readonly priorityClassName?: string
    readonly affinity?: Readonly<Record<string, unknown>>
  }
  readonly status?: { readonly phase?: string; readonly qosClass?: string }
}

/** By quota resource name, in billionths. Empty for objects that count for nothing, such as Pods that have ended. */
export function quotaUsage(kind: AnyKind, object: KubeObject): Amounts {
  const usage = new Map<string, bigint>()
  const name = kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
  usage.set(`count/${name}`, NANO)
  if (kind.group !== '') return usage
  if (kind.plural === 'pods') return podUsage(object as unknown as ScopedPod, usage)
  if (PLAIN_COUNTS.includes(kind.plural)) usage.set(kind.plural, NANO)
  if (kind.plural === 'persistentvolumeclaims') claimUsage(object as unknown as Claim, usage)
  if (kind.plural === 'services') serviceUsage(object as unknown as Service, usage)
  return usage
}

function podUsage(pod: ScopedPod, usage: Map<string, bigint>): Amounts {
  // The object still counts as an object; what it held is free again.
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return usage
  usage.set('pods', NANO)
  for (const [name, amount] of podRequests(pod)) {
    usage.set(`requests.${name}`, amount)
    if (SHORT_REQUESTS.includes(name)) usage.set(name, amount)
  }
  for (const [name, amount] of podLimits(pod)) {
    if (SHORT_REQUESTS.includes(name)) usage.set(`limits.${name}`, amount)
  }
  return usage
}

function claimUsage(claim: Claim, usage: Map<string, bigint>): void {
  const storage = amountsOf(claim.spec?.resources?.requests).get('storage') ?? 0n
  usage.set('requests.storage', storage)
  const className = claim.spec?.storageClassName
  if (!className) return
  usage.set(`${className}.storageclass.storage.k8s.io/requests.storage`, storage)
  usage.set(`${className}.storageclass.storage.k8s.io/persistentvolumeclaims`, NANO)
}

function serviceUsage({ spec }: Service, usage: Map<string, bigint>): void {
  const ports = BigInt(spec?.ports?.length ?? 0) * NANO
  if (spec?.type === 'LoadBalancer') usage.set('services.loadbalancers', NANO)
  const nodePorts =
    spec?.type === 'NodePort' ||
    (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  if (nodePorts) usage.set('services.nodeports', ports)
}

export interface QuotaScopes {
  readonly scopes?: readonly string[]
  readonly scopeSelector?: {
    readonly matchExpressions?: readonly {
      readonly scopeName?: string
      readonly operator?: string
      readonly values?: readonly string[]
    }[]
  }
}

/** Whether a quota with these scopes counts the object: scopes are about Pods and bind only those. */
export function quotaCovers(spec: QuotaScopes | undefined, kind: AnyKind, object: KubeObject): boolean {
  const requirements = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists', values: [] as string[] })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ]
  if (requirements.length === 0) return true
  if (kind.group !== '' || kind.plural !== 'pods') return false
  return requirements.every((requirement) => inScope(object as unknown as ScopedPod, requirement))
}

function inScope(
  pod: ScopedPod,
  {
    scopeName,
    operator,
    values,
  }: { readonly scopeName?: string; readonly operator?: string; readonly values?: readonly string[] },
): boolean {
  const bestEffort = podRequests(pod).size === 0 && podLimits(pod).size === 0
  const className = pod.spec?.priorityClassName ?? ''
  switch (scopeName) {
    case 'Terminating':
      return pod.spec?.activeDeadlineSeconds !== undefined
    case 'NotTerminating':
      return pod.spec?.activeDeadlineSeconds === undefined
    case 'BestEffort':
      return bestEffort
    case 'NotBestEffort':
      return !bestEffort
    case 'CrossNamespacePodAffinity':
      return JSON.stringify(pod.spec?.affinity ?? {}).includes('"namespace')
    case 'PriorityClass':
      if (operator === 'Exists') return className !== ''
      if (operator === 'DoesNotExist') return className === ''
      return (values ?? []).includes(className) === (operator === 'In')
    default:
      return false
  }
}

/** Use of all objects together, for the names in `hard`, printed as the quota prints them. */
export function usedFor(
  hard: Readonly<Record<string, string | number>>,
  usages: readonly Amounts[],
): Readonly<Record<string, string>> {
  const sum = new Map<string, bigint>()
  for (const usage of usages) add(sum, usage)
  return Object.fromEntries(
    Object.entries(hard).map(([name, limit]) => {
      // The way of writing follows the limit's, so that 3Gi of 10Gi reads well.
      const format = parseQuantity(limit)?.format ?? 'DecimalSI'
      return [name, formatQuantity({ nano: sum.get(name) ?? 0n, format })]
    }),
  )
}
