// The guest's memory and what the host reserves for it.

import { s } from '../../build.ts'
import { looseQuantity } from '../pod/loose-quantity.ts'

export const hugepages = s.object({
  pageSize: s.string(),
})

export const reservedOverhead = s.object({
  addedOverhead: s.quantity(),
  memLock: s.string(),
})

export const memory = s.object({
  guest: s.quantity(),
  hugepages: hugepages,
  maxGuest: s.quantity(),
  reservedOverhead: reservedOverhead,
})

export const resourceRequirements = s.object({
  limits: s.map(looseQuantity(), undefined),
  overcommitGuestOverhead: s.boolean(),
  requests: s.map(looseQuantity(), undefined),
})
