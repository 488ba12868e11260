// OpenAPI documents made from the kinds: version 3, one document a group version, and version 2, one for all.
// Documents are made as text on request and not kept here; whoever serves them keeps bytes.
import { type Json, type JsonObject, printJson } from '../base/json.ts'
import { s } from './build.ts'
import { DELETE_OPTIONS, kindComponent, LIST_META, PATCH, STATUS } from './component-names.ts'
import { Binding } from './core/binding.ts'
import { deleteOptions } from './core/meta-types.ts'
import type { AnyKind } from './kind.ts'
import { Eviction } from './kubernetes/policy.ts'
import { TokenRequest } from './kubernetes/reviews.ts'
import { objectMetaSchema } from './meta.ts'
import { pathsOf } from './openapi-paths.ts'
import { type Components, documentSchema, refTo } from './openapi-schema.ts'

/** Path of a group version inside the index, for instance `api/v1` or `apis/kubevirt.io/v1`. */
export function openApiPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/** The group versions of `kinds`, by their paths. */
export function openApiPaths(kinds: readonly AnyKind[]): ReadonlyMap<string, readonly AnyKind[]> {
  const paths = new Map<string, AnyKind[]>()
  for (const kind of kinds) {
    const path = openApiPath(kind.group, kind.version)
    const known = paths.get(path)
    if (known) known.push(kind)
    else paths.set(path, [kind])
  }
  return paths
}

/** The index of version 3. `hashes` gives for each path a text that changes with the document. */
export function openApiV3Index(hashes: ReadonlyMap<string, string>): JsonObject {
  const entries = [...hashes].map(([path, hash]) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
  ])
  return { paths: Object.fromEntries(entries) }
}

/** The document of one group version, as JSON text. All `kinds` must belong to it. */
export function openApiV3Text(kinds: readonly AnyKind[], version: string): string {
  const components: Components = { version: 'v3', schemas: new Map() }
  const paths = writeKinds(kinds, components)
  return printJson({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths,
    components: {
      schemas: sorted(components.schemas),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  })
}

/** The document of version 2 for all kinds, as JSON text. Large: make it off the hot path. */
export function openApiV2Text(kinds: readonly AnyKind[], version: string): string {
  const components: Components = { version: 'v2', schemas: new Map() }
  const paths = writeKinds(kinds, components)
  return printJson({
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths,
    definitions: sorted(components.schemas),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  })
}

function sorted(schemas: ReadonlyMap<string, JsonObject>): JsonObject {
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Kinds that only subresources speak, by the subresource's kind. */
const SPOKEN: readonly AnyKind[] = [Binding, Eviction, TokenRequest]

function writeKinds(kinds: readonly AnyKind[], components: Components): JsonObject {
  const paths: Record<string, Json | undefined> = {}
  writeShared(components)
  for (const kind of kinds) {
    writeKind(kind, components)
    for (const { kind: spoken } of Object.values(kind.subresources)) writeSpoken(spoken, components)
    Object.assign(paths, pathsOf(kind, components))
  }
  return paths
}

type KindName = { readonly group: string; readonly version: string; readonly kind: string }

function writeSpoken(spoken: KindName | undefined, components: Components): void {
  if (!spoken || components.schemas.has(kindComponent(spoken))) return
  const known = SPOKEN.find((one) => one.kind === spoken.kind && one.group === spoken.group)
  if (known) writeKind(known, components)
  else components.schemas.set(kindComponent(spoken), { type: 'object', ...marked([spoken]) })
}

function marked(kinds: readonly KindName[]): JsonObject {
  const marks = kinds.map(({ group, kind, version }) => ({ group, kind, version }))
  return { 'x-kubernetes-group-version-kind': marks }
}

function writeKind(kind: AnyKind, components: Components): void {
  const name = kindComponent(kind)
  const schema = documentSchema(kind.schema, kind.habit === 'core', components)
  components.schemas.set(name, { ...schema, ...marked([kind]) })
  if (!kind.verbs.includes('list')) return
  components.schemas.set(`${name}List`, {
    type: 'object',
    description: `A list of ${kind.kind}.`,
    required: ['items'],
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of the list.' },
      items: { type: 'array', description: 'The objects.', items: refTo(components, name) },
      kind: { type: 'string', description: 'Kind of the list.' },
      metadata: { description: 'Version and paging of the list.', ...listMetaRef(components) },
    },
    ...marked([{ ...kind, kind: `${kind.kind}List` }]),
  })
}

function listMetaRef(components: Components): JsonObject {
  const ref = refTo(components, LIST_META)
  return components.version === 'v3' ? { allOf: [ref] } : ref
}

const listMeta = s.object(
  {
    continue: s.string('Token of the next page.'),
    remainingItemCount: s.int64('Objects that follow.'),
    resourceVersion: s.string('Version of the list.'),
    selfLink: s.string('No longer set.'),
  },
  'Version and paging of a list.',
)

const status = s.object(
  {
    apiVersion: s.string(),
    code: s.integer('HTTP code.'),
    details: s.anything('What it is about, and the causes.'),
    kind: s.string(),
    message: s.string('What happened, for a person.'),
    metadata: listMeta,
    reason: s.string('What happened, in one word.'),
    status: s.string('Success or Failure.'),
  },
  'The outcome of a call that gives no object.',
)

function writeShared(components: Components): void {
  const { schemas } = components
  documentSchema(objectMetaSchema, true, components)
  schemas.set(LIST_META, documentSchema(listMeta, true, components))
  schemas.set(STATUS, {
    ...documentSchema(status, true, components),
    ...marked([{ group: '', version: 'v1', kind: 'Status' }]),
  })
  documentSchema(deleteOptions, true, components)
  schemas.set(DELETE_OPTIONS, {
    ...schemas.get(DELETE_OPTIONS),
    ...marked([{ group: '', version: 'v1', kind: 'DeleteOptions' }]),
  })
  schemas.set(PATCH, { type: 'object', description: 'A patch in the form that its content type names.' })
}
