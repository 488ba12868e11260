// `/metrics` for what machines and volumes do, under the names that dashboards of KubeVirt, Longhorn and node_exporter ask
// for. Values come from the last samples, everything else from the objects themselves.
import type { MachineFigures, NodeSample } from '../base/metrics-port.ts'
import { parseQuantity, toBigIntBytes } from '../base/quantity.ts'
import { parseTime } from '../base/time.ts'
import { Node } from '../kinds/core/node.ts'
import type { Look } from '../kinds/decide.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { type Family, type FamilySample, familiesText, type LabelSet, labelName } from './prometheus-text.ts'

export interface PrometheusFacts {
  readonly look: Look
  readonly samples: readonly NodeSample[]
  readonly version: string
}

export function prometheusText(facts: PrometheusFacts): string {
  return familiesText([
    {
      name: 'kubevirt_info',
      type: 'gauge',
      help: 'Version of this installation.',
      samples: [{ labels: { kubeversion: `croft-${facts.version}` }, value: 1 }],
    },
    ...machineFamilies(facts),
    ...useFamilies(facts),
    ...volumeFamilies(facts),
    ...nodeFamilies(facts),
  ])
}

// --- from the objects ---

function machineFamilies({ look }: PrometheusFacts): readonly Family[] {
  const vms = look.list(VirtualMachine)
  const vmis = look.list(VirtualMachineInstance)
  const placeOf = ({ metadata }: VirtualMachine): LabelSet => ({
    namespace: metadata.namespace,
    name: metadata.name,
  })
  return [
    {
      name: 'kubevirt_vm_info',
      type: 'gauge',
      help: 'Virtual machines with their status.',
      samples: vms.map((vm) => {
        const status = String(vm.status?.printableStatus ?? 'Unknown')
        return {
          labels: { ...placeOf(vm), status: status.toLowerCase(), status_group: statusGroup(status) },
          value: 1,
        }
      }),
    },
    {
      name: 'kubevirt_vm_create_date_timestamp_seconds',
      type: 'gauge',
      help: 'When virtual machines were made.',
      samples: vms.map((vm) => ({
        labels: placeOf(vm),
        value: (parseTime(String(vm.metadata.creationTimestamp ?? '')) ?? 0) / 1000,
      })),
    },
    {
      name: 'kubevirt_number_of_vms',
      type: 'gauge',
      help: 'Virtual machines of a namespace.',
      samples: counted(vms.map(({ metadata }) => ({ namespace: metadata.namespace }))),
    },
    {
      name: 'kubevirt_vmi_info',
      type: 'gauge',
      help: 'Machines that were started, with what is known of them.',
      samples: vmis.map((vmi) => ({ labels: vmiLabels(vmi), value: 1 })),
    },
    {
      name: 'kubevirt_vmi_phase_count',
      type: 'gauge',
      help: 'Machines of a node in each phase.',
      samples: counted(
        vmis.map(({ status }) => ({
          node: status?.nodeName ?? '',
          phase: String(status?.phase ?? 'Pending').toLowerCase(),
        })),
      ),
    },
  ]
}

function vmiLabels({ metadata, status }: VirtualMachineInstance): LabelSet {
  const guest = status?.guestOSInfo
  return {
    node: status?.nodeName ?? '',
    namespace: metadata.namespace,
    name: metadata.name,
    phase: String(status?.phase ?? 'Pending').toLowerCase(),
    guest_os_name: guest?.name ?? '',
    guest_os_version_id: guest?.versionId ?? '',
    guest_os_kernel_release: guest?.kernelRelease ?? '',
    guest_os_machine: guest?.machine ?? '',
  }
}

/** KubeVirt's grouping of printableStatus. */
function statusGroup(status: string): string {
  if (['Provisioning', 'Starting', 'WaitingForVolumeBinding'].includes(status)) return 'starting'
  if (status === 'Running') return 'running'
  if (status === 'Migrating') return 'migrating'
  if (['Stopped', 'Paused', 'Stopping', 'Terminating'].includes(status)) return 'non_running'
  return 'error'
}

function counted(labels: readonly LabelSet[]): readonly FamilySample[] {
  const counts = new Map<string, { readonly labels: LabelSet; value: number }>()
  for (const one of labels) {
    const key = JSON.stringify(one)
    const known = counts.get(key)
    if (known) known.value += 1
    else counts.set(key, { labels: one, value: 1 })
  }
  return [...counts.values()]
}

// --- from the samples ---

type Reads = (
  machine: MachineFigures,
) => readonly { readonly labels?: LabelSet; readonly value: number | undefined }[]

const of =
  (value: (machine: MachineFigures) => number | undefined): Reads =>
  (machine) => [{ value: value(machine) }]
const nics =
  (key: Exclude<keyof MachineFigures['nics'][number], 'name'>): Reads =>
  ({ nics }) =>
    nics.map((nic) => ({ labels: { interface: nic.name }, value: nic[key] }))
const disks =
  (key: Exclude<keyof NonNullable<MachineFigures['disks']>[number], 'name' | 'volume'>): Reads =>
  ({ disks = [] }) =>
    disks.map((disk) => ({ labels: { drive: disk.name }, value: disk[key] }))

/** Names without `kubevirt_vmi_`. */
const USE: readonly (readonly [string, 'gauge' | 'counter', string, Reads])[] = [
  ['cpu_usage_seconds_total', 'counter', 'Processor time.', of((m) => m.userSeconds + m.systemSeconds)],
  ['cpu_user_usage_seconds_total', 'counter', 'Processor time in user mode.', of((m) => m.userSeconds)],
  ['cpu_system_usage_seconds_total', 'counter', 'Processor time in the kernel.', of((m) => m.systemSeconds)],
  ['memory_resident_bytes', 'gauge', 'Memory of the host in use.', of((m) => m.residentBytes)],
  ['memory_domain_bytes', 'gauge', 'Memory given to the guest.', of((m) => m.domainBytes)],
  ['memory_actual_balloon_bytes', 'gauge', 'Present size of the balloon.', of((m) => m.balloon?.actualBytes)],
  ['memory_available_bytes', 'gauge', 'Memory that the guest sees.', of((m) => m.balloon?.availableBytes)],
  ['memory_usable_bytes', 'gauge', 'Memory that the guest could give.', of((m) => m.balloon?.usableBytes)],
  ['memory_unused_bytes', 'gauge', 'Memory that the guest does not use.', of((m) => m.balloon?.unusedBytes)],
  [
    'memory_cached_bytes',
    'gauge',
    'Memory that the guest keeps files in.',
    of((m) => m.balloon?.cachedBytes),
  ],
  ['memory_swap_in_traffic_bytes', 'gauge', 'Swapped in by the guest.', of((m) => m.balloon?.swapInBytes)],
  ['memory_swap_out_traffic_bytes', 'gauge', 'Swapped out by the guest.', of((m) => m.balloon?.swapOutBytes)],
  ['memory_pgmajfault_total', 'counter', 'Major faults of the guest.', of((m) => m.balloon?.majorFaults)],
  ['memory_pgminfault_total', 'counter', 'Minor faults of the guest.', of((m) => m.balloon?.minorFaults)],
  ['network_receive_bytes_total', 'counter', 'Received by the guest.', nics('receiveBytes')],
  ['network_transmit_bytes_total', 'counter', 'Sent by the guest.', nics('transmitBytes')],
  ['network_receive_packets_total', 'counter', 'Packets received by the guest.', nics('receivePackets')],
  ['network_transmit_packets_total', 'counter', 'Packets sent by the guest.', nics('transmitPackets')],
  ['network_receive_errors_total', 'counter', 'Errors on the way to the guest.', nics('receiveErrors')],
  ['network_transmit_errors_total', 'counter', 'Errors on the way from the guest.', nics('transmitErrors')],
  ['network_receive_packets_dropped_total', 'counter', 'Dropped before the guest.', nics('receiveDropped')],
  ['network_transmit_packets_dropped_total', 'counter', 'Dropped behind the guest.', nics('transmitDropped')],
  ['storage_iops_read_total', 'counter', 'Reads.', disks('readOperations')],
  ['storage_iops_write_total', 'counter', 'Writes.', disks('writeOperations')],
  ['storage_read_traffic_bytes_total', 'counter', 'Bytes read.', disks('readBytes')],
  ['storage_write_traffic_bytes_total', 'counter', 'Bytes written.', disks('writeBytes')],
  ['storage_read_times_seconds_total', 'counter', 'Time of reads.', disks('readSeconds')],
  ['storage_write_times_seconds_total', 'counter', 'Time of writes.', disks('writeSeconds')],
  ['storage_flush_requests_total', 'counter', 'Flushes.', disks('flushOperations')],
  ['storage_flush_times_seconds_total', 'counter', 'Time of flushes.', disks('flushSeconds')],
]

function useFamilies({ look, samples }: PrometheusFacts): readonly Family[] {
  const machines = samples.flatMap(({ node, machines }) =>
    machines.map((machine) => {
      const { namespace, name } = machine
      const labels = look.get(VirtualMachineInstance, namespace, name)?.metadata.labels ?? {}
      const own = Object.entries(labels).map(
        ([key, value]) => [`kubernetes_vmi_label_${labelName(key)}`, value] as const,
      )
      return { machine, labels: { node, namespace, name, ...Object.fromEntries(own) } }
    }),
  )
  return USE.map(([name, type, help, read]) => ({
    name: `kubevirt_vmi_${name}`,
    type,
    help,
    samples: machines.flatMap(({ machine, labels }) =>
      read(machine).flatMap(({ labels: more, value }) =>
        value === undefined ? [] : [{ labels: { ...labels, ...more }, value }],
      ),
    ),
  }))
}

// --- volumes ---

const STATES = ['', 'creating', 'attached', 'detached', 'attaching', 'detaching', 'deleting']
const ROBUSTNESS = ['unknown', 'healthy', 'degraded', 'faulted']

function volumeFamilies({ look }: PrometheusFacts): readonly Family[] {
  const volumes = look.list(Volume).map((volume) => {
    const { metadata, spec, status } = volume
    const claim = status?.kubernetesStatus
    return {
      labels: {
        volume: metadata.name,
        node: status?.currentNodeID ?? '',
        pvc: claim?.pvcName ?? '',
        pvc_namespace: claim?.namespace ?? '',
      },
      capacity: bytesOf(spec?.size),
      actual: bytesOf(status?.actualSize),
      state: STATES.indexOf(String(status?.state ?? '')),
      robustness: ROBUSTNESS.indexOf(String(status?.robustness ?? 'unknown')),
    }
  })
  const family = (name: string, help: string, value: (one: (typeof volumes)[number]) => number): Family => ({
    name: `longhorn_volume_${name}`,
    type: 'gauge',
    help,
    samples: volumes.flatMap((one) => (value(one) >= 0 ? [{ labels: one.labels, value: value(one) }] : [])),
  })
  return [
    family('capacity_bytes', 'Size of the volume.', ({ capacity }) => capacity),
    family('actual_size_bytes', 'Space that its copies take, each.', ({ actual }) => actual),
    family(
      'state',
      '1 creating, 2 attached, 3 detached, 4 attaching, 5 detaching, 6 deleting.',
      (one) => one.state,
    ),
    family('robustness', '0 unknown, 1 healthy, 2 degraded, 3 faulted.', (one) => one.robustness),
  ]
}

function bytesOf(value: unknown): number {
  const quantity =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
      ? parseQuantity(value)
      : undefined
  return quantity ? Number(toBigIntBytes(quantity)) : 0
}

// --- nodes ---

function nodeFamilies({ look, samples }: PrometheusFacts): readonly Family[] {
  const ready = look.list(Node).map(({ metadata, status }) => ({
    labels: { node: metadata.name, condition: 'Ready' },
    value: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ? 1 : 0,
  }))
  const gauge = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    value: (host: NodeSample['host']) => number,
  ): Family => ({
    name,
    type,
    help,
    samples: samples.map(({ node, host }) => ({ labels: { node }, value: value(host) })),
  })
  return [
    { name: 'croft_node_ready', type: 'gauge', help: 'Whether the node is ready.', samples: ready },
    gauge('node_load1', 'gauge', 'Load of the last minute.', (host) => host.load1),
    gauge('node_memory_MemTotal_bytes', 'gauge', 'Memory of the host.', (host) => host.memoryBytes),
    gauge(
      'node_memory_MemAvailable_bytes',
      'gauge',
      'Memory that is left.',
      (host) => host.memoryAvailableBytes,
    ),
    gauge('croft_node_cpus', 'gauge', 'Processors of the host.', (host) => host.cpus),
    gauge(
      'croft_node_cpu_busy_seconds_total',
      'counter',
      'Time that processors worked.',
      (host) => host.busySeconds,
    ),
    gauge('croft_node_disk_bytes', 'gauge', 'Size of the disk of the data folder.', (host) => host.diskBytes),
    gauge('croft_node_disk_free_bytes', 'gauge', 'What is free there.', (host) => host.diskFreeBytes),
    gauge(
      'croft_node_disk_read_bytes_total',
      'counter',
      'Read from all disks.',
      (host) => host.diskReadBytes,
    ),
    gauge(
      'croft_node_disk_write_bytes_total',
      'counter',
      'Written to all disks.',
      (host) => host.diskWriteBytes,
    ),
    gauge('croft_node_network_receive_bytes_total', 'counter', 'Received.', (host) => host.receiveBytes),
    gauge('croft_node_network_transmit_bytes_total', 'counter', 'Sent.', (host) => host.transmitBytes),
    gauge('process_cpu_seconds_total', 'counter', 'Processor time of croft.', (host) => host.ownSeconds),
    gauge('process_resident_memory_bytes', 'gauge', 'Memory of croft.', (host) => host.ownResidentBytes),
  ]
}
