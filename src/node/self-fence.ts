// What an agent does that hears nothing of the server any more. Others may take its machines over once twice its lease
// is gone; so at the end of one lease it asks the other agents. If most of the cluster lost the server too, nobody can
// take over, and machines run on. If it is alone with its silence, it pauses the machines whose volumes have an in-sync
// copy elsewhere, and lets them go on when the server answers again. One that was taken over has no Pod by then and is
// ended by the agent's own sweep. Lease time is counted from the sending of the last renewal that was answered.
import type { AgentActions } from '../base/agent-port.ts'
import type { JsonObject } from '../base/json.ts'
import { ok } from '../base/result.ts'
import type { Host } from '../host/host.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Look } from '../kinds/decide.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import type { AgentLink } from './link/agent-link.ts'
import { nodeNames } from './link/peers.ts'
import type { Machine } from './machine/machine.ts'

const SEEN_METHOD = 'node.server-seen'
const LONGHORN_NAMESPACE = 'longhorn-system'
const LOOK_MS = 1_000
/** An agent that does not answer for so long is as good as away. Milliseconds. */
const ASK_TIMEOUT_MS = 2_000
/** Answers after which asking again would change nothing. */
const FINAL = new Set(['AlreadyPaused', 'NotPaused', 'MachineNotRunning'])

export interface FenceView {
  /** Milliseconds since the last answered renewal was sent. */
  readonly silentMs: number
  readonly leaseMs: number
  /** All nodes of the cluster, this one included. */
  readonly nodes: number
  /** Other agents that said that they lost the server, too. */
  readonly lostToo: number
}

/** `alone`: somebody else may be about to take over. */
export function fenceVerdict({
  silentMs,
  leaseMs,
  nodes,
  lostToo,
}: FenceView): 'fine' | 'together' | 'alone' {
  if (silentMs < leaseMs) return 'fine'
  return (1 + lostToo) * 2 > nodes ? 'together' : 'alone'
}

export interface SelfFenceOptions {
  readonly host: Host
  readonly look: Look
  readonly link: AgentLink
  readonly nodeName: string
  readonly leaseMs: number
  /** Monotonic time at which the last answered renewal was sent. */
  readonly renewedAt: () => number
  readonly machines: () => readonly Machine[]
  readonly actions: AgentActions
}

/** Works until the signal aborts. Informers must watch Nodes, VolumeEpochs and Replicas. */
export async function selfFence(options: SelfFenceOptions, signal: AbortSignal): Promise<void> {
  const { host, link, leaseMs } = options
  const silentMs = (): number => host.clock.monotonic() - options.renewedAt()
  link.answer(SEEN_METHOD, async () => ok({ seen: silentMs() < leaseMs }))
  const paused = new Map<string, Machine>()
  while (!signal.aborted) {
    await host.clock.sleep(LOOK_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    const silent = silentMs()
    const others = nodeNames(options.look).filter((name) => name !== options.nodeName)
    const lostToo = silent < leaseMs ? 0 : await askOthers(options, others, signal)
    const verdict = fenceVerdict({ silentMs: silent, leaseMs, nodes: others.length + 1, lostToo })
    if (verdict === 'alone') await pauseAll(options, paused)
    else if (paused.size > 0) await goOn(options, paused)
  }
}

async function askOthers(
  { link }: SelfFenceOptions,
  others: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const answers = await Promise.all(
    others.map((name) => link.call(name, SEEN_METHOD, {} as JsonObject, ASK_TIMEOUT_MS, signal)),
  )
  return answers.filter((answer) => answer.ok && answer.value['seen'] === false).length
}

function hasCopyElsewhere({ look, nodeName }: SelfFenceOptions, machine: Machine): boolean {
  return machine.volumes.some(({ longhornVolume }) =>
    look.get(VolumeEpoch, LONGHORN_NAMESPACE, longhornVolume)?.spec?.inSync.some(({ replica }) => {
      const node = look.get(Replica, LONGHORN_NAMESPACE, replica)?.spec?.nodeID
      return node !== undefined && node !== '' && node !== nodeName
    }),
  )
}

async function pauseAll(options: SelfFenceOptions, paused: Map<string, Machine>): Promise<void> {
  const { host, actions, nodeName } = options
  for (const machine of options.machines()) {
    const { uid, namespace, name } = machine.owner
    if (paused.has(uid) || !hasCopyElsewhere(options, machine)) continue
    const done = await actions.pause(nodeName, machine.owner)
    // One that a person or its storage stopped stays as it is. One that did not answer in time has stopped its
    // processors and waits for its disks; it has to be let go on, too.
    if (!done.ok && FINAL.has(done.failure.reason)) continue
    paused.set(uid, machine)
    host.log.warn('a machine is paused: this host alone has lost the server, and others may start it', {
      machine: `${namespace}/${name}`,
    })
  }
}

async function goOn(
  { host, actions, nodeName, machines }: SelfFenceOptions,
  paused: Map<string, Machine>,
): Promise<void> {
  const living = new Set(machines().map(({ owner }) => owner.uid))
  for (const [uid, machine] of paused) {
    if (!living.has(uid)) {
      paused.delete(uid)
      continue
    }
    const done = await actions.unpause(nodeName, machine.owner)
    // What did not answer is asked again.
    if (!done.ok && !FINAL.has(done.failure.reason)) continue
    paused.delete(uid)
    const { namespace, name } = machine.owner
    host.log.info('a machine goes on: the server answers again, or nobody has it', {
      machine: `${namespace}/${name}`,
      ...(done.ok ? {} : { failure: done.failure.message }),
    })
  }
}
