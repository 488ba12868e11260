// Networks that the guest is connected to; each is used by exactly one interface.
import { s } from '../build.ts'

export const multusNetwork = s.object(
  {
    default: s.boolean(),
    networkName: s.string(),
  },
  undefined,
  { required: ['networkName'] },
)

export const podNetwork = s.object({
  vmIPv6NetworkCIDR: s.string(),
  vmNetworkCIDR: s.string(),
})

export const network = s.object(
  {
    multus: multusNetwork,
    name: s.string(),
    pod: podNetwork,
    resourceClaim: s.anything(),
  },
  undefined,
  { required: ['name'] },
)
