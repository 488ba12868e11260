// The guest's memory and what the host reserves for it.

import { s } from '../../build.ts'
import { looseQuantity } from '../pod/loose-quantity.ts'

export const hugepages = s.object(
  {
    pageSize: s.string('Size of a page, 2Mi or 1Gi.'),
  },
  'Large memory pages.',
)

export const reservedOverhead = s.object(
  {
    addedOverhead: s.quantity('Added to what is computed.'),
    memLock: s.string('Whether the memory is locked.'),
  },
  "Memory reserved for QEMU beside the guest's own.",
)

export const memory = s.object(
  {
    guest: s.quantity('What the guest sees; from requests or limits when it is not given.'),
    hugepages: s.doc(hugepages, 'Backs the memory by large pages.'),
    maxGuest: s.quantity('Size up to which memory can be added while running.'),
    reservedOverhead: s.doc(reservedOverhead, 'Reserves more memory for QEMU itself.'),
  },
  "The guest's memory.",
)

export const resourceRequirements = s.object(
  {
    limits: s.map(looseQuantity(), 'The most the machine may use, by cpu and memory.'),
    overcommitGuestOverhead: s.boolean("True leaves QEMU's own memory out of the reservation."),
    requests: s.map(looseQuantity(), 'What is reserved, by cpu and memory.'),
  },
  'What the host reserves for the machine, and the most it may use.',
)
