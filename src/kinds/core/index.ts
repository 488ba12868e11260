// Kinds of the core group (v1).
import type { AnyKind } from '../kind.ts'

export const coreKinds: readonly AnyKind[] = []
