// The JSONPath of printer columns: fields, quoted fields, indexes and one-condition filters. What a CRD may name
// beyond that gives an empty cell.
import { deepEqual } from '../base/equality.ts'

type Step =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'all' }
  | {
      readonly is: 'filter'
      readonly path: readonly Step[]
      readonly wanted: unknown
      readonly equal: boolean
    }

const cache = new Map<string, readonly Step[] | undefined>()
const CACHE_MAX = 1000

/** First value that the path finds, undefined when there is none. */
export function columnText(path: string, object: unknown): unknown {
  if (!cache.has(path)) {
    if (cache.size >= CACHE_MAX) cache.clear()
    cache.set(path, parse(path))
  }
  const steps = cache.get(path)
  if (!steps) return undefined
  const found = follow(object, steps)
  return found.length === 0 || found[0] === null ? undefined : found[0]
}

/** True when a path can be read at all. */
export function isColumnPath(path: string): boolean {
  return parse(path) !== undefined
}

function follow(value: unknown, steps: readonly Step[]): readonly unknown[] {
  let values: unknown[] = [value]
  for (const step of steps) values = values.flatMap((one) => next(one, step))
  return values
}

function next(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  switch (step.is) {
    case 'field':
      return !Array.isArray(value) && Object.hasOwn(value, step.name)
        ? [(value as Record<string, unknown>)[step.name]]
        : []
    case 'index': {
      if (!Array.isArray(value)) return []
      const item: unknown = value.at(step.index)
      return item === undefined ? [] : [item]
    }
    case 'all':
      return Array.isArray(value) ? value : Object.values(value)
    case 'filter': {
      const items: unknown[] = Array.isArray(value) ? value : []
      return items.filter((item) => {
        const [found] = follow(item, step.path)
        return found !== undefined && deepEqual(found, step.wanted) === step.equal
      })
    }
  }
}

const FIELD = /^\.?([A-Za-z0-9_$-]+|\\.)+/

function parse(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '')
  while (rest !== '' && rest !== '.') {
    const read = readStep(rest)
    if (!read) return undefined
    steps.push(read.step)
    rest = read.rest
  }
  return steps
}

function readStep(text: string): { step: Step; rest: string } | undefined {
  if (text.startsWith('[')) return readBracket(text)
  if (text.startsWith('.*')) return { step: { is: 'all' }, rest: text.slice(2) }
  const field = FIELD.exec(text)
  if (!field) return undefined
  const name = field[0].replace(/^\./, '').replace(/\\(.)/g, '$1')
  return { step: { is: 'field', name }, rest: text.slice(field[0].length) }
}

function readBracket(text: string): { step: Step; rest: string } | undefined {
  const filter =
    /^\[\?\(\s*@((?:[^()'"]|"[^"]*"|'[^']*')*?)\s*(==|!=)\s*("[^"]*"|'[^']*'|[^)]*?)\s*\)\]/.exec(text)
  if (filter) {
    const path = parse(filter[1] ?? '')
    if (!path) return undefined
    const step: Step = { is: 'filter', path, wanted: literal(filter[3] ?? ''), equal: filter[2] === '==' }
    return { step, rest: text.slice(filter[0].length) }
  }
  const plain = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+)|(\*))\s*\]/.exec(text)
  if (!plain) return undefined
  const rest = text.slice(plain[0].length)
  if (plain[4] !== undefined) return { step: { is: 'all' }, rest }
  if (plain[3] !== undefined) return { step: { is: 'index', index: Number(plain[3]) }, rest }
  return { step: { is: 'field', name: (plain[1] ?? plain[2] ?? '').replace(/\\(.)/g, '$1') }, rest }
}

function literal(text: string): unknown {
  if (/^(".*"|'.*')$/.test(text)) return text.slice(1, -1)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
