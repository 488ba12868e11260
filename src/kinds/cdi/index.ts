// Kinds of cdi.kubevirt.io.
import type { AnyKind } from '../kind.ts'
import { CDI } from './cdi.ts'
import { CDIConfig } from './cdi-config.ts'
import { DataSource } from './data-source.ts'
import { DataVolume } from './data-volume.ts'
import { StorageProfile } from './storage-profile.ts'

export const cdiKinds: readonly AnyKind[] = [DataVolume, DataSource, StorageProfile, CDI, CDIConfig]
