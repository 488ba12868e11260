// Requests and limits of a container, as core/v1 has them.
import { s } from '../../build.ts'

export const containerResourceClaim = s.object(
  {
    name: s.string(),
    request: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const containerResources = s.object({
  claims: s.keyedList(containerResourceClaim, ['name']),
  limits: s.map(s.quantity()),
  requests: s.map(s.quantity()),
})
