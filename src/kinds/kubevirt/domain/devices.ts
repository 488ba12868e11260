// Everything that is plugged into the machine beside processors and memory.

import { s } from '../../build.ts'
import { disk } from './disks.ts'
import { featureState } from './features.ts'
import { networkInterface } from './interfaces.ts'

export const clientPassthroughDevices = s.object({})

export const downwardMetrics = s.object({})

export const filesystemVirtiofs = s.object({})

export const filesystem = s.object(
  {
    name: s.string(),
    virtiofs: filesystemVirtiofs,
  },
  undefined,
  { required: ['name', 'virtiofs'] },
)

export const vgpuDisplayOptions = s.object({
  enabled: s.boolean(),
  ramFB: featureState,
})

export const vgpuOptions = s.object({
  display: vgpuDisplayOptions,
})

export const gpu = s.object(
  {
    claimName: s.string(),
    deviceName: s.string(),
    name: s.string(),
    requestName: s.string(),
    tag: s.string(),
    virtualGPUOptions: vgpuOptions,
  },
  undefined,
  { required: ['name'] },
)

export const hostDevice = s.object(
  {
    claimName: s.string(),
    deviceName: s.string(),
    name: s.string(),
    requestName: s.string(),
    tag: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const input = s.object(
  {
    bus: s.string(),
    name: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'name'] },
)

export const panicDevice = s.object({
  model: s.string(),
})

export const rng = s.object({})

export const soundDevice = s.object(
  {
    model: s.string(),
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const tpmDevice = s.object({
  enabled: s.boolean(),
  persistent: s.boolean(),
})

export const videoDevice = s.object({
  type: s.string(),
})

export const diag288Watchdog = s.object({
  action: s.string(),
})

export const i6300esbWatchdog = s.object({
  action: s.string(),
})

export const watchdog = s.object(
  {
    diag288: diag288Watchdog,
    i6300esb: i6300esbWatchdog,
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const devices = s.object({
  autoattachGraphicsDevice: s.boolean(),
  autoattachInputDevice: s.boolean(),
  autoattachMemBalloon: s.boolean(),
  autoattachPodInterface: s.boolean(),
  autoattachSerialConsole: s.boolean(),
  autoattachVSOCK: s.boolean(),
  blockMultiQueue: s.boolean(),
  clientPassthrough: clientPassthroughDevices,
  disableHotplug: s.boolean(),
  disks: s.list(disk),
  downwardMetrics: downwardMetrics,
  filesystems: s.list(filesystem),
  gpus: s.list(gpu),
  hostDevices: s.list(hostDevice),
  inputs: s.list(input),
  interfaces: s.list(networkInterface),
  logSerialConsole: s.boolean(),
  networkInterfaceMultiqueue: s.boolean(),
  panicDevices: s.list(panicDevice),
  rng: rng,
  sound: soundDevice,
  tpm: tpmDevice,
  useVirtioTransitional: s.boolean(),
  video: videoDevice,
  watchdog: watchdog,
})
