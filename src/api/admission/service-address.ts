// Addresses and ports of Services: each is given to one Service at a time. All Services are looked at together with
// the write, so two can never get the same.
import { cause, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { listObjects } from '../resource/read.ts'

/** The service network is the /16 of the API server's own service address. */
const HOSTS = 65_534
/** The first ones are left for addresses that are chosen by hand. */
const DYNAMIC_FROM = 256
const NODE_PORT_MIN = 30_000
const NODE_PORT_MAX = 32_767

interface PortShape {
  readonly name?: string
  readonly nodePort?: number
}
interface SpecShape {
  readonly type?: string
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly ports?: readonly PortShape[]
}
type ServiceShape = KubeObject & { readonly spec?: SpecShape }

export function addServiceAddress(
  work: Work,
  next: KubeObject,
  previous: KubeObject | undefined,
): KubeObject {
  const spec = (next as ServiceShape).spec ?? {}
  const before = (previous as ServiceShape | undefined)?.spec
  const others = (listObjects(work.core, work.served) as readonly ServiceShape[]).filter(
    ({ metadata }) => metadata.name !== next.metadata.name || metadata.namespace !== next.metadata.namespace,
  )
  const addressed = spec.type === 'ExternalName' ? spec : withAddress(work, next, others, before)
  return { ...next, spec: withNodePorts(work, next, addressed, others) }
}

function withAddress(
  work: Work,
  next: ServiceShape,
  others: readonly ServiceShape[],
  before: SpecShape | undefined,
): SpecShape {
  const spec = next.spec ?? {}
  const wanted = spec.clusterIP || spec.clusterIPs?.[0]
  if (wanted === 'None') return spec
  const kept = before?.clusterIP && before.clusterIP !== 'None' ? before.clusterIP : undefined
  if (kept && wanted && wanted !== kept && before?.type !== 'ExternalName')
    throw refuse.invalid('', 'Service', next.metadata.name ?? '', [
      cause.invalid('spec.clusterIPs[0]', [wanted], 'may not change once set'),
    ])
  const taken = new Set(others.map(({ spec: other }) => other?.clusterIP ?? ''))
  if (wanted && taken.has(wanted))
    throw refuse.invalid('', 'Service', next.metadata.name ?? '', [
      cause.invalid(
        'spec.clusterIPs',
        [wanted],
        `failed to allocate IP ${wanted}: provided IP is already allocated`,
      ),
    ])
  const clusterIP = wanted ?? kept ?? freeAddress(work, taken)
  return { ...spec, clusterIP, clusterIPs: spec.clusterIPs ?? [clusterIP] }
}

function freeAddress(work: Work, taken: ReadonlySet<string>): string {
  const [a = '10', b = '53'] = work.core.deps.advertised.serviceIp.split('.')
  const start = Math.floor(work.core.random.float() * (HOSTS - DYNAMIC_FROM))
  for (let step = 0; step < HOSTS - DYNAMIC_FROM; step += 1) {
    const host = DYNAMIC_FROM + ((start + step) % (HOSTS - DYNAMIC_FROM))
    const address = `${a}.${b}.${host >> 8}.${host & 255}`
    if (!taken.has(address)) return address
  }
  throw refuse.internal('failed to allocate a serviceIP: range is full')
}

function needsNodePorts(spec: SpecShape): boolean {
  return (
    spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  )
}

function withNodePorts(
  work: Work,
  next: ServiceShape,
  spec: SpecShape,
  others: readonly ServiceShape[],
): SpecShape {
  if (!needsNodePorts(spec)) return spec
  const taken = new Set(
    others.flatMap(({ spec: other }) => (other?.ports ?? []).map((port) => port.nodePort)),
  )
  const ports = (spec.ports ?? []).map((port, index) => {
    if (port.nodePort && taken.has(port.nodePort))
      throw refuse.invalid('', 'Service', next.metadata.name ?? '', [
        cause.invalid(`spec.ports[${index}].nodePort`, port.nodePort, 'provided port is already allocated'),
      ])
    const nodePort = port.nodePort || freePort(work, taken)
    taken.add(nodePort)
    return { ...port, nodePort }
  })
  return { ...spec, ports }
}

function freePort(work: Work, taken: ReadonlySet<number | undefined>): number {
  const count = NODE_PORT_MAX - NODE_PORT_MIN + 1
  const start = Math.floor(work.core.random.float() * count)
  for (let step = 0; step < count; step += 1) {
    const port = NODE_PORT_MIN + ((start + step) % count)
    if (!taken.has(port)) return port
  }
  throw refuse.internal('failed to allocate a nodePort: range is full')
}
