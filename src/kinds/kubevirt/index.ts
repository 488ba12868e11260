// Kinds of the kubevirt groups.
import type { AnyKind } from '../kind.ts'
import { VirtualMachine } from './virtual-machine.ts'
import { VirtualMachineInstance } from './virtual-machine-instance.ts'

export const kubevirtKinds: readonly AnyKind[] = [VirtualMachine, VirtualMachineInstance]
