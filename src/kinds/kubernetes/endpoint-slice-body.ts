// Fields of an EndpointSlice.
import { s } from '../build.ts'
import { objectReference } from '../core/references.ts'

export const endpointConditions = s.object({
  ready: s.keep(s.boolean()),
  serving: s.keep(s.boolean()),
  terminating: s.keep(s.boolean()),
})

export const forZone = s.object(
  {
    name: s.write(s.string()),
  },
  undefined,
  { required: ['name'] },
)

export const forNode = s.object(
  {
    name: s.write(s.string()),
  },
  undefined,
  { required: ['name'] },
)

export const endpointHints = s.object({
  forZones: s.list(forZone),
  forNodes: s.list(forNode),
})

export const endpoint = s.object({
  addresses: s.write(s.set(s.string())),
  conditions: s.write(endpointConditions),
  hostname: s.keep(s.string()),
  targetRef: objectReference,
  deprecatedTopology: s.map(s.string()),
  nodeName: s.keep(s.string()),
  zone: s.keep(s.string()),
  hints: endpointHints,
})

export const endpointPort = s.object(
  {
    name: s.keep(s.string()),
    protocol: s.keep(s.oneOf(['SCTP', 'TCP', 'UDP'], undefined, { default: 'TCP' })),
    port: s.keep(s.integer()),
    appProtocol: s.keep(s.string()),
  },
  undefined,
  { atomic: true },
)

export const endpointSliceBody = s.object({
  addressType: s.write(s.oneOf(['FQDN', 'IPv4', 'IPv6'], 'IPv4, IPv6 or FQDN.')),
  endpoints: s.write(s.list(endpoint, 'Addresses and their state.')),
  ports: s.write(s.list(endpointPort, 'Ports at these addresses.')),
})
