// Custom resource definitions turned into served kinds, the moment they are stored.
import { deepEqual } from '../../base/equality.ts'
import type { KubeObject } from '../../base/object.ts'
import { type DefinedVersion, kindsOfDefinition } from '../../kinds/crd.ts'
import { readObject, withDefaults } from '../../kinds/interpreter.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import type { Core } from '../core.ts'
import { type Served, serve } from '../served.ts'
import { type DefinitionShape, hasCondition } from './establish.ts'

export const DEFINITIONS_PREFIX = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

interface Known {
  readonly versions: unknown
  /** Objects written after this revision were pruned and defaulted by the present schemas. */
  readonly since: number
}

export class Definitions {
  readonly #core: Core
  readonly #known = new Map<string, Known>()

  constructor(core: Core) {
    this.#core = core
  }

  /** Takes all stored definitions, and from then on every change. */
  start(): () => void {
    const served = this.#core.served.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    if (!served) return () => {}
    const page = this.#core.store.range(DEFINITIONS_PREFIX)
    for (const entry of page.entries) {
      // Those that stand for our own kinds add nothing; they are large and need no parsing.
      const name = entry.key.slice(DEFINITIONS_PREFIX.length)
      if (!this.isBuiltIn(name)) this.take(this.#core.parsed.get(served, entry))
    }
    return this.#core.store.watch(DEFINITIONS_PREFIX, page.revision, (event) => {
      const name = event.key.slice(DEFINITIONS_PREFIX.length)
      if (this.isBuiltIn(name)) return
      if (event.type === 'delete') this.drop(name)
      else this.take(this.#core.share.of(served, event).object())
    })
  }

  /** True for definitions of kinds that croft has itself. */
  isBuiltIn(name: string): boolean {
    const at = name.indexOf('.')
    return this.#core.served.isBuiltIn(name.slice(at + 1), name.slice(0, at))
  }

  take(object: KubeObject): void {
    const name = object.metadata.name ?? ''
    if (this.isBuiltIn(name)) return
    const definition = object as DefinitionShape
    if (!hasCondition(definition, 'Established')) {
      this.drop(name)
      return
    }
    const versions = definition.spec?.versions
    const known = this.#known.get(name)
    if (known && deepEqual(known.versions, versions)) return
    const since = Number(object.metadata.resourceVersion ?? 0)
    this.#known.set(name, { versions, since })
    this.#core.served.setDefinition(name, servedVersions(object, since))
  }

  drop(name: string): void {
    if (!this.#known.delete(name)) return
    this.#core.served.setDefinition(name, [])
  }
}

function servedVersions(object: KubeObject, since: number): readonly Served[] {
  const versions = kindsOfDefinition(object)
  const storage = versions.find((version) => version.storage)
  if (!storage) return []
  return versions
    .filter((version) => version.served)
    .map((version) => servedVersion(version, storage, object, since))
}

function servedVersion(
  { kind, deprecation }: DefinedVersion,
  storage: DefinedVersion,
  object: KubeObject,
  since: number,
): Served {
  const apiVersion = apiVersionOf(kind)
  const storageApiVersion = apiVersionOf(storage.kind)
  return serve(kind, {
    storageApiVersion,
    definition: object.metadata.name ?? '',
    stamp: `${object.metadata.uid ?? ''} ${object.metadata.generation ?? ''}`,
    plainSince: apiVersion === storageApiVersion ? since : Number.POSITIVE_INFINITY,
    fromStored: (stored) => withDefaults(kind, readObject(kind, { ...stored, apiVersion } as never).object),
    ...(deprecation === undefined ? {} : { deprecation }),
  })
}
