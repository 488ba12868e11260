// What an agent does that hears nothing of the server any more. Others may take its machines over once twice its lease
// is gone; so at the end of one lease it asks the other agents. If most of the cluster lost the server too, nobody can
// take over, and machines run on. If it is alone with its silence, it pauses the machines whose volumes have an in-sync
// copy elsewhere, cutting them off from replicas that do not answer, and lets them go on when the server answers again.
// One that was taken over has no Pod by then and is ended by the agent's own sweep. Lease time is counted from the
// sending of the last renewal that was answered.
import type { JsonObject } from '../base/json.ts'
import { ok } from '../base/result.ts'
import type { Host } from '../host/host.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Look } from '../kinds/decide.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import type { AgentLink } from './link/agent-link.ts'
import { nodeNames } from './link/peers.ts'
import type { Machine } from './machine/machine.ts'
import { LONGHORN_NAMESPACE } from './node-disks.ts'

const SEEN_METHOD = 'node.server-seen'
const LOOK_MS = 1_000
/** An agent that does not answer for so long is as good as away. Milliseconds. */
const ASK_TIMEOUT_MS = 2_000

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
}

/** Works until the signal aborts. Informers must watch Nodes, VolumeEpochs and Replicas. */
export async function selfFence(options: SelfFenceOptions, signal: AbortSignal): Promise<void> {
  const { host, link, leaseMs } = options
  const silentMs = (): number => host.clock.monotonic() - options.renewedAt()
  link.answer(SEEN_METHOD, async () => ok({ seen: silentMs() < leaseMs }))
  const first = options.renewedAt()
  while (!signal.aborted) {
    await host.clock.sleep(LOOK_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    const silent = silentMs()
    const others = nodeNames(options.look).filter((name) => name !== options.nodeName)
    const lostToo = silent < leaseMs ? 0 : await askOthers(options, others, signal)
    const verdict = fenceVerdict({ silentMs: silent, leaseMs, nodes: others.length + 1, lostToo })
    if (verdict === 'alone') await pauseAll(options)
    // After a restart of ours nothing is known of the others before the server has answered once.
    else if (options.renewedAt() !== first) await goOn(options)
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

async function pauseAll(options: SelfFenceOptions): Promise<void> {
  for (const machine of options.machines()) {
    if (machine.fenced || !hasCopyElsewhere(options, machine)) continue
    // Replicas are away as the server is, and nobody may wait for them here.
    const done = await machine.pause({ fence: true })
    // One that a person or its storage stopped stays as it is.
    if (!machine.fenced) continue
    options.host.log.warn(
      'a machine is paused: this host alone has lost the server, and others may start it',
      {
        machine: nameOf(machine),
        ...(done.ok ? {} : { failure: done.failure.message }),
      },
    )
  }
}

/** Also those of before a restart of ours. */
async function goOn({ host, machines }: SelfFenceOptions): Promise<void> {
  for (const machine of machines()) {
    if (!machine.fenced) continue
    const done = await machine.unpause()
    // What did not answer is asked again.
    if (machine.fenced) continue
    host.log.info('a machine goes on: the server answers again, or nobody has it', {
      machine: nameOf(machine),
      ...(done.ok ? {} : { failure: done.failure.message }),
    })
  }
}

const nameOf = ({ owner }: Machine): string => `${owner.namespace}/${owner.name}`
