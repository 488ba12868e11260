// VirtualMachine: a machine that can be started and stopped and keeps its disks; KubeVirt's kubevirt.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import { harvesterMachineRule } from '../harvester/rules/machine.ts'
import type { KindOf } from '../kind.ts'
import { machineMutator } from './defaults/machine.ts'
import { virtualMachineSpec } from './machine-spec.ts'
import { virtualMachineStatus } from './machine-status.ts'
import { machineMacRule } from './rules/mac-owners.ts'
import { machineRule } from './rules/machine.ts'

export const VirtualMachine = defineKind({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'A virtual machine: its hardware, its disks and whether it should run.',
  body: () =>
    s.object({ spec: virtualMachineSpec, status: virtualMachineStatus }, undefined, { required: ['spec'] }),
  status: true,
  mutators: [machineMutator],
  rules: [machineRule, machineMacRule, harvesterMachineRule],
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'Status', type: 'string', description: 'State in one word.', value: '.status.printableStatus' },
    {
      name: 'Ready',
      type: 'string',
      description: 'Whether the machine runs and answers its readiness probe.',
      value: ".status.conditions[?(@.type=='Ready')].status",
    },
  ],
})
export type VirtualMachine = KindOf<typeof VirtualMachine>
