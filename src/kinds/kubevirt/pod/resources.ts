// Requests and limits of a container, as core/v1 has them.
import { s } from '../../build.ts'

export const containerResourceClaim = s.object(
  {
    name: s.string('Name of the claim.'),
    request: s.string('Part of the claim.'),
  },
  'A claim of the Pod that a container uses.',
  { required: ['name'] },
)

export const containerResources = s.object(
  {
    claims: s.keyedList(containerResourceClaim, ['name'], 'Claims to devices.'),
    limits: s.map(s.quantity(), 'The most it may use.'),
    requests: s.map(s.quantity(), 'What is reserved for it.'),
  },
  'What a container needs, and the most it may use.',
)
