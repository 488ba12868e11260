// start, stop, restart, pause, unpause: asks for the change, then waits until it is so.
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { type Connection, connect } from './connect.ts'
import {
  actionPath,
  isRunning,
  type Machine,
  type MachineWait,
  START_TIMEOUT_MS,
  STOP_TIMEOUT_MS,
  timeoutOf,
  waitForMachine,
} from './machine.ts'
import { waitFor } from './progress.ts'

interface Action {
  readonly plural: 'virtualmachines' | 'virtualmachineinstances'
  readonly action: string
  readonly body: (call: Call) => object
  readonly wait: (name: string, before: Machine) => Omit<MachineWait, 'timeoutMs'>
  readonly timeoutMs: number
  readonly said: (name: string) => string
}

/** Seconds a guest gets for `--force`: none. */
const AT_ONCE = 0

function machineAction(wanted: Action): Run {
  return async (call, world) => {
    const [name = ''] = call.args
    const connection = await connect(call, world)
    const before = await connection.client.get(VirtualMachine, name, { namespace: connection.namespace })
    await connection.ask('PUT', actionPath(connection, wanted.plural, name, wanted.action), wanted.body(call))
    if (!call.on('no-wait'))
      await waitForMachine(world, connection, name, {
        ...wanted.wait(name, before),
        timeoutMs: timeoutOf(call, wanted.timeoutMs),
      })
    world.terminal.note(`${wanted.said(name)}\n`)
    return EXIT.done
  }
}

const graceOf = (call: Call): object => (call.on('force') ? { gracePeriod: AT_ONCE } : {})

export const vmStart = machineAction({
  plural: 'virtualmachines',
  action: 'start',
  body: () => ({}),
  wait: (name) => ({ what: `${name} runs`, done: isRunning, starts: true }),
  timeoutMs: START_TIMEOUT_MS,
  said: (name) => `${name} runs. Open its console: croft vm console ${name}`,
})

export const vmStop: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const before = await runUid(connection, name)
  await connection.ask('PUT', actionPath(connection, 'virtualmachines', name, 'stop'), graceOf(call))
  if (!call.on('no-wait')) {
    const timeoutMs = timeoutOf(call, STOP_TIMEOUT_MS)
    const what = `${name} is off`
    await waitForMachine(world, connection, name, {
      what,
      timeoutMs,
      // A request that is not taken off yet would refuse the next one.
      done: (vm) =>
        vm?.status?.printableStatus === 'Stopped' && (vm.status.stateChangeRequests ?? []).length === 0,
    })
    const { client, namespace } = connection
    // A run that ended but is still there would refuse the next start.
    await waitFor(world, {
      client,
      kind: VirtualMachineInstance,
      name,
      namespace,
      timeoutMs,
      what,
      next: `croft why vm/${name} -n ${namespace}`,
      look: (run) => ({
        done: run === undefined || run.metadata.uid !== before,
        step: `${name}: cleaning up`,
      }),
    })
  }
  world.terminal.note(`${name} ${call.on('no-wait') ? 'stops' : 'is off'}.\n`)
  return EXIT.done
}

export const vmPause = machineAction({
  plural: 'virtualmachineinstances',
  action: 'pause',
  body: () => ({}),
  wait: (name) => ({ what: `${name} is paused`, done: (vm) => vm?.status?.printableStatus === 'Paused' }),
  timeoutMs: START_TIMEOUT_MS,
  said: (name) => `${name} is paused.`,
})

export const vmUnpause = machineAction({
  plural: 'virtualmachineinstances',
  action: 'unpause',
  body: () => ({}),
  wait: (name) => ({ what: `${name} runs`, done: isRunning, starts: true }),
  timeoutMs: START_TIMEOUT_MS,
  said: (name) => `${name} runs again.`,
})

/** Nothing to wait for: the machine runs before and after. */
export const vmReset: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  await connection.ask('PUT', actionPath(connection, 'virtualmachineinstances', name, 'reset'), {})
  world.terminal.note(`${name} is reset.\n`)
  return EXIT.done
}

/** The state word stays "Running" for a moment, so the run's uid tells whether another one began. */
export const vmRestart: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const before = await runUid(connection, name)
  // Here the field has another name than for stop.
  const body = call.on('force') ? { gracePeriodSeconds: AT_ONCE } : {}
  await connection.ask('PUT', actionPath(connection, 'virtualmachines', name, 'restart'), body)
  if (!call.on('no-wait')) await waitForNewRun(call, world, connection, { name, before })
  world.terminal.note(`${name} ${call.on('no-wait') ? 'restarts' : 'runs again'}.\n`)
  return EXIT.done
}

async function runUid({ client, namespace }: Connection, name: string): Promise<string | undefined> {
  const list = await client.list(VirtualMachineInstance, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  })
  return list.items[0]?.metadata.uid
}

/** Between two looks for another run. Milliseconds. */
const LOOK_MS = 300

async function waitForNewRun(
  call: Call,
  world: World,
  connection: Connection,
  { name, before }: { readonly name: string; readonly before: string | undefined },
): Promise<void> {
  const { clock } = world.host
  const until = clock.monotonic() + timeoutOf(call, STOP_TIMEOUT_MS + START_TIMEOUT_MS)
  for (;;) {
    const left = Math.max(1, until - clock.monotonic())
    await waitForMachine(world, connection, name, {
      what: `${name} runs again`,
      timeoutMs: left,
      // Looked at again below: a machine that still runs its old run is no answer.
      done: isRunning,
    })
    const uid = await runUid(connection, name)
    if (uid !== undefined && uid !== before) return
    await clock.sleep(LOOK_MS)
    if (clock.monotonic() > until)
      await waitForMachine(world, connection, name, {
        what: `${name} runs again`,
        timeoutMs: 1,
        done: () => false,
      })
  }
}
