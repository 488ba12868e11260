// From an outcome to bytes: JSON as stored, table rows, or metadata alone; Status for refusals.
import { ApiError, statusOf } from '../../base/errors.ts'
import { type JsonObject, printJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { HttpResponse } from '../../host/host.ts'
import type { Core, ListPage, Outcome } from '../core.ts'
import { listMetadata, objectOf } from '../port.ts'
import { ExpiredListError } from '../resource/read.ts'
import { plainText } from '../resource/stored.ts'
import type { Served } from '../served.ts'
import type { AnswerForm } from './negotiate.ts'
import { metadataListOf, metadataOf } from './partial.ts'
import { tableText } from './table.ts'

/** Lists are sent in pieces of about this size, so that a big one neither blocks others nor doubles in memory. */
const PIECE_CHARACTERS = 128 * 1024

export interface Shown {
  readonly form: AnswerForm
  readonly warnings: readonly string[]
  /** For tables: what of the object each row carries. */
  readonly includeObject: string | null
}

const JSON_TYPE = 'application/json'

export function answerOutcome(core: Core, outcome: Outcome, shown: Shown): HttpResponse {
  const headers = { ...jsonHeaders(), ...warningHeader(shown.warnings) }
  return { status: outcome.code, headers, body: bodyOf(core, outcome, shown) }
}

function bodyOf(core: Core, outcome: Outcome, shown: Shown): string | AsyncIterable<string> {
  const { form } = shown
  if (form.as === 'table' && canBeTable(outcome)) return tableText(core, outcome, shown)
  if (form.as === 'metadata' && outcome.is !== 'object') return metadataText(core, outcome)
  if (outcome.is === 'entry')
    return plainText(outcome.served, outcome.entry) ?? printJson(objectOf(core, outcome))
  if (outcome.is === 'object') return printJson(outcome.object)
  return listPieces(core, outcome.served, outcome.page)
}

function canBeTable(outcome: Outcome): boolean {
  return outcome.is !== 'object' || outcome.object['kind'] !== 'Status'
}

function metadataText(core: Core, outcome: Exclude<Outcome, { is: 'object' }>): string {
  if (outcome.is === 'entry') return printJson(metadataOf(objectOf(core, outcome) as unknown as KubeObject))
  const { served, page } = outcome
  return printJson(
    metadataListOf(
      page.entries.map((entry) => core.parsed.get(served, entry)),
      listMetadata(page),
    ),
  )
}

/** A list straight from the stored bytes. */
async function* listPieces(core: Core, served: Served, page: ListPage): AsyncIterable<string> {
  let piece = `{"kind":"${served.kind.kind}List","apiVersion":"${served.apiVersion}","metadata":${printJson(listMetadata(page))},"items":[`
  let first = true
  for (const entry of page.entries) {
    piece += first ? '' : ','
    piece += plainText(served, entry) ?? printJson(core.parsed.get(served, entry))
    first = false
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  yield `${piece}]}`
}

export function jsonHeaders(): Record<string, string> {
  return { 'content-type': JSON_TYPE, 'cache-control': 'no-cache, private' }
}

export function answerJson(code: number, value: unknown): HttpResponse {
  return { status: code, headers: jsonHeaders(), body: printJson(value) }
}

export function answerText(code: number, text: string, more: Record<string, string> = {}): HttpResponse {
  return { status: code, headers: { 'content-type': 'text/plain; charset=utf-8', ...more }, body: text }
}

export function warningHeader(warnings: readonly string[]): Record<string, readonly string[]> {
  if (warnings.length === 0) return {}
  return { warning: warnings.map((text) => `299 - "${headerText(text)}"`) }
}

function headerText(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, (letter) => (letter === '\n' ? ' ' : '?'))
  return clean.replace(/[\\"]/g, '\\$&')
}

/** Any failure as a Status. A failure that is no refusal is a bug; it is told as 500 and logged by the caller. */
export function answerError(error: unknown): HttpResponse {
  const status = statusOf(error)
  const retry = error instanceof ApiError ? error.details?.retryAfterSeconds : undefined
  const shown: JsonObject =
    error instanceof ExpiredListError ? { ...status, metadata: { continue: error.continueToken } } : status
  return {
    status: status.code,
    headers: { ...jsonHeaders(), ...(retry === undefined ? {} : { 'retry-after': String(retry) }) },
    body: printJson(shown),
  }
}
