// Kinds of the cni groups.
import type { AnyKind } from '../kind.ts'

export const cniKinds: readonly AnyKind[] = []
