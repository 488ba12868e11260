// The guest's processors: topology, model, pinning.
import { s } from '../../build.ts'

export const cpuFeature = s.object(
  {
    name: s.string('Name as QEMU has it, for instance vmx.'),
    policy: s.string('force, require, optional, disable or forbid; require when empty.'),
  },
  'One feature of the processor.',
  { required: ['name'] },
)

export const numaGuestMappingPassthrough = s.object(
  {},
  'Gives the guest the NUMA nodes of its processors on the host.',
)

export const numa = s.object(
  {
    guestMappingPassthrough: s.doc(
      numaGuestMappingPassthrough,
      'Shows the guest the memory nodes it really runs on.',
    ),
  },
  'How memory nodes of the host show in the guest.',
)

export const realtime = s.object(
  {
    mask: s.string('Virtual processors that are meant, for instance 0-3,^1; all when empty.'),
  },
  'Runs virtual processors with real-time priority.',
)

export const cpu = s.object(
  {
    cores: s.integer('Cores in a socket; at least 1.', { format: 'int64' }),
    dedicatedCpuPlacement: s.boolean('Gives every virtual processor one of the host for itself.'),
    features: s.list(cpuFeature, 'Features to add or take away.'),
    isolateEmulatorThread: s.boolean(
      'Gives QEMU itself a processor of its own; only with dedicatedCpuPlacement.',
    ),
    maxSockets: s.integer('Number of sockets up to which processors can be plugged in while running.', {
      format: 'int64',
    }),
    model: s.string('host-model, host-passthrough or a named model.'),
    numa: s.doc(numa, 'How memory nodes of the host show in the guest.'),
    realtime: s.doc(realtime, 'Real-time priority for virtual processors.'),
    sockets: s.integer('Number of sockets; at least 1.', { format: 'int64' }),
    threads: s.integer('Threads in a core; at least 1.', { format: 'int64' }),
  },
  "The guest's processors.",
)
