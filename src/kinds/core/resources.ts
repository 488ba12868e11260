// Requests and limits: of containers and of volumes.
import { s } from '../build.ts'

export const resourceClaim = s.object(
  {
    name: s.write(s.string()),
    request: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const resourceRequirements = s.object(
  {
    limits: s.map(s.quantity(), 'Most that may be used.'),
    requests: s.map(s.quantity(), 'What is set aside; the limits where it is absent.'),
    claims: s.keyedList(resourceClaim, ['name'], 'Devices claimed by the Pod that this container uses.'),
  },
  'What a container asks for and what it may use at most.',
)

export const volumeResourceRequirements = s.object(
  {
    limits: s.map(s.quantity(), 'Largest size.'),
    requests: s.map(s.quantity(), 'Smallest size; key storage.'),
  },
  'Size of a volume.',
)
