// VirtualMachineInstance: one run of a machine, from start to end; KubeVirt's kubevirt.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { instanceMutator } from './defaults/instance.ts'
import { virtualMachineInstanceSpec } from './instance-spec.ts'
import { virtualMachineInstanceStatus } from './instance-status.ts'
import { instanceRule } from './rules/instance.ts'

export const VirtualMachineInstance = defineKind({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  shortNames: ['vmi', 'vmis'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'One run of a virtual machine, on one node, from start to end.',
  body: () =>
    s.object({ spec: virtualMachineInstanceSpec, status: virtualMachineInstanceStatus }, undefined, {
      required: ['spec'],
    }),
  status: true,
  mutators: [instanceMutator],
  rules: [instanceRule],
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'Phase', type: 'string', description: 'How far the run has come.', value: '.status.phase' },
    {
      name: 'IP',
      type: 'string',
      description: 'Address of the first interface.',
      value: '.status.interfaces[0].ipAddress',
    },
    { name: 'NodeName', type: 'string', description: 'Node that runs it.', value: '.status.nodeName' },
    {
      name: 'Ready',
      type: 'string',
      description: 'Whether the guest answers its readiness probe.',
      value: ".status.conditions[?(@.type=='Ready')].status",
    },
    {
      name: 'Live-Migratable',
      type: 'string',
      description: 'Whether it can move to another node while running.',
      priority: 1,
      value: ".status.conditions[?(@.type=='LiveMigratable')].status",
    },
    {
      name: 'Paused',
      type: 'string',
      description: 'Whether its processors stand still.',
      priority: 1,
      value: ".status.conditions[?(@.type=='Paused')].status",
    },
  ],
})
export type VirtualMachineInstance = KindOf<typeof VirtualMachineInstance>
