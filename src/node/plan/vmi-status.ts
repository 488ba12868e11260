// The status of a VirtualMachineInstance from Scheduled on, as the agent of its node writes it. Words are KubeVirt's.
import { formatTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { type ConditionWish, mergeConditions } from './conditions.ts'
import type { PlannedDisk } from './disks.ts'
import type { GuestInterface, MachineView } from './machine-view.ts'
import type { NicAttachment } from './nic.ts'
import type { VmiSpec } from './part.ts'

/** Interfaces that only the guest knows (bridges, tunnels) are shown up to this number, as KubeVirt does. */
const GUEST_ONLY_MAX = 10
/** Conditions that stand only while they are wished. */
const PASSING = [
  'Paused',
  'AgentConnected',
  'Synchronized',
  'SoftwareEmulation',
  'AccessCredentialsSynchronized',
]

type Status = NonNullable<VirtualMachineInstance['status']>

/** The agent's part of the status; null removes a field. Compare with the present one before writing. */
export function vmiStatus(
  vmi: VirtualMachineInstance,
  pod: Pod,
  view: MachineView,
  now: number,
): Readonly<Record<string, unknown>> {
  const present: Partial<Status> = vmi.status ?? {}
  const phase = phaseOf(view, present.phase)
  const conditions = mergeConditions(present.conditions, conditionsOf(view), PASSING, now)
  const stamps = present.phaseTransitionTimestamps ?? []
  const stamped = stamps.some((one) => one.phase === phase)
  return {
    phase,
    ...(view.state === 'ended' ? { reason: view.reason } : {}),
    phaseTransitionTimestamps: stamped
      ? stamps
      : [...stamps, { phase, phaseTransitionTimestamp: formatTime(now) }],
    conditions,
    ...(view.state === 'alive' ? aliveFields(vmi, pod, view) : {}),
  }
}

function phaseOf(view: MachineView, present: string | undefined): string {
  if (view.state === 'alive') return 'Running'
  if (view.state === 'ended') return view.succeeded ? 'Succeeded' : 'Failed'
  return present ?? 'Scheduled'
}

function conditionsOf(view: MachineView): readonly ConditionWish[] {
  if (view.state === 'waiting') {
    const message = 'Guest VM is not reported as running'
    const ready: ConditionWish = { type: 'Ready', status: 'False', reason: 'GuestNotRunning', message }
    if (!view.wait) return [ready]
    return [
      ready,
      { type: 'Synchronized', status: 'False', reason: view.wait.reason, message: view.wait.message },
    ]
  }
  if (view.state === 'ended')
    return [{ type: 'Ready', status: 'False', reason: 'PodTerminating', message: view.message }]
  const wishes: ConditionWish[] = []
  const paused = pausedCondition(view)
  if (paused) wishes.push(paused)
  if (view.run === 'running') wishes.push({ type: 'Ready', status: 'True' })
  else if (view.run === 'unknown')
    wishes.push({
      type: 'Ready',
      status: 'Unknown',
      reason: 'QemuNotAnswering',
      message: 'QEMU runs and does not answer at the moment',
    })
  else
    wishes.push({
      type: 'Ready',
      status: 'False',
      reason: 'GuestNotRunning',
      message: `Guest VM is not running: ${view.run}`,
    })
  if (view.guest) wishes.push({ type: 'AgentConnected', status: 'True' })
  if (view.credentials)
    wishes.push(
      view.credentials.synchronized
        ? { type: 'AccessCredentialsSynchronized', status: 'True' }
        : {
            type: 'AccessCredentialsSynchronized',
            status: 'False',
            reason: 'AccessCredentialsSyncFailed',
            message: view.credentials.message,
          },
    )
  if (view.accelerator === 'tcg')
    wishes.push({
      type: 'SoftwareEmulation',
      status: 'True',
      reason: 'NoKvm',
      message: 'the guest runs in emulation, many times slower than with KVM',
    })
  wishes.push({
    type: 'LiveMigratable',
    status: 'False',
    reason: 'LiveMigrationNotSupported',
    message: 'machines cannot move between nodes while running yet',
  })
  return wishes
}

function pausedCondition({
  run,
  ioError,
}: MachineView & { readonly state: 'alive' }): ConditionWish | undefined {
  if (run === 'io-error') {
    const detail = ioError === undefined ? '' : `: ${ioError}`
    return {
      type: 'Paused',
      status: 'True',
      reason: 'PausedIOError',
      message: `VMI was paused, low-level IO error detected${detail}`,
    }
  }
  if (run === 'paused' || run === 'prelaunch')
    return { type: 'Paused', status: 'True', reason: 'PausedByUser', message: 'VMI was paused by user' }
  return undefined
}

type Alive = MachineView & { readonly state: 'alive' }

function aliveFields(vmi: VirtualMachineInstance, pod: Pod, view: Alive): Readonly<Record<string, unknown>> {
  const { plan } = view
  const memory = `${Math.ceil(plan.memoryBytes / 1024)}Ki`
  return {
    interfaces: interfacesOf(vmi.spec, view),
    guestOSInfo: view.guest?.os ?? {},
    fsFreezeStatus: view.frozen ? 'frozen' : null,
    machine: { type: plan.machineType },
    memory: { guestAtBoot: memory, guestCurrent: memory, guestRequested: memory },
    currentCPUTopology: { sockets: plan.cpu.sockets, cores: plan.cpu.cores, threads: plan.cpu.threads },
    volumeStatus: volumesOf(vmi, plan.disks),
    qosClass: pod.status?.qosClass ?? 'Burstable',
    runtimeUser: 107,
  }
}

function interfacesOf(spec: VmiSpec, view: Alive): readonly Readonly<Record<string, unknown>>[] {
  const told = view.guest?.interfaces ?? []
  const known = view.networks.map((attachment) => {
    const guest = told.find((one) => one.mac === attachment.mac)
    return knownInterface(spec, attachment, guest, view)
  })
  // The Pod's network comes first, the others in the order of the spec.
  const podNetwork = spec.networks?.find((network) => network.pod !== undefined)?.name
  const ordered = [...known].sort((a, b) => Number(b.name === podNetwork) - Number(a.name === podNetwork))
  const macs = new Set(view.networks.map((attachment) => attachment.mac))
  const others = told
    .filter((one) => one.interfaceName !== 'lo' && (one.mac === undefined || !macs.has(one.mac)))
    .slice(0, GUEST_ONLY_MAX)
    .map((one) => ({
      interfaceName: one.interfaceName,
      infoSource: 'guest-agent',
      ...(one.mac === undefined ? {} : { mac: one.mac }),
      ...addresses(one.ips),
    }))
  return [...ordered, ...others]
}

interface KnownInterface {
  readonly name: string
  readonly [field: string]: unknown
}

function knownInterface(
  spec: VmiSpec,
  attachment: NicAttachment,
  guest: GuestInterface | undefined,
  { plan }: Alive,
): KnownInterface {
  const wish = spec.domain.devices.interfaces?.find((one) => one.name === attachment.name)
  const nic = plan.nics.find((one) => one.name === attachment.name)
  const reserved = [...(attachment.ip ? [attachment.ip] : []), ...(attachment.ips ?? [])]
  // Behind masquerade the guest's own address means nothing outside; the reserved one does.
  const ips = wish?.masquerade || !guest || guest.ips.length === 0 ? reserved : guest.ips
  return {
    name: attachment.name,
    mac: attachment.mac,
    infoSource: guest ? 'domain, guest-agent' : 'domain',
    queueCount: nic?.queues ?? 1,
    linkState: nic?.state ?? 'up',
    ...(guest ? { interfaceName: guest.interfaceName } : {}),
    ...addresses(ips),
  }
}

function addresses(ips: readonly string[]): Readonly<Record<string, unknown>> {
  const [first] = ips
  return first === undefined ? {} : { ipAddress: first, ipAddresses: ips }
}

function volumesOf(
  vmi: VirtualMachineInstance,
  disks: readonly PlannedDisk[],
): readonly Readonly<Record<string, unknown>>[] {
  const present = vmi.status?.volumeStatus ?? []
  return (vmi.spec.volumes ?? [])
    .flatMap((volume) => {
      const disk = disks.find((one) => one.name === volume.name)
      if (!disk) return []
      const before = present.find((one) => one.name === volume.name)
      const claimName = volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name
      return [
        {
          ...before,
          name: volume.name,
          target: disk.target,
          ...(claimName === undefined
            ? {}
            : { persistentVolumeClaimInfo: { ...before?.persistentVolumeClaimInfo, claimName } }),
        },
      ]
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
