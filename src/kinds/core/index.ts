// Kinds of the core group (v1).
import type { AnyKind } from '../kind.ts'
import { Binding } from './binding.ts'
import { ConfigMap } from './config-map.ts'
import { Endpoints } from './endpoints.ts'
import { Event } from './event.ts'
import { LimitRange } from './limit-range.ts'
import { Namespace } from './namespace.ts'
import { Node } from './node.ts'
import { PersistentVolume } from './persistent-volume.ts'
import { PersistentVolumeClaim } from './persistent-volume-claim.ts'
import { Pod } from './pod.ts'
import { ResourceQuota } from './resource-quota.ts'
import { Secret } from './secret.ts'
import { Service } from './service.ts'
import { ServiceAccount } from './service-account.ts'

export const coreKinds: readonly AnyKind[] = [
  Binding,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
]
