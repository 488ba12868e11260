// The guest's processors: topology, model, pinning.
import { s } from '../../build.ts'

export const cpuFeature = s.object(
  {
    name: s.string(),
    policy: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const numaGuestMappingPassthrough = s.object({})

export const numa = s.object({
  guestMappingPassthrough: numaGuestMappingPassthrough,
})

export const realtime = s.object({
  mask: s.string(),
})

export const cpu = s.object({
  cores: s.integer(undefined, { format: 'int64' }),
  dedicatedCpuPlacement: s.boolean(),
  features: s.list(cpuFeature),
  isolateEmulatorThread: s.boolean(),
  maxSockets: s.integer(undefined, { format: 'int64' }),
  model: s.string(),
  numa: numa,
  realtime: realtime,
  sockets: s.integer(undefined, { format: 'int64' }),
  threads: s.integer(undefined, { format: 'int64' }),
})
