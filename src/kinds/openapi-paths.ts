// The paths of OpenAPI documents: for every kind its collections, items and subresources, with the marks that
// clients look for (actions, kinds, content types of patches, parameters of writes).
import type { Json, JsonObject } from '../base/json.ts'
import { DELETE_OPTIONS, kindComponent, PATCH, STATUS } from './component-names.ts'
import type { AnyKind, Subresource } from './kind.ts'
import { type Components, refTo } from './openapi-schema.ts'

const JSON_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const
const WATCH_TYPES = [
  ...JSON_TYPES,
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
] as const
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
] as const
const STRATEGIC = 'application/strategic-merge-patch+json'

interface Parameter {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'integer'
  readonly in?: 'path'
  readonly description: string
}

const pretty: Parameter = {
  name: 'pretty',
  type: 'string',
  description: 'Print the answer with indentation.',
}
const dryRun: Parameter = { name: 'dryRun', type: 'string', description: 'With All nothing is stored.' }
const fieldManager: Parameter = {
  name: 'fieldManager',
  type: 'string',
  description: 'Who owns the written fields.',
}
const fieldValidation: Parameter = {
  name: 'fieldValidation',
  type: 'string',
  description: 'What happens to unknown and doubled fields: Ignore, Warn or Strict.',
}
const force: Parameter = {
  name: 'force',
  type: 'boolean',
  description: 'Take over fields of other managers (apply only).',
}
const WRITE = [dryRun, fieldManager, fieldValidation, pretty] as const
const LIST: readonly Parameter[] = [
  { name: 'allowWatchBookmarks', type: 'boolean', description: 'Send bookmarks in watches.' },
  { name: 'continue', type: 'string', description: 'Token of the next page.' },
  { name: 'fieldSelector', type: 'string', description: 'Only objects whose fields match.' },
  { name: 'labelSelector', type: 'string', description: 'Only objects whose labels match.' },
  { name: 'limit', type: 'integer', description: 'Most objects in one page.' },
  { name: 'resourceVersion', type: 'string', description: 'Version to read at or to watch from.' },
  { name: 'resourceVersionMatch', type: 'string', description: 'How resourceVersion is meant.' },
  { name: 'sendInitialEvents', type: 'boolean', description: 'Begin a watch with all present objects.' },
  { name: 'timeoutSeconds', type: 'integer', description: 'Seconds after which a list or watch ends.' },
  { name: 'watch', type: 'boolean', description: 'Watch for changes.' },
  pretty,
]
const DELETE: readonly Parameter[] = [
  dryRun,
  { name: 'gracePeriodSeconds', type: 'integer', description: 'Seconds allowed for a graceful end.' },
  { name: 'orphanDependents', type: 'boolean', description: 'Old form of propagationPolicy.' },
  {
    name: 'propagationPolicy',
    type: 'string',
    description: 'What happens to dependents: Orphan, Background or Foreground.',
  },
  pretty,
]
const nameInPath: Parameter = { name: 'name', type: 'string', in: 'path', description: 'Name of the object.' }
const namespaceInPath: Parameter = {
  name: 'namespace',
  type: 'string',
  in: 'path',
  description: 'Namespace of the object.',
}

interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly action: string
  readonly parameters: readonly Parameter[]
  /** Component of the body and of the answer. */
  readonly body?: string
  readonly answer: string
  readonly id: string
  readonly gvk: JsonObject
  readonly codes: readonly number[]
  readonly strategic?: boolean
  readonly does: string
}

const gvkOf = (kind: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): JsonObject => ({
  group: kind.group,
  version: kind.version,
  kind: kind.kind,
})

/** All paths of one kind. */
export function pathsOf(kind: AnyKind, components: Components): JsonObject {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const scoped =
    kind.scope === 'Namespaced' ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`
  const shared = kind.scope === 'Namespaced' ? [namespaceInPath] : []
  const paths: Record<string, Json> = {}
  const add = (path: string, common: readonly Parameter[], operations: readonly Operation[]): void => {
    if (operations.length > 0) paths[path] = pathItem(kind, common, operations, components)
  }
  add(scoped, shared, collectionOperations(kind))
  if (kind.scope === 'Namespaced' && kind.verbs.includes('list')) {
    add(`${root}/${kind.plural}`, [], [listOperation(kind, 'ForAllNamespaces')])
  }
  add(`${scoped}/{name}`, [nameInPath, ...shared], itemOperations(kind))
  for (const [name, subresource] of Object.entries(kind.subresources)) {
    add(`${scoped}/{name}/${name}`, [nameInPath, ...shared], subresourceOperations(kind, name, subresource))
  }
  return paths
}

/** Part of an operation id: group, version and scope, for instance `CoreV1Namespaced`. */
function idPart(kind: AnyKind): string {
  const group =
    kind.group === ''
      ? 'core'
      : kind.group.replace(/\.k8s\.io$/, '').replace(/\.authorization$/, 'Authorization')
  const words = [...group.split(/[.-]/), kind.version].map(
    (word) => (word[0] ?? '').toUpperCase() + word.slice(1),
  )
  return words.join('') + (kind.scope === 'Namespaced' ? 'Namespaced' : '')
}

function listOperation(kind: AnyKind, suffix = ''): Operation {
  const part = suffix === '' ? idPart(kind) : idPart(kind).replace(/Namespaced$/, '')
  return {
    method: 'get',
    action: 'list',
    parameters: LIST,
    answer: `${kindComponent(kind)}List`,
    id: `list${part}${kind.kind}${suffix}`,
    gvk: gvkOf(kind),
    codes: [200],
    does: `List or watch objects of kind ${kind.kind}.`,
  }
}

function collectionOperations(kind: AnyKind): readonly Operation[] {
  const own = kindComponent(kind)
  const common = { gvk: gvkOf(kind) }
  const part = idPart(kind)
  return [
    ...(kind.verbs.includes('list') ? [listOperation(kind)] : []),
    ...(kind.verbs.includes('create')
      ? [
          {
            ...common,
            method: 'post' as const,
            action: 'post',
            parameters: WRITE,
            body: own,
            answer: own,
            id: `create${part}${kind.kind}`,
            codes: [200, 201, 202],
            does: `Create a ${kind.kind}.`,
          },
        ]
      : []),
    ...(kind.verbs.includes('deletecollection')
      ? [
          {
            ...common,
            method: 'delete' as const,
            action: 'deletecollection',
            parameters: [
              ...LIST.filter((one) => !['watch', 'allowWatchBookmarks', 'pretty'].includes(one.name)),
              ...DELETE,
            ],
            body: DELETE_OPTIONS,
            answer: STATUS,
            id: `delete${part.replace(/Namespaced$/, '')}Collection${kind.scope === 'Namespaced' ? 'Namespaced' : ''}${kind.kind}`,
            codes: [200],
            does: `Delete a collection of ${kind.kind}.`,
          },
        ]
      : []),
  ]
}

function itemOperations(kind: AnyKind): readonly Operation[] {
  const own = kindComponent(kind)
  const deletes: Operation = {
    method: 'delete',
    action: 'delete',
    parameters: DELETE,
    body: DELETE_OPTIONS,
    answer: STATUS,
    id: `delete${idPart(kind)}${kind.kind}`,
    gvk: gvkOf(kind),
    codes: [200, 202],
    does: `Delete a ${kind.kind}.`,
  }
  return [...readWrite(kind, own, kind.verbs, ''), ...(kind.verbs.includes('delete') ? [deletes] : [])]
}

/** get, put and patch, of an item or of a subresource. */
function readWrite(
  kind: AnyKind,
  component: string,
  verbs: readonly string[],
  suffix: string,
): readonly Operation[] {
  const part = `${idPart(kind)}${kind.kind}${suffix}`
  const common = { answer: component, gvk: gvkOf(kind) }
  const what = suffix === '' ? kind.kind : `${suffix.toLowerCase()} of a ${kind.kind}`
  const all: readonly (Operation & { readonly verb: string })[] = [
    {
      ...common,
      verb: 'get',
      method: 'get',
      action: 'get',
      parameters: [pretty],
      id: `read${part}`,
      codes: [200],
      does: `Read the ${what}.`,
    },
    {
      ...common,
      verb: 'update',
      method: 'put',
      action: 'put',
      parameters: WRITE,
      body: component,
      id: `replace${part}`,
      codes: [200, 201],
      does: `Replace the ${what}.`,
    },
    {
      ...common,
      verb: 'patch',
      method: 'patch',
      action: 'patch',
      parameters: [...WRITE, force],
      body: PATCH,
      id: `patch${part}`,
      codes: [200, 201],
      strategic: kind.habit === 'core',
      does: `Patch the ${what}.`,
    },
  ]
  return all.filter(({ verb }) => verbs.includes(verb))
}

function subresourceOperations(kind: AnyKind, name: string, subresource: Subresource): readonly Operation[] {
  const suffix = (name[0] ?? '').toUpperCase() + name.slice(1)
  const spoken = subresource.kind ?? kind
  // Streams and proxies have no schema of their own to speak of.
  const component = subresource.stream ? STATUS : kindComponent(spoken)
  const posts: Operation = {
    method: 'post',
    action: subresource.stream ? 'connect' : 'post',
    parameters: WRITE,
    ...(subresource.stream ? {} : { body: component }),
    answer: component,
    id: `${subresource.stream ? 'connectPost' : 'create'}${idPart(kind)}${kind.kind}${suffix}`,
    gvk: gvkOf(spoken),
    codes: [200, 201],
    does: `Call ${name} of a ${kind.kind}.`,
  }
  const reads = readWrite(
    kind,
    component,
    subresource.stream ? subresource.verbs.filter((verb) => verb === 'get') : subresource.verbs,
    suffix,
  )
  return [
    ...reads.map((one) => ({
      ...one,
      gvk: gvkOf(spoken),
      ...(subresource.stream ? { action: 'connect' } : {}),
    })),
    ...(subresource.verbs.includes('create') ? [posts] : []),
  ]
}

function pathItem(
  kind: AnyKind,
  common: readonly Parameter[],
  operations: readonly Operation[],
  components: Components,
): JsonObject {
  const tag =
    kind.group === ''
      ? 'core_v1'
      : `${kind.group.replace(/\.k8s\.io$/, '').replace(/[.-]/g, '')}_${kind.version}`
  const item: Record<string, Json> = {}
  for (const operation of operations) {
    item[operation.method] =
      components.version === 'v3'
        ? operationV3(operation, tag, components)
        : operationV2(operation, tag, components)
  }
  if (common.length > 0) item['parameters'] = common.map((one) => parameter(one, components))
  return item
}

function parameter(one: Parameter, { version }: Components): JsonObject {
  const place = one.in ?? 'query'
  const base = {
    name: one.name,
    in: place,
    description: one.description,
    ...(place === 'path' ? { required: true } : {}),
  }
  return version === 'v3'
    ? { ...base, schema: { type: one.type } }
    : { ...base, type: one.type, uniqueItems: true }
}

function patchTypes(operation: Operation): readonly string[] {
  return operation.strategic ? [...PATCH_TYPES, STRATEGIC] : PATCH_TYPES
}

function operationV3(operation: Operation, tag: string, components: Components): JsonObject {
  const content = (types: readonly string[], component: string): JsonObject =>
    Object.fromEntries(types.map((type) => [type, { schema: refTo(components, component) }]))
  const bodyTypes = operation.method === 'patch' ? patchTypes(operation) : ['*/*']
  const answers = operation.action === 'list' ? WATCH_TYPES : JSON_TYPES
  const responses = operation.codes.map((code) => [
    String(code),
    { description: 'OK', content: content(answers, operation.answer) },
  ])
  return {
    tags: [tag],
    description: operation.does,
    operationId: operation.id,
    parameters: operation.parameters.map((one) => parameter(one, components)),
    ...(operation.body
      ? {
          requestBody: {
            content: content(bodyTypes, operation.body),
            ...(operation.body === DELETE_OPTIONS ? {} : { required: true }),
          },
        }
      : {}),
    responses: { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': operation.gvk,
  }
}

function operationV2(operation: Operation, tag: string, components: Components): JsonObject {
  const answer = { description: 'OK', schema: refTo(components, operation.answer) }
  const body = operation.body
    ? [
        {
          name: 'body',
          in: 'body',
          ...(operation.body === DELETE_OPTIONS ? {} : { required: true }),
          schema: refTo(components, operation.body),
        },
      ]
    : []
  return {
    tags: [tag],
    description: operation.does,
    operationId: operation.id,
    consumes: operation.method === 'patch' ? patchTypes(operation) : ['*/*'],
    produces: operation.action === 'list' ? WATCH_TYPES : JSON_TYPES,
    schemes: ['https'],
    parameters: [...operation.parameters.map((one) => parameter(one, components)), ...body],
    responses: {
      ...Object.fromEntries(operation.codes.map((code) => [String(code), answer])),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': operation.gvk,
  }
}
