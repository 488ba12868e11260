// What a Service must be.
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import { isCidr } from '../formats.ts'
import type { Rule } from '../kind.ts'
import {
  checkImmutable,
  checkIp,
  checkLabels,
  checkPort,
  checkPortOrName,
  checkRange,
  checkText,
} from '../rule-checks.ts'
import type { ServiceSpec } from './service-defaults.ts'

type ServiceObject = KubeObject & { readonly spec?: ServiceSpec }
type ServicePort = NonNullable<ServiceSpec['ports']>[number]

const AFFINITY_MAX_SECONDS = 86_400
const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

export const checkService: Rule = (next, previous) => {
  if (!next) return {}
  const spec = (next as ServiceObject).spec ?? {}
  const before = (previous as ServiceObject | undefined)?.spec
  return { causes: [...checkSpec(spec), ...(before ? checkUpdate(spec, before) : [])] }
}

function isHeadless(spec: ServiceSpec): boolean {
  return spec.clusterIP === 'None'
}

function checkSpec(spec: ServiceSpec): readonly Cause[] {
  const causes: Cause[] = []
  const { type } = spec
  const ports = spec.ports ?? []
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName')
    causes.push(cause.required('spec.ports'))
  if (type === 'ExternalName') {
    if (!spec.externalName) causes.push(cause.required('spec.externalName'))
    else
      causes.push(
        ...checkText(
          'spec.externalName',
          spec.externalName.toLowerCase().replace(/\.$/, ''),
          checkDns1123Subdomain,
        ),
      )
    if (spec.clusterIP) {
      causes.push(cause.forbidden('spec.clusterIPs[0]', "may not be set when `type` is 'ExternalName'"))
    }
  } else {
    for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
      if (address !== 'None') causes.push(...checkIp(`spec.clusterIPs[${index}]`, address))
    }
  }
  causes.push(...checkPorts(ports, type, isHeadless(spec)))
  causes.push(...checkLabels('spec.selector', spec.selector))
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds
  if (spec.sessionAffinity === 'ClientIP' && seconds !== undefined) {
    causes.push(
      ...checkRange('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, 1, AFFINITY_MAX_SECONDS),
    )
  }
  for (const [index, address] of (spec.externalIPs ?? []).entries()) {
    causes.push(...checkIp(`spec.externalIPs[${index}]`, address))
  }
  return [...causes, ...checkOutside(spec)]
}

function checkOutside(spec: ServiceSpec): readonly Cause[] {
  const causes: Cause[] = []
  const { type, loadBalancerSourceRanges = [] } = spec
  const ranges = 'spec.LoadBalancerSourceRanges'
  if (loadBalancerSourceRanges.length > 0 && type !== 'LoadBalancer') {
    causes.push(cause.forbidden(ranges, "may only be used when `type` is 'LoadBalancer'"))
  }
  for (const [index, range] of loadBalancerSourceRanges.entries()) {
    if (!isCidr(range.trim())) causes.push(cause.invalid(`${ranges}[${index}]`, range, CIDR_TEXT))
  }
  const reached =
    type === 'NodePort' ||
    type === 'LoadBalancer' ||
    (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)
  if (spec.externalTrafficPolicy && !reached) {
    const why = 'may only be set for externally-accessible services'
    causes.push(cause.invalid('spec.externalTrafficPolicy', spec.externalTrafficPolicy, why))
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== 'LoadBalancer') {
    const why = "may only be used when `type` is 'LoadBalancer'"
    causes.push(cause.forbidden('spec.allocateLoadBalancerNodePorts', why))
  }
  if (spec.healthCheckNodePort && !(type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local')) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    causes.push(cause.invalid('spec.healthCheckNodePort', spec.healthCheckNodePort, why))
  }
  return causes
}

function checkPorts(
  ports: readonly ServicePort[],
  type: string | undefined,
  headless: boolean,
): readonly Cause[] {
  const names = new Set<string>()
  const taken = new Set<string>()
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`
    const causes: Cause[] = []
    if (!port.name) {
      if (ports.length > 1) causes.push(cause.required(`${at}.name`))
    } else {
      causes.push(...checkText(`${at}.name`, port.name, checkDns1123Label))
      if (names.has(port.name)) causes.push(cause.duplicate(`${at}.name`, port.name))
      names.add(port.name)
    }
    causes.push(...checkPort(`${at}.port`, port.port))
    causes.push(...checkPortOrName(`${at}.targetPort`, port.targetPort))
    if (port.appProtocol !== undefined)
      causes.push(...checkText(`${at}.appProtocol`, port.appProtocol, checkQualifiedName))
    const key = `${port.protocol ?? 'TCP'}/${port.port ?? 0}`
    if (taken.has(key)) causes.push(cause.duplicate(at, { protocol: port.protocol, port: port.port }))
    taken.add(key)
    if (headless && port.nodePort) {
      causes.push(cause.invalid(`${at}.nodePort`, port.nodePort, "may not be set when `clusterIP` is 'None'"))
    } else if (port.nodePort && type !== 'NodePort' && type !== 'LoadBalancer') {
      causes.push(cause.forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"))
    }
    return causes
  })
}

function checkUpdate(spec: ServiceSpec, before: ServiceSpec): readonly Cause[] {
  const causes: Cause[] = []
  const given = before.clusterIP ?? ''
  if (
    given !== '' &&
    before.type !== 'ExternalName' &&
    spec.type !== 'ExternalName' &&
    spec.clusterIP !== given
  ) {
    causes.push(
      cause.invalid(
        'spec.clusterIPs[0]',
        spec.clusterIPs ?? [],
        'primary clusterIP can not be unset or changed',
      ),
    )
  }
  if (before.type === 'LoadBalancer' && spec.type === 'LoadBalancer') {
    causes.push(...checkImmutable('spec.loadBalancerClass', spec.loadBalancerClass, before.loadBalancerClass))
  }
  return causes
}
