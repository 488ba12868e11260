// Fields of Endpoints.
import { s } from '../build.ts'
import { objectReference } from './references.ts'

export const endpointAddress = s.object(
  {
    ip: s.write(s.string()),
    hostname: s.string(),
    nodeName: s.keep(s.string()),
    targetRef: objectReference,
  },
  undefined,
  { atomic: true },
)

export const endpointPort = s.object(
  {
    name: s.keep(s.string()),
    port: s.keep(s.integer()),
    protocol: s.keep(s.oneOf(['SCTP', 'TCP', 'UDP'], undefined, { default: 'TCP' })),
    appProtocol: s.keep(s.string()),
  },
  undefined,
  { atomic: true },
)

export const endpointSubset = s.object({
  addresses: s.list(endpointAddress),
  notReadyAddresses: s.list(endpointAddress),
  ports: s.list(endpointPort),
})

export const endpointsBody = s.object({
  subsets: s.list(endpointSubset, 'Addresses that share the same ports.'),
})
