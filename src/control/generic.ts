// The deciders that any Kubernetes needs beside its API server. On a foreign cluster its own controllers do this.
// Owner garbage, namespaces, default accounts and the age of events are kept by our API server itself.
import { type AnyDecider, decider } from '../kinds/decide.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { claimDecider } from './claim.ts'
import { nodeLifecycle } from './node-lifecycle.ts'
import { persistentVolumeDecider } from './persistent-volume.ts'
import { podCleanup } from './pod-cleanup.ts'
import { resourceQuotaDecider } from './resource-quota.ts'
import { scheduler } from './scheduler.ts'

export function genericDeciders(allKinds: readonly AnyKind[]): readonly AnyDecider[] {
  return [
    decider(scheduler),
    decider(claimDecider),
    decider(persistentVolumeDecider),
    decider(nodeLifecycle),
    decider(podCleanup),
    decider(resourceQuotaDecider(allKinds)),
  ]
}
