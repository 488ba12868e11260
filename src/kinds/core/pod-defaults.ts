// What the server adds to a new Pod beyond its schema's defaults: requests, pull policies, the quality class.
import type { KubeObject } from '../../base/object.ts'
import {
  addQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  roundUpToMilli,
} from '../../base/quantity.ts'
import type { Infer } from '../build.ts'
import type { Mutator } from '../kind.ts'
import type { container } from './pod/container.ts'
import type { podSpec } from './pod/spec.ts'
import type { podStatus } from './pod/status.ts'
import type { volume } from './pod/volumes.ts'

export type PodSpec = Infer<typeof podSpec>
export type PodObject = KubeObject & { readonly spec?: PodSpec; readonly status?: Infer<typeof podStatus> }
export type Container = Infer<typeof container>
type Volume = Infer<typeof volume>
type Amounts = Readonly<Record<string, string | number>>

/** `Always` for images without a fixed tag, as their content may change under the name. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@') || !/^[a-z0-9]/.test(image) || /\s/.test(image)) return 'IfNotPresent'
  const tag = /:([^/:]*)$/.exec(image)?.[1]
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent'
}

/** Requests and limits are kept in thousandths at the finest, rounded up. */
export function roundedAmounts(amounts: Amounts | undefined): Amounts | undefined {
  if (!amounts) return amounts
  let changed: Record<string, string | number> | undefined
  for (const [name, value] of Object.entries(amounts)) {
    const quantity = parseQuantity(value)
    if (!quantity) continue
    const rounded = roundUpToMilli(quantity)
    if (rounded === quantity) continue
    changed ??= { ...amounts }
    changed[name] = formatQuantity(rounded)
  }
  return changed ?? amounts
}

function completeContainer<C extends Container>(given: C, hostNetwork: boolean): C {
  const limits = roundedAmounts(given.resources?.limits)
  const asked = roundedAmounts(given.resources?.requests)
  const requests = limits ? { ...limits, ...asked } : asked
  const ports = given.ports?.map((port) =>
    hostNetwork && !port.hostPort && port.containerPort ? { ...port, hostPort: port.containerPort } : port,
  )
  return {
    ...given,
    ...(given.imagePullPolicy ? {} : { imagePullPolicy: defaultPullPolicy(given.image ?? '') }),
    resources: {
      ...given.resources,
      ...(limits ? { limits } : {}),
      ...(requests ? { requests } : {}),
    },
    ...(ports ? { ports } : {}),
  }
}

/** A volume that names no source is an empty directory. */
function completeVolume(given: Volume): Volume {
  return Object.keys(given).every((name) => name === 'name') ? { ...given, emptyDir: {} } : given
}

/** The spec of a Pod, or of a Pod template, with everything that defaults. */
export function completePodSpec(spec: PodSpec): PodSpec {
  const host = spec.hostNetwork === true
  const account = spec.serviceAccountName || spec.serviceAccount
  return {
    ...spec,
    ...(spec.containers ? { containers: spec.containers.map((one) => completeContainer(one, host)) } : {}),
    ...(spec.initContainers
      ? { initContainers: spec.initContainers.map((one) => completeContainer(one, host)) }
      : {}),
    ...(spec.volumes ? { volumes: spec.volumes.map(completeVolume) } : {}),
    securityContext: spec.securityContext ?? {},
    ...(account ? { serviceAccountName: account, serviceAccount: account } : {}),
  } as PodSpec
}

const COUNTED = ['cpu', 'memory'] as const

/** Guaranteed, Burstable or BestEffort, by what the containers ask for and may use. */
export function qualityClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let guaranteed = true
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    addAmounts(requests, resources?.requests)
    const bounded = addAmounts(limits, resources?.limits)
    if (bounded < COUNTED.length) guaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const same = COUNTED.every((name) => requests.get(name)?.nano === limits.get(name)?.nano)
  return guaranteed && same ? 'Guaranteed' : 'Burstable'
}

function addAmounts(sums: Map<string, Quantity>, amounts: Amounts | undefined): number {
  let count = 0
  for (const name of COUNTED) {
    const quantity = parseQuantity(amounts?.[name] ?? '0')
    if (!quantity || quantity.nano <= 0n) continue
    const before = sums.get(name)
    sums.set(name, before ? addQuantity(before, quantity) : quantity)
    count += 1
  }
  return count
}

export const completePod: Mutator = (next, previous, look) => {
  const pod = next as PodObject
  const spec = completePodSpec(pod.spec ?? ({} as PodSpec))
  if (previous) return { ...pod, spec }
  const gated = (spec.schedulingGates ?? []).length > 0
  const waiting = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: `${new Date(look.now).toISOString().slice(0, 19)}Z`,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  }
  const status = {
    phase: 'Pending',
    qosClass: qualityClassOf(spec),
    ...(gated ? { conditions: [waiting] } : {}),
  }
  return { ...pod, spec, status }
}
