// The registry of built-in kinds: every kind that Croft serves without a CustomResourceDefinition of a user.
import { cdiKinds } from './cdi/index.ts'
import { cniKinds } from './cni/index.ts'
import { coreKinds } from './core/index.ts'
import { croftKinds } from './croft/index.ts'
import { harvesterKinds } from './harvester/index.ts'
import type { AnyKind } from './kind.ts'
import { kubernetesKinds } from './kubernetes/index.ts'
import { kubevirtKinds } from './kubevirt/index.ts'
import { longhornKinds } from './longhorn/index.ts'
import { snapshotKinds } from './snapshot/index.ts'

export const allKinds: readonly AnyKind[] = [
  ...coreKinds,
  ...kubernetesKinds,
  ...kubevirtKinds,
  ...cdiKinds,
  ...harvesterKinds,
  ...longhornKinds,
  ...snapshotKinds,
  ...croftKinds,
  ...cniKinds,
]

const byPlural = new Map(allKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]))
const byKind = new Map(allKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.kind}`, kind]))

/** The kind behind a URL, for instance `('', 'v1', 'pods')`. */
export function findKind(group: string, version: string, plural: string): AnyKind | undefined {
  return byPlural.get(`${group}/${version}/${plural}`)
}

/** The kind that an object names in apiVersion and kind. */
export function findByKind(group: string, version: string, kind: string): AnyKind | undefined {
  return byKind.get(`${group}/${version}/${kind}`)
}
