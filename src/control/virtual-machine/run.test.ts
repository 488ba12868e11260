import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { decideRun, type RunStrategy, type StateChangeRequest } from './run.ts'

const NOW = Date.UTC(2026, 10, 30)

function machine(
  runStrategy: RunStrategy,
  status: Partial<NonNullable<VirtualMachine['status']>> = {},
): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'vm', namespace: 'default', uid: 'vm-uid' },
    spec: { runStrategy, template: { spec: { domain: { devices: {} } } } },
    status,
  }
}

function instance(
  phase: string,
  more: { readonly ran?: boolean; readonly deleting?: boolean; readonly uid?: string } = {},
): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'vm',
      namespace: 'default',
      uid: more.uid ?? 'run-1',
      ...(more.deleting ? { deletionTimestamp: '2026-11-30T00:00:00Z' } : {}),
    },
    spec: { domain: { devices: {} } },
    status: {
      phase,
      ...(more.ran
        ? {
            phaseTransitionTimestamps: [
              { phase: 'Running', phaseTransitionTimestamp: '2026-11-30T00:00:00Z' },
            ],
          }
        : {}),
    },
  }
}

const start: StateChangeRequest = { action: 'Start' }
const stop = (uid: string): StateChangeRequest => ({ action: 'Stop', uid })

type Row = readonly [
  title: string,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  expected: 'create' | 'remove' | 'leave',
]

const rows: readonly Row[] = [
  ['Always without instance starts', machine('Always'), undefined, 'create'],
  ['Always leaves a running instance', machine('Always'), instance('Running'), 'leave'],
  [
    'Always replaces an instance that shut down',
    machine('Always'),
    instance('Succeeded', { ran: true }),
    'remove',
  ],
  [
    'Always waits for an instance that is going',
    machine('Always'),
    instance('Running', { deleting: true }),
    'leave',
  ],
  ['Halted without instance rests', machine('Halted'), undefined, 'leave'],
  ['Halted stops a running instance', machine('Halted'), instance('Running'), 'remove'],
  ['Manual rests until asked', machine('Manual'), undefined, 'leave'],
  ['Manual starts when asked', machine('Manual', { stateChangeRequests: [start] }), undefined, 'create'],
  ['Manual keeps an instance that shut down', machine('Manual'), instance('Succeeded'), 'leave'],
  [
    'Manual: start after a shutdown clears the old instance first',
    machine('Manual', { stateChangeRequests: [start] }),
    instance('Succeeded'),
    'remove',
  ],
  [
    'a stop request ends that very instance',
    machine('Always', { stateChangeRequests: [stop('run-1'), start] }),
    instance('Running'),
    'remove',
  ],
  [
    'a stop request for an older instance is satisfied',
    machine('Always', { stateChangeRequests: [stop('run-0')] }),
    instance('Running'),
    'leave',
  ],
  ['RerunOnFailure starts when new', machine('RerunOnFailure'), undefined, 'create'],
  [
    'RerunOnFailure stays off after a shutdown',
    machine('RerunOnFailure', { runStrategy: 'RerunOnFailure' }),
    undefined,
    'leave',
  ],
  [
    'RerunOnFailure removes a failed instance',
    machine('RerunOnFailure'),
    instance('Failed', { ran: true }),
    'remove',
  ],
  ['Once never starts again', machine('Once'), instance('Failed'), 'leave'],
]

for (const [title, vm, vmi, expected] of rows)
  test(title, () => {
    const answer = decideRun(vm, vmi, NOW)
    assert.equal(answer.create ? 'create' : answer.remove ? 'remove' : 'leave', expected)
  })

test('a failed run of RerunOnFailure leaves the request to start again', () => {
  const failed = decideRun(machine('RerunOnFailure'), instance('Failed', { ran: true }), NOW)
  assert.deepEqual(failed.requests, [start])
  const after = machine('RerunOnFailure', {
    runStrategy: 'RerunOnFailure',
    stateChangeRequests: failed.requests as never,
  })
  assert.ok(decideRun(after, undefined, NOW).create)
})

test('failures before the first run wait longer each time, and are counted once each', () => {
  const first = decideRun(machine('Always'), instance('Failed'), NOW)
  assert.equal(first.startFailure?.consecutiveFailCount, 1)
  const vm = machine('Always', { startFailure: first.startFailure as never })
  assert.deepEqual(decideRun(vm, instance('Failed'), NOW + 1).startFailure, first.startFailure)
  const waiting = decideRun(vm, undefined, NOW + 5_000)
  assert.ok(!waiting.create)
  assert.equal(waiting.waitUntil, NOW + 10_000)
  assert.ok(decideRun(vm, undefined, NOW + 10_000).create)
  const second = decideRun(vm, instance('Failed', { uid: 'run-2' }), NOW + 20_000)
  assert.equal(
    second.startFailure?.retryAfterTimestamp,
    new Date(NOW + 60_000).toISOString().replace('.000', ''),
  )
  assert.equal(decideRun(vm, instance('Failed', { ran: true, uid: 'run-3' }), NOW).startFailure, undefined)
})

test('a start that is stopped before it ran is no failure', () => {
  const vm = machine('Manual', { stateChangeRequests: [stop('run-1'), start] as never })
  const stopped = decideRun(vm, instance('Failed', { deleting: true }), NOW)
  assert.equal(stopped.startFailure, undefined)
  assert.ok(decideRun(vm, undefined, NOW).create)
})
