// The protobuf form of OpenAPI version 2, of which kubectl reads one thing: whether the server's PATCH takes
// fieldValidation and dryRun for a kind. It asks this form when version 3 does not know a kind yet, as with a custom
// resource in the same file as its definition. Schemas are left out; they are in the JSON form.
import type { AnyKind } from '../../kinds/kind.ts'
import { type WireField, writeMessage } from '../protobuf/encode.ts'

export const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
/** The dotted spelling, in which answers are marked. */
export const V2_PROTOBUF_OLD = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force']

export function openApiV2Protobuf(kinds: readonly AnyKind[], version: string): Uint8Array {
  const paths = kinds
    .filter(({ verbs }) => verbs.includes('patch'))
    .map((kind): WireField => [2, pathOf(kind)])
  return writeMessage([
    [1, '2.0'],
    [
      2,
      writeMessage([
        [1, 'Kubernetes'],
        [2, version],
      ]),
    ],
    [8, writeMessage(paths)],
  ])
}

function pathOf(kind: AnyKind): Uint8Array {
  const { group, version, plural, scope } = kind
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const name = `${base}${scope === 'Namespaced' ? '/namespaces/{namespace}' : ''}/${plural}/{name}`
  return writeMessage([
    [1, name],
    [2, writeMessage([[8, patchOf(kind)]])],
  ])
}

function patchOf({ group, version, kind }: AnyKind): Uint8Array {
  const marks = `group: ${JSON.stringify(group)}\nkind: ${kind}\nversion: ${version}\n`
  return writeMessage([
    ...PARAMETERS.map((name): WireField => [8, queryParameter(name)]),
    [13, extension('x-kubernetes-action', 'patch\n')],
    [13, extension('x-kubernetes-group-version-kind', marks)],
  ])
}

function queryParameter(name: string): Uint8Array {
  const schema = writeMessage([
    [2, 'query'],
    [4, name],
    [6, 'string'],
  ])
  // ParametersItem > Parameter > NonBodyParameter > QueryParameterSubSchema
  return writeMessage([[1, writeMessage([[2, writeMessage([[3, schema]])]])]])
}

function extension(name: string, yaml: string): Uint8Array {
  return writeMessage([
    [1, name],
    [2, writeMessage([[2, yaml]])],
  ])
}
