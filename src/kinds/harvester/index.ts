// Kinds of harvesterhci.io.
import type { AnyKind } from '../kind.ts'
import { KeyPair } from './key-pair.ts'
import { Preference } from './preference.ts'
import { HarvesterResourceQuota } from './resource-quota.ts'
import { Setting } from './setting.ts'
import { VirtualMachineBackup } from './virtual-machine-backup.ts'
import { VirtualMachineImage } from './virtual-machine-image.ts'
import { VirtualMachineRestore } from './virtual-machine-restore.ts'
import { VirtualMachineTemplate } from './virtual-machine-template.ts'
import { VirtualMachineTemplateVersion } from './virtual-machine-template-version.ts'

export const harvesterKinds: readonly AnyKind[] = [
  VirtualMachineImage,
  VirtualMachineBackup,
  VirtualMachineRestore,
  VirtualMachineTemplate,
  VirtualMachineTemplateVersion,
  KeyPair,
  Setting,
  Preference,
  HarvesterResourceQuota,
]
