// The workflow of machines on this node: for each virt-launcher Pod bound here, from its volumes and networks to a
// running QEMU, and back. Level driven: each look compares what should be with what is, and survives a crash of
// Croft at any point.
import { ApiError } from '../base/errors.ts'
import { keyOf } from '../base/object.ts'
import type { Failure, Result } from '../base/result.ts'
import { parseTime } from '../base/time.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions } from './agent-options.ts'
import { foldersOf, machineFolder, machinesFolder, socketFolder } from './folders.ts'
import { GUEST_LOOK_MS, GuestLooks } from './guest-looks.ts'
import { DONE, RETRY, type WorkAnswer } from './keyed-work.ts'
import { type CgroupKind, removeCgroup } from './machine/cgroup.ts'
import { hostFactsOrWhyNot } from './machine/host-facts.ts'
import { Machine, type MachinePorts } from './machine/machine.ts'
import { ProcessorShares } from './machine/processor-share.ts'
import { adoptMachine, killStrays, startMachine } from './machine/runner.ts'
import {
  type MachineEnd,
  type MachineOwner,
  type MachineState,
  type StandingVolume,
  writeState,
} from './machine/state.ts'
import { attachNetworks, effectiveSpec, gatherInputs } from './machine-inputs.ts'
import { limitsOf, ownerOf, viewOf, vmiRef } from './machine-parts.ts'
import {
  lostMessage,
  standingDisks,
  standingVolumes,
  type VolumeHolder,
  volumeInUse,
} from './machine-volumes.ts'
import { type HostFacts, MACHINE_USER, versionText } from './plan/facts.ts'
import { type MachinePlan, machineUuid, planMachine } from './plan/machine-plan.ts'
import type { MachineView, MachineWait } from './plan/machine-view.ts'
import { report } from './status-writer.ts'
import type { StandingDisk } from './volume/standing.ts'

/** A QEMU that ends this often at its start will not start: the machine has failed, its owner decides. */
const START_ATTEMPTS_MAX = 5
const DEFAULT_GRACE_SECONDS = 30
/** What every start waits for is told only when it takes longer than usual; its end wakes us. */
const USUAL_WAITS: ReadonlySet<string> = new Set(['VolumeNotReady'])
/** Whole seconds, as a Pod's creation time is. */
const USUAL_WAIT_MS = 2_000
/** The instance is not known yet, or is going: something will change soon. */
const SOON_MS = 2_000

export interface MachineWorkOptions {
  readonly agent: AgentOptions
  readonly facts: HostFacts
  readonly cgroup: CgroupKind
  /** Asks for another look at the Pod of that key. */
  readonly wake: (podKey: string) => void
}

export class MachineWork {
  readonly #options: MachineWorkOptions
  readonly #agent: AgentOptions
  readonly #machines = new Map<string, Machine>()
  /** Between the look at who has a volume and its own entry in `#machines`. */
  readonly #starting = new Set<VolumeHolder>()
  readonly #guests: GuestLooks
  readonly #stopping = new Map<string, AbortController>()
  readonly #attempts = new Map<string, number>()
  readonly #shares: ProcessorShares
  #facts: HostFacts

  constructor(options: MachineWorkOptions) {
    this.#options = options
    this.#agent = options.agent
    this.#facts = options.facts
    this.#guests = new GuestLooks(options.agent)
    this.#shares = new ProcessorShares(options.agent.host, options.agent.starts)
  }

  /** The machine of a VirtualMachineInstance, by its uid. */
  machine(vmiUid: string): Machine | undefined {
    return this.#machines.get(vmiUid)
  }

  machines(): readonly Machine[] {
    return [...this.#machines.values()].filter(({ life }) => life.state !== 'ended')
  }

  setFrozen(vmiUid: string, frozen: boolean): void {
    this.#guests.setFrozen(vmiUid, frozen)
    this.#changed(vmiUid)
  }

  /** Finds the machines of before again; to be done before the first look at any Pod. */
  async recover(): Promise<void> {
    const { host } = this.#agent
    const listed = await host.files.list(machinesFolder(this.#agent))
    const uids = listed.ok ? listed.value : []
    await Promise.all(
      uids.map(async (uid) => {
        const answer = await adoptMachine(this.#ports(), machineFolder(this.#agent, uid))
        if (!answer.ok)
          host.log.error('a machine could not be found again', { uid, why: answer.failure.message })
        else if (answer.value.found === 'machine') {
          const { machine } = answer.value
          this.#machines.set(uid, machine)
          if (machine.life.state === 'ended') return
          // Before any engine looks: a volume that nobody seems to stand on is opened anew.
          for (const disk of this.#disksOf(machine)) this.#agent.rooms.volume.stand(disk)
          if (machine.process) await this.#shares.usual(machine.process)
        }
      }),
    )
  }

  /** Removes what belongs to no Pod any more; to be done once the Pods are known. */
  async sweep(): Promise<void> {
    const { informers, host, rooms, nodeName } = this.#agent
    const pods = informers.look.list(Pod).filter((pod) => pod.spec?.nodeName === nodeName)
    const wanted = new Set(pods.map((pod) => vmiRef(pod)?.uid))
    const present = new Set(pods.map((pod) => pod.metadata.uid))
    for (const machine of this.#machines.values())
      if (!present.has(machine.owner.podUid)) await this.#discard(machine)
    const listed = await host.files.list(machinesFolder(this.#agent))
    for (const uid of listed.ok ? listed.value : [])
      if (!wanted.has(uid) && !this.#machines.has(uid)) await this.#clean(uid)
    for (const uid of await rooms.network.attached()) if (!wanted.has(uid)) await rooms.network.detach(uid)
  }

  #abandon(machine: Machine, volume: StandingVolume): void {
    if (machine.life.state === 'ended') return
    const message = lostMessage(volume)
    const { namespace, name } = machine.owner
    this.#agent.host.log.error('a machine lost a volume', { machine: `${namespace}/${name}`, message })
    void machine.abandon('volume-lost', message)
  }

  #disksOf(machine: Machine): readonly StandingDisk[] {
    return standingDisks(machine, (volume) => this.#abandon(machine, volume))
  }

  /** One look at the Pod of a key. */
  async look(key: string): Promise<WorkAnswer> {
    const { informers, nodeName } = this.#agent
    const [namespace = '', name = ''] = key.split('/')
    const pod = informers.look.get(Pod, namespace, name)
    const before = [...this.#machines.values()].find(
      (one) => `${one.owner.namespace}/${one.owner.podName}` === key,
    )
    if (before && before.owner.podUid !== pod?.metadata.uid) {
      await this.#discard(before)
      return pod ? RETRY : DONE
    }
    if (!pod || pod.spec?.nodeName !== nodeName) return DONE
    if (pod.metadata.deletionTimestamp) return this.#terminate(pod, before)
    if (pod.metadata.labels?.['kubevirt.io'] !== 'virt-launcher') return DONE
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return DONE
    const vmi = this.#vmiOf(pod)
    if (!vmi) return { againMs: SOON_MS }
    return before ? this.#tell(pod, vmi, before) : this.#bring(pod, vmi)
  }

  // --- start ---

  async #bring(pod: Pod, vmi: VirtualMachineInstance): Promise<WorkAnswer> {
    const { phase } = vmi.status ?? {}
    if (phase === 'Running') return this.#lost(pod, vmi)
    if (phase !== 'Scheduled') return { againMs: SOON_MS }
    const prepared = await this.#prepare(pod, vmi)
    if ('wait' in prepared) return this.#wait(pod, vmi, prepared.wait)
    const owner = ownerOf(vmi, pod)
    const holder = { owner, volumes: prepared.volumes }
    const others = this.machines()
    const inUse = volumeInUse(prepared.volumes, [...others, ...this.#starting])
    if (inUse) return this.#wait(pod, vmi, inUse)
    this.#starting.add(holder)
    const started = await this.#start(pod, vmi, prepared).finally(() => this.#starting.delete(holder))
    // Not a failure of the machine: it is planned anew on the volume as it is now.
    if (!started.ok && started.failure.reason === 'VolumeMoved') return RETRY
    if (!started.ok) return this.#startFailed(pod, vmi, { owner, prepared, failure: started.failure })
    this.#note(vmi, 'Normal', 'Started', 'VirtualMachineInstance started.')
    for (const note of prepared.plan.notes) this.#note(vmi, 'Normal', 'MachineNote', note)
    return this.#tell(pod, vmi, started.value)
  }

  async #start(pod: Pod, vmi: VirtualMachineInstance, prepared: Prepared): Promise<Result<Machine>> {
    const folders = foldersOf(this.#agent, vmi)
    const started = await this.#agent.rooms.volume.connect({
      volumes: prepared.volumes,
      disks: (machine) => this.#disksOf(machine),
      start: () =>
        startMachine(this.#ports(), {
          owner: ownerOf(vmi, pod),
          folder: folders.folder,
          socketFolder: folders.sockets,
          plan: prepared.plan,
          networks: prepared.networks,
          volumes: prepared.volumes,
          extraFiles: prepared.files,
          limits: limitsOf(pod, this.#facts),
        }),
    })
    if (!started.ok) return started
    const { uid } = started.value.owner
    this.#attempts.delete(uid)
    this.#machines.set(uid, started.value)
    return started
  }

  async #prepare(pod: Pod, vmi: VirtualMachineInstance): Promise<Prepared | { readonly wait: MachineWait }> {
    const folders = foldersOf(this.#agent, vmi)
    const spec = effectiveSpec(vmi.spec)
    const { namespace = '', name = '', uid = '', annotations = {} } = vmi.metadata
    const identity = { namespace, name, uid, annotations, spec }
    const inputs = await gatherInputs(this.#agent, {
      vmi,
      uuid: machineUuid(identity),
      folder: folders.folder,
    })
    if (!inputs.ok) return { wait: inputs.wait }
    const user = this.#facts.runAs ?? MACHINE_USER
    const networks = await attachNetworks(this.#agent, { vmi, pod, spec, user })
    if (!networks.ok) return { wait: networks.wait }
    const answer = planMachine({
      vmi: identity,
      volumes: inputs.inputs.volumes,
      networks: networks.networks,
      facts: this.#facts,
      folder: folders.folder,
      socketFolder: folders.sockets,
      stateFolder: folders.state,
      now: this.#agent.host.clock.now(),
    })
    if (answer.ok)
      return {
        plan: answer.plan,
        networks: networks.networks,
        volumes: standingVolumes(inputs.inputs.volumes, spec.domain.devices.disks ?? []),
        files: inputs.inputs.files,
      }
    await this.refreshFacts()
    const [first] = answer.problems
    return {
      wait: {
        reason: first?.reason ?? 'Refused',
        message: answer.problems.map((one) => one.message).join('; '),
      },
    }
  }

  get facts(): HostFacts {
    return this.#facts
  }

  /** What was missing may have been installed in the meantime. */
  async refreshFacts(): Promise<void> {
    const { host, dataFolder } = this.#agent
    const facts = await hostFactsOrWhyNot(host, {
      cacheFolder: `${dataFolder}/cache`,
      probeFolder: machinesFolder(this.#agent),
    })
    if (facts.ok) this.#facts = facts.value
  }

  async #wait(pod: Pod, vmi: VirtualMachineInstance, wait: MachineWait): Promise<WorkAnswer> {
    const { clock } = this.#agent.host
    const created = parseTime(pod.metadata.creationTimestamp ?? '')
    const toldFrom = created === undefined ? clock.now() : created + USUAL_WAIT_MS
    if (USUAL_WAITS.has(wait.reason) && clock.now() < toldFrom) return { againMs: toldFrom - clock.now() }
    const before = vmi.status?.conditions?.find((one) => one.type === 'Synchronized')
    if (before?.reason !== wait.reason || before.message !== wait.message)
      this.#note(vmi, 'Warning', wait.reason, wait.message)
    await this.#report(pod, vmi, { state: 'waiting', wait })
    return RETRY
  }

  async #startFailed(pod: Pod, vmi: VirtualMachineInstance, failed: FailedStart): Promise<WorkAnswer> {
    const uid = vmi.metadata.uid ?? ''
    const { failure } = failed
    const attempt = (this.#attempts.get(uid) ?? 0) + 1
    this.#attempts.set(uid, attempt)
    this.#agent.host.log.warn('a machine did not start', {
      machine: keyOf(vmi),
      attempt,
      why: failure.message,
      command: failure.command,
      stderr: failure.stderr,
    })
    const message = `server error. command SyncVMI failed: "${failure.message}"`
    if (attempt < START_ATTEMPTS_MAX) return this.#wait(pod, vmi, { reason: failure.reason, message })
    this.#attempts.delete(uid)
    this.#note(vmi, 'Warning', 'SyncFailed', message)
    const end: MachineEnd = {
      reason: 'start-failed',
      message: failure.message,
      at: this.#agent.host.clock.now(),
    }
    return this.#endWithout(pod, vmi, { owner: failed.owner, plan: failed.prepared.plan, end })
  }

  /** Written down as ended, so that it is not begun again after our own restart. */
  async #endWithout(pod: Pod, vmi: VirtualMachineInstance, ended: EndedStart): Promise<WorkAnswer> {
    const uid = vmi.metadata.uid ?? ''
    const folder = machineFolder(this.#agent, uid)
    const state: MachineState = {
      version: 1,
      owner: ended.owner,
      step: 'ended',
      plan: ended.plan,
      networks: [],
      companions: [],
      accelerator: this.#facts.accelerator.kind,
      startedAt: ended.end.at,
      end: ended.end,
    }
    await writeState(this.#agent.host.files, folder, state)
    const machine = new Machine(this.#ports(), folder, state)
    this.#machines.set(uid, machine)
    return this.#tell(pod, vmi, machine)
  }

  /** The API says it ran, and nothing of it is here: its folder was lost. Never started a second time. */
  async #lost(pod: Pod, vmi: VirtualMachineInstance): Promise<WorkAnswer> {
    const now = this.#agent.host.clock.now()
    const message = 'the machine is not on this node any more: its folder was removed'
    await killStrays(this.#ports(), machineFolder(this.#agent, vmi.metadata.uid ?? ''))
    return this.#answer(
      await this.#report(pod, vmi, {
        state: 'ended',
        succeeded: false,
        reason: 'MachineLost',
        message,
        startedAt: now,
        endedAt: now,
      }),
    )
  }

  // --- status ---

  async #tell(pod: Pod, vmi: VirtualMachineInstance, machine: Machine): Promise<WorkAnswer> {
    await this.#guests.look(vmi, machine)
    const written = await this.#report(pod, vmi, viewOf(machine, this.#guests.seen(machine)))
    if (written === 'stale') return { againMs: 20 }
    if (machine.life.state !== 'ended') return machine.agentOpen ? { againMs: GUEST_LOOK_MS } : DONE
    if (written === 'written') this.#noteEnd(vmi, viewOf(machine, this.#guests.seen(machine)))
    await this.#agent.rooms.network.detach(machine.owner.uid)
    return this.#answer(written)
  }

  /** An instance that is started anew is gone with its status; its event stays for whoever asks why. */
  #noteEnd(vmi: VirtualMachineInstance, view: MachineView): void {
    if (view.state !== 'ended') return
    if (view.succeeded) this.#note(vmi, 'Normal', 'Stopped', 'The VirtualMachineInstance was shut down.')
    else this.#note(vmi, 'Warning', view.reason, view.message)
  }

  #answer(written: string): WorkAnswer {
    return written === 'stale' ? RETRY : DONE
  }

  #report(pod: Pod, vmi: VirtualMachineInstance | undefined, view: MachineView): Promise<string> {
    return report(this.#agent, { pod, vmi, view, qemuVersion: versionText(this.#facts.qemu.version) })
  }

  // --- end ---

  async #terminate(pod: Pod, machine: Machine | undefined): Promise<WorkAnswer> {
    const vmi = this.#vmiOf(pod)
    if (machine && machine.life.state !== 'ended') {
      this.#stop(pod, vmi, machine)
      return DONE
    }
    const final = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
    if (
      machine &&
      !final &&
      (await this.#report(pod, vmi, viewOf(machine, this.#guests.seen(machine)))) === 'stale'
    )
      return { againMs: 20 }
    const uid = machine?.owner.uid ?? vmiRef(pod)?.uid
    if (uid !== undefined) await this.#clean(uid)
    const { namespace = '', name = '', uid: podUid = '' } = pod.metadata
    try {
      await this.#agent.client.delete(Pod, name, { namespace, graceSeconds: 0, uid: podUid })
    } catch (error) {
      // Gone already, or another Pod of the same name: both mean that ours is no more.
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error
    }
    return DONE
  }

  #stop(pod: Pod, vmi: VirtualMachineInstance | undefined, machine: Machine): void {
    const { uid } = machine.owner
    const podSeconds = pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
    const wished = vmi?.spec.terminationGracePeriodSeconds
    const seconds = Math.min(podSeconds, wished === undefined ? DEFAULT_GRACE_SECONDS : Number(wished))
    const under = this.#stopping.get(uid)
    if (under) {
      // Somebody lost patience while the guest was shutting down.
      if (seconds === 0) under.abort()
      return
    }
    const hurry = new AbortController()
    this.#stopping.set(uid, hurry)
    if (vmi) this.#note(vmi, 'Normal', 'ShuttingDown', 'Signaled Graceful Shutdown')
    void machine.stop(seconds * 1000, hurry.signal).finally(() => {
      this.#stopping.delete(uid)
      this.#changed(uid)
    })
  }

  /** Its Pod is gone without our doing: nobody wants it any more. */
  async #discard(machine: Machine): Promise<void> {
    this.#agent.host.log.warn('a machine without a Pod is ended', {
      machine: `${machine.owner.namespace}/${machine.owner.name}`,
    })
    await machine.kill('its Pod is gone')
    await this.#clean(machine.owner.uid)
  }

  async #clean(uid: string): Promise<void> {
    const { host, rooms } = this.#agent
    const folder = machineFolder(this.#agent, uid)
    await killStrays(this.#ports(), folder)
    await removeCgroup(host, this.#options.cgroup, uid)
    const detached = await rooms.network.detach(uid)
    if (!detached.ok)
      host.log.warn('the network of a machine was not removed', { uid, why: detached.failure.message })
    this.#machines.get(uid)?.detach()
    this.#machines.delete(uid)
    this.#guests.forget(uid)
    this.#attempts.delete(uid)
    for (const path of [socketFolder(this.#agent, uid), folder]) await host.files.remove(path)
  }

  /** Lets go of all machines; they go on without us. */
  close(): void {
    this.#shares.close()
    for (const machine of this.#machines.values()) machine.detach()
  }

  // --- small things ---

  #ports(): MachinePorts {
    return {
      host: this.#agent.host,
      facts: this.#facts,
      cgroup: this.#options.cgroup,
      starts: this.#agent.starts,
      onLetGo: (process) => this.#shares.yield(process),
      onChange: (uid) => this.#changed(uid),
    }
  }

  #changed(uid: string): void {
    const owner = this.#machines.get(uid)?.owner
    if (owner) this.#options.wake(`${owner.namespace}/${owner.podName}`)
  }

  #vmiOf(pod: Pod): VirtualMachineInstance | undefined {
    const ref = vmiRef(pod)
    const vmi =
      ref && this.#agent.informers.look.get(VirtualMachineInstance, pod.metadata.namespace, ref.name)
    return vmi?.metadata.uid === ref?.uid ? vmi : undefined
  }

  #note(vmi: VirtualMachineInstance, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { namespace = '', name = '', uid = '' } = vmi.metadata
    this.#agent.recorder.note({
      about: { kind: VirtualMachineInstance, namespace, name, uid },
      type,
      reason,
      message,
    })
  }
}

interface Prepared {
  readonly plan: MachinePlan
  readonly volumes: Machine['volumes']
  readonly networks: Machine['networks']
  readonly files: Parameters<typeof startMachine>[1]['extraFiles']
}
interface FailedStart {
  readonly owner: MachineOwner
  readonly prepared: Prepared
  readonly failure: Failure
}
interface EndedStart {
  readonly owner: MachineOwner
  readonly plan: MachinePlan
  readonly end: MachineEnd
}
