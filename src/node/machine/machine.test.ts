// Real QEMU under emulation, firmware only: 64 MiB and no disk, so that a machine costs little.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { realHost } from '../../host/real/index.ts'
import type { HostFacts } from '../plan/facts.ts'
import { type MachinePlan, planMachine } from '../plan/machine-plan.ts'
import type { VmiSpec } from '../plan/part.ts'
import { connectQmp } from '../qmp/qmp.ts'
import { StartGate } from '../start-gate.ts'
import { cgroupKind } from './cgroup.ts'
import { gatherHostFacts } from './host-facts.ts'
import type { Machine, MachineLife, MachinePorts } from './machine.ts'
import { adoptMachine, killStrays, type StartRequest, startMachine } from './runner.ts'
import { readState, statePath, writeState } from './state.ts'

const host = realHost({ log: { level: 'error' } })
const skip = (await host.exec.find('qemu-system-x86_64')) ? false : 'qemu-system-x86_64 is not installed'
const started: Machine[] = []
let root = ''
let facts: HostFacts
let ports: MachinePorts
let changes = 0

before(async () => {
  if (skip) return
  root = mkdtempSync(join(tmpdir(), 'croft-machine-'))
  chmodSync(root, 0o711)
  const gathered = await gatherHostFacts(host, { cacheFolder: root, probeFolder: root })
  assert.ok(gathered.ok, JSON.stringify(gathered))
  facts = gathered.value
  ports = {
    host,
    facts,
    cgroup: await cgroupKind(host),
    starts: new StartGate(2),
    onChange: () => (changes += 1),
  }
})

after(async () => {
  await Promise.all(started.map((machine) => machine.kill('the test is over')))
  if (root !== '') rmSync(root, { recursive: true, force: true })
})

const SPEC: VmiSpec = {
  domain: {
    memory: { guest: '64Mi' },
    firmware: { bootloader: { bios: { useSerial: true } } },
    devices: { autoattachGraphicsDevice: false, disks: [], interfaces: [] },
  },
}

function request(name: string, spec: VmiSpec = SPEC): StartRequest {
  const uid = `00000000-0000-4000-8000-${Buffer.from(name.padEnd(6)).toString('hex').slice(0, 12)}`
  const folder = join(root, uid)
  const planned = planMachine({
    vmi: { namespace: 'test', name, uid, annotations: {}, spec },
    volumes: [],
    networks: [],
    facts,
    folder,
    socketFolder: `${folder}/q`,
    stateFolder: `${folder}-state`,
    now: 0,
  })
  assert.ok(planned.ok, JSON.stringify(planned))
  const owner = { namespace: 'test', name, uid, podName: `virt-launcher-${name}`, podUid: `pod-${uid}` }
  return {
    owner,
    folder,
    socketFolder: `${folder}/q`,
    plan: planned.plan,
    networks: [],
    extraFiles: [],
    limits: {},
  }
}

async function start(name: string, spec?: VmiSpec, limits: StartRequest['limits'] = {}): Promise<Machine> {
  const answer = await startMachine(ports, { ...request(name, spec), limits })
  assert.ok(answer.ok, JSON.stringify(answer))
  started.push(answer.value)
  return answer.value
}

async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const deadline = Date.now() + ms
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`)
    await sleep(20)
  }
}

function run(machine: Machine): string {
  return machine.life.state === 'alive' ? machine.life.run : machine.life.state
}

async function adopt(folder: string): Promise<Machine> {
  const answer = await adoptMachine(ports, folder)
  assert.ok(answer.ok && answer.value.found === 'machine', JSON.stringify(answer))
  started.push(answer.value.machine)
  return answer.value.machine
}

test('a machine starts, runs its firmware as an unprivileged user and keeps its serial log', {
  skip,
}, async () => {
  const machine = await start('one', SPEC, { memoryBytes: 1024 ** 3, cpuMilli: 2000 })
  assert.equal(run(machine), 'running')
  const pid = machine.process?.pid ?? 0
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  assert.match(status, /NoNewPrivs:\t1/)
  assert.match(status, /Seccomp:\t2/)
  if (facts.runAs) {
    assert.match(status, new RegExp(`Uid:\t${facts.runAs.uid}`))
    assert.match(status, /CapEff:\t0+\n/)
  }
  if (ports.cgroup === 'v1') assert.match(readFileSync(`/proc/${pid}/cgroup`, 'utf8'), /:memory:\/.*croft\//)
  await until('the firmware speaks', () =>
    readFileSync(`${machine.folder}/serial.log`, 'utf8').includes('SeaBIOS'),
  )
  const opened = await machine.serial?.open({ replay: true })
  assert.ok(opened?.ok)
  assert.match(await firstWords(opened.value.readable), /SeaBIOS/)
  opened.value.close()
  const process = await machine.kill('enough').then(() => machine.life)
  assert.deepEqual(process.state === 'ended' && process.end.reason, 'killed')
  assert.equal(existsSync(`/proc/${pid}`), false)
})

async function firstWords(source: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const bytes of source) return new TextDecoder().decode(bytes)
  return ''
}

test('pause and unpause do what they say and refuse the second time', { skip }, async () => {
  const machine = await start('pause')
  assert.ok((await machine.pause()).ok)
  // At once: what counts is what QEMU says, not what was heard of it so far.
  const again = await machine.pause()
  assert.equal(!again.ok && again.failure.reason, 'AlreadyPaused')
  assert.ok((await machine.unpause()).ok)
  const once = await machine.unpause()
  assert.equal(!once.ok && once.failure.reason, 'NotPaused')
  const both = await Promise.all([machine.pause(), machine.pause()])
  assert.deepEqual(
    both.map((one) => one.ok || one.failure.reason),
    [true, 'AlreadyPaused'],
  )
  assert.ok((await machine.unpause()).ok)
  assert.ok((await machine.reset()).ok)
})

test('after a restart of the agent the same process is found, with what happened meanwhile', {
  skip,
}, async () => {
  const first = await start('adopt')
  const identity = first.process
  first.detach()
  const side = await connectQmp(host, first.plan.sockets.rescue, { oob: false, timeoutMs: 5_000 })
  assert.ok(side.ok)
  await side.value.execute('stop')
  side.value.close()
  const second = await adopt(first.folder)
  assert.deepEqual(second.process, identity)
  assert.equal(run(second), 'paused')
  assert.ok((await second.unpause()).ok)
  await until('running again', () => run(second) === 'running')
})

test('a QEMU that is killed is a crash, and the change is told', { skip }, async () => {
  const machine = await start('killed')
  const before = changes
  process.kill(machine.process?.pid ?? 0, 'SIGKILL')
  await machine.ended
  assert.ok(changes > before)
  assert.equal(endOf(machine.life), 'crashed')
  const state = await readState(host.files, machine.folder)
  assert.ok(state.ok && state.value.step === 'ended')
})

test('a QEMU that died while nobody looked is a crash too', { skip }, async () => {
  const machine = await start('unseen')
  machine.detach()
  process.kill(machine.process?.pid ?? 0, 'SIGKILL')
  await until(
    'gone',
    async () => machine.process === undefined || !(await host.exec.isAlive(machine.process)),
  )
  const found = await adopt(machine.folder)
  assert.equal(endOf(found.life), 'crashed')
})

function endOf(life: MachineLife): string {
  return life.state === 'ended' ? life.end.reason : life.state
}

test('a QEMU that does not start tells its own words and leaves nothing running', { skip }, async () => {
  const wrong = request('wrong')
  const plan: MachinePlan = { ...wrong.plan, argv: [...wrong.plan.argv, '-device', 'no-such-device'] }
  const answer = await startMachine(ports, { ...wrong, plan })
  assert.ok(!answer.ok)
  assert.equal(answer.failure.reason, 'QemuStartFailed')
  assert.match(answer.failure.message, /no-such-device/)
  assert.equal(await killStrays(ports, wrong.folder), 0)
})

test('a start that was cut off before the identity was known is rolled back', { skip }, async () => {
  const machine = await start('cut')
  machine.detach()
  const state = await readState(host.files, machine.folder)
  assert.ok(state.ok)
  const { process: identity } = state.value
  await host.files.remove(statePath(machine.folder))
  const answer = await adoptMachine(ports, machine.folder)
  assert.ok(answer.ok && answer.value.found === 'nothing')
  assert.ok(identity && !(await host.exec.isAlive(identity)))
})

test('a start that was cut off before the guest was let go goes on', { skip }, async () => {
  const wanted = request('resume')
  const paused = await startMachine(ports, { ...wanted, plan: { ...wanted.plan, startPaused: true } })
  assert.ok(paused.ok)
  paused.value.detach()
  // Its last word is written in the background.
  await until('let go', async () => {
    const now = await readState(host.files, wanted.folder)
    return now.ok && now.value.step === 'running'
  })
  const state = await readState(host.files, wanted.folder)
  assert.ok(state.ok)
  await writeState(host.files, wanted.folder, { ...state.value, step: 'started', plan: wanted.plan })
  const machine = await adopt(wanted.folder)
  assert.equal(run(machine), 'running')
  assert.deepEqual(machine.process, paused.value.process)
})

test('a machine that shall start paused stays so', { skip }, async () => {
  const machine = await start('frozen', { ...SPEC, startStrategy: 'Paused' })
  assert.equal(run(machine), 'prelaunch')
  assert.ok((await machine.unpause()).ok)
  await until('running', () => run(machine) === 'running')
})

test('a guest that does not hear the power button is ended after its grace period', { skip }, async () => {
  const machine = await start('deaf')
  const before = Date.now()
  await machine.stop(1_000)
  assert.ok(Date.now() - before >= 1_000)
  assert.equal(endOf(machine.life), 'killed')
})

test('twenty machines started at once all run', { skip }, async () => {
  const before = Date.now()
  const machines = await Promise.all([...Array(20).keys()].map((index) => start(`m${index}`)))
  assert.ok(machines.every((machine) => run(machine) === 'running'))
  const pids = new Set(machines.map((machine) => machine.process?.pid))
  assert.equal(pids.size, 20)
  for (const machine of machines) machine.detach()
  const found = await Promise.all(machines.map((machine) => adopt(machine.folder)))
  assert.deepEqual(new Set(found.map((machine) => machine.process?.pid)), pids)
  await Promise.all(found.map((machine) => machine.kill('enough')))
  console.error(`20 machines: ${Date.now() - before} ms`)
})
