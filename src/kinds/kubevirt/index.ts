// Kinds of the kubevirt groups.
import type { AnyKind } from '../kind.ts'
import { KubeVirt } from './kubevirt.ts'
import { VirtualMachine } from './virtual-machine.ts'
import { VirtualMachineInstance } from './virtual-machine-instance.ts'
import { VirtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts'

export const kubevirtKinds: readonly AnyKind[] = [
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
  KubeVirt,
]
