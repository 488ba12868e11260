// The guest's memory and what the host reserves for it.
import { s } from '../../build.ts'

export const hugepages = s.object({
  pageSize: s.string(),
})

export const memory = s.object({
  guest: s.quantity(),
  hugepages: hugepages,
  maxGuest: s.quantity(),
})

export const resourceRequirements = s.object({
  limits: s.map(s.quantity()),
  overcommitGuestOverhead: s.boolean(),
  requests: s.map(s.quantity()),
})
