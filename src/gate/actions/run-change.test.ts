import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../base/errors.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { type RunChange, restartChange, startChange, stopChange } from './run-change.ts'

function machine(spec: object, status: object = {}): VirtualMachine {
  return { metadata: { name: 'web', namespace: 'shop' }, spec, status } as unknown as VirtualMachine
}
function instance(phase: string, grace = 30): VirtualMachineInstance {
  return {
    metadata: { name: 'web', uid: 'run-1' },
    spec: { terminationGracePeriodSeconds: grace },
    status: { phase },
  } as unknown as VirtualMachineInstance
}

const running = instance('Running')
const stop = { action: 'Stop', uid: 'run-1' } as const
const start = { action: 'Start' } as const
const of = (runStrategy: string, status: object = {}) => machine({ runStrategy }, status)
const starts = (vm: VirtualMachine, vmi?: VirtualMachineInstance, paused = false) =>
  startChange(vm, vmi, { paused })
const stops = (vm: VirtualMachine, vmi?: VirtualMachineInstance, gracePeriod?: number) =>
  stopChange(vm, vmi, { gracePeriod })
const restarts = (vm: VirtualMachine, vmi?: VirtualMachineInstance, gracePeriodSeconds?: number) =>
  restartChange(vm, vmi, { gracePeriodSeconds })

const changes: readonly (readonly [string, RunChange, RunChange])[] = [
  ['Halted starts by its strategy', starts(of('Halted')), { spec: { runStrategy: 'Always' } }],
  [
    'running: false starts by the same field',
    starts(machine({ running: false })),
    { spec: { running: true } },
  ],
  [
    'Halted started paused says so in a request',
    starts(of('Halted'), undefined, true),
    { spec: { runStrategy: 'Always' }, requests: [{ ...start, data: { paused: 'true' } }] },
  ],
  ['Manual is asked', starts(of('Manual')), { requests: [start] }],
  [
    'Manual after a shutdown clears first',
    starts(of('Manual'), instance('Succeeded')),
    { requests: [stop, start] },
  ],
  [
    'RerunOnFailure after a shutdown',
    starts(of('RerunOnFailure'), instance('Succeeded')),
    { requests: [stop, start] },
  ],
  ['Always stops by its strategy', stops(of('Always'), running), { spec: { runStrategy: 'Halted' } }],
  [
    'running: true stops by the same field',
    stops(machine({ running: true }), running),
    { spec: { running: false } },
  ],
  ['Manual stop names the run', stops(of('Manual'), running), { requests: [stop] }],
  ['a stop with grace', stops(of('Manual'), running, 5), { requests: [stop], graceSeconds: 5 }],
  ['a halted machine that is stopping can be hurried', stops(of('Halted'), running, 0), { graceSeconds: 0 }],
  [
    'a stop takes the place of what waits',
    stops(of('Manual', { stateChangeRequests: [start] }), running),
    { requests: [stop] },
  ],
  ['restart stops and starts', restarts(of('Always'), running), { requests: [stop, start] }],
  [
    'restart by force',
    restarts(of('Manual'), running, 0),
    { requests: [stop, start], graceSeconds: 0, endAtOnce: true },
  ],
]
for (const [title, change, expected] of changes) test(title, () => assert.deepEqual(change, expected))

const refusals: readonly (readonly [string, () => RunChange, number, RegExp])[] = [
  ['start of Always', () => starts(of('Always')), 409, /Always does not support manual start requests/],
  ['start of Once', () => starts(of('Once')), 409, /Once does not support manual start requests/],
  ['start of what runs', () => starts(of('Manual'), running), 409, /VM is already running/],
  [
    'start of a failed RerunOnFailure',
    () => starts(of('RerunOnFailure'), instance('Failed')),
    409,
    /does not support starting VM from failed state/,
  ],
  ['two starts', () => starts(of('Manual', { stateChangeRequests: [start] })), 409, /already underway/],
  [
    'start of a machine that wants mending',
    () => starts(of('Manual', { conditions: [{ type: 'ManualRecoveryRequired', status: 'True' }] })),
    409,
    /VM recovery required/,
  ],
  ['stop of Manual that rests', () => stops(of('Manual')), 409, /VM is not running/],
  ['stop of Halted that rests', () => stops(of('Halted')), 409, /VM is not running/],
  ['stop of Halted without hurry', () => stops(of('Halted'), running, 60), 409, /shorter graceperiod/],
  ['stop with negative grace', () => stops(of('Always'), running, -1), 400, /greater or equal/],
  [
    'restart of Halted',
    () => restarts(of('Halted'), running),
    409,
    /RunStategy Halted does not support manual restart/,
  ],
  ['restart of what rests', () => restarts(of('Always')), 409, /VM is not running: .*"web" not found/],
  ['restart with positive grace', () => restarts(of('Always'), running, 5), 400, /only gracePeriod=0/],
  [
    'second restart',
    () => restarts(of('Always', { stateChangeRequests: [stop] }), running),
    409,
    /already underway/,
  ],
]
for (const [title, attempt, code, words] of refusals)
  test(`refused: ${title}`, () => {
    assert.throws(attempt, (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, code)
      assert.match(error.message, words)
      return true
    })
  })
