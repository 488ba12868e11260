// Kinds of the cdi groups.
import type { AnyKind } from '../kind.ts'

export const cdiKinds: readonly AnyKind[] = []
