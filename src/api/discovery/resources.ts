// What is served, as discovery tells it: groups, versions, resources and their subresources. Made anew only when the
// set of kinds changes.
import type { AnyKind } from '../../kinds/kind.ts'
import type { ServedKinds } from '../served.ts'
import { GATE_GROUPS } from './gate-resources.ts'

export interface ResourceEntry {
  readonly name: string
  readonly singular: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly subresources: readonly SubresourceEntry[]
}
export interface SubresourceEntry {
  readonly name: string
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly string[]
}
export interface VersionEntry {
  readonly version: string
  readonly resources: readonly ResourceEntry[]
}
export interface GroupEntry {
  readonly group: string
  readonly versions: readonly VersionEntry[]
}

/** Group priorities of Kubernetes' own APIServices; others follow by name. */
const PRIORITY: Readonly<Record<string, number>> = {
  '': 18000,
  'apiregistration.k8s.io': 18000,
  extensions: 17900,
  apps: 17800,
  'events.k8s.io': 17750,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'networking.k8s.io': 17200,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  'scheduling.k8s.io': 16600,
  'coordination.k8s.io': 16500,
  'node.k8s.io': 16300,
  'discovery.k8s.io': 16200,
  'flowcontrol.apiserver.k8s.io': 16100,
}
const CUSTOM_PRIORITY = 1000

export function groupPriority(group: string): number {
  return PRIORITY[group] ?? CUSTOM_PRIORITY
}

export function discoverGroups(served: ServedKinds): readonly GroupEntry[] {
  const groups = new Map<string, Map<string, ResourceEntry[]>>()
  for (const { kind } of served.all()) {
    const versions = groups.get(kind.group) ?? new Map<string, ResourceEntry[]>()
    groups.set(kind.group, versions)
    const resources = versions.get(kind.version) ?? []
    versions.set(kind.version, resources)
    resources.push(resourceEntry(kind))
  }
  for (const [group, { version, resources }] of GATE_GROUPS)
    groups.set(group, new Map([[version, [...resources]]]))
  return [...groups]
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, resources]) => ({ version, resources: resources.sort(byName) })),
    }))
    .sort((a, b) => groupPriority(b.group) - groupPriority(a.group) || (a.group < b.group ? -1 : 1))
}

function byName(a: ResourceEntry, b: ResourceEntry): number {
  return a.name < b.name ? -1 : 1
}

function resourceEntry(kind: AnyKind): ResourceEntry {
  const own = { group: kind.group, version: kind.version, kind: kind.kind }
  return {
    name: kind.plural,
    singular: kind.singular,
    kind: own,
    namespaced: kind.scope === 'Namespaced',
    verbs: [...kind.verbs].sort(),
    shortNames: kind.shortNames,
    categories: kind.categories,
    subresources: Object.entries(kind.subresources)
      .map(([name, subresource]) => ({
        name,
        kind: subresource.kind ?? own,
        verbs: [...subresource.verbs].sort(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** Versions in order of preference: v10, v2, v1, v2beta1, v1alpha1, then others by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [readVersion(a), readVersion(b)]
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor
}

function readVersion(text: string) {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text)
  if (!match) return undefined
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0
  return { major: Number(match[1]), stability, minor: Number(match[3] ?? 0) }
}
