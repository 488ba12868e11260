// Kinds of the network plumbing groups.
import type { AnyKind } from '../kind.ts'
import { IPPool } from './ip-pool.ts'
import { NetworkAttachmentDefinition } from './network-attachment-definition.ts'
import { OverlappingRangeIPReservation } from './overlapping-range-ip-reservation.ts'

export const cniKinds: readonly AnyKind[] = [
  NetworkAttachmentDefinition,
  OverlappingRangeIPReservation,
  IPPool,
]
