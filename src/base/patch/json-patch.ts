// JSON patch (RFC 6902) with the answers of kube-apiserver: a document that is no patch is a bad request, a patch
// that does not fit the object is unprocessable.
import { deepEqual } from '../equality.ts'
import { ApiError, refuse } from '../errors.ts'
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import { JSON_PATCH_MAX_OPERATIONS, REQUEST_BODY_MAX_BYTES } from '../limits.ts'
import { getOwn, setOwn } from './own.ts'

/** What copies may add together, lest a small patch grow an object without bound. Bytes. */
const COPIES_MAX_BYTES = REQUEST_BODY_MAX_BYTES

type Container = Record<string, Json> | Json[]

/** The document being patched. `own` holds the containers made here, which may be edited in place. */
interface Draft {
  root: Json
  readonly own: Set<unknown>
  copiedBytes: number
}

/**
 * The document with all operations done, in order. Neither argument is edited; unchanged parts are shared.
 * Throws ApiError 400 when the patch is malformed, 413 when it has too many operations, 422 when an operation does
 * not fit the document or a test fails.
 */
export function jsonPatch(live: Json, operations: unknown): Json {
  if (!Array.isArray(operations)) throw refuse.badRequest('error decoding patch: a JSON patch is a list')
  if (operations.length > JSON_PATCH_MAX_OPERATIONS)
    throw refuse.tooLarge(
      `The allowed maximum operations in a JSON patch is ${JSON_PATCH_MAX_OPERATIONS}, got ${operations.length}`,
    )
  const draft: Draft = { root: live, own: new Set(), copiedBytes: 0 }
  for (const operation of operations) {
    if (!isObject(operation)) throw refuse.badRequest('error decoding patch: an operation is an object')
    operate(draft, operation)
  }
  return draft.root
}

function operate(draft: Draft, operation: JsonObject): void {
  const path = pointer(operation, 'path')
  switch (operation['op']) {
    case 'add':
      add(draft, path, operand(operation, path))
      break
    case 'remove':
      remove(draft, path)
      break
    case 'replace':
      replace(draft, path, operand(operation, path))
      break
    case 'move':
      add(draft, path, remove(draft, pointer(operation, 'from')))
      break
    case 'copy':
      add(draft, path, copy(draft, pointer(operation, 'from')))
      break
    case 'test':
      check(draft, path, operand(operation, path))
      break
    default:
      throw unfit(path, `unexpected operation: ${printJson(operation['op'] ?? null)}`)
  }
}

function unfit(path: readonly string[], why: string): ApiError {
  const message = `${why}: ${path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    causes: [{ reason: 'FieldValueInvalid', message, field: path.join('.') }],
  })
}

function pointer(operation: JsonObject, name: 'path' | 'from'): readonly string[] {
  const text = operation[name]
  if (typeof text !== 'string') throw unfit([], `operation without a text "${name}"`)
  if (text === '') return []
  if (!text.startsWith('/')) throw unfit([text], `"${name}" must start with "/"`)
  return text.slice(1).split('/').map(readEscapes)
}

function readEscapes(key: string): string {
  return key.includes('~') ? key.replaceAll('~1', '/').replaceAll('~0', '~') : key
}

function operand(operation: JsonObject, path: readonly string[]): Json {
  const value = operation['value']
  if (value === undefined) throw unfit(path, 'operation without a "value"')
  return value
}

/** The number that a key is in a list; undefined when it is none. */
function indexOf(key: string): number | undefined {
  return /^(0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : undefined
}

function read(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) {
    const index = indexOf(key)
    return index === undefined ? undefined : (container[index] as Json | undefined)
  }
  return isObject(container) ? (getOwn(container, key) as Json | undefined) : undefined
}

/** The container of the last key, made editable together with all above it. */
function parentOf(draft: Draft, path: readonly string[]): Container {
  let holder: Container = (draft.root = editable(draft, draft.root, path))
  for (let depth = 0; depth < path.length - 1; depth++) {
    const key = path[depth]!
    const child = read(holder, key)
    if (child === undefined) throw unfit(path, 'missing path')
    const mine = editable(draft, child, path)
    if (mine !== child) write(holder, key, mine)
    holder = mine
  }
  return holder
}

function write(holder: Container, key: string, value: Json): void {
  if (Array.isArray(holder)) holder[indexOf(key)!] = value
  else setOwn(holder, key, value)
}

function editable(draft: Draft, value: Json, path: readonly string[]): Container {
  if (typeof value !== 'object' || value === null)
    throw unfit(path, 'neither an object nor a list on the path')
  if (draft.own.has(value)) return value as Container
  const mine = (Array.isArray(value) ? value.slice() : { ...value }) as Container
  draft.own.add(mine)
  return mine
}

function add(draft: Draft, path: readonly string[], value: Json): void {
  if (path.length === 0) {
    draft.root = value
    return
  }
  const holder = parentOf(draft, path)
  const key = path[path.length - 1]!
  if (!Array.isArray(holder)) {
    setOwn(holder, key, value)
    return
  }
  const index = key === '-' ? holder.length : indexOf(key)
  if (index === undefined || index > holder.length) throw unfit(path, 'index out of bounds')
  holder.splice(index, 0, value)
}

function remove(draft: Draft, path: readonly string[]): Json {
  const { holder, key, value } = existing(draft, path)
  if (Array.isArray(holder)) holder.splice(indexOf(key)!, 1)
  else delete holder[key]
  return value
}

function replace(draft: Draft, path: readonly string[], value: Json): void {
  if (path.length === 0) {
    draft.root = value
    return
  }
  const { holder, key } = existing(draft, path)
  write(holder, key, value)
}

function existing(
  draft: Draft,
  path: readonly string[],
): { readonly holder: Container; readonly key: string; readonly value: Json } {
  if (path.length === 0) throw unfit(path, 'the whole document cannot be removed')
  const holder = parentOf(draft, path)
  const key = path[path.length - 1]!
  const value = read(holder, key)
  if (value === undefined) throw unfit(path, 'missing path')
  return { holder, key, value }
}

function at(draft: Draft, path: readonly string[]): Json | undefined {
  let value: Json | undefined = draft.root
  for (const key of path) {
    value = read(value, key)
    if (value === undefined) return undefined
  }
  return value
}

function copy(draft: Draft, path: readonly string[]): Json {
  const value = at(draft, path)
  if (value === undefined) throw unfit(path, 'missing path')
  draft.copiedBytes += printJson(value).length
  if (draft.copiedBytes > COPIES_MAX_BYTES)
    throw unfit(path, `copies of more than ${COPIES_MAX_BYTES} bytes together`)
  return clone(value)
}

function clone(value: Json): Json {
  if (Array.isArray(value)) return value.map(clone)
  if (!isObject(value)) return value
  const copied: Record<string, Json> = {}
  for (const key in value) {
    const item = value[key]
    if (item !== undefined) setOwn(copied, key, clone(item))
  }
  return copied
}

function check(draft: Draft, path: readonly string[], wanted: Json): void {
  const value = at(draft, path)
  // A missing value equals null, as in the library that kube-apiserver uses.
  if (value === undefined && wanted === null && path.length > 0) return
  if (value === undefined || !deepEqual(value, wanted)) throw unfit(path, 'test failed')
}
