// Kinds of the croft groups.
import type { AnyKind } from '../kind.ts'

export const croftKinds: readonly AnyKind[] = []
