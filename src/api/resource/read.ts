// Reading: one object, or a page of a collection, from the store's bytes.
import type { CallOptions } from '../../base/call.ts'
import { ApiError, refuse } from '../../base/errors.ts'
import { printJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { ACCEPTED, CompactedError, type RangePage, type StoredEntry } from '../../store/store.ts'
import { textFinder } from '../bytes.ts'
import type { Core, ListPage, Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { keyFor, prefixFor, type Served } from '../served.ts'
import { readContinueToken, writeContinueToken } from './continue-token.ts'
import { readSelection, type Selection } from './selection.ts'

/** Longest wait for a revision that is not there yet, as kube-apiserver has it. */
const FUTURE_REVISION_WAIT_MS = 3000
const FUTURE_REVISION_POLL_MS = 50
/** Entries read at once while a selector leaves most of them out. */
const SELECT_BATCH = 1000

/** Undefined when it does not exist. */
export function findObject(
  core: Core,
  served: Served,
  namespace: string | undefined,
  name: string,
): KubeObject | undefined {
  const entry = core.store.get(keyFor(served, namespace, name))
  return entry ? core.parsed.get(served, entry) : undefined
}

/** All objects of a kind, or of one namespace; those of writes under way too, so that checks see what will be. */
export function listObjects(
  core: Core,
  served: Served,
  {
    namespace,
    saying,
  }: { readonly namespace?: string | undefined; readonly saying?: string | undefined } = {},
): readonly KubeObject[] {
  const { entries } = core.store.range(prefixFor(served, namespace), { revision: ACCEPTED })
  const says = saying === undefined ? undefined : textFinder(printJson(saying))
  const told = says ? entries.filter(({ value }) => says(value)) : entries
  return told.map((entry) => core.parsed.get(served, entry))
}

export function mustFindEntry(work: Work): StoredEntry {
  const name = work.call.name ?? ''
  const entry = work.core.store.get(keyFor(work.served, work.call.namespace, name))
  if (!entry) throw refuse.notFound(resourceOf(work.served), name)
  return entry
}

export async function readOne(work: Work): Promise<Outcome> {
  const wanted = readRevision(work.call.options.resourceVersion, false)
  if (wanted !== undefined && wanted > 0) await waitForRevision(work, wanted)
  return { is: 'entry', code: 200, served: work.served, entry: mustFindEntry(work) }
}

export async function readList(work: Work): Promise<Outcome> {
  const { call, core, served } = work
  const options = call.options
  checkListOptions(options)
  const selection = readSelection(served, options)
  const token = options.continueToken ? readContinueToken(options.continueToken) : undefined
  if (token && options.resourceVersion && options.resourceVersion !== '0')
    throw refuse.badRequest('specifying resource version is not allowed when using continue')
  const wanted = readRevision(options.resourceVersion, false)
  if (wanted !== undefined && wanted > 0) await waitForRevision(work, wanted)
  const exact = options.resourceVersionMatch === 'Exact' ? wanted : undefined
  // A limited list at "any" revision is answered whole by kube-apiserver, and clients count on it.
  const limit = options.resourceVersion === '0' ? undefined : options.limit || undefined
  const prefix = prefixFor(served, call.namespace)
  const question: ListQuestion = {
    prefix,
    revision: token && token.revision > 0 ? token.revision : exact,
    after: token ? served.prefix + token.after : undefined,
    limit,
    selection,
  }
  const page = selection.onlyName === undefined ? readPage(core, served, question) : readNamed(work, question)
  return { is: 'page', code: 200, served, page }
}

interface ListQuestion {
  readonly prefix: string
  readonly revision: number | undefined
  readonly after: string | undefined
  readonly limit: number | undefined
  readonly selection: Selection
}

function readPage(core: Core, served: Served, question: ListQuestion): ListPage {
  const { selection, limit } = question
  if (selection.all) {
    const page = rangeOrGone(core, served, question, limit)
    const last = page.entries.at(-1)
    const more = limit !== undefined && page.remaining > 0 && last !== undefined
    return {
      entries: page.entries,
      revision: page.revision,
      ...(more ? { continueToken: tokenAfter(served, page.revision, last), remaining: page.remaining } : {}),
    }
  }
  const chosen: StoredEntry[] = []
  let { revision, after } = question
  for (;;) {
    const page = rangeOrGone(core, served, { ...question, revision, after }, limit && SELECT_BATCH)
    revision = page.revision
    for (const entry of page.entries) {
      if (!selection.matches(core.parsed.get(served, entry))) continue
      // One match beyond the limit proves that there is more.
      const last = chosen.at(-1)
      if (limit !== undefined && chosen.length === limit && last)
        return { entries: chosen, revision, continueToken: tokenAfter(served, revision, last) }
      chosen.push(entry)
    }
    if (page.remaining === 0) return { entries: chosen, revision }
    after = page.entries.at(-1)?.key
  }
}

/** A list of one name needs no walk over the collection. */
function readNamed(work: Work, question: ListQuestion): ListPage {
  const { core, served, call } = work
  if (question.revision !== undefined || (served.namespaced && !call.namespace))
    return readPage(core, served, question)
  const revision = core.store.revision()
  const entry = core.store.get(keyFor(served, call.namespace, question.selection.onlyName ?? ''))
  const selected = entry && question.selection.matches(core.parsed.get(served, entry))
  return { entries: selected ? [entry] : [], revision: Math.max(revision, entry?.revision ?? 0) }
}

function rangeOrGone(
  core: Core,
  served: Served,
  { prefix, revision, after }: ListQuestion,
  limit: number | undefined,
): RangePage {
  try {
    return core.store.range(prefix, {
      ...(revision === undefined ? {} : { revision }),
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
    })
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error
    throw listGone(served, after)
  }
}

/** 410 for a snapshot that is no more. For a paged list it carries a token that goes on without the snapshot. */
function listGone(served: Served, after: string | undefined): ApiError {
  if (after === undefined) return refuse.gone('The resourceVersion for the provided list is too old.')
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
    'without the continue parameter, or use the continue token in this response to retrieve the remainder of the ' +
    'results. Continuing with the provided token results in an inconsistent list - objects that were created, ' +
    'modified, or deleted between the time the first chunk was returned and now may show up in the list.'
  return new ExpiredListError(
    message,
    writeContinueToken({ revision: -1, after: after.slice(served.prefix.length) }),
  )
}

/** Expired, with the token for an inconsistent rest of the list, which belongs into the Status' metadata. */
export class ExpiredListError extends ApiError {
  readonly continueToken: string
  constructor(message: string, continueToken: string) {
    super(410, 'Expired', message)
    this.continueToken = continueToken
  }
}

function tokenAfter(served: Served, revision: number, last: StoredEntry): string {
  return writeContinueToken({ revision, after: last.key.slice(served.prefix.length) })
}

function checkListOptions(options: CallOptions): void {
  const match = options.resourceVersionMatch
  const revision = options.resourceVersion ?? ''
  if (options.sendInitialEvents !== undefined)
    throw invalidOptions('sendInitialEvents', 'Forbidden: sendInitialEvents is forbidden for list')
  if (match === undefined || match === '') return
  if (options.continueToken)
    throw invalidOptions(
      'resourceVersionMatch',
      'Forbidden: resourceVersionMatch is forbidden when continue is provided',
    )
  if (revision === '')
    throw invalidOptions(
      'resourceVersionMatch',
      'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    )
  if (match !== 'Exact' && match !== 'NotOlderThan')
    throw invalidOptions(
      'resourceVersionMatch',
      `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan"`,
    )
  if (match === 'Exact' && revision === '0')
    throw invalidOptions(
      'resourceVersionMatch',
      'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    )
}

export function invalidOptions(field: string, message: string): ApiError {
  return refuse.invalid('meta.k8s.io', 'ListOptions', '', [{ reason: 'FieldValueForbidden', field, message }])
}

/** Undefined when none is given. A malformed one is 400. */
export function readRevision(text: string | undefined, watching: boolean): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^(0|[1-9][0-9]*)$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw refuse.badRequest(
      `Invalid value: "${text}": ${watching ? 'watch' : 'resourceVersion'} must be a revision that this server gave out`,
    )
  return Number(text)
}

/** Waits a little for a revision in the future; then 504, which clients take as "ask again". */
export async function waitForRevision(work: Work, wanted: number): Promise<void> {
  const { store, clock } = work.core
  const until = clock.monotonic() + FUTURE_REVISION_WAIT_MS
  while (store.revision() < wanted) {
    if (clock.monotonic() >= until)
      throw refuse.timeout(`Too large resource version: ${wanted}, current: ${store.revision()}`, {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
        retryAfterSeconds: 1,
      })
    await clock.sleep(FUTURE_REVISION_POLL_MS, work.call.signal)
  }
}
