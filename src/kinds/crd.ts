// Custom resource definitions, both ways: the kinds that a user's definition brings, and the definitions that stand
// for our own kinds of the custom habit (tools look for them before they use a kind).
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { CelRule, Schema } from '../base/schema.ts'
import type { Definition, DefinitionNames, DefinitionVersion } from './custom/definition.ts'
import { ALL_VERBS } from './define.ts'
import type { AnyKind, Column, Subresource } from './kind.ts'
import { objectMetaSchema } from './meta.ts'
import { type Components, documentSchema } from './openapi-schema.ts'

/** One version of a defined kind. */
export interface DefinedVersion {
  readonly kind: AnyKind
  readonly served: boolean
  /** Objects are stored in this version. */
  readonly storage: boolean
  /** Warning for users of a deprecated version. */
  readonly deprecation?: string
}

/** The kinds of a definition that has passed its rules, in the order of its versions. */
export function kindsOfDefinition(object: KubeObject): readonly DefinedVersion[] {
  const definition = object as Definition
  return (definition.spec?.versions ?? []).map((version) => {
    const kind = kindOfVersion(definition, version)
    const deprecation =
      version.deprecationWarning ?? `${kind.group}/${kind.version} ${kind.kind} is deprecated`
    return {
      kind,
      served: version.served === true,
      storage: version.storage === true,
      ...(version.deprecated ? { deprecation } : {}),
    }
  })
}

function kindOfVersion({ spec }: Definition, version: DefinitionVersion): AnyKind {
  const names: DefinitionNames = spec?.names ?? {}
  const { openAPIV3Schema = {} } = version.schema ?? {}
  const name = names.kind ?? ''
  return {
    group: spec?.group ?? '',
    version: version.name ?? '',
    kind: name,
    plural: names.plural ?? '',
    singular: names.singular || name.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: spec?.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    doc: openAPIV3Schema.description ?? '',
    schema: rootSchema(openAPIV3Schema),
    columns: (version.additionalPrinterColumns ?? []).map(columnOf),
    subresources: subresourcesOf(version),
    verbs: ALL_VERBS,
    habit: 'custom',
    nameRule: 'dns-subdomain',
    selectableFields: [
      'metadata.name',
      'metadata.namespace',
      ...(version.selectableFields ?? []).map(({ jsonPath = '' }) => jsonPath.replace(/^\./, '')),
    ],
    mutators: [],
    rules: [],
  }
}

function rootSchema(schema: Schema): Schema {
  const { properties } = schema
  return {
    ...schema,
    type: 'object',
    properties: {
      ...properties,
      apiVersion: { type: 'string', ...properties?.['apiVersion'] },
      kind: { type: 'string', ...properties?.['kind'] },
      metadata: objectMetaSchema,
    },
  }
}

type PrinterColumn = NonNullable<DefinitionVersion['additionalPrinterColumns']>[number]

function columnOf(column: PrinterColumn): Column {
  return {
    name: column.name ?? '',
    type: (column.type ?? 'string') as Column['type'],
    ...(column.format ? { format: column.format } : {}),
    description: column.description ?? '',
    ...(column.priority ? { priority: column.priority } : {}),
    value: column.jsonPath ?? '',
  }
}

function subresourcesOf({ subresources }: DefinitionVersion): Readonly<Record<string, Subresource>> {
  const verbs = ['get', 'patch', 'update']
  const { status, scale } = subresources ?? {}
  return {
    ...(status ? { status: { verbs } } : {}),
    ...(scale
      ? {
          scale: {
            verbs,
            kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            scale: {
              specReplicasPath: scale.specReplicasPath ?? '',
              statusReplicasPath: scale.statusReplicasPath ?? '',
              ...(scale.labelSelectorPath ? { labelSelectorPath: scale.labelSelectorPath } : {}),
            },
          },
        }
      : {}),
  }
}

/** Words of the rules in CEL that a definition brings: they are kept and served, but not asked yet. */
export function celRulesOf(object: KubeObject): readonly CelRule[] {
  const found: CelRule[] = []
  const search = (schema: Schema): void => {
    found.push(...(schema['x-kubernetes-validations'] ?? []))
    for (const child of Object.values(schema.properties ?? {})) search(child)
    if (schema.items) search(schema.items)
    if (typeof schema.additionalProperties === 'object') search(schema.additionalProperties)
  }
  for (const version of (object as Definition).spec?.versions ?? []) {
    if (version.schema?.openAPIV3Schema) search(version.schema.openAPIV3Schema)
  }
  return found
}

/**
 * The definition that stands for our own kinds of one group and plural; the first version is the stored one.
 * It has no uid, resourceVersion or creationTimestamp: the server gives those.
 */
export function definitionOf(versions: readonly [AnyKind, ...AnyKind[]]): KubeObject {
  const [first] = versions
  const names: JsonObject = {
    plural: first.plural,
    singular: first.singular,
    kind: first.kind,
    listKind: `${first.kind}List`,
    ...(first.shortNames.length > 0 ? { shortNames: first.shortNames } : {}),
    ...(first.categories.length > 0 ? { categories: first.categories } : {}),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${first.plural}.${first.group}`, labels: { 'croft.io/built-in': 'true' } },
    spec: {
      group: first.group,
      names,
      scope: first.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
      conversion: { strategy: 'None' },
      versions: versions.map((kind, index) => versionOf(kind, index === 0)),
    },
    status: {
      acceptedNames: names,
      storedVersions: [first.version],
      conditions: [
        standing('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        standing('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
    },
  }
}

function standing(type: string, reason: string, message: string): JsonObject {
  return { type, status: 'True', reason, message }
}

function versionOf(kind: AnyKind, storage: boolean): JsonObject {
  const columns = kind.columns.flatMap((column) =>
    typeof column.value === 'string'
      ? [
          {
            name: column.name,
            type: column.type,
            description: column.description,
            jsonPath: column.value,
            ...(column.format ? { format: column.format } : {}),
            ...(column.priority ? { priority: column.priority } : {}),
          },
        ]
      : [],
  )
  const selectable = kind.selectableFields
    .filter((field) => !field.startsWith('metadata.'))
    .map((field) => ({ jsonPath: `.${field}` }))
  return {
    name: kind.version,
    served: true,
    storage,
    schema: { openAPIV3Schema: definitionSchema(kind.schema) },
    ...(kind.subresources['status'] ? { subresources: { status: {} } } : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns } : {}),
    ...(selectable.length > 0 ? { selectableFields: selectable } : {}),
  }
}

function definitionSchema(schema: Schema): JsonObject {
  const components: Components = { version: 'v3', schemas: new Map(), inline: true }
  const metadata: Schema = { type: 'object' }
  const root: Schema = { ...schema, properties: { ...schema.properties, metadata } }
  return documentSchema(root, false, components)
}
