// Networks and interfaces: they come in pairs, with one way of binding each.
import type { Cause } from '../../../base/errors.ts'
import type { InstanceSpec, Interface, Network } from '../types.ts'
import { duplicate, invalid, notFound, notSupported, present, required } from './causes.ts'
import { DEVICES_MAX } from './disks.ts'
import { macWrong, normalMac } from './mac.ts'

export const INTERFACE_BINDINGS = [
  'bridge',
  'masquerade',
  'sriov',
  'binding',
  'passtBinding',
  'slirp',
  'macvtap',
  'passt',
] as const
const DISCONTINUED: readonly string[] = ['slirp', 'macvtap', 'passt']
const MODELS: readonly string[] = ['', 'virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139']
const STATES: readonly string[] = ['', 'up', 'down', 'absent']
const PROTOCOLS: readonly string[] = ['', 'TCP', 'UDP']
const PORT_MAX = 65535
const PRIVATE_OPTION_MIN = 224
const PRIVATE_OPTION_MAX = 254

/** The default network of the cluster has this word where others have `namespace/name`. */
export const POD_NETWORK = 'pod'

/**
 * What tells one layer-2 network from another: `pod`, or `namespace/name` of the attachment definition.
 * `namespace` is that of the machine, in which a bare name lies.
 */
export function networkIdentity(network: Network, namespace: string): string | undefined {
  if (network.pod) return POD_NETWORK
  const name = network.multus?.networkName
  if (!name) return undefined
  return name.includes('/') ? name : `${namespace}/${name}`
}

export function networkCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const networks = spec.networks ?? []
  const interfaces = spec.domain.devices?.interfaces ?? []
  const field = `${at}.domain.devices.interfaces`
  if (interfaces.length > DEVICES_MAX)
    return [invalid(field, `${field} list exceeds the ${DEVICES_MAX} element limit in length`)]
  return [
    ...networks.flatMap((network, index) => oneNetwork(network, `${at}.networks[${index}]`)),
    ...togetherCauses(networks, `${at}.networks`),
    ...pairCauses(networks, interfaces, at),
    ...interfaces.flatMap((nic, index) =>
      oneInterface(
        nic,
        `${field}[${index}]`,
        networks.find(({ name }) => name === nic.name),
      ),
    ),
    ...sameMacs(interfaces, field),
  ]
}

function oneNetwork(network: Network, field: string): readonly Cause[] {
  const types = present(network, ['pod', 'multus', 'resourceClaim'])
  if (types.length === 0)
    return [required(field, `${field} (${network.name}) should have a network type: pod or multus`)]
  if (types.length > 1)
    return [invalid(field, `${field} (${network.name}) should have only one network type`)]
  if (network.multus && !network.multus.networkName)
    return [required(`${field}.multus.networkName`, 'CNI delegating plugin must have a networkName')]
  return []
}

function togetherCauses(networks: readonly Network[], field: string): readonly Cause[] {
  const causes: Cause[] = []
  const pods = networks.filter(({ pod }) => pod)
  const defaults = networks.filter(({ multus }) => multus?.default)
  if (pods.length > 1)
    causes.push(duplicate(field, `more than one interface is connected to a pod network in ${field}`))
  if (defaults.length > 1) causes.push(invalid(field, 'Multus CNI should only have one default network'))
  if (pods.length > 0 && defaults.length > 0)
    causes.push(invalid(field, 'Pod network cannot be defined when Multus default network is defined'))
  return causes
}

function pairCauses(
  networks: readonly Network[],
  interfaces: readonly Interface[],
  at: string,
): readonly Cause[] {
  const causes: Cause[] = []
  const nics = `${at}.domain.devices.interfaces`
  const firstNetwork = new Map<string, number>()
  networks.forEach(({ name }, index) => {
    const field = `${at}.networks[${index}]`
    const earlier = firstNetwork.get(name)
    if (earlier !== undefined)
      causes.push(
        duplicate(`${field}.name`, `Network with name "${name}" already exists: ${at}.networks[${earlier}]`),
      )
    else firstNetwork.set(name, index)
    if (earlier === undefined && !interfaces.some((nic) => nic.name === name))
      causes.push(
        required(`${field}.name`, `${field}.name '${name}' not found: no interface uses this network.`),
      )
  })
  const firstNic = new Map<string, number>()
  interfaces.forEach(({ name }, index) => {
    const field = `${nics}[${index}].name`
    const earlier = firstNic.get(name)
    if (earlier !== undefined)
      causes.push(
        duplicate(
          field,
          `Only one interface can be connected to one specific network: ${nics}[${earlier}] and ${nics}[${index}] both are '${name}'`,
        ),
      )
    else firstNic.set(name, index)
    if (!firstNetwork.has(name))
      causes.push(notFound(field, `${field} '${name}' not found: no network has this name.`))
  })
  return causes
}

function oneInterface(nic: Interface, field: string, network: Network | undefined): readonly Cause[] {
  const causes: Cause[] = []
  if (!/^[A-Za-z0-9-_]+$/.test(nic.name))
    causes.push(
      invalid(
        `${field}.name`,
        'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)',
      ),
    )
  if (nic.model !== undefined && !MODELS.includes(nic.model))
    causes.push(
      notSupported(
        `${field}.model`,
        `interface ${field}.name uses model ${nic.model} that is not supported; supported are ${MODELS.slice(1).join(', ')}.`,
      ),
    )
  if (nic.bootOrder !== undefined && nic.bootOrder < 1)
    causes.push(invalid(`${field}.bootOrder`, `${field} must have a boot order > 0, if supplied`))
  return [
    ...causes,
    ...bindingCauses(nic, field, network),
    ...macCauses(nic.macAddress ?? '', `${field}.macAddress`),
    ...stateCauses(nic, field, network),
    ...portCauses(nic, field),
    ...dhcpCauses(nic, field),
  ]
}

function bindingCauses(nic: Interface, field: string, network: Network | undefined): readonly Cause[] {
  const bindings = present(nic, INTERFACE_BINDINGS).map(String)
  if (bindings.length > 1)
    return [invalid(field, `${field} has more than one binding: ${bindings.join(' and ')}; choose one.`)]
  const [binding] = bindings
  if (binding === undefined)
    return [required(field, `${field} has no binding; set one of bridge, masquerade, sriov or binding.`)]
  if (DISCONTINUED.includes(binding))
    return [
      invalid(`${field}.${binding}`, `the ${binding} interface is discontinued; use masquerade or bridge.`),
    ]
  if (binding === 'masquerade' && network && !network.pod)
    return [invalid(`${field}.name`, 'Masquerade interface only implemented with pod network')]
  if (binding === 'sriov' && network?.pod)
    return [invalid(`${field}.name`, 'SR-IOV interface needs a multus network')]
  return []
}

function macCauses(mac: string, field: string): readonly Cause[] {
  // Empty means that one is made.
  if (mac === '') return []
  switch (macWrong(mac)) {
    case 'form':
      return [
        invalid(
          field,
          `interface ${field} has malformed MAC address (${mac}); write six octets, as in 02:00:5e:10:00:01.`,
        ),
      ]
    case 'zero':
      return [invalid(field, `interface ${field} has MAC address ${mac}, which belongs to nobody.`)]
    case 'multicast':
      return [
        invalid(
          field,
          `interface ${field} has MAC address ${mac}, which is a multicast address; the first octet must be even.`,
        ),
      ]
    case 'reserved':
      return [
        invalid(field, `interface ${field} has MAC address ${mac}, which is reserved for the in-pod bridge.`),
      ]
    default:
      return []
  }
}

function sameMacs(interfaces: readonly Interface[], field: string): readonly Cause[] {
  const first = new Map<string, number>()
  return interfaces.flatMap((nic, index) => {
    const mac = nic.macAddress ? normalMac(nic.macAddress) : undefined
    if (mac === undefined) return []
    const earlier = first.get(mac)
    if (earlier === undefined) {
      first.set(mac, index)
      return []
    }
    return [
      duplicate(
        `${field}[${index}].macAddress`,
        `MAC address ${mac} is already used by ${field}[${earlier}].`,
      ),
    ]
  })
}

function stateCauses(nic: Interface, field: string, network: Network | undefined): readonly Cause[] {
  const state = nic.state ?? ''
  const at = `${field}.state`
  if (!STATES.includes(state))
    return [
      invalid(
        at,
        `logical ${nic.name} interface state value is unsupported: ${state}; use up, down or absent`,
      ),
    ]
  if ((state === 'up' || state === 'down') && nic.sriov)
    return [invalid(at, `${nic.name} interface state ${state} is not supported for SR-IOV`)]
  if (state === 'absent' && !nic.bridge)
    return [invalid(at, `${nic.name} interface's state "absent" is supported only for bridge binding`)]
  if (state === 'absent' && (network?.pod || network?.multus?.default))
    return [invalid(at, `${nic.name} interface's state "absent" is not supported on default networks`)]
  return []
}

function portCauses(nic: Interface, field: string): readonly Cause[] {
  const names = new Set<string>()
  return (nic.ports ?? []).flatMap((port, index) => {
    const at = `${field}.ports[${index}]`
    const causes: Cause[] = []
    if (port.port === undefined || port.port === 0) causes.push(required(at, 'Port field is mandatory.'))
    else if (port.port < 0 || port.port > PORT_MAX)
      causes.push(invalid(`${at}.port`, `Port field must be in range 0 < x < ${PORT_MAX + 1}.`))
    if (!PROTOCOLS.includes(port.protocol ?? ''))
      causes.push(invalid(`${at}.protocol`, 'Unknown protocol, only TCP or UDP allowed'))
    if (port.name) {
      if (names.has(port.name))
        causes.push(duplicate(`${at}.name`, `Duplicate name of the port: ${port.name}`))
      names.add(port.name)
    }
    return causes
  })
}

function dhcpCauses(nic: Interface, field: string): readonly Cause[] {
  const options = nic.dhcpOptions
  if (!options) return []
  const causes: Cause[] = []
  const seen = new Set<number>()
  const privates = options.privateOptions ?? []
  for (const { option } of privates) {
    if (option < PRIVATE_OPTION_MIN || option > PRIVATE_OPTION_MAX)
      causes.push(
        invalid(
          `${field}.dhcpOptions.privateOptions`,
          `provided DHCPPrivateOptions are out of range, must be in range ${PRIVATE_OPTION_MIN} to ${PRIVATE_OPTION_MAX}`,
        ),
      )
    if (seen.has(option))
      causes.push(
        duplicate(
          `${field}.dhcpOptions.privateOptions`,
          `you have provided duplicate DHCPPrivateOptions: ${option}`,
        ),
      )
    seen.add(option)
  }
  options.ntpServers?.forEach((server, index) => {
    if (!isIpv4(server))
      causes.push(
        invalid(
          `${field}.dhcpOptions.ntpServers[${index}]`,
          'NTP servers must be a list of valid IPv4 addresses.',
        ),
      )
  })
  return causes
}

/** Leading zeros are allowed: they are found in old manifests and mean the same. */
export function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)
}
