// The virtual hardware as a whole.

import { s } from '../../build.ts'
import { clock } from './clock.ts'
import { cpu } from './cpu.ts'
import { devices } from './devices.ts'
import { features } from './features.ts'
import { chassis, firmware, launchSecurity, machine } from './firmware.ts'
import { memory, resourceRequirements } from './memory.ts'

export const diskIOThreads = s.object(
  {
    supplementalPoolThreadCount: s.integer('Number of threads for the policy supplementalPool.', {
      format: 'int64',
    }),
  },
  'Threads for disks.',
)

export const domainSpec = s.object(
  {
    chassis: s.doc(chassis, 'What the guest reads about its case.'),
    clock: s.doc(clock, 'Clock and timers.'),
    cpu: s.doc(cpu, 'Processors.'),
    devices: s.doc(devices, 'Disks, network cards and everything else plugged in.'),
    features: s.doc(features, 'Switches of the hardware.'),
    firmware: s.doc(firmware, 'What starts the guest.'),
    ioThreads: s.doc(diskIOThreads, 'Threads for disks.'),
    ioThreadsPolicy: s.string('shared, auto or supplementalPool.'),
    launchSecurity: s.doc(launchSecurity, 'Hides the memory from the host.'),
    machine: s.doc(machine, 'The virtual mainboard.'),
    memory: s.doc(memory, 'Memory.'),
    resources: s.doc(resourceRequirements, 'What the host reserves.'),
    rebootPolicy: s.string('What a restart from within does: Reboot or Terminate.'),
  },
  'The virtual hardware.',
  { required: ['devices'] },
)
