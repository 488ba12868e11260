// VirtualMachineImage: a disk image that machines' disks are made from; Harvester's harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { imageMutator, imageRule } from './rules/image.ts'
import { virtualMachineImageSpec, virtualMachineImageStatus } from './schema/virtual-machine-image.ts'

export const VirtualMachineImage = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'VirtualMachineImage',
  plural: 'virtualmachineimages',
  shortNames: ['vmimage', 'vmimages'],
  scope: 'Namespaced',
  doc: 'A disk image, downloaded or uploaded once, from which any number of disks are made.',
  body: () =>
    s.object({ spec: virtualMachineImageSpec, status: virtualMachineImageStatus }, undefined, {
      required: ['spec'],
    }),
  status: true,
  mutators: [imageMutator],
  rules: [imageRule],
  columns: [
    { name: 'BACKEND', type: 'string', description: 'What keeps the image.', value: '.spec.backend' },
    { name: 'DISPLAY-NAME', type: 'string', description: 'Name for people.', value: '.spec.displayName' },
    { name: 'SIZE', type: 'integer', description: 'Bytes of the file.', value: '.status.size' },
    {
      name: 'VIRTUALSIZE',
      type: 'integer',
      description: 'Bytes of the disk that a guest sees.',
      value: '.status.virtualSize',
    },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VirtualMachineImage = KindOf<typeof VirtualMachineImage>
