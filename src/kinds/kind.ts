// What a kind is: one value that gives the schema, the table columns, the subresources and the rules of one type
// of object. `defineKind` (define.ts) builds these; api, client, cli, ui and docs read them.
import type { UserInfo } from '../base/call.ts'
import type { Cause } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Schema } from '../base/schema.ts'

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  /** 0 shows always, higher only with `-o wide`. */
  readonly priority?: number
  /** JSONPath as CRD printer columns have it, or a pure function of the object. */
  readonly value: string | ((object: KubeObject, now: number) => string | number | boolean | null)
}

export interface Subresource {
  /** Kind that the subresource speaks, where it is not the parent's. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly string[]
  /** `stream` subresources are WebSockets and belong to gate/. */
  readonly stream?: boolean
  /** JSONPaths of a `scale` subresource, for instance `.spec.replicas`. */
  readonly scale?: {
    readonly specReplicasPath: string
    readonly statusReplicasPath: string
    readonly labelSelectorPath?: string
  }
}

/** Other objects that a rule may look at; given by the API server under its own rights. */
export interface RuleLook {
  get<T extends KubeObject = KubeObject>(
    kind: AnyKind,
    namespace: string | undefined,
    name: string,
  ): T | undefined
  /**
   * With `saying`, all objects that hold this very string somewhere as a value; others may be left out, which spares
   * reading thousands of objects for one.
   */
  list<T extends KubeObject = KubeObject>(kind: AnyKind, namespace?: string, saying?: string): readonly T[]
  readonly user: UserInfo
  readonly now: number
  /** True when `user` may do `verb` on that object (references across namespaces, clone sources). */
  mayDo(verb: string, kind: AnyKind, namespace: string | undefined, name: string): boolean
}

export interface RuleAnswer {
  readonly causes?: readonly Cause[]
  readonly warnings?: readonly string[]
  /** A refusal that is not a 422, for instance 403 or 409, with its whole message. */
  readonly refuse?: { readonly code: number; readonly reason: string; readonly message: string }
}

/** `previous` is absent on create, `next` on delete. Synchronous and pure: the same rule serves server and form. */
export type Rule = (
  next: KubeObject | undefined,
  previous: KubeObject | undefined,
  look: RuleLook,
) => RuleAnswer

/** A pure change of an object before validation: defaults that a schema cannot express. */
export type Mutator = (next: KubeObject, previous: KubeObject | undefined, look: RuleLook) => KubeObject

export interface AnyKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  /** One sentence, ours; also the root description of the schema. */
  readonly doc: string
  /** Root schema: apiVersion, kind, metadata, spec, status, ... Built on first use, frozen. */
  readonly schema: Schema
  readonly columns: readonly Column[]
  /** Key is the subresource's name, for instance `status`, `scale`, `console`. */
  readonly subresources: Readonly<Record<string, Subresource>>
  readonly verbs: readonly string[]
  /**
   * `core` kinds follow the habits of Kubernetes' built-in types (strategic patch, unconditional update);
   * `custom` kinds those of custom resources (no strategic patch, update needs a resourceVersion, a CRD object exists).
   */
  readonly habit: 'core' | 'custom'
  readonly nameRule: 'dns-subdomain' | 'dns-label' | 'path-segment' | 'dns-1035-label'
  readonly selectableFields: readonly string[]
  /** Not stored: create answers and forgets (reviews). */
  readonly virtual?: boolean
  readonly mutators: readonly Mutator[]
  readonly rules: readonly Rule[]
}

/** The TypeScript type of a kind's objects travels with the kind. */
export interface Kind<T extends KubeObject = KubeObject> extends AnyKind {
  /** Never set; carries the type only. */
  readonly __object?: T
}

export type KindOf<K> = K extends Kind<infer T> ? T : never

export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
}

export type { JsonObject }
