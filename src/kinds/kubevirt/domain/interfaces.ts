// The guest's network cards: what it sees of a network.
import { s } from '../../build.ts'

export const port = s.object(
  {
    name: s.string('Name of the port.'),
    port: s.integer('Number, 1 to 65535.'),
    protocol: s.string('TCP or UDP; TCP when empty.'),
  },
  'A port of the guest that is reachable.',
  { required: ['port'] },
)

export const dhcpPrivateOptions = s.object(
  {
    option: s.integer('Number, 224 to 254.'),
    value: s.string('Text of the option.'),
  },
  'One private DHCP option.',
  { required: ['option', 'value'] },
)

export const dhcpOptions = s.object(
  {
    bootFileName: s.string('File to boot from (option 67).'),
    ntpServers: s.list(s.string(), 'Time servers as IPv4 addresses (option 42).'),
    privateOptions: s.list(dhcpPrivateOptions, 'Private options.'),
    tftpServerName: s.string('Server to boot from (option 66).'),
  },
  'What the guest is told by DHCP beside its address.',
)

export const interfaceBridge = s.object(
  {},
  'Joins the guest to the network by a bridge; it has the address of the network itself.',
)

export const interfaceMasquerade = s.object({}, 'Hides the guest behind the address of its Pod.')

export const interfaceSRIOV = s.object({}, 'Hands the guest a function of a network card.')

export const deprecatedInterfaceSlirp = s.object({}, 'No longer supported; refused.')

export const deprecatedInterfaceMacvtap = s.object({}, 'No longer supported; refused.')

export const deprecatedInterfacePasst = s.object({}, 'No longer supported; refused.')

export const pluginBinding = s.object(
  {
    name: s.string('Name of the plugin in the configuration.'),
  },
  'A way of connecting that a plugin brings.',
  { required: ['name'] },
)

export const interfacePasst = s.object({}, 'Connects the guest by passt.')

export const networkInterface = s.object(
  {
    acpiIndex: s.integer('Number by which guests name the card.'),
    binding: s.doc(pluginBinding, 'Connects by a plugin.'),
    bootOrder: s.integer('Place in the boot order, from 1; shared with disks.'),
    bridge: s.doc(interfaceBridge, 'Connects by a bridge.'),
    dhcpOptions: s.doc(dhcpOptions, 'What the guest is told by DHCP.'),
    macAddress: s.string('Address of the card; one is made when it is empty.'),
    macvtap: s.doc(deprecatedInterfaceMacvtap, 'No longer supported.'),
    masquerade: s.doc(interfaceMasquerade, 'Connects behind the address of the Pod.'),
    model: s.string('virtio, e1000, e1000e, igb, ne2k_pci, pcnet or rtl8139.'),
    name: s.string('Name of the network that the card is connected to.'),
    passt: s.doc(deprecatedInterfacePasst, 'No longer supported.'),
    pciAddress: s.string('PCI address in the guest.'),
    ports: s.list(port, 'Ports that are reachable; all when the list is empty.'),
    slirp: s.doc(deprecatedInterfaceSlirp, 'No longer supported.'),
    sriov: s.doc(interfaceSRIOV, 'Hands over a function of a network card.'),
    state: s.string('up, down or absent; absent unplugs the card.'),
    tag: s.string('Word by which the guest finds the card in its metadata.'),
    passtBinding: s.doc(interfacePasst, 'Connects by passt.'),
    portRanges: s.list(s.anything(), 'Ranges of ports that are reachable.'),
  },
  'A network card of the guest.',
  { required: ['name'] },
)
