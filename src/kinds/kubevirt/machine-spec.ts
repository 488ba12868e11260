// The spec of a VirtualMachine: a template, when it should run, and the disks made with it.

import { s } from '../build.ts'
import { dataVolumeSpec } from '../cdi/data-volume-body.ts'
import { virtualMachineInstanceTemplateSpec } from './instance-spec.ts'
import { templateMetadata } from './pod/template-metadata.ts'

export const instancetypeMatcher = s.object({
  inferFromVolume: s.string(),
  inferFromVolumeFailurePolicy: s.string(),
  kind: s.string(),
  name: s.string(),
  revisionName: s.string(),
})

export const preferenceMatcher = s.object({
  inferFromVolume: s.string(),
  inferFromVolumeFailurePolicy: s.string(),
  kind: s.string(),
  name: s.string(),
  revisionName: s.string(),
})

export const dataVolumeTemplateDummyStatus = s.object({})

export const dataVolumeTemplateSpec = s.object(
  {
    apiVersion: s.string(),
    kind: s.string(),
    metadata: templateMetadata,
    spec: dataVolumeSpec,
    status: dataVolumeTemplateDummyStatus,
  },
  undefined,
  { required: ['spec'] },
)

export const virtualMachineSpec = s.object(
  {
    dataVolumeTemplates: s.list(dataVolumeTemplateSpec),
    instancetype: instancetypeMatcher,
    preference: preferenceMatcher,
    runStrategy: s.string(),
    running: s.boolean(),
    template: virtualMachineInstanceTemplateSpec,
    updateVolumesStrategy: s.string(),
  },
  undefined,
  { required: ['template'] },
)
