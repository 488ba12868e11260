// Kinds of longhorn.io.
import type { AnyKind } from '../kind.ts'
import { BackingImage } from './backing-image.ts'
import { Engine } from './engine.ts'
import { EngineImage } from './engine-image.ts'
import { InstanceManager } from './instance-manager.ts'
import { Node } from './node.ts'
import { Orphan } from './orphan.ts'
import { RecurringJob } from './recurring-job.ts'
import { Replica } from './replica.ts'
import { Setting } from './setting.ts'
import { Snapshot } from './snapshot.ts'
import { Volume } from './volume.ts'
import { VolumeAttachment } from './volume-attachment.ts'

export const longhornKinds: readonly AnyKind[] = [
  Volume,
  Engine,
  Replica,
  BackingImage,
  Node,
  EngineImage,
  InstanceManager,
  VolumeAttachment,
  Setting,
  Snapshot,
  RecurringJob,
  Orphan,
]
