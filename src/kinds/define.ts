// defineKind turns the short form that kind files are written in into a whole Kind.
import type { KubeObject } from '../base/object.ts'
import type { Schema } from '../base/schema.ts'
import type { Infer, Typed } from './build.ts'
import type { AnyKind, Column, Kind, Mutator, Rule, Subresource } from './kind.ts'
import { objectMetaSchema } from './meta.ts'

interface KindInput<B> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly doc: string
  /** Everything beside apiVersion, kind and metadata; a function, so that long schemas are built on first use. */
  readonly body: () => Typed<B>
  readonly columns?: readonly Column[]
  /** True for kinds whose status is written through `/status`. */
  readonly status?: boolean
  readonly subresources?: Readonly<Record<string, Subresource>>
  readonly verbs?: readonly string[]
  readonly habit?: AnyKind['habit']
  readonly nameRule?: AnyKind['nameRule']
  readonly selectableFields?: readonly string[]
  readonly virtual?: boolean
  readonly mutators?: readonly Mutator[]
  readonly rules?: readonly Rule[]
}

export const ALL_VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const

/** `habit` is `custom` for groups with a dot outside Kubernetes' own, unless said otherwise. */
export function defineKind<B>(input: KindInput<B>): Kind<KubeObject & B> {
  const { status, body, ...plain } = input
  let schema: Schema | undefined
  return {
    ...plain,
    singular: input.singular ?? input.kind.toLowerCase(),
    shortNames: input.shortNames ?? [],
    categories: input.categories ?? [],
    get schema(): Schema {
      schema ??= rootSchema(input.doc, body())
      return schema
    },
    columns: input.columns ?? [],
    subresources: {
      ...(status ? { status: { verbs: ['get', 'patch', 'update'] } } : {}),
      ...input.subresources,
    },
    verbs: input.verbs ?? ALL_VERBS,
    habit: input.habit ?? (isKubernetesGroup(input.group) ? 'core' : 'custom'),
    nameRule: input.nameRule ?? 'dns-subdomain',
    selectableFields: ['metadata.name', 'metadata.namespace', ...(input.selectableFields ?? [])],
    mutators: input.mutators ?? [],
    rules: input.rules ?? [],
  }
}

function isKubernetesGroup(group: string): boolean {
  return !group.includes('.') || (group.endsWith('.k8s.io') && group !== 'snapshot.storage.k8s.io')
}

function rootSchema(doc: string, body: Schema): Schema {
  return {
    ...body,
    type: 'object',
    description: doc,
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of the schema of this object.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: objectMetaSchema,
      ...body.properties,
    },
  }
}

export type { Infer }
