// The guest's network cards: what it sees of a network.
import { s } from '../../build.ts'

export const port = s.object(
  {
    name: s.string(),
    port: s.integer(),
    protocol: s.string(),
  },
  undefined,
  { required: ['port'] },
)

export const dhcpPrivateOptions = s.object(
  {
    option: s.integer(),
    value: s.string(),
  },
  undefined,
  { required: ['option', 'value'] },
)

export const dhcpOptions = s.object({
  bootFileName: s.string(),
  ntpServers: s.list(s.string()),
  privateOptions: s.list(dhcpPrivateOptions),
  tftpServerName: s.string(),
})

export const interfaceBridge = s.object({})

export const interfaceMasquerade = s.object({})

export const interfaceSRIOV = s.object({})

export const deprecatedInterfaceSlirp = s.object({})

export const deprecatedInterfaceMacvtap = s.object({})

export const deprecatedInterfacePasst = s.object({})

export const pluginBinding = s.object(
  {
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const interfacePasst = s.object({})

export const networkInterface = s.object(
  {
    acpiIndex: s.integer(),
    binding: pluginBinding,
    bootOrder: s.integer(),
    bridge: interfaceBridge,
    dhcpOptions: dhcpOptions,
    macAddress: s.string(),
    macvtap: deprecatedInterfaceMacvtap,
    masquerade: interfaceMasquerade,
    model: s.string(),
    name: s.string(),
    passt: deprecatedInterfacePasst,
    pciAddress: s.string(),
    ports: s.list(port),
    slirp: deprecatedInterfaceSlirp,
    sriov: interfaceSRIOV,
    state: s.string(),
    tag: s.string(),
    passtBinding: interfacePasst,
    portRanges: s.list(s.anything(), undefined),
  },
  undefined,
  { required: ['name'] },
)
