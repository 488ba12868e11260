// Kinds of cdi.kubevirt.io.
import type { AnyKind } from '../kind.ts'
import { DataVolume } from './data-volume.ts'

export const cdiKinds: readonly AnyKind[] = [DataVolume]
