// Table answers: what `kubectl get` shows, made from the kind's columns.
import { type JsonObject, printJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { columnsOf, rowOf } from '../../kinds/table.ts'
import type { Core, ListPage, Outcome } from '../core.ts'
import { listMetadata, objectOf } from '../port.ts'
import type { Served } from '../served.ts'
import type { Shown } from './answer.ts'
import { metadataOf } from './partial.ts'

const PIECE_CHARACTERS = 128 * 1024

export function tableText(core: Core, outcome: Outcome, shown: Shown): string | AsyncIterable<string> {
  if (outcome.is === 'page') return tablePieces(core, outcome.served, outcome.page, shown)
  const object = objectOf(core, outcome) as unknown as KubeObject
  const served =
    outcome.is === 'entry' ? outcome.served : core.served.findByKind(object.apiVersion, object.kind)
  if (!served) return printJson(object)
  return printJson(tableOf(core, served, object, shown.includeObject))
}

/** One object as a table of one row; used for single reads and for watch events. */
export function tableOf(
  core: Core,
  served: Served,
  object: KubeObject,
  includeObject: string | null,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
    columnDefinitions: columnsOf(served.kind) as unknown as readonly JsonObject[],
    rows: [tableRow(core, served, object, includeObject)],
  }
}

export function tableRow(
  core: Core,
  served: Served,
  object: KubeObject,
  includeObject: string | null,
): JsonObject {
  const cells = rowOf(served.kind, object, core.clock.now())
  const shown = rowObject(object, includeObject)
  return { cells, ...(shown === undefined ? {} : { object: shown }) } as JsonObject
}

function rowObject(object: KubeObject, includeObject: string | null): JsonObject | undefined {
  if (includeObject === 'None') return undefined
  return includeObject === 'Object' ? (object as unknown as JsonObject) : metadataOf(object)
}

async function* tablePieces(core: Core, served: Served, page: ListPage, shown: Shown): AsyncIterable<string> {
  let piece = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${printJson(listMetadata(page))},"columnDefinitions":${printJson(columnsOf(served.kind))},"rows":[`
  let first = true
  for (const entry of page.entries) {
    const row = tableRow(core, served, core.parsed.get(served, entry), shown.includeObject)
    piece += (first ? '' : ',') + printJson(row)
    first = false
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  yield `${piece}]}`
}
