// Processors: topology, model, features and Hyper-V enlightenments.
import { atLeast, type HostFacts } from './facts.ts'
import { type Domain, type Part, type PlanProblem, problem } from './part.ts'

/** q35 of QEMU 7.2 allows 288, but above 255 a guest needs an interrupt-remapping unit that we do not add. */
export const VCPUS_MAX = 255

export interface CpuTopology {
  readonly sockets: number
  readonly cores: number
  readonly threads: number
  readonly maxSockets: number
  readonly vcpus: number
}

export function cpuTopology(domain: Domain): CpuTopology {
  const cpu = domain.cpu ?? {}
  const cores = Number(cpu.cores ?? 1) || 1
  const threads = Number(cpu.threads ?? 1) || 1
  const given = cpu.sockets ?? cpu.cores ?? cpu.threads
  const fromResources = domain.resources?.limits?.['cpu'] ?? domain.resources?.requests?.['cpu']
  const sockets = Number(cpu.sockets ?? 0) || (given === undefined ? wholeCpus(fromResources) : 1)
  const perSocket = cores * threads
  const most = Math.max(sockets, Math.floor(VCPUS_MAX / perSocket))
  const maxSockets = Math.min(most, Math.max(sockets, Number(cpu.maxSockets ?? 0)))
  return { sockets, cores, threads, maxSockets, vcpus: sockets * perSocket }
}

/** `1500m` are two processors. */
function wholeCpus(quantity: string | number | undefined): number {
  if (quantity === undefined) return 1
  const text = String(quantity)
  const amount = text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text)
  return Number.isFinite(amount) && amount > 0 ? Math.ceil(amount) : 1
}

export function planCpu(domain: Domain, facts: HostFacts): Part {
  const topology = cpuTopology(domain)
  const { sockets, cores, threads, maxSockets, vcpus } = topology
  const model = cpuModel(domain, facts)
  const flags = [...featureFlags(domain), ...kvmFlags(domain, facts)]
  const hyperv = hypervFlags(domain)
  const kvm = facts.accelerator.kind === 'kvm'
  const notes = [...(model.note ? [model.note] : [])]
  if (!kvm && hyperv.length > 0) notes.push('Hyper-V enlightenments are left out: they need KVM')
  const all = [model.name, ...flags, ...(kvm ? hyperv : [])].join(',')
  return {
    argv: [
      '-cpu',
      all,
      '-smp',
      `${vcpus},sockets=${maxSockets},cores=${cores},threads=${threads},maxcpus=${maxSockets * cores * threads}`,
    ],
    notes,
    problems: [...model.problems, ...cpuProblems(domain, sockets * cores * threads)],
  }
}

function cpuProblems(domain: Domain, vcpus: number): readonly PlanProblem[] {
  const cpu = domain.cpu
  const found: PlanProblem[] = []
  const field = 'spec.domain.cpu'
  if (vcpus > VCPUS_MAX)
    found.push(
      problem(
        'TooManyCpus',
        `${vcpus} processors are more than the ${VCPUS_MAX} that a guest can have: lower sockets, cores or threads`,
        field,
      ),
    )
  if (cpu?.dedicatedCpuPlacement)
    found.push(
      problem(
        'DeviceUnsupported',
        'dedicated processors are not supported yet: remove dedicatedCpuPlacement',
        `${field}.dedicatedCpuPlacement`,
      ),
    )
  if (cpu?.numa?.guestMappingPassthrough)
    found.push(
      problem(
        'DeviceUnsupported',
        'NUMA passthrough needs dedicated processors, which are not supported yet: remove numa',
        `${field}.numa`,
      ),
    )
  if (cpu?.realtime)
    found.push(
      problem(
        'DeviceUnsupported',
        'realtime processors are not supported yet: remove realtime',
        `${field}.realtime`,
      ),
    )
  return found
}

interface ModelChoice {
  readonly name: string
  readonly note?: string
  readonly problems: readonly PlanProblem[]
}

function cpuModel(domain: Domain, facts: HostFacts): ModelChoice {
  const asked = domain.cpu?.model || 'host-model'
  const kvm = facts.accelerator.kind === 'kvm'
  if (asked === 'host-passthrough' || asked === 'host-model') {
    if (kvm) return { name: asked === 'host-passthrough' ? 'host,migratable=on' : 'host', problems: [] }
    const said = domain.cpu?.model === undefined ? [] : [asked]
    return {
      name: 'max',
      problems: [],
      ...(said.length > 0
        ? {
            note: `CPU model ${asked} becomes "max": the host's own model needs KVM (${facts.accelerator.reason})`,
          }
        : {}),
    }
  }
  const known = facts.qemu.cpuModels.find((model) => model.name === asked)
  const field = 'spec.domain.cpu.model'
  if (!known)
    return {
      name: asked,
      problems: [
        problem(
          'CpuModelUnknown',
          `CPU model ${asked} is not known to this node's QEMU: use host-model or one of the node's labels cpu-model.node.kubevirt.io/*`,
          field,
        ),
      ],
    }
  const lacking = known.unavailableFeatures.join(', ')
  if (lacking === '') return { name: asked, problems: [] }
  if (!kvm)
    return {
      name: asked,
      problems: [],
      note: `CPU model ${asked} runs without ${lacking}: emulation has no such features`,
    }
  return {
    name: asked,
    problems: [
      problem(
        'CpuFeatureUnavailable',
        `this node's processor lacks ${lacking}, which CPU model ${asked} has: choose an older model or host-model`,
        field,
      ),
    ],
  }
}

function featureFlags(domain: Domain): readonly string[] {
  return (domain.cpu?.features ?? []).map(({ name, policy }) => {
    const off = policy === 'disable' || policy === 'forbid'
    return `${name}=${off ? 'off' : 'on'}`
  })
}

function kvmFlags({ features, clock }: Domain, facts: HostFacts): readonly string[] {
  if (facts.accelerator.kind !== 'kvm') return []
  const flags: string[] = []
  if (features?.kvm?.hidden) flags.push('kvm=off')
  if (features?.pvspinlock)
    flags.push(`kvm-pv-unhalt=${features.pvspinlock.enabled === false ? 'off' : 'on'}`)
  if (features?.apic?.endOfInterrupt) flags.push('kvm-pv-eoi=on')
  if (clock?.timer?.kvm?.present === false) flags.push('kvmclock=off')
  if (clock?.timer?.hyperv && clock.timer.hyperv.present !== false) flags.push('hv-time=on')
  return flags
}

/** Enlightenments that others need are switched on with them, as KubeVirt does. */
function hypervFlags({ features }: Domain): readonly string[] {
  if (features?.hypervPassthrough?.enabled) return ['hv-passthrough=on']
  const hyperv = features?.hyperv
  if (!hyperv) return []
  const on = (state: { readonly enabled?: boolean } | undefined): boolean =>
    state !== undefined && state.enabled !== false
  const stimer = on(hyperv.synictimer)
  const synic = on(hyperv.synic) || stimer
  const vpindex = on(hyperv.vpindex) || synic || on(hyperv.ipi) || on(hyperv.tlbflush)
  const flags: string[] = []
  const add = (wanted: boolean, flag: string): void => {
    if (wanted) flags.push(flag)
  }
  add(on(hyperv.relaxed), 'hv-relaxed=on')
  add(on(hyperv.vapic) || on(hyperv.evmcs), 'hv-vapic=on')
  add(on(hyperv.spinlocks), `hv-spinlocks=${Number(hyperv.spinlocks?.spinlocks ?? 4096)}`)
  add(vpindex, 'hv-vpindex=on')
  add(on(hyperv.runtime), 'hv-runtime=on')
  add(synic, 'hv-synic=on')
  add(stimer, 'hv-stimer=on')
  add(stimer && on(hyperv.synictimer?.direct), 'hv-stimer-direct=on')
  add(on(hyperv.reset), 'hv-reset=on')
  add(on(hyperv.vendorid), `hv-vendor-id=${hyperv.vendorid?.vendorid ?? ''}`)
  add(on(hyperv.frequencies), 'hv-frequencies=on')
  add(on(hyperv.reenlightenment), 'hv-reenlightenment=on')
  add(on(hyperv.tlbflush), 'hv-tlbflush=on')
  add(on(hyperv.ipi), 'hv-ipi=on')
  add(on(hyperv.evmcs), 'hv-evmcs=on')
  return flags
}

/** CPU unplug crashes QEMU before 10 under emulation (heap corruption), so nobody may ask for it there. */
export function cpuUnplugSafe(facts: HostFacts): boolean {
  return facts.accelerator.kind === 'kvm' || atLeast(facts.qemu.version, 10)
}
