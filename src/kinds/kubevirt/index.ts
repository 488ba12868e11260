// Kinds of the kubevirt groups.
import type { AnyKind } from '../kind.ts'

export const kubevirtKinds: readonly AnyKind[] = []
