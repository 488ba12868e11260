// The kinds that are served at this moment: the built-in ones and those of custom resource definitions. Looking one
// up is a map access; the generation tells caches (discovery, OpenAPI) that the set has changed.
import type { KubeObject } from '../base/object.ts'
import { type AnyKind, apiVersionOf } from '../kinds/kind.ts'
import { fromCoreEvent, toCoreEvent } from '../kinds/kubernetes/event.ts'

export interface Served {
  readonly kind: AnyKind
  readonly apiVersion: string
  /** Store keys of this resource start with this; all versions of a resource share it. */
  readonly prefix: string
  readonly namespaced: boolean
  /** What stored bytes of this kind begin with: `{"apiVersion":...,"kind":...,"metadata":{`. */
  readonly head: string
  /** apiVersion that objects are stored under. */
  readonly storageApiVersion: string
  /** Set for kinds whose stored form may differ from the served one (custom resources). */
  readonly fromStored?: (object: KubeObject) => KubeObject
  /** The other way, for kinds that are another view of what is stored. */
  readonly toStored?: (object: KubeObject) => KubeObject
  /** Entries written after this revision need no `fromStored`. */
  readonly plainSince?: number
  /** Name of the CustomResourceDefinition this kind comes from. */
  readonly definition?: string
  readonly deprecation?: string
  /** Changes when a custom kind's definition does; built-in kinds have none. */
  readonly stamp?: string
}

export function serve(kind: AnyKind, extra: Partial<Served> = {}): Served {
  const apiVersion = apiVersionOf(kind)
  const storageApiVersion = extra.storageApiVersion ?? apiVersion
  return {
    kind,
    apiVersion,
    prefix: `/registry/${kind.group === '' ? 'core' : kind.group}/${kind.plural}/`,
    namespaced: kind.scope === 'Namespaced',
    head: headOf(storageApiVersion, kind.kind),
    storageApiVersion,
    ...extra,
  }
}

/** Events of events.k8s.io are the core group's under other names: one store, two views. */
function viewOf({ group, plural }: AnyKind): Partial<Served> {
  if (group !== 'events.k8s.io' || plural !== 'events') return {}
  return {
    prefix: '/registry/core/events/',
    storageApiVersion: 'v1',
    fromStored: fromCoreEvent,
    toStored: toCoreEvent,
  }
}

export function headOf(apiVersion: string, kind: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{`
}

/** True when stored bytes of this revision are as they are served. */
export function isPlain(served: Served, revision: number): boolean {
  return served.fromStored === undefined || revision > (served.plainSince ?? Number.POSITIVE_INFINITY)
}

export function keyFor(served: Served, namespace: string | undefined, name: string): string {
  return served.namespaced ? `${served.prefix}${namespace ?? ''}/${name}` : served.prefix + name
}

/** Prefix of all objects of a kind, or of those in one namespace. */
export function prefixFor(served: Served, namespace: string | undefined): string {
  return served.namespaced && namespace ? `${served.prefix}${namespace}/` : served.prefix
}

export class ServedKinds {
  #builtIn: readonly Served[]
  #dynamic = new Map<string, readonly Served[]>()
  #byPlural = new Map<string, Served>()
  #byKind = new Map<string, Served>()
  #listeners = new Set<() => void>()
  /** Rises with every change of the set. */
  generation = 1

  constructor(kinds: readonly AnyKind[]) {
    this.#builtIn = kinds.map((kind) => serve(kind, viewOf(kind)))
    this.#index()
  }

  find(group: string, version: string, plural: string): Served | undefined {
    return this.#byPlural.get(`${group}/${version}/${plural}`)
  }

  findByKind(apiVersion: string, kind: string): Served | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`)
  }

  /** The same kind as the rules of other rooms know it. */
  of(kind: AnyKind): Served | undefined {
    return this.find(kind.group, kind.version, kind.plural)
  }

  all(): readonly Served[] {
    return [...this.#byPlural.values()]
  }

  /** One entry for each stored resource, whatever its versions. */
  stored(): readonly Served[] {
    const byPrefix = new Map<string, Served>()
    for (const served of this.#byPlural.values())
      if (!served.kind.virtual && !byPrefix.has(served.prefix)) byPrefix.set(served.prefix, served)
    return [...byPrefix.values()]
  }

  /** True for resources that need no definition. */
  isBuiltIn(group: string, plural: string): boolean {
    return this.#builtIn.some(({ kind }) => kind.group === group && kind.plural === plural)
  }

  hasGroup(group: string): boolean {
    return this.all().some((served) => served.kind.group === group)
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((served) => served.kind.group === group && served.kind.version === version)
  }

  /** Puts the kinds of one custom resource definition in place of those it had; an empty list removes them. */
  setDefinition(definition: string, kinds: readonly Served[]): void {
    if (kinds.length === 0) this.#dynamic.delete(definition)
    else this.#dynamic.set(definition, kinds)
    this.#index()
    this.generation += 1
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  #index(): void {
    this.#byPlural = new Map()
    this.#byKind = new Map()
    for (const served of [...this.#builtIn, ...[...this.#dynamic.values()].flat()]) {
      const { group, version, plural, kind } = served.kind
      const key = `${group}/${version}/${plural}`
      if (this.#byPlural.has(key)) continue
      this.#byPlural.set(key, served)
      const kindKey = `${served.apiVersion}/${kind}`
      if (!this.#byKind.has(kindKey)) this.#byKind.set(kindKey, served)
    }
  }
}
