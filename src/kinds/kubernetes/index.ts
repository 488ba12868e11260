// Kinds of Kubernetes' other groups.
import type { AnyKind } from '../kind.ts'

export const kubernetesKinds: readonly AnyKind[] = []
