// The defaults of one run. They are written into the VirtualMachineInstance, never into the VirtualMachine, so that
// what a person wrote stays what a person wrote.
import type { JsonObject } from '../../../base/json.ts'
import { formatQuantity, parseQuantity, toMilli } from '../../../base/quantity.ts'
import { cpuTopology } from '../rules/cpu.ts'
import { DEFAULT_MACHINE_TYPES } from '../rules/firmware.ts'
import { guestMemory } from '../rules/memory.ts'
import { INTERFACE_BINDINGS } from '../rules/networks.ts'
import type { Devices, Disk, Domain, InstanceSpec, Interface, Probe, Volume } from '../types.ts'
import { featuresWithDefaults } from './features.ts'

/** What defaults depend on beside the spec. */
export interface DefaultsOf {
  /** Architecture of the cluster's nodes. */
  readonly architecture: string
  /** UUID for a machine that has none. */
  readonly uuid?: string
  /** Binding of interfaces that are added: KubeVirt's `network.defaultNetworkInterface`. */
  readonly binding?: 'bridge' | 'masquerade'
  /** Processor model for machines that name none. */
  readonly cpuModel?: string
  readonly evictionStrategy?: string
  /** Percent of a limit that is shared out, for instance 150: two thirds of the limit are reserved. */
  readonly overcommit?: { readonly cpu: number; readonly memory: number }
  readonly terminationGracePeriodSeconds?: number
}

const MEBI = 1024n * 1024n
const NANO = 1_000_000_000n
const PROBE_DEFAULTS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }

/** `spec` with everything filled in that has a default. Applying it twice changes nothing. */
export function instanceSpecWithDefaults(spec: InstanceSpec, given: DefaultsOf): InstanceSpec {
  const architecture = spec.architecture || given.architecture
  const networked = withDefaultNetwork(spec, given.binding ?? 'bridge')
  const { evictionStrategy, terminationGracePeriodSeconds } = given
  return {
    ...(evictionStrategy ? { evictionStrategy } : {}),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
    ...networked,
    architecture,
    domain: domainWithDefaults(networked, architecture, given),
    ...(spec.volumes ? { volumes: spec.volumes.map(volumeWithDefaults) } : {}),
    ...(spec.readinessProbe ? { readinessProbe: probeWithDefaults(spec.readinessProbe) } : {}),
    ...(spec.livenessProbe ? { livenessProbe: probeWithDefaults(spec.livenessProbe) } : {}),
  }
}

function domainWithDefaults(spec: InstanceSpec, architecture: string, given: DefaultsOf): Domain {
  const { domain } = spec
  const memory = guestMemory(domain)
  const sized: Domain =
    memory === undefined ? domain : { ...domain, memory: { ...domain.memory, guest: memory } }
  const type = domain.machine?.type || DEFAULT_MACHINE_TYPES[architecture]
  return {
    ...sized,
    ...(type ? { machine: { ...domain.machine, type } } : {}),
    cpu: {
      ...domain.cpu,
      ...cpuTopology(domain),
      model:
        domain.cpu?.model || given.cpuModel || (architecture === 'arm64' ? 'host-passthrough' : 'host-model'),
      ...(domain.cpu?.features
        ? {
            features: domain.cpu.features.map((feature) => ({
              ...feature,
              policy: feature.policy || 'require',
            })),
          }
        : {}),
    },
    firmware: {
      ...domain.firmware,
      ...(domain.firmware?.uuid || !given.uuid ? {} : { uuid: given.uuid }),
    },
    features: featuresWithDefaults(domain.features as JsonObject | undefined) as NonNullable<
      Domain['features']
    >,
    resources: resourcesWithDefaults(sized, given),
    devices: devicesWithDefaults(spec, architecture),
  }
}

/**
 * Requests follow from limits by the cluster's overcommit ratio, else from the guest's size. Only the reservation
 * is touched: the guest's size never depends on the ratio.
 */
function resourcesWithDefaults(domain: Domain, given: DefaultsOf): NonNullable<Domain['resources']> {
  const { limits = {}, requests = {} } = domain.resources ?? {}
  const exact = domain.cpu?.dedicatedCpuPlacement === true
  const pinned = [domain.devices?.gpus, domain.devices?.hostDevices].some((list) => (list ?? []).length > 0)
  const ratio = exact ? { cpu: 100, memory: 100 } : (given.overcommit ?? { cpu: 100, memory: 100 })
  const wanted: Record<string, string | number> = { ...requests }
  if (wanted['memory'] === undefined) {
    const guest = domain.memory?.guest
    const reserved =
      pinned || limits['memory'] === undefined ? guest : memoryShare(limits['memory'], ratio.memory)
    if (reserved !== undefined) wanted['memory'] = reserved
  }
  if (wanted['cpu'] === undefined && limits['cpu'] !== undefined) {
    const share = cpuShare(limits['cpu'], ratio.cpu)
    if (share !== undefined) wanted['cpu'] = share
  }
  return { ...domain.resources, ...(Object.keys(wanted).length > 0 ? { requests: wanted } : {}) }
}

/** Whole mebibytes, rounded down, as Harvester rounds; amounts below one mebibyte are kept. */
function memoryShare(limit: string | number, percent: number): string | number {
  const nano = parseQuantity(limit)?.nano
  if (nano === undefined || percent === 100) return limit
  const share = (nano * 100n) / BigInt(percent)
  const whole = (share / NANO / MEBI) * MEBI * NANO
  return whole > 0n ? formatQuantity({ nano: whole, format: 'BinarySI' }) : limit
}

function cpuShare(limit: string | number, percent: number): string | number | undefined {
  const quantity = parseQuantity(limit)
  if (!quantity) return undefined
  if (percent === 100) return limit
  return formatQuantity({
    nano: ((toMilli(quantity) * 100n) / BigInt(percent)) * 1_000_000n,
    format: 'DecimalSI',
  })
}

function devicesWithDefaults(spec: InstanceSpec, architecture: string): Devices {
  const devices = spec.domain.devices ?? {}
  const bus = architecture === 'amd64' ? 'sata' : 'virtio'
  const disks = [...(devices.disks ?? []), ...missingDisks(spec)].map((disk) => diskWithDefaults(disk, bus))
  const inputs =
    devices.inputs ??
    (devices.autoattachInputDevice ? [{ name: 'default-0', type: 'tablet', bus: 'usb' }] : undefined)
  return {
    ...devices,
    ...(disks.length > 0 ? { disks } : {}),
    ...(devices.interfaces ? { interfaces: devices.interfaces.map(interfaceWithDefaults) } : {}),
    ...(inputs
      ? {
          inputs: inputs.map((input) => ({
            ...input,
            bus: input.bus || 'usb',
            type: input.type || 'tablet',
          })),
        }
      : {}),
    ...(devices.sound ? { sound: { ...devices.sound, model: devices.sound.model || 'ich9' } } : {}),
    ...(devices.watchdog?.i6300esb
      ? {
          watchdog: {
            ...devices.watchdog,
            i6300esb: { action: 'reset', ...devices.watchdog.i6300esb },
          },
        }
      : {}),
  }
}

/** A volume that neither a disk nor a share uses gets a disk of its own, so that the guest always sees it. */
function missingDisks(spec: InstanceSpec): readonly Disk[] {
  const { disks = [], filesystems = [] } = spec.domain.devices ?? {}
  const used = new Set([...disks, ...filesystems].map(({ name }) => name))
  return (spec.volumes ?? [])
    .filter((volume) => !used.has(volume.name) && !volume.memoryDump && !volume.containerPath)
    .map(({ name }) => ({ name }))
}

function diskWithDefaults(disk: Disk, bus: string): Disk {
  if (disk.cdrom)
    return {
      ...disk,
      cdrom: {
        ...disk.cdrom,
        bus: disk.cdrom.bus || bus,
        readonly: disk.cdrom.readonly ?? true,
        tray: disk.cdrom.tray || 'closed',
      },
    }
  if (disk.lun) return { ...disk, lun: { ...disk.lun, bus: disk.lun.bus || bus } }
  return { ...disk, disk: { ...disk.disk, bus: disk.disk?.bus || bus } }
}

function interfaceWithDefaults(nic: Interface): Interface {
  return nic.model || nic.sriov ? nic : { ...nic, model: 'virtio' }
}

/** With neither networks nor interfaces the machine is on the default network, unless it says otherwise. */
function withDefaultNetwork(spec: InstanceSpec, binding: 'bridge' | 'masquerade'): InstanceSpec {
  const { interfaces = [], autoattachPodInterface } = spec.domain.devices ?? {}
  if (interfaces.length > 0 || (spec.networks ?? []).length > 0 || autoattachPodInterface === false)
    return spec
  return {
    ...spec,
    networks: [{ name: 'default', pod: {} }],
    domain: {
      ...spec.domain,
      devices: { ...spec.domain.devices, interfaces: [{ name: 'default', [binding]: {} }] },
    },
  }
}

function volumeWithDefaults(volume: Volume): Volume {
  const disk = volume.containerDisk
  if (!disk?.image || disk.imagePullPolicy) return volume
  const tag = /:([^/:]+)$/.exec(disk.image)?.[1]
  const pinned = disk.image.includes('@') || (tag !== undefined && tag !== 'latest')
  return { ...volume, containerDisk: { ...disk, imagePullPolicy: pinned ? 'IfNotPresent' : 'Always' } }
}

function probeWithDefaults(probe: Probe): Probe {
  const filled: Record<string, number> = {}
  for (const [name, value] of Object.entries(PROBE_DEFAULTS))
    filled[name] = probe[name as keyof typeof PROBE_DEFAULTS] || value
  return { ...probe, ...filled }
}

/** How an interface is bound; undefined only before validation. */
export function bindingOf(nic: Interface): (typeof INTERFACE_BINDINGS)[number] | undefined {
  return INTERFACE_BINDINGS.find((name) => nic[name] !== undefined)
}
