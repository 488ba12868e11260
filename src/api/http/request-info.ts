// Reads method and URL into what is asked for, by the rules of Kubernetes (RequestInfo). Knows no kinds.
import { refuse } from '../../base/errors.ts'
import type { RequestInfo } from '../gate-port.ts'

const EMPTY: Omit<RequestInfo, 'path' | 'query' | 'verb'> = {
  isResource: false,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  rest: [],
}
/** Subresources of a Namespace that look like resources inside it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

export function readRequestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?')
  const rawPath = mark < 0 ? url : url.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  const parts = rawPath.split('/').filter((part) => part !== '')
  const decoded = parts.map(decodeSegment)
  const path = `/${decoded.join('/')}`
  const plain: RequestInfo = { ...EMPTY, path, query, verb: method.toLowerCase() }
  if (decoded[0] === 'api') return resourceInfo(plain, method, '', decoded.slice(1))
  if (decoded[0] === 'apis' && decoded.length > 1)
    return resourceInfo(plain, method, decoded[1] ?? '', decoded.slice(2))
  return plain
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refuse.badRequest(`the path segment "${segment}" is not valid percent-encoding`)
  }
}

/** `segments` are what follows the group: version, then the resource part. */
function resourceInfo(
  plain: RequestInfo,
  method: string,
  group: string,
  segments: readonly string[],
): RequestInfo {
  const [version = '', ...after] = segments
  const place = placeOf(after)
  if (place.resource === '') return { ...plain, group, version }
  const deprecatedWatch = after[0] === 'watch'
  const verb = deprecatedWatch ? 'watch' : verbOf(method, place.name, plain.query)
  const name = place.name || (isCollectionRead(verb) ? nameFromFieldSelector(plain.query) : '')
  return { ...plain, ...place, isResource: true, group, version, verb, name }
}

interface Place {
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
  readonly rest: readonly string[]
}

function placeOf(segments: readonly string[]): Place {
  const at = segments[0] === 'watch' ? segments.slice(1) : segments
  const [first = '', second = '', third = ''] = at
  const nested = first === 'namespaces' && at.length > 2 && !NAMESPACE_SUBRESOURCES.has(third)
  if (nested) {
    const [, namespace = '', resource = '', name = '', subresource = '', ...rest] = at
    return { namespace, resource, name, subresource, rest }
  }
  const namespace = first === 'namespaces' ? second : ''
  return { namespace, resource: first, name: second, subresource: third, rest: at.slice(3) }
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (isTrue(query.get('watch'))) return 'watch'
      return name === '' ? 'list' : 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete'
    default:
      return ''
  }
}

function isCollectionRead(verb: string): boolean {
  return verb === 'list' || verb === 'watch' || verb === 'deletecollection'
}

/** A collection read of exactly one name is authorized with that name, so that resourceNames apply. */
function nameFromFieldSelector(query: URLSearchParams): string {
  const match = /^metadata\.name==?([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')
  return match?.[1] ?? ''
}

/** Query booleans as Go's ParseBool and the Kubernetes decoder have them. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0' && value !== 'False' && value !== 'F'
}
