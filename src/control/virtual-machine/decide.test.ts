import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataVolume } from '../../kinds/cdi/data-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action } from '../../kinds/decide.ts'
import { MACHINE_FINALIZER } from '../../kinds/kubevirt/defaults/machine.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { decideVirtualMachine, type SeenVirtualMachine } from './decide.ts'
import { instanceOf } from './instance.ts'

const NOW = Date.UTC(2026, 10, 30)

const vm: VirtualMachine = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop', uid: 'vm-uid', generation: 3, finalizers: [MACHINE_FINALIZER] },
  spec: {
    runStrategy: 'Always',
    dataVolumeTemplates: [{ metadata: { name: 'web-root' }, spec: { source: { blank: {} }, storage: {} } }],
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
        networks: [{ name: 'default', pod: {} }],
        volumes: [{ name: 'root', dataVolume: { name: 'web-root' } }],
      },
    },
  },
}

function seen(more: Partial<SeenVirtualMachine> = {}): SeenVirtualMachine {
  return { vm, vmi: undefined, ownsInstance: false, dataVolumes: [], claims: [], mustWait: false, ...more }
}

/** One line for each action: what a reader wants to know. */
function script(actions: readonly Action[]): readonly string[] {
  return actions.map((action) => {
    switch (action.do) {
      case 'create':
        return `create ${action.kind.kind} ${action.object.metadata.name}`
      case 'note':
        return `note ${action.reason}`
      case 'delete':
        return `delete ${action.target.kind.kind} ${action.target.name}`
      case 'patch':
        return `patch ${action.target.kind.kind} ${JSON.stringify(action.patch)}`
      default:
        return action.do
    }
  })
}

const statusOf = (answer: ReturnType<typeof decideVirtualMachine>): NonNullable<VirtualMachine['status']> =>
  answer.status as unknown as NonNullable<VirtualMachine['status']>

test('a new machine makes its disk and its instance', () => {
  const answer = decideVirtualMachine(seen(), NOW)
  assert.deepEqual(script(answer.actions), [
    'create DataVolume web-root',
    'create VirtualMachineInstance web',
    'note SuccessfulCreate',
  ])
  assert.equal(statusOf(answer).printableStatus, 'Provisioning')
  assert.equal(statusOf(answer).created, false)
})

test('while a disk is filled the machine is Provisioning; when it runs, Running and ready', () => {
  const vmi = { ...instanceOf(vm, false), status: { phase: 'Pending' } } as VirtualMachineInstance
  const dataVolume = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'web-root', namespace: 'shop' },
    status: { phase: 'ImportInProgress' },
  } as DataVolume
  const filling = decideVirtualMachine(seen({ vmi, ownsInstance: true, dataVolumes: [dataVolume] }), NOW)
  assert.deepEqual(filling.actions, [])
  assert.equal(statusOf(filling).printableStatus, 'Provisioning')
  const running = {
    ...vmi,
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  } as VirtualMachineInstance
  const answer = decideVirtualMachine(
    seen({ vmi: running, ownsInstance: true, dataVolumes: [dataVolume] }),
    NOW,
  )
  assert.equal(statusOf(answer).printableStatus, 'Running')
  assert.equal(statusOf(answer).ready, true)
})

test('the same input gives the same answer, and an unchanged status is equal to the one before', () => {
  const first = decideVirtualMachine(seen(), NOW)
  assert.deepEqual(decideVirtualMachine(seen(), NOW), first)
  const again = decideVirtualMachine(seen({ vm: { ...vm, status: statusOf(first) } }), NOW + 60_000)
  assert.deepEqual(again.status, first.status)
})

test('an instance has the same UUID and MAC over every start, and a given MAC is kept', () => {
  const one = instanceOf(vm, false)
  const two = instanceOf({ ...vm, metadata: { ...vm.metadata, resourceVersion: '99' } }, false)
  assert.deepEqual(one.spec, two.spec)
  assert.match(one.spec!.domain.devices!.interfaces![0]!.macAddress!, /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/)
  assert.match(
    one.spec!.domain.firmware!.uuid!,
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('a changed template asks for a restart until it is undone', () => {
  const vmi = { ...instanceOf(vm, false), status: { phase: 'Running' } } as VirtualMachineInstance
  const changed = {
    ...vm,
    spec: { ...vm.spec, template: { ...vm.spec.template, spec: { domain: { cpu: { cores: 4 } } } } },
  } as VirtualMachine
  const asks = statusOf(decideVirtualMachine(seen({ vm: changed, vmi, ownsInstance: true }), NOW))
  assert.ok(asks.conditions?.some(({ type, status }) => type === 'RestartRequired' && status === 'True'))
  const undone = statusOf(
    decideVirtualMachine(seen({ vm: { ...vm, status: asks }, vmi, ownsInstance: true }), NOW),
  )
  assert.ok(!undone.conditions?.some(({ type }) => type === 'RestartRequired'))
})

test('an instance of the same name that is not ours is named, and never touched', () => {
  const vmi = { ...instanceOf(vm, false), status: { phase: 'Running' } } as VirtualMachineInstance
  const answer = decideVirtualMachine(seen({ vmi, ownsInstance: false }), NOW)
  assert.deepEqual(script(answer.actions), ['create DataVolume web-root'])
  const failure = statusOf(answer).conditions?.find(({ type }) => type === 'Failure')
  assert.match(failure?.message ?? '', /does not belong to this machine/)
})

test('why the last instance did not start stays told until one runs', () => {
  const ours = { ...instanceOf(vm, false), metadata: { name: 'web', namespace: 'shop', uid: 'run-1' } }
  const failed = {
    ...ours,
    status: {
      phase: 'Failed',
      conditions: [{ type: 'Ready', status: 'False', message: 'no space left on the disk' }],
    },
  } as VirtualMachineInstance
  const status = statusOf(decideVirtualMachine(seen({ vmi: failed, ownsInstance: true }), NOW))
  const later = statusOf(decideVirtualMachine(seen({ vm: { ...vm, status } as VirtualMachine }), NOW + 1))
  const failure = later.conditions?.find(({ type }) => type === 'Failure')
  assert.deepEqual([failure?.reason, failure?.message], ['FailedStart', 'no space left on the disk'])
  const running = { ...ours, status: { phase: 'Running' } } as VirtualMachineInstance
  const runs = statusOf(
    decideVirtualMachine(
      seen({ vm: { ...vm, status: later } as VirtualMachine, vmi: running, ownsInstance: true }),
      NOW + 2,
    ),
  )
  assert.ok(!runs.conditions?.some(({ type }) => type === 'Failure'))
})

test('deletion: first the instance, then the chosen claims, then the machine', () => {
  const going = {
    ...vm,
    metadata: {
      ...vm.metadata,
      deletionTimestamp: '2026-11-30T00:00:00Z',
      annotations: { 'harvesterhci.io/removedPersistentVolumeClaims': 'web-root' },
    },
  }
  const vmi = { ...instanceOf(vm, false), status: { phase: 'Running' } } as VirtualMachineInstance
  const first = decideVirtualMachine(seen({ vm: going, vmi, ownsInstance: true }), NOW)
  assert.deepEqual(script(first.actions), ['delete VirtualMachineInstance web'])
  assert.equal(statusOf(first).printableStatus, 'Terminating')
  const claim = (name: string): PersistentVolumeClaim =>
    ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'shop', uid: name },
    }) as PersistentVolumeClaim
  const last = decideVirtualMachine(seen({ vm: going, claims: [claim('web-root'), claim('web-data')] }), NOW)
  assert.deepEqual(script(last.actions), [
    'delete PersistentVolumeClaim web-root',
    'patch VirtualMachine {"metadata":{"finalizers":[]}}',
  ])
})

test("claims of Harvester's annotation are made as they are written", () => {
  const harvester = {
    ...vm,
    metadata: {
      ...vm.metadata,
      annotations: {
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
          {
            metadata: { name: 'disk-0', annotations: { 'harvesterhci.io/imageId': 'default/image-x' } },
            spec: { accessModes: ['ReadWriteMany'], storageClassName: 'lh-x' },
          },
        ]),
      },
    },
    spec: { ...vm.spec, dataVolumeTemplates: [], runStrategy: 'Halted' },
  }
  const answer = decideVirtualMachine(seen({ vm: harvester as unknown as VirtualMachine }), NOW)
  assert.deepEqual(script(answer.actions), ['create PersistentVolumeClaim disk-0'])
  const [action] = answer.actions
  assert.ok(action?.do === 'create')
  assert.equal(action.object.metadata.annotations?.['harvesterhci.io/imageId'], 'default/image-x')
})

test('a machine that is to start waits for its turn while many are on their way', () => {
  const waiting = decideVirtualMachine(seen({ mustWait: true }), NOW)
  assert.deepEqual(script(waiting.actions), [])
  assert.equal(statusOf(waiting).printableStatus, 'Provisioning')
  assert.equal(waiting.wakeAt, NOW + 1_000)
  const halted = { ...vm, spec: { ...vm.spec, runStrategy: 'Halted' } } as VirtualMachine
  assert.deepEqual(script(decideVirtualMachine(seen({ vm: halted, mustWait: true }), NOW).actions), [
    'create DataVolume web-root',
  ])
})
