// The guest's disks: what it sees of a volume.

import { s } from '../../build.ts'
import { featureState } from './features.ts'

export const customBlockSize = s.object({
  discardGranularity: s.integer(),
  logical: s.integer(),
  physical: s.integer(),
})

export const blockSize = s.object({
  custom: customBlockSize,
  matchVolume: featureState,
})

export const diskTarget = s.object({
  bus: s.string(),
  pciAddress: s.string(),
  readonly: s.boolean(),
})

export const cdRomTarget = s.object({
  bus: s.string(),
  readonly: s.boolean(),
  tray: s.string(),
})

export const lunTarget = s.object({
  bus: s.string(),
  readonly: s.boolean(),
  reservation: s.boolean(),
})

export const disk = s.object(
  {
    blockSize: blockSize,
    bootOrder: s.integer(),
    cache: s.string(),
    cdrom: cdRomTarget,
    changedBlockTracking: s.boolean(),
    dedicatedIOThread: s.boolean(),
    disk: diskTarget,
    errorPolicy: s.string(),
    io: s.string(),
    lun: lunTarget,
    name: s.string(),
    serial: s.string(),
    shareable: s.boolean(),
    tag: s.string(),
  },
  undefined,
  { required: ['name'] },
)
