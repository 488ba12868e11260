// Discovery documents: the aggregated form for current clients and the lists for older ones, cached as text until
// the set of kinds changes.
import type { JsonObject } from '../../base/json.ts'
import { printJson } from '../../base/json.ts'
import { sha256Hex } from '../../base/sha256.ts'
import type { ServedKinds } from '../served.ts'
import {
  discoverGroups,
  type GroupEntry,
  type ResourceEntry,
  type SubresourceEntry,
  type VersionEntry,
} from './resources.ts'

export interface Document {
  readonly text: string
  readonly etag: string
}

export class Discovery {
  readonly #served: ServedKinds
  #generation = 0
  #groups: readonly GroupEntry[] = []
  #texts = new Map<string, Document>()

  constructor(served: ServedKinds) {
    this.#served = served
  }

  groups(): readonly GroupEntry[] {
    if (this.#generation !== this.#served.generation) {
      this.#generation = this.#served.generation
      this.#groups = discoverGroups(this.#served)
      this.#texts = new Map()
    }
    return this.#groups
  }

  /** Aggregated discovery of /api (the core group) or /apis (all others). */
  aggregated(core: boolean): Document {
    return this.#document(core ? 'api v2' : 'apis v2', (groups) => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.filter(({ group }) => (group === '') === core).map(groupDiscovery),
    }))
  }

  groupList(): Document {
    return this.#document('apis', (groups) => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groups.filter(({ group }) => group !== '').map(apiGroup),
    }))
  }

  group(name: string): Document | undefined {
    const entry = this.groups().find(({ group }) => group === name)
    if (!entry || name === '') return undefined
    return this.#document(`group ${name}`, () => ({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(entry) }))
  }

  resourceList(group: string, version: string): Document | undefined {
    const entry = this.groups()
      .find((candidate) => candidate.group === group)
      ?.versions.find((candidate) => candidate.version === version)
    if (!entry) return undefined
    return this.#document(`resources ${group}/${version}`, () => resourceListOf(group, entry))
  }

  #document(key: string, make: (groups: readonly GroupEntry[]) => JsonObject): Document {
    const groups = this.groups()
    const known = this.#texts.get(key)
    if (known) return known
    const text = printJson(make(groups))
    const document = { text, etag: `"${sha256Hex(text).toUpperCase()}"` }
    this.#texts.set(key, document)
    return document
  }
}

function groupDiscovery({ group, versions }: GroupEntry): JsonObject {
  return {
    metadata: { name: group, creationTimestamp: null },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(resourceDiscovery),
      freshness: 'Current',
    })),
  }
}

function resourceDiscovery(entry: ResourceEntry): JsonObject {
  return {
    resource: entry.name,
    responseKind: entry.kind,
    scope: entry.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: entry.singular,
    verbs: entry.verbs,
    ...(entry.shortNames.length > 0 ? { shortNames: entry.shortNames } : {}),
    ...(entry.categories.length > 0 ? { categories: entry.categories } : {}),
    ...(entry.subresources.length > 0 ? { subresources: entry.subresources.map(subresourceDiscovery) } : {}),
  }
}

function subresourceDiscovery({ name, kind, verbs }: SubresourceEntry): JsonObject {
  return { subresource: name, responseKind: kind, verbs }
}

function apiGroup({ group, versions }: GroupEntry): JsonObject {
  const all = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: all, preferredVersion: all[0] ?? { groupVersion: '', version: '' } }
}

function resourceListOf(group: string, { version, resources }: VersionEntry): JsonObject {
  const groupVersion = group === '' ? version : `${group}/${version}`
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: resources.flatMap((entry) => [
      ...(entry.verbs.length > 0 ? [legacyResource(entry)] : []),
      ...entry.subresources.map((subresource) => legacySubresource(entry, subresource)),
    ]),
  }
}

function legacyResource(entry: ResourceEntry): JsonObject {
  return {
    name: entry.name,
    singularName: entry.singular,
    namespaced: entry.namespaced,
    kind: entry.kind.kind,
    verbs: entry.verbs,
    ...(entry.shortNames.length > 0 ? { shortNames: entry.shortNames } : {}),
    ...(entry.categories.length > 0 ? { categories: entry.categories } : {}),
  }
}

function legacySubresource(entry: ResourceEntry, { name, kind, verbs }: SubresourceEntry): JsonObject {
  const foreign = kind.group !== entry.kind.group || kind.version !== entry.kind.version
  return {
    name: `${entry.name}/${name}`,
    singularName: '',
    namespaced: entry.namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
  }
}
