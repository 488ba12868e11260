// Networks that the guest is connected to; each is used by exactly one interface.
import { s } from '../build.ts'

export const multusNetwork = s.object(
  {
    default: s.boolean("Takes the place of the cluster's default network."),
    networkName: s.string('Name of the definition, as name or namespace/name.'),
  },
  'A network by its NetworkAttachmentDefinition.',
  { required: ['networkName'] },
)

export const podNetwork = s.object(
  {
    vmIPv6NetworkCIDR: s.string('IPv6 range between guest and Pod, for masquerade.'),
    vmNetworkCIDR: s.string('IPv4 range between guest and Pod, for masquerade.'),
  },
  "The cluster's default network.",
)

export const network = s.object(
  {
    multus: s.doc(multusNetwork, 'A network by its definition.'),
    name: s.string('Name by which an interface refers to the network.'),
    pod: s.doc(podNetwork, 'The default network.'),
    resourceClaim: s.anything('A network device by a claim.'),
  },
  'A network that one interface is connected to; exactly one kind.',
  { required: ['name'] },
)
