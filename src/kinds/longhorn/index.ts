// Kinds of the longhorn groups.
import type { AnyKind } from '../kind.ts'

export const longhornKinds: readonly AnyKind[] = []
