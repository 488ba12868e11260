// The agent of a node, the kubelet's part: registers the node, renews its Lease, runs the virt-launcher Pods bound to
// it as QEMU, and serves streams and actions. It speaks to the rest of Croft through the API alone.
import { aborted } from '../base/aborted.ts'
import type { AgentActions, AgentDial } from '../base/agent-port.ts'
import { keyOf } from '../base/object.ts'
import { failed, ok, type Result } from '../base/result.ts'
import type { Host } from '../host/host.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { agentActions } from './actions.ts'
import type { AgentOptions } from './agent-options.ts'
import { machineStatesFolder, machinesFolder } from './folders.ts'
import { DONE, keyedWork } from './keyed-work.ts'
import { cgroupKind } from './machine/cgroup.ts'
import { hostFactsOrWhyNot } from './machine/host-facts.ts'
import type { Machine } from './machine/machine.ts'
import { passableFolder } from './machine/prepare.ts'
import { sweepMachineStates } from './machine-states.ts'
import { MachineWork } from './machine-work.ts'
import { nodeRegistration, type Registration } from './node-registration.ts'
import type { HostFacts } from './plan/facts.ts'
import { agentDial } from './streams.ts'

/** Looks at Pods under way at one time; most wait for a program or a socket. */
const CONCURRENCY = 64
/** What belongs to machines that were deleted while they stood still is looked for this often. */
const STATES_SWEEP_MS = 600_000
/** The machine is deleted a moment after its instance. */
const STATES_SWEEP_SOON_MS = 1_000

export interface Agent {
  readonly facts: HostFacts
  readonly dial: AgentDial
  readonly actions: AgentActions
  /** The machine of a VirtualMachineInstance on this node, by its uid. */
  machine(vmiUid: string): Machine | undefined
  /** All machines of this node that have not ended. */
  machines(): readonly Machine[]
  /** Monotonic time at which the last renewal of the node's lease that was answered was sent. */
  renewedAt(): number
  /** Works until the signal aborts. Machines go on without it. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Looks at the host and finds machines of before again; nothing is started yet. Failures are
 * those of the data folder; a host without QEMU is told on the Node.
 */
export async function createAgent(options: AgentOptions): Promise<Result<Agent>> {
  const { host, dataFolder } = options
  const laid = await layFolders(options)
  if (!laid.ok) return laid
  const facts = await hostFactsOrWhyNot(host, {
    cacheFolder: `${dataFolder}/cache`,
    probeFolder: machinesFolder(options),
  })
  if (!facts.ok) return facts
  const reachable = facts.value.runAs ? await passable(host, dataFolder) : ok(undefined)
  if (!reachable.ok) return reachable
  const wakes: { wake: (podKey: string) => void } = { wake: () => undefined }
  const work = new MachineWork({
    agent: options,
    facts: facts.value,
    cgroup: await cgroupKind(host),
    wake: (key) => wakes.wake(key),
  })
  await work.recover()
  const registration = nodeRegistration(options, work)
  const machineOf = (uid: string): Machine | undefined => work.machine(uid)
  return ok({
    get facts() {
      return work.facts
    },
    dial: agentDial(options, machineOf),
    actions: agentActions(options, { machineOf, setFrozen: (uid, frozen) => work.setFrozen(uid, frozen) }),
    machine: machineOf,
    machines: () => work.machines(),
    renewedAt: () => registration.renewedAt,
    run: (signal) => runAgent({ options, work, registration, wakes }, signal),
  })
}

async function layFolders({ host, dataFolder, runFolder }: AgentOptions): Promise<Result<void>> {
  const data = await host.files.makeFolder(dataFolder, 0o711)
  if (!data.ok) return data
  for (const folder of [
    machinesFolder({ dataFolder }),
    machineStatesFolder({ dataFolder }),
    runFolder,
    `${runFolder}/m`,
  ]) {
    const made = await passableFolder(host, folder)
    if (!made.ok) return made
  }
  return host.files.makeFolder(`${dataFolder}/cache`, 0o700)
}

/** Machines run as a user of their own, who must be able to pass through to their files. */
async function passable({ files }: Host, dataFolder: string): Promise<Result<void>> {
  const parts = dataFolder.split('/').slice(1)
  for (const [index] of parts.entries()) {
    const path = `/${parts.slice(0, index + 1).join('/')}`
    const stat = await files.stat(path)
    if (!stat.ok || stat.value.kind === 'link' || (stat.value.mode & 0o001) !== 0) continue
    if (path === dataFolder) {
      // Ours, and what is secret in it has modes of its own.
      const opened = await files.chmod(path, stat.value.mode | 0o011)
      if (!opened.ok) return opened
      continue
    }
    return failed({
      reason: 'DataFolderUnreachable',
      message: `the user that machines run as cannot pass through ${path}: chmod o+x ${path}, or choose another data folder`,
      retry: 'later',
    })
  }
  return ok(undefined)
}

interface Running {
  readonly options: AgentOptions
  readonly work: MachineWork
  readonly registration: Registration
  readonly wakes: { wake: (podKey: string) => void }
}

async function runAgent({ options, work, registration, wakes }: Running, signal: AbortSignal): Promise<void> {
  const { host, informers, nodeName, rooms } = options
  await untilDone(options, signal, () => registration.register())
  if (signal.aborted) return
  informers.start(Pod, { fieldSelector: `spec.nodeName=${nodeName}` })
  informers.start(VirtualMachineInstance, { labelSelector: `kubevirt.io/nodeName=${nodeName}` })
  const running = [
    rooms.volume.run(signal),
    rooms.network.run(signal),
    rooms.image.run(signal),
    registration.run(signal),
  ]
  await informers.synced([Pod, VirtualMachineInstance])
  await work.sweep()
  const queue = keyedWork({
    host,
    signal,
    name: 'machine',
    concurrency: CONCURRENCY,
    work: (key) => work.look(key),
  })
  wakes.wake = (key) => queue.add(key)
  const states = keyedWork({
    host,
    signal,
    name: 'machine-state',
    concurrency: 1,
    work: async (key) => {
      await sweepMachineStates({ ...options, look: informers.look })
      return key === 'regular' ? { againMs: STATES_SWEEP_MS } : DONE
    },
  })
  states.add('regular')
  const leave = [
    informers.subscribe(VirtualMachineInstance, ({ type }) => {
      if (type === 'DELETED') states.addLater('soon', STATES_SWEEP_SOON_MS)
    }),
    informers.subscribe(Pod, ({ object }) => queue.add(keyOf(object))),
    informers.subscribe(VirtualMachineInstance, ({ object }) => {
      for (const pod of informers.look.ownedBy(Pod, object.metadata.uid ?? '')) queue.add(keyOf(pod))
    }),
    rooms.volume.onChange(() => {
      // Only Pods that still wait are concerned; a look at the others would change nothing.
      for (const pod of informers.look.list(Pod)) if (pod.status?.phase === 'Pending') queue.add(keyOf(pod))
    }),
  ]
  await aborted(signal)
  for (const unsubscribe of leave) unsubscribe()
  await Promise.all([queue.idle(), states.idle()])
  await Promise.all(running)
  work.close()
}

/** The API may come up after us. */
async function untilDone(
  { host }: AgentOptions,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
      return
    } catch (error) {
      host.log.warn('the node was not registered', {
        why: error instanceof Error ? error.message : String(error),
      })
      await host.clock.sleep(1_000, signal).catch(() => undefined)
    }
  }
}
