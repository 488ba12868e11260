// Kinds of the network plumbing groups.
import type { AnyKind } from '../kind.ts'
import { OverlappingRangeIPReservation } from './overlapping-range-ip-reservation.ts'

export const cniKinds: readonly AnyKind[] = [OverlappingRangeIPReservation]
