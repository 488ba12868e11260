// The VirtualMachine decider as the loop runs it: what wakes it and what it looks at.
import { DataVolume } from '../../kinds/cdi/data-volume.ts'
import { Node } from '../../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Decider, Look } from '../../kinds/decide.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { controllerOf, isControlledBy } from '../owner.ts'
import { decideVirtualMachine, type SeenVirtualMachine } from './decide.ts'
import { claimTemplates, mountedClaims, REMOVED_CLAIMS } from './disks.ts'
import { runStrategyOf } from './run.ts'

const BY_CLAIM = 'machine-claim'
/** On its way up an object changes eight times in a tenth of a second; people see one change. */
const STATUS_SETTLE_MS = 60

/**
 * Machines on their way up at one time, for each node: beyond this each more only makes all of them late, and the
 * first of many could run long before the last is even begun.
 */
const ON_THE_WAY_MAX = 6
/** One that has not changed for so long waits for something else (an image, room) and is in nobody's way. */
const STANDSTILL_MS = 1_000
const ON_THE_WAY = 'machine-on-the-way'
const TO_START = 'machine-to-start'

function isOnTheWay({ metadata, status }: VirtualMachineInstance): boolean {
  const phase = status?.phase ?? ''
  return !metadata.deletionTimestamp && ['', 'Pending', 'Scheduling', 'Scheduled'].includes(phase)
}

function isToStart(vm: VirtualMachine): boolean {
  return !vm.status?.created && !vm.metadata.deletionTimestamp && runStrategyOf(vm) !== 'Halted'
}

function isCrowded(look: Look): boolean {
  const moving = look
    .byIndex(VirtualMachineInstance, ON_THE_WAY, '')
    .filter(({ metadata: { namespace, name } }) => {
      const ageMs = look.ageMs(VirtualMachineInstance, namespace, name!)
      return ageMs !== undefined && ageMs < STANDSTILL_MS
    })
  return moving.length >= ON_THE_WAY_MAX * Math.max(1, look.list(Node).length)
}

/** In the order in which they came; a few more than one, because not each that is to start can. */
function nextInLine(look: Look): readonly string[] {
  return look
    .byIndex(VirtualMachine, TO_START, '')
    .slice(0, ON_THE_WAY_MAX)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}

/** Every claim that the machine mounts, makes, or names for removal. */
function claimNames(vm: VirtualMachine): readonly string[] {
  const removed = (vm.metadata.annotations?.[REMOVED_CLAIMS] ?? '').split(',').map((name) => name.trim())
  const made = claimTemplates(vm).map((template) => template.metadata.name ?? '')
  const templates = (vm.spec.dataVolumeTemplates ?? []).map((template) => template.metadata?.name ?? '')
  return [...new Set([...mountedClaims(vm), ...removed, ...made, ...templates])].filter((name) => name !== '')
}

function machinesOfClaim(
  object: { readonly metadata: { readonly namespace?: string; readonly name?: string } },
  look: Look,
): readonly string[] {
  const { namespace, name } = object.metadata
  return look
    .byIndex(VirtualMachine, BY_CLAIM, `${namespace}/${name}`)
    .map((vm) => `${namespace}/${vm.metadata.name}`)
}

export const virtualMachineDecider: Decider<typeof VirtualMachine, SeenVirtualMachine> = {
  name: 'virtual-machine',
  step: 1,
  // How many are on their way is known only when the ones before are written down.
  serial: true,
  kind: VirtualMachine,
  statusSettleMs: STATUS_SETTLE_MS,
  watches: [
    // The instance has the machine's name whether or not it is the machine's.
    {
      kind: VirtualMachineInstance,
      keys: (object, look) => [
        `${object.metadata.namespace}/${object.metadata.name}`,
        ...(isOnTheWay(object as VirtualMachineInstance) ? [] : nextInLine(look)),
      ],
    },
    { kind: Node, keys: () => [] },
    {
      kind: DataVolume,
      keys: (object) => {
        const owner = controllerOf(object)
        return owner?.kind === VirtualMachine.kind ? [`${object.metadata.namespace}/${owner.name}`] : []
      },
    },
    { kind: PersistentVolumeClaim, keys: machinesOfClaim },
  ],
  indexes: [
    {
      kind: VirtualMachineInstance,
      name: ON_THE_WAY,
      values: (object) => (isOnTheWay(object as VirtualMachineInstance) ? [''] : []),
    },
    {
      kind: VirtualMachine,
      name: TO_START,
      values: (object) => (isToStart(object as VirtualMachine) ? [''] : []),
    },
    {
      kind: VirtualMachine,
      name: BY_CLAIM,
      values: (object) =>
        claimNames(object as VirtualMachine).map((name) => `${object.metadata.namespace}/${name}`),
    },
  ],
  gather: (vm, look) => {
    const { namespace, name, uid } = vm.metadata
    const vmi = look.get(VirtualMachineInstance, namespace, name!)
    return {
      vm,
      vmi,
      ownsInstance: vmi !== undefined && isControlledBy(vmi, uid),
      dataVolumes: look.ownedBy(DataVolume, uid!),
      mustWait: vmi === undefined && isCrowded(look),
      claims: claimNames(vm).flatMap((claim) => look.get(PersistentVolumeClaim, namespace, claim) ?? []),
    }
  },
  decide: decideVirtualMachine,
}
