// Why a machine does not run, or not as it should: from its own state down to the disks, the image and the node.
import { humanDuration } from '../base/duration.ts'
import { parseTime } from '../base/time.ts'
import type { Node } from '../kinds/core/node.ts'
import type { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { silenceOf, slowNote, whyNode } from './node.ts'
import { type ClaimFacts, whyClaim } from './volume.ts'
import {
  type About,
  conditionOf,
  fine,
  fineBut,
  saying,
  type Tell,
  text,
  type Why,
  waits,
  withNotes,
  wrong,
} from './why.ts'

export interface MountedClaim {
  readonly name: string
  /** Undefined where the claim does not exist. */
  readonly facts: ClaimFacts | undefined
}

export interface MachineFacts {
  /** Undefined for an instance that belongs to no machine. */
  readonly vm: VirtualMachine | undefined
  readonly vmi: VirtualMachineInstance | undefined
  /** The claims it mounts, those that may be read. */
  readonly claims: readonly MountedClaim[]
  /** The node it runs on. */
  readonly node: Node | undefined
}

interface Case extends MachineFacts {
  readonly about: About
  readonly tell: Tell
}

/** The first that holds is the cause: what lies deepest first, since mending it mends what stands on it. */
const RULES: readonly ((facts: Case) => Why | undefined)[] = [
  whyDeleting,
  whyNodeLost,
  whyPaused,
  whyDisks,
  whyUnplaced,
  whyCrashed,
  whyStuck,
  whyEnding,
  whyStopped,
  whyStarting,
]

export function whyMachine(facts: MachineFacts, tell: Tell): Why {
  const owner = facts.vm ?? facts.vmi
  const about: About = {
    kind: facts.vm ? 'VirtualMachine' : 'VirtualMachineInstance',
    namespace: owner?.metadata.namespace ?? '',
    name: owner?.metadata.name ?? '',
  }
  const all: Case = { ...facts, about, tell }
  for (const rule of RULES) {
    const why = rule(all)
    if (why) return why
  }
  return withNotes(restartWanted(all) ?? fine(tell, about), [
    facts.node && slowNote(facts.node, tell),
    addressNote(all),
    agentNote(all),
  ])
}

function whyDeleting({ vm, vmi, about, tell }: Case): Why | undefined {
  const owner = vm ?? vmi
  if (!vm?.metadata.deletionTimestamp || !owner) return undefined
  const what = (owner.metadata.finalizers ?? []).join(', ') || '-'
  return waits(tell, about, text(tell, 'why.vm.deleting', { what }))
}

function whyNodeLost({ vmi, node, tell }: Case): Why | undefined {
  if (!vmi || !node) return undefined
  const why = whyNode({ node }, tell)
  if (why.healthy) return undefined
  const name = node.metadata.name ?? ''
  if (conditionOf(node.status?.conditions, 'Ready')?.status === 'True') return undefined
  return {
    ...why,
    cause: text(tell, 'why.vm.nodeSilent', { node: name, time: silenceOf(node, tell) }),
    effect: text(tell, 'why.vm.nodeSilent.effect'),
  }
}

function whyPaused({ vmi, about, tell }: Case): Why | undefined {
  const paused = saying(vmi?.status?.conditions, 'Paused', 'True')
  if (!paused) return undefined
  const { name, namespace = '' } = about
  if (paused.reason === 'PausedIOError')
    return wrong(
      about,
      text(tell, 'why.vm.pausedByError', { disk: paused.message ?? '' }),
      text(tell, 'why.vm.pausedByError.next'),
    )
  return wrong(
    about,
    text(tell, 'why.vm.pausedByUser'),
    text(tell, 'why.vm.pausedByUser.next', { name, namespace }),
  )
}

function whyDisks({ vm, vmi, claims, about, tell }: Case): Why | undefined {
  // A disk that is made with the first start is no fault of a machine that nobody starts.
  const rests = vmi === undefined && vm !== undefined && strategyOf(vm) !== 'Always'
  const effect = text(tell, 'why.vm.affected', { name: about.name })
  for (const { name, facts } of claims) {
    if (!facts)
      return wrong(
        about,
        text(tell, 'why.vm.pvcMissing', { claim: name, namespace: about.namespace ?? '' }),
        text(tell, 'why.vm.pvcMissing.next'),
      )
    const why = whyClaim(facts, tell)
    if (rests && why.waiting) continue
    if (!why.healthy) return why.effect === undefined ? { ...why, effect } : why
  }
  return undefined
}

function whyUnplaced({ vmi, about, tell }: Case): Why | undefined {
  const unplaced = saying(vmi?.status?.conditions, 'PodScheduled', 'False')
  if (!unplaced) return undefined
  const [, nodes = '0', reasons = unplaced.message ?? ''] =
    /^0\/(\d+) nodes are available: (.*?)\.?$/s.exec(unplaced.message ?? '') ?? []
  return wrong(
    about,
    text(tell, 'why.vm.noNodeFits', { nodes: Number(nodes), reasons }),
    text(tell, 'why.vm.noNodeFits.next'),
  )
}

function whyCrashed({ vm, vmi, about, tell }: Case): Why | undefined {
  const { consecutiveFailCount = 0, retryAfterTimestamp } = vm?.status?.startFailure ?? {}
  const failed = vmi?.status?.phase === 'Failed'
  if (Number(consecutiveFailCount) === 0 && !failed) return undefined
  const starts = Number(consecutiveFailCount)
  const message =
    saying(vm?.status?.conditions, 'Failure', 'True')?.message ??
    saying(vmi?.status?.conditions, 'Ready', 'False')?.message ??
    saying(vm?.status?.conditions, 'Synchronized', 'False')?.message ??
    '-'
  const retryMs = parseTime(String(retryAfterTimestamp ?? '')) ?? tell.now
  return wrong(
    about,
    starts > 0
      ? text(tell, 'why.vm.neverRan', { count: starts, message })
      : text(tell, 'why.vm.crashed', { count: 1, message }),
    text(tell, starts > 0 ? 'why.vm.neverRan.next' : 'why.vm.crashed.next', {
      name: about.name,
      delay: humanDuration(Math.max(0, (retryMs - tell.now) / 1000)),
    }),
  )
}

/** Whoever holds the machine up says so in one of these. */
function whyStuck({ vm, vmi, about, tell }: Case): Why | undefined {
  const stuck =
    saying(vmi?.status?.conditions, 'Synchronized', 'False') ??
    saying(vm?.status?.conditions, 'Failure', 'True')
  if (!stuck) return undefined
  const message = stuck.message || stuck.reason || ''
  return wrong(about, text(tell, 'why.vm.cannotGoOn', { message }), text(tell, 'why.vm.cannotGoOn.next'))
}

function whyEnding({ vmi, about, tell }: Case): Why | undefined {
  const asked = parseTime(vmi?.metadata.deletionTimestamp ?? '')
  if (asked === undefined) return undefined
  const grace = Number(vmi?.spec?.terminationGracePeriodSeconds ?? 30)
  return waits(
    tell,
    about,
    text(tell, 'why.vm.stopsSlowly', {
      time: humanDuration((tell.now - asked) / 1000),
      grace: humanDuration(grace),
    }),
  )
}

function whyStopped({ vm, vmi, about, tell }: Case): Why | undefined {
  const runs = vmi && !['Succeeded', 'Failed'].includes(vmi.status?.phase ?? '')
  if (runs || !vm) return undefined
  const runStrategy = strategyOf(vm)
  if (runStrategy === 'Always') return waits(tell, about, text(tell, 'why.vm.starting', { phase: '-' }))
  const { name, namespace = '' } = about
  return fineBut(
    about,
    text(tell, 'why.vm.stopped', { runStrategy }),
    text(tell, 'why.vm.stopped.next', { name, namespace }),
  )
}

function strategyOf({ spec }: VirtualMachine): string {
  return spec.runStrategy ?? (spec.running === true ? 'Always' : 'Halted')
}

function whyStarting({ vmi, about, tell }: Case): Why | undefined {
  const phase = vmi?.status?.phase ?? ''
  return phase === 'Running' || vmi === undefined
    ? undefined
    : waits(tell, about, text(tell, 'why.vm.starting', { phase: phase || 'Pending' }))
}

function restartWanted({ vm, about, tell }: Case): Why | undefined {
  if (!saying(vm?.status?.conditions, 'RestartRequired', 'True')) return undefined
  const { name, namespace = '' } = about
  return fineBut(
    about,
    text(tell, 'why.vm.restartRequired'),
    text(tell, 'why.vm.restartRequired.next', { name, namespace }),
  )
}

function addressNote({ vmi, tell, about }: Case): string | undefined {
  const [first] = vmi?.status?.interfaces ?? []
  if (!vmi || (vmi.spec?.networks ?? []).length === 0 || first?.ipAddress) return undefined
  return `${text(tell, 'why.vm.noAddress', { address: '-' })} ${text(tell, 'why.vm.noAddress.next', { name: about.name })}`
}

function agentNote({ vmi, tell }: Case): string | undefined {
  if (!vmi || saying(vmi.status?.conditions, 'AgentConnected', 'True')) return undefined
  return `${text(tell, 'why.vm.agentSilent')} ${text(tell, 'why.vm.agentSilent.next')}`
}
