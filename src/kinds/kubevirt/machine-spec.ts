// The spec of a VirtualMachine: a template, when it should run, and the disks made with it.

import { s } from '../build.ts'
import { dataVolumeSpec } from '../cdi/data-volume-body.ts'
import { virtualMachineInstanceTemplateSpec } from './instance-spec.ts'
import { templateMetadata } from './pod/template-metadata.ts'

export const instancetypeMatcher = s.object(
  {
    inferFromVolume: s.string('Volume whose labels name it.'),
    inferFromVolumeFailurePolicy: s.string('Reject or Ignore, when the volume names none.'),
    kind: s.string('VirtualMachineInstancetype or VirtualMachineClusterInstancetype.'),
    name: s.string('Name of the instance type.'),
    revisionName: s.string('Recorded revision in use.'),
  },
  'Which instance type the machine has.',
)

export const preferenceMatcher = s.object(
  {
    inferFromVolume: s.string('Volume whose labels name it.'),
    inferFromVolumeFailurePolicy: s.string('Reject or Ignore, when the volume names none.'),
    kind: s.string('VirtualMachinePreference or VirtualMachineClusterPreference.'),
    name: s.string('Name of the preference.'),
    revisionName: s.string('Recorded revision in use.'),
  },
  'Which preference the machine has.',
)

export const dataVolumeTemplateDummyStatus = s.object({}, 'Not used; accepted because clients send it.')

export const dataVolumeTemplateSpec = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    kind: s.string('Kind, when a client sends it.'),
    metadata: s.doc(templateMetadata, 'Name, labels and annotations of the DataVolume.'),
    spec: s.doc(dataVolumeSpec, 'Source and size.'),
    status: s.doc(dataVolumeTemplateDummyStatus, 'Not used.'),
  },
  'A DataVolume that is made with the machine and goes with it.',
  { required: ['spec'] },
)

export const virtualMachineSpec = s.object(
  {
    dataVolumeTemplates: s.list(dataVolumeTemplateSpec, 'Disks that are made with the machine.'),
    instancetype: s.doc(instancetypeMatcher, 'Processors and memory from an instance type.'),
    preference: s.doc(preferenceMatcher, 'Devices from a preference.'),
    runStrategy: s.string('Always, RerunOnFailure, Manual, Halted or Once.'),
    running: s.boolean('Older form of runStrategy: true is Always, false is Halted.'),
    template: s.doc(virtualMachineInstanceTemplateSpec, 'What every run is made from.'),
    updateVolumesStrategy: s.string('What a changed volume means: Replacement or Migration.'),
  },
  'What the machine is and whether it runs.',
  { required: ['template'] },
)
