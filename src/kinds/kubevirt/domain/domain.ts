// The virtual hardware as a whole.

import { s } from '../../build.ts'
import { clock } from './clock.ts'
import { cpu } from './cpu.ts'
import { devices } from './devices.ts'
import { features } from './features.ts'
import { chassis, firmware, launchSecurity, machine } from './firmware.ts'
import { memory, resourceRequirements } from './memory.ts'

export const diskIOThreads = s.object({
  supplementalPoolThreadCount: s.integer(undefined, { format: 'int64' }),
})

export const domainSpec = s.object(
  {
    chassis: chassis,
    clock: clock,
    cpu: cpu,
    devices: devices,
    features: features,
    firmware: firmware,
    ioThreads: diskIOThreads,
    ioThreadsPolicy: s.string(),
    launchSecurity: launchSecurity,
    machine: machine,
    memory: memory,
    resources: resourceRequirements,
    rebootPolicy: s.string(),
  },
  undefined,
  { required: ['devices'] },
)
