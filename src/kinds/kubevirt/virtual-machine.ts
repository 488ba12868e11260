// VirtualMachine: a machine that can be started and stopped and keeps its disks; KubeVirt's kubevirt.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { virtualMachineSpec } from './machine-spec.ts'
import { virtualMachineStatus } from './machine-status.ts'

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
