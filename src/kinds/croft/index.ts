// Kinds of our own.
import type { AnyKind } from '../kind.ts'
import { VolumeEpoch } from './volume-epoch.ts'

export const croftKinds: readonly AnyKind[] = [VolumeEpoch]
