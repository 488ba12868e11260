// Network interfaces of a machine: one netdev and one front end each.

import { atLeast, type HostFacts } from './facts.ts'
import type { NicAttachment } from './nic.ts'
import {
  device,
  type Part,
  type PlanProblem,
  type Properties,
  problem,
  type QmpStep,
  type VmiInterface,
  type VmiSpec,
} from './part.ts'
import type { PciLayout } from './pci.ts'

export interface PlannedNic {
  readonly name: string
  readonly deviceId: string
  readonly mac: string
  readonly queues: number
  readonly state: 'up' | 'down'
}

export interface NicsPart extends Part {
  readonly nics: readonly PlannedNic[]
  readonly netns?: string
}

interface NicsInput {
  readonly spec: VmiSpec
  readonly networks: readonly NicAttachment[]
  readonly facts: HostFacts
  readonly pci: PciLayout
}

/** KubeVirt's model words and QEMU's devices; `conventional` ones sit on the PCI bridge. */
const MODELS: Readonly<Record<string, { readonly driver: string; readonly conventional: boolean }>> = {
  virtio: { driver: 'virtio-net-pci', conventional: false },
  e1000: { driver: 'e1000', conventional: true },
  e1000e: { driver: 'e1000e', conventional: false },
  igb: { driver: 'igb', conventional: false },
  rtl8139: { driver: 'rtl8139', conventional: true },
  ne2k_pci: { driver: 'ne2k_pci', conventional: true },
  pcnet: { driver: 'pcnet', conventional: true },
}

export function planNics(input: NicsInput): NicsPart {
  const interfaces = (input.spec.domain.devices.interfaces ?? []).filter((one) => one.state !== 'absent')
  const parts = interfaces.map((one, index) => planNic(one, index, input))
  const netns = input.networks.find((one) => one.netns !== undefined)?.netns
  return {
    argv: parts.flatMap((part) => part.argv),
    problems: parts.flatMap((part) => part.problems),
    qmp: parts.flatMap((part) => part.qmp),
    nics: parts.flatMap((part) => (part.nic ? [part.nic] : [])),
    ...(netns === undefined ? {} : { netns }),
  }
}

interface NicPart {
  readonly argv: readonly string[]
  readonly problems: readonly PlanProblem[]
  readonly qmp: readonly QmpStep[]
  readonly nic?: PlannedNic
}

function planNic(one: VmiInterface, index: number, input: NicsInput): NicPart {
  const field = `spec.domain.devices.interfaces[${index}]`
  const none = (found: PlanProblem): NicPart => ({ argv: [], problems: [found], qmp: [] })
  if (one.sriov)
    return none(
      problem(
        'DeviceUnsupported',
        `interface ${one.name}: SR-IOV is not supported yet: use bridge or masquerade`,
        `${field}.sriov`,
      ),
    )
  const attachment = input.networks.find((network) => network.name === one.name)
  if (!attachment)
    return none(
      problem(
        'InterfaceNotPrepared',
        `the network of interface ${one.name} is not ready on this node; it is waited for`,
        field,
      ),
    )
  const asked = one.model || 'virtio'
  const model = MODELS[asked]
  if (!model)
    return none(
      problem(
        'InterfaceModelUnsupported',
        `interface ${one.name}: model ${asked} is not known: use virtio, e1000, e1000e, igb, rtl8139, ne2k_pci or pcnet`,
        `${field}.model`,
      ),
    )
  if (asked === 'igb' && !atLeast(input.facts.qemu.version, 8))
    return none(
      problem(
        'FeatureNeedsNewerQemu',
        `interface ${one.name}: model igb needs QEMU 8.0 or newer: use e1000e, or install a newer QEMU`,
        `${field}.model`,
      ),
    )
  return wired(one, attachment, { ...input, field, asked, model })
}

interface WireInput extends NicsInput {
  readonly field: string
  readonly asked: string
  readonly model: { readonly driver: string; readonly conventional: boolean }
}

function wired(one: VmiInterface, attachment: NicAttachment, input: WireInput): NicPart {
  const { spec, pci, asked, model, field } = input
  const transitional = asked === 'virtio' && spec.domain.devices.useVirtioTransitional === true
  const conventional = model.conventional || transitional
  const place = one.pciAddress
    ? pci.at(one.pciAddress, `${field}.pciAddress`)
    : conventional
      ? pci.conventional()
      : pci.express()
  const problems = 'reason' in place ? [place] : []
  const queues = queueCount(spec, asked, attachment)
  const netdev = `nd-${one.name}`
  const id = nicDeviceId(one.name)
  const properties: Properties = {
    id,
    netdev,
    mac: attachment.mac,
    ...('reason' in place ? {} : place),
    // Without a boot order the option ROM stays out, so that the firmware does not wait for a PXE server.
    ...(one.bootOrder === undefined ? { romfile: '' } : { bootindex: one.bootOrder }),
    ...(one.acpiIndex ? { 'acpi-index': one.acpiIndex } : {}),
    ...(asked === 'virtio' && attachment.mtu ? { host_mtu: attachment.mtu } : {}),
    ...(queues > 1 ? { mq: true, vectors: 2 * queues + 2 } : {}),
  }
  const driver = transitional ? 'virtio-net-pci-transitional' : model.driver
  const down = one.state === 'down'
  return {
    argv: ['-netdev', JSON.stringify(netdevOf(netdev, attachment, queues)), ...device(driver, properties)],
    problems,
    qmp: down ? [{ execute: 'set_link', arguments: { name: id, up: false } }] : [],
    nic: { name: one.name, deviceId: id, mac: attachment.mac, queues, state: down ? 'down' : 'up' },
  }
}

export function nicDeviceId(name: string): string {
  return `nic-${name}`
}

function queueCount(spec: VmiSpec, model: string, { link }: NicAttachment): number {
  const wanted = spec.domain.devices.networkInterfaceMultiqueue === true && model === 'virtio'
  return wanted && link.kind === 'tap' ? (link.queues ?? 1) : 1
}

function netdevOf(id: string, { link }: NicAttachment, queues: number): Properties {
  if (link.kind === 'tap')
    return {
      type: 'tap',
      id,
      ifname: link.ifname,
      script: 'no',
      downscript: 'no',
      ...(link.vhost ? { vhost: true } : {}),
      ...(queues > 1 ? { queues } : {}),
    }
  return {
    type: 'user',
    id,
    net: link.cidr,
    host: link.hostAddress,
    dhcpstart: link.guestAddress,
    hostfwd: link.forwards.map((forward) => ({
      str: `${forward.protocol}:${forward.hostAddress}:${forward.hostPort}-${link.guestAddress}:${forward.guestPort}`,
    })),
  }
}
