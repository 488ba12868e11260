// Kinds of harvesterhci.io.
import type { AnyKind } from '../kind.ts'
import { VirtualMachineImage } from './virtual-machine-image.ts'

export const harvesterKinds: readonly AnyKind[] = [VirtualMachineImage]
