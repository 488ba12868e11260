// What Events and Endpoints must be.
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1123Label } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Rule } from '../kind.ts'
import { checkIp, checkPort, checkText } from '../rule-checks.ts'
import type { endpointsBody } from './endpoints-body.ts'
import type { eventBody } from './event-body.ts'

type EventObject = KubeObject & Infer<typeof eventBody>
type EndpointsObject = KubeObject & Infer<typeof endpointsBody>

/** An event stands in the namespace of its object; events of cluster-scoped objects in `default`. */
export const checkEvent: Rule = (next, previous) => {
  if (!next || previous) return {}
  const event = next as EventObject
  const of = event.involvedObject?.namespace ?? ''
  const { namespace = '' } = event.metadata
  const allowed = of === namespace || (of === '' && (namespace === 'default' || namespace === 'kube-system'))
  if (allowed) return {}
  return { causes: [cause.invalid('involvedObject.namespace', of, 'does not match event.namespace')] }
}

export const checkEndpoints: Rule = (next) => {
  if (!next) return {}
  const warnings = ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']
  const subsets = (next as EndpointsObject).subsets ?? []
  return { warnings, causes: subsets.flatMap((subset, index) => checkSubset(subset, `subsets[${index}]`)) }
}

type Subset = NonNullable<EndpointsObject['subsets']>[number]

function checkSubset(subset: Subset, at: string): readonly Cause[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  const causes: Cause[] = []
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    causes.push(cause.required(at, 'must specify `addresses` or `notReadyAddresses`'))
  }
  for (const [name, list] of Object.entries({ addresses, notReadyAddresses })) {
    for (const [index, address] of list.entries()) {
      const field = `${at}.${name}[${index}]`
      causes.push(...checkIp(`${field}.ip`, address.ip))
      if (address.hostname)
        causes.push(...checkText(`${field}.hostname`, address.hostname, checkDns1123Label))
    }
  }
  for (const [index, port] of ports.entries()) {
    const field = `${at}.ports[${index}]`
    if (ports.length > 1 && !port.name) causes.push(cause.required(`${field}.name`))
    else if (port.name) causes.push(...checkText(`${field}.name`, port.name, checkDns1123Label))
    causes.push(...checkPort(`${field}.port`, port.port))
  }
  return causes
}
