// Starts machines and finds them again. The order of a start: files, QEMU (paused), state "started" with its identity,
// durable before the first contact, then the guest is let go. A QEMU without a state has never run its guest.
import { failed, ok, type Result } from '../../base/result.ts'
import type { ProcessIdentity } from '../../host/host.ts'
import type { HostFacts } from '../plan/facts.ts'
import { launchArgv } from '../plan/launch.ts'
import type { MachinePlan } from '../plan/machine-plan.ts'
import type { NicAttachment } from '../plan/nic.ts'
import type { Companion, FileStep } from '../plan/part.ts'
import { findProcesses } from '../processes.ts'
import { type CgroupLimits, type PreparedCgroup, prepareCgroup } from './cgroup.ts'
import { Machine, type MachinePorts, START_TIMEOUT_MS } from './machine.ts'
import { prepareFiles } from './prepare.ts'
import {
  type MachineOwner,
  type MachineState,
  readState,
  type StandingVolume,
  statePath,
  writeState,
} from './state.ts'

const COMPANION_TIMEOUT_MS = 10_000
const COMPANION_POLL_MS = 20
/** A QEMU that runs answers at once; the others are asked on in the background. */
const ADOPT_TIMEOUT_MS = 3_000
/** A killed process is gone within this, unless its disk hangs. */
const KILL_TIMEOUT_MS = 10_000

export interface StartRequest {
  readonly owner: MachineOwner
  readonly folder: string
  readonly socketFolder: string
  readonly plan: MachinePlan
  readonly networks: readonly NicAttachment[]
  readonly volumes?: readonly StandingVolume[]
  /** Written before QEMU starts, for instance configuration disks. */
  readonly extraFiles: readonly FileStep[]
  readonly limits: CgroupLimits
}

/**
 * Starts a machine whose guest runs when this resolves (unless it is to stay paused). On a failure nothing is left
 * running. Failures: `QemuStartFailed` with QEMU's own words, and those of files and programs.
 */
export async function startMachine(ports: MachinePorts, request: StartRequest): Promise<Result<Machine>> {
  const { host, facts, cgroup } = ports
  const { folder, plan, owner } = request
  const { runAs } = facts
  const prepared = await prepareFiles(host, { ...request, ...(runAs ? { runAs } : {}) })
  if (!prepared.ok) return prepared
  const group = await prepareCgroup(host, cgroup, owner.uid, request.limits)
  if (group.note !== undefined) host.log.warn(group.note, { machine: `${owner.namespace}/${owner.name}` })
  // What an earlier attempt left must not be taken for this one's; until its own state is written, whatever runs
  // with this folder on its command line is a stray.
  const cleared = await host.files.remove(statePath(folder))
  if (!cleared.ok) return cleared
  const companions = await startCompanions(ports, plan.companions, { folder, facts })
  if (!companions.ok) return companions
  return ports.starts.run('machine', () => launch(ports, request, { group, companions: companions.value }))
}

/** From the first process to the guest's first instruction. */
async function launch(
  ports: MachinePorts,
  { folder, plan, owner, networks, volumes }: StartRequest,
  { group, companions }: { readonly group: PreparedCgroup; readonly companions: readonly ProcessIdentity[] },
): Promise<Result<Machine>> {
  const { host, facts } = ports
  const started = await host.exec.startDetached(wrapped(plan, facts, group), {
    cwd: '/',
    stdoutPath: `${folder}/qemu.log`,
    stderrPath: `${folder}/qemu.log`,
    env: plan.env,
  })
  if (!started.ok) return started
  const state: MachineState = {
    version: 1,
    owner,
    step: 'started',
    plan,
    networks,
    ...(volumes ? { volumes } : {}),
    process: started.value,
    companions,
    accelerator: facts.accelerator.kind,
    startedAt: host.clock.now(),
  }
  const machine = new Machine(ports, folder, state)
  // QEMU comes up while its state is written down.
  const first = await machine.begin(START_TIMEOUT_MS, writeState(host.files, folder, state))
  if (first.ok) return ok(machine)
  await machine.kill(first.failure.message)
  for (const process of [started.value, ...companions]) await killAndWait(ports, process)
  return first
}

function wrapped(plan: MachinePlan, facts: HostFacts, group: PreparedCgroup): readonly string[] {
  return launchArgv(plan.argv, {
    cgroupFiles: group.procs,
    ...(facts.runAs ? { runAs: facts.runAs } : {}),
    ...(group.scope ? { scope: group.scope } : {}),
    ...(plan.netns === undefined ? {} : { netns: plan.netns }),
  })
}

async function startCompanions(
  { host }: MachinePorts,
  companions: readonly Companion[],
  { folder, facts }: { readonly folder: string; readonly facts: HostFacts },
): Promise<Result<readonly ProcessIdentity[]>> {
  const started: ProcessIdentity[] = []
  for (const companion of companions) {
    const log = `${folder}/${companion.name}.log`
    const argv = launchArgv(companion.argv, {
      cgroupFiles: [],
      ...(facts.runAs ? { runAs: facts.runAs } : {}),
    })
    const one = await host.exec.startDetached(argv, { cwd: '/', stdoutPath: log, stderrPath: log })
    if (!one.ok) return one
    started.push(one.value)
    const deadline = host.clock.monotonic() + COMPANION_TIMEOUT_MS
    while (!(await host.files.stat(companion.socket)).ok) {
      const alive = await host.exec.isAlive(one.value)
      if (alive && host.clock.monotonic() < deadline) {
        await host.clock.sleep(COMPANION_POLL_MS)
        continue
      }
      for (const process of started) await host.exec.kill(process, 'SIGKILL')
      const said = await host.files.readText(log)
      return failed({
        reason: 'CompanionFailed',
        message: `${companion.name} did not start: see ${log}`,
        retry: 'later',
        command: companion.argv.join(' '),
        ...(said.ok ? { stderr: said.value } : {}),
      })
    }
  }
  return ok(started)
}

async function killAndWait({ host }: MachinePorts, process: ProcessIdentity): Promise<void> {
  if (!(await host.exec.kill(process, 'SIGKILL'))) return
  const late = new AbortController()
  const cancel = host.clock.after(KILL_TIMEOUT_MS, () => late.abort())
  await host.exec.waitExit(process, late.signal).catch(() => undefined)
  cancel()
}

export type Adopted =
  /** It runs, or its end is known. */
  | { readonly found: 'machine'; readonly machine: Machine }
  /** A start that had not come far enough; what was left of it is gone, and it may be started anew. */
  | { readonly found: 'nothing' }

/** Finds the machine of a folder again after our own restart. Never disturbs one that runs. */
export async function adoptMachine(ports: MachinePorts, folder: string): Promise<Result<Adopted>> {
  const { host } = ports
  const read = await readState(host.files, folder)
  if (!read.ok) {
    if (read.failure.reason !== 'NotFound') return read
    await killStrays(ports, folder)
    return ok({ found: 'nothing' })
  }
  const state = read.value
  if (state.step === 'ended') return ok({ found: 'machine', machine: new Machine(ports, folder, state) })
  if (!state.process) {
    // The guest has not run: it is let go only after the identity is written down.
    await killStrays(ports, folder)
    return ok({ found: 'nothing' })
  }
  if (await host.exec.isAlive(state.process)) {
    const machine = new Machine(ports, folder, state)
    const begun = await machine.begin(ADOPT_TIMEOUT_MS)
    // One that hangs on its storage must not keep the others waiting.
    if (!begun.ok) void machine.keepTrying()
    return ok({ found: 'machine', machine })
  }
  const ended = await endedMeanwhile(ports, state)
  const written = await writeState(host.files, folder, ended)
  if (!written.ok)
    host.log.warn('the end of a machine was not written down', { folder, why: written.failure.message })
  await killStrays(ports, folder)
  return ok({ found: 'machine', machine: new Machine(ports, folder, ended) })
}

async function endedMeanwhile({ host }: MachinePorts, state: MachineState): Promise<MachineState> {
  const boot = await host.files.readText('/proc/sys/kernel/random/boot_id')
  const restarted = boot.ok && boot.value.trim() !== state.process?.bootId
  const end = state.end ?? {
    reason: restarted ? ('host-restarted' as const) : ('crashed' as const),
    message: restarted ? 'the host was restarted' : 'QEMU ended while Croft was away',
    at: host.clock.now(),
  }
  return { ...state, step: 'ended', end }
}

/** Ends every program of a machine's folder that nobody answers for. */
export async function killStrays(ports: MachinePorts, folder: string): Promise<number> {
  const { qemu, swtpm } = ports.facts
  const found = await findProcesses(ports.host.files, `${folder}/`)
  // Whoever merely looks at a file of the folder is left alone.
  const ours = found.filter(
    ({ argv }) => argv.includes(qemu.binary) || (swtpm !== undefined && argv.includes(swtpm)),
  )
  for (const { identity } of ours) await killAndWait(ports, identity)
  return ours.length
}
