// Kinds of the harvester groups.
import type { AnyKind } from '../kind.ts'

export const harvesterKinds: readonly AnyKind[] = []
