// One machine on this host: its QEMU from start to end, whoever of us two is restarted in between. What it is doing
// is known from QMP events and one query at each (re)connect; an absent answer is "unknown", never "stopped".
import { deepEqual } from '../../base/equality.ts'
import { isObject } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Host, ProcessIdentity } from '../../host/host.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { HostFacts } from '../plan/facts.ts'
import type { MachinePlan } from '../plan/machine-plan.ts'
import type { NicAttachment } from '../plan/nic.ts'
import { connectQmp, type Qmp, type QmpEvent } from '../qmp/qmp.ts'
import type { StartGate } from '../start-gate.ts'
import { Turns } from '../volume/standing.ts'
import { type CgroupKind, removeCgroup } from './cgroup.ts'
import { lastWords, recognised, startFailure } from './first-contact.ts'
import { type GuestAgent, guestAgent } from './guest-agent.ts'
import { openSerial, type Serial } from './serial.ts'
import {
  type EndReason,
  type MachineEnd,
  type MachineOwner,
  type MachineState,
  type MachineStep,
  type StandingVolume,
  writeState,
} from './state.ts'

/** From QEMU's start to its first answer; long only where the host is starved. */
export const START_TIMEOUT_MS = 60_000
const DIAL_TIMEOUT_MS = 5_000
/** A dial costs a fifth of a millisecond, a machine that waits for the next one is late by the whole pause. */
const DIAL_RETRY_MIN_MS = 5
const DIAL_RETRY_SOON_MS = 10
const DIAL_RETRY_MAX_MS = 1_000
const COMING_UP_MS = 5_000
/** KubeVirt presses the power button again this often until the grace period is over. */
const POWER_BUTTON_EVERY_MS = 5_000
/** Ends that go by QMP's `quit`; where QEMU obeyed it, what the guest flushed and what it had in flight are done. */
const QUIT_REASONS: ReadonlySet<string> = new Set(['shutdown', 'killed', 'panicked', 'crashed'])
/** QEMU writes back and closes its disks on `quit`; a hanging one is killed after this. */
const QUIT_TIMEOUT_MS = 5_000
/** `stop` waits for requests in flight; longer than this, one of them waits for somebody who is away. */
const STOP_MS = 2_000

export interface MachinePorts {
  readonly host: Host
  readonly facts: HostFacts
  readonly cgroup: CgroupKind
  /** Held while QEMU comes up. */
  readonly starts: StartGate
  /** Called when the guest is about to run for the first time. */
  readonly onLetGo?: (process: ProcessIdentity) => void
  /** Called whenever something about the machine is other than before. */
  readonly onChange: (uid: string) => void
}

export type MachineLife =
  /** QEMU's own words for what it is doing: running, paused, io-error, prelaunch, ... */
  | { readonly state: 'alive'; readonly run: string }
  /** The process lives and does not answer. */
  | { readonly state: 'unknown'; readonly why: string }
  | { readonly state: 'ended'; readonly end: MachineEnd }

export class Machine {
  readonly folder: string
  readonly #ports: MachinePorts
  #state: MachineState
  #life: MachineLife = { state: 'unknown', why: 'not asked yet' }
  #qmp: Qmp | undefined
  #rescue: Promise<Result<Qmp>> | undefined
  #serial: Serial | undefined
  #agentOpen = false
  #ioError: string | undefined
  #killedBecause: { readonly reason: EndReason; readonly message: string } | undefined
  /** A power cycle: the button is pressed, or the guest is off and about to be begun anew. */
  #cycle: 'none' | 'asked' | 'turning' = 'none'
  #lastWrite: Promise<void> = Promise.resolve()
  readonly #turns = new Turns()
  readonly #listeners = new Set<(event: QmpEvent) => void>()
  #quitting = false
  #forced = false
  readonly #over = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly agent: GuestAgent

  constructor(ports: MachinePorts, folder: string, state: MachineState) {
    this.#ports = ports
    this.folder = folder
    this.#state = state
    this.agent = guestAgent(ports.host, state.plan.sockets.agent)
    if (state.end) this.#close({ state: 'ended', end: state.end })
  }

  get owner(): MachineOwner {
    return this.#state.owner
  }
  get plan(): MachinePlan {
    return this.#state.plan
  }
  get networks(): readonly NicAttachment[] {
    return this.#state.networks
  }
  /** Longhorn volumes as they were when it was started. */
  get volumes(): readonly StandingVolume[] {
    return this.#state.volumes ?? []
  }
  get accelerator(): 'kvm' | 'tcg' {
    return this.#state.accelerator
  }
  get startedAt(): number {
    return this.#state.startedAt
  }
  get process(): ProcessIdentity | undefined {
    return this.#state.process
  }
  get life(): MachineLife {
    return this.#life
  }
  /** The guest has opened the agent's channel. */
  get agentOpen(): boolean {
    return this.#agentOpen
  }
  /** The last disk error that stopped the guest. */
  get ioError(): string | undefined {
    return this.#ioError
  }
  get serial(): Serial | undefined {
    return this.#serial
  }
  /** Resolves when QEMU and its companions are gone. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /**
   * First contact after the start or after our own restart; then it is looked after until its end. The guest is let
   * go only after `known`: its identity is on the disk by then.
   */
  async begin(timeoutMs = START_TIMEOUT_MS, known?: Promise<Result<void>>): Promise<Result<void>> {
    const { process } = this.#state
    if (this.#life.state === 'ended' || !process) return failed(notRunning())
    if (known) this.#lastWrite = known.then(() => undefined)
    void this.#awaitExit(process)
    const session = await this.#contact(timeoutMs)
    const written = (await known) ?? ok(undefined)
    if (!written.ok) return written
    const begun = session.ok ? await this.#letGo(session.value) : session
    if (!begun.ok) return begun
    if (this.plan.sockets.serial !== undefined)
      this.#serial = openSerial(this.#ports.host, {
        socket: this.plan.sockets.serial,
        log: `${this.folder}/serial.log`,
      })
    return ok(undefined)
  }

  /** After a first contact that failed in time: goes on trying as long as the process lives. */
  async keepTrying(): Promise<void> {
    while (this.#life.state !== 'ended') {
      const begun = await this.begin()
      if (begun.ok) return
      await this.#ports.host.clock.sleep(DIAL_RETRY_MAX_MS).catch(() => undefined)
    }
  }

  /** A command on the main session. Failures: `MachineNotRunning`, and those of Qmp.execute. */
  async execute(
    command: string,
    args: Readonly<Record<string, unknown>> = {},
    timeoutMs?: number,
  ): Promise<Result<unknown>> {
    if (!this.#qmp) return failed(notRunning())
    return this.#qmp.execute(command, args as never, timeoutMs === undefined ? {} : { timeoutMs })
  }

  /** Out of band on the second socket: answered while the main loop hangs, for instance `yank`. */
  async rescue(command: string, args: Readonly<Record<string, unknown>> = {}): Promise<Result<unknown>> {
    const session = await this.#rescueSession()
    if (!session.ok) return session
    return session.value.execute(command, args as never, { oob: true })
  }

  /** Kept open from the first contact on: a hanging main loop answers no greeting any more, only old acquaintances. */
  #rescueSession(): Promise<Result<Qmp>> {
    this.#rescue ??= this.#dialRescue()
    return this.#rescue
  }

  async #dialRescue(): Promise<Result<Qmp>> {
    const session = await connectQmp(this.#ports.host, this.plan.sockets.rescue, {
      oob: true,
      timeoutMs: DIAL_TIMEOUT_MS,
    })
    if (!session.ok) {
      this.#rescue = undefined
      return session
    }
    void session.value.closed.then(() => {
      this.#rescue = undefined
    })
    if (this.#over.signal.aborted) session.value.close()
    return session
  }

  #closeSessions(): void {
    this.#qmp?.close()
    void this.#rescue?.then((session) => session.ok && session.value.close())
  }

  /**
   * `fence`: its host is cut off. A request that waits for storage that does not answer fails, and is asked again when
   * the guest goes on.
   */
  async pause({ fence = false }: { readonly fence?: boolean } = {}): Promise<Result<void>> {
    return this.inTurn(async () => {
      const run = await this.askRun()
      if (!run.ok) return run
      if (run.value !== 'running')
        return failed({ reason: 'AlreadyPaused', message: 'VMI is already paused', retry: 'never' })
      // Written down first: a pause of which nobody knows whose it is would be taken for one of ours and ended.
      await this.#writeState({ userPaused: true, fenced: fence })
      if (!fence) return this.#simple('stop')
      const stopped = await this.execute('stop', {}, STOP_MS)
      if (stopped.ok) return ok(undefined)
      if (stopped.failure.reason !== 'QmpTimeout') return stopped
      await this.#cutStorage()
      return this.#simple('stop')
    })
  }

  /** Breaks all connections to storage; QEMU fails what waits for them, and with that its main loop is free again. */
  async #cutStorage(): Promise<void> {
    const asked = await this.rescue('query-yank')
    const all = asked.ok && Array.isArray(asked.value) ? asked.value : []
    const instances = all.filter((one) => isObject(one) && one['type'] === 'block-node')
    if (instances.length > 0) await this.rescue('yank', { instances })
  }

  async unpause(): Promise<Result<void>> {
    return this.inTurn(async () => {
      const run = await this.askRun()
      if (!run.ok) return run
      if (run.value === 'running') {
        if (this.fenced) await this.#writeState({ userPaused: false, fenced: false })
        return failed({ reason: 'NotPaused', message: 'VMI is not paused', retry: 'never' })
      }
      const gone = await this.#simple('cont')
      if (gone.ok) await this.#writeState({ userPaused: false, fenced: false })
      return gone
    })
  }

  /** Its user has paused it; else a standstill is one of its storage, which ends by itself. */
  get userPaused(): boolean {
    return this.#state.userPaused ?? this.plan.startPaused ?? false
  }

  /** Its host has paused it, or tried to, because it alone had lost the server. */
  get fenced(): boolean {
    return this.#state.fenced ?? false
  }

  /** What asks for the machine's run state and acts on it then is done by one at a time. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    return this.#turns.run(act)
  }

  /** Events of QEMU, over all our connections to it. What happens between two of them is not heard. */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A volume is reached in another way from now on. */
  async volumeMoved(longhornVolume: string, backing: DiskBacking): Promise<void> {
    const volumes = this.volumes.map((one) =>
      one.longhornVolume === longhornVolume ? { ...one, backing } : one,
    )
    if (!deepEqual(volumes, this.volumes)) await this.#writeState({ volumes })
  }

  /** At its end: whether QEMU closed its disks by itself. */
  get closedDisks(): boolean {
    const { end } = this.#state
    return end !== undefined && QUIT_REASONS.has(end.reason) && !this.#forced && this.#quitting
  }

  /** QEMU's own word for what it does at this moment: `life` is an event behind it. */
  async askRun(): Promise<Result<string>> {
    if (this.#life.state !== 'alive') return failed(notRunning())
    const status = await this.execute('query-status')
    if (!status.ok) return status
    return isObject(status.value) ? ok(String(status.value['status'])) : failed(notRunning())
  }

  reset(): Promise<Result<void>> {
    return this.#simple('system_reset')
  }

  /** Asks the guest to shut down and starts it again in the same QEMU: the reboot for guests without an agent. */
  async powerCycle(): Promise<Result<void>> {
    this.#cycle = 'asked'
    const pressed = await this.#simple('system_powerdown')
    if (!pressed.ok) this.#cycle = 'none'
    return pressed
  }

  /** Asks the guest to shut down until the grace period is over, then ends QEMU. Resolves when it is gone. */
  async stop(graceMs: number, hurry?: AbortSignal): Promise<void> {
    this.#cycle = 'none'
    const { clock } = this.#ports.host
    const deadline = clock.monotonic() + graceMs
    const acpi = !this.plan.argv.some((word) => word.includes('acpi=off'))
    while (acpi && this.#life.state !== 'ended' && clock.monotonic() < deadline && !hurry?.aborted) {
      const pressed = await this.#pressPowerButton()
      if (pressed === 'deaf') break
      const pauseMs = Math.min(
        pressed === 'pressed' ? POWER_BUTTON_EVERY_MS : DIAL_RETRY_MAX_MS,
        deadline - clock.monotonic(),
      )
      await Promise.race([this.ended, clock.sleep(Math.max(0, pauseMs), hurry).catch(() => undefined)])
    }
    await this.kill(
      graceMs === 0 ? 'stopped without a grace period' : `did not shut down within ${graceMs / 1000} s`,
    )
  }

  /** A guest that stands still cannot hear the button; one that never ran has nothing to save. */
  async #pressPowerButton(): Promise<'pressed' | 'deaf' | 'unknown'> {
    if (this.#life.state !== 'alive') return 'unknown'
    if (this.#life.run === 'paused') await this.inTurn(() => this.#simple('cont'))
    else if (this.#life.run !== 'running' && this.#life.run !== 'suspended') return 'deaf'
    return (await this.#simple('system_powerdown')).ok ? 'pressed' : 'unknown'
  }

  /** Ends QEMU now. Resolves when it is gone. */
  async kill(why: string): Promise<void> {
    if (this.#life.state === 'ended') return this.ended
    this.#killedBecause ??= { reason: 'killed', message: why }
    await this.#quit()
    return this.ended
  }

  /** Ends QEMU at once, for a reason that is not the guest's: it is not asked to write anything back. */
  async abandon(reason: EndReason, why: string): Promise<void> {
    const { process, end, step } = this.#state
    if (this.#life.state === 'ended' || end || this.#killedBecause || !process) return
    const { host } = this.#ports
    this.#killedBecause = { reason, message: why }
    this.#forced = true
    await this.#write(step, { reason, message: why, at: host.clock.now() })
    await host.exec.kill(process, 'SIGKILL')
    return this.ended
  }

  /** Lets go of the connections; QEMU goes on. */
  detach(): void {
    this.#over.abort()
    this.#serial?.close()
    this.#closeSessions()
  }

  // --- contact ---

  async #contact(timeoutMs: number): Promise<Result<Qmp>> {
    const { host } = this.#ports
    const begun = host.clock.monotonic()
    const deadline = begun + timeoutMs
    let waitMs = DIAL_RETRY_MIN_MS
    for (;;) {
      const session = await connectQmp(host, this.plan.sockets.qmp, {
        oob: false,
        timeoutMs: DIAL_TIMEOUT_MS,
      })
      if (session.ok) return recognised(session.value, this.plan)
      if (this.#life.state === 'ended')
        return failed(await startFailure(this.#ports.host, this.folder, this.plan))
      if (this.#over.signal.aborted) return session
      if (host.clock.monotonic() >= deadline) {
        this.#setLife({ state: 'unknown', why: session.failure.message })
        return session
      }
      await host.clock.sleep(waitMs, this.#over.signal).catch(() => undefined)
      // While QEMU comes up its socket appears any moment; one that stays away is asked less and less.
      const most = host.clock.monotonic() - begun < COMING_UP_MS ? DIAL_RETRY_SOON_MS : DIAL_RETRY_MAX_MS
      waitMs = Math.min(waitMs * 2, most)
    }
  }

  /** Steps before the guest's first instruction, then lets it run; what was done before a crash is not done again. */
  async #letGo(qmp: Qmp): Promise<Result<void>> {
    this.#adoptSession(qmp)
    await this.#refresh(qmp)
    if (this.#state.step === 'started') {
      if (this.#life.state === 'alive' && this.#life.run === 'prelaunch') {
        for (const step of this.plan.qmpSteps) {
          const done = await qmp.execute(step.execute, (step.arguments ?? {}) as never)
          if (!done.ok) return done
        }
        if (this.#state.process) this.#ports.onLetGo?.(this.#state.process)
        const gone = this.plan.startPaused ? ok(undefined) : await qmp.execute('cont')
        if (!gone.ok) return gone
      }
      // Not waited for: what is read after a crash in between says the same when QEMU is asked.
      void this.#write('running')
      await this.#refresh(qmp)
    }
    return ok(undefined)
  }

  #adoptSession(qmp: Qmp): void {
    this.#qmp = qmp
    void this.#rescueSession()
    qmp.onEvent((event) => this.#hear(event))
    void qmp.closed.then(async () => {
      if (this.#qmp === qmp) this.#qmp = undefined
      if (this.#over.signal.aborted || this.#life.state === 'ended') return
      this.#setLife({ state: 'unknown', why: 'the connection to QEMU closed' })
      const again = await this.#contact(Number.POSITIVE_INFINITY)
      if (!again.ok) return
      this.#adoptSession(again.value)
      await this.#refresh(again.value)
    })
  }

  async #refresh(qmp: Qmp): Promise<void> {
    const status = await qmp.execute('query-status')
    if (!status.ok || !isObject(status.value)) return
    const run = String(status.value['status'])
    const chardevs = await qmp.execute('query-chardev')
    if (chardevs.ok && Array.isArray(chardevs.value))
      this.#agentOpen = chardevs.value.some(
        (one) => isObject(one) && one['label'] === 'agent' && one['frontend-open'] === true,
      )
    this.#setRun(run)
  }

  // --- events ---

  #hear(told: QmpEvent): void {
    const { event, data } = told
    for (const listener of this.#listeners) listener(told)
    if (
      event === 'STOP' ||
      event === 'RESUME' ||
      event === 'WATCHDOG' ||
      event === 'SUSPEND' ||
      event === 'WAKEUP'
    ) {
      if (event === 'RESUME') this.#ioError = undefined
      if (this.#qmp) void this.#refresh(this.#qmp)
    }
    if (event === 'BLOCK_IO_ERROR')
      this.#ioError = `${String(data['operation'])} on ${String(data['node-name'] ?? data['device'])}: ${String(data['reason'])}`
    if (event === 'VSERPORT_CHANGE' && data['id'] === 'ua-agent') {
      this.#agentOpen = data['open'] === true
      this.#tell()
    }
    if (event === 'GUEST_PANICKED') this.#finish('panicked', 'the guest panicked')
    if (event === 'SHUTDOWN' && data['guest'] === true) this.#shutDown()
    if (event === 'DEVICE_TRAY_MOVED') this.#tell()
  }

  #shutDown(): void {
    if (this.#cycle === 'none') this.#finish('shutdown', 'the guest shut down')
    // Both the event and the state that is asked for tell of the same end.
    if (this.#cycle !== 'asked') return
    this.#cycle = 'turning'
    void this.inTurn(async () => {
      await this.#simple('system_reset')
      await this.#simple('cont')
      if (this.#cycle === 'turning') this.#cycle = 'none'
    })
  }

  #setRun(run: string): void {
    if (run === 'shutdown') this.#shutDown()
    else if (run === 'guest-panicked') this.#finish('panicked', 'the guest panicked')
    else if (run === 'internal-error')
      this.#finish('crashed', 'QEMU cannot go on with this guest (internal error)')
    else this.#setLife({ state: 'alive', run })
  }

  #setLife(life: MachineLife): void {
    if (this.#life.state === 'ended') return
    const before = this.#life
    this.#life = life
    if (JSON.stringify(before) !== JSON.stringify(life)) this.#tell()
  }

  #tell(): void {
    this.#ports.onChange(this.#state.owner.uid)
  }

  // --- end ---

  /** The end is written down before QEMU is told to go: nobody could ask it afterwards. */
  #finish(reason: EndReason, message: string): void {
    if (this.#state.end || this.#killedBecause) return
    this.#killedBecause = { reason, message }
    void this.#write(this.#state.step, { reason, message, at: this.#ports.host.clock.now() }).then(() =>
      this.#quit(),
    )
  }

  async #quit(): Promise<void> {
    const { process } = this.#state
    if (!process) return
    const { exec, clock } = this.#ports.host
    if (this.#qmp) {
      this.#quitting = true
      void this.#qmp.execute('quit', {}, { timeoutMs: QUIT_TIMEOUT_MS })
      await Promise.race([this.ended, clock.sleep(QUIT_TIMEOUT_MS, this.#over.signal).catch(() => undefined)])
    }
    if (this.#life.state === 'ended') return
    this.#forced = true
    await exec.kill(process, 'SIGKILL')
  }

  #watching = false
  async #awaitExit(process: ProcessIdentity): Promise<void> {
    if (this.#watching) return
    this.#watching = true
    const { host, cgroup } = this.#ports
    try {
      await host.exec.waitExit(process, this.#over.signal)
    } catch {
      return
    }
    const at = host.clock.now()
    const why = this.#state.end ?? (this.#killedBecause && { ...this.#killedBecause, at })
    const said = why ? '' : await lastWords(host, this.folder)
    const end = why ?? {
      reason: 'crashed' as const,
      message: `QEMU ended by itself${said === '' ? '' : `: ${said}`}`,
      at,
    }
    await this.#write('ended', end)
    for (const companion of this.#state.companions) await host.exec.kill(companion, 'SIGKILL')
    await removeCgroup(host, cgroup, this.#state.owner.uid)
    this.#close({ state: 'ended', end })
    this.#tell()
  }

  #close(life: MachineLife): void {
    this.#life = life
    this.#agentOpen = false
    this.#serial?.close()
    this.#closeSessions()
    this.#over.abort()
    this.#ended.resolve()
  }

  async #simple(command: string): Promise<Result<void>> {
    const answer = await this.execute(command)
    return answer.ok ? ok(undefined) : answer
  }

  /** One after the other, so that an older state never replaces a newer one. */
  #write(step: MachineStep, end?: MachineEnd): Promise<void> {
    return this.#writeState({ step, ...(end ? { end } : {}) })
  }

  async #writeState(more: Partial<MachineState>): Promise<void> {
    // In memory it holds even where the disk is full: what we know now is not forgotten before a restart.
    this.#state = { ...this.#state, ...more }
    const next = this.#state
    const { host } = this.#ports
    this.#lastWrite = this.#lastWrite.then(async () => {
      const written = await writeState(host.files, this.folder, next)
      if (!written.ok)
        host.log.warn('the state of a machine was not written', {
          folder: this.folder,
          why: written.failure.message,
        })
    })
    return this.#lastWrite
  }
}

function notRunning(): Failure {
  return { reason: 'MachineNotRunning', message: 'VMI is not running', retry: 'later' }
}
