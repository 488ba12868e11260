// JSONPath in kubectl's dialect, evaluated: for `-o jsonpath`, custom columns, sorting and waiting.
import { isObject, type Json, printJson } from '../json.ts'
import { getOwn, setOwn } from '../patch/own.ts'
import { type Failure, failed, ok, type Result } from '../result.ts'
import {
  type Comparison,
  JsonPathError,
  type Path,
  parsePath,
  parseTemplate,
  type Slice,
  type Step,
  type TemplateNode,
} from './parse.ts'

export interface JsonPathOptions {
  /** A field that is not there gives nothing, instead of a failure. */
  readonly allowMissingKeys?: boolean
}

/** A template that has been read: evaluate it as often as wanted. */
export interface JsonPathTemplate {
  readonly nodes: readonly TemplateNode[]
}

/** Reads a template such as `{range .items[*]}{.metadata.name}{"\n"}{end}`. */
export function readJsonPath(text: string): Result<JsonPathTemplate, Failure> {
  return guarded(() => ({ nodes: parseTemplate(text) }))
}

/** The text that the template makes of the value. */
export function renderJsonPath(
  template: JsonPathTemplate,
  value: Json,
  options: JsonPathOptions = {},
): Result<string, Failure> {
  return guarded(() => render(template.nodes, [value], options))
}

/** All values at one path, for instance `{.status.conditions[?(@.type=="Ready")].status}`; the braces may be left out. */
export function findJsonPath(
  text: string,
  value: Json,
  options: JsonPathOptions = {},
): Result<readonly Json[], Failure> {
  const bare = text.trim().replace(/^\{(.*)\}$/s, '$1')
  const path = /^[.[@$]/.test(bare) ? bare : `.${bare}`
  return guarded(() => walk(parsePath(path), [value], options))
}

function guarded<T>(run: () => T): Result<T, Failure> {
  try {
    return ok(run())
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    return failed({ reason: 'BadJsonPath', message: error.message, retry: 'never' })
  }
}

function render(nodes: readonly TemplateNode[], current: readonly Json[], options: JsonPathOptions): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'text') text += node.text
    else if (node.type === 'path') text += walk(node.path, current, options).map(printed).join(' ')
    else for (const item of walk(node.path, current, options)) text += render(node.body, [item], options)
  }
  return text
}

/** Scalars as they are, everything else as JSON with sorted keys. */
function printed(value: Json): string {
  return typeof value === 'object' ? printJson(sorted(value)) : String(value)
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const made: Record<string, Json> = {}
  for (const key of Object.keys(value).sort())
    if (value[key] !== undefined) setOwn(made, key, sorted(value[key]))
  return made
}

function walk(path: Path, values: readonly Json[], options: JsonPathOptions): readonly Json[] {
  let found = values
  for (const step of path) found = take(step, found, options)
  return found
}

function take(step: Step, values: readonly Json[], options: JsonPathOptions): readonly Json[] {
  switch (step.type) {
    case 'literal':
      return [step.value]
    case 'field':
      return fields(step.name, values, options)
    case 'wildcard':
      return values.flatMap(childrenOf)
    case 'recursive':
      return values.flatMap(descendants)
    case 'slice':
      return values.flatMap((value) => sliced(step.slice, value))
    case 'union':
      return step.paths.flatMap((path) => walk(path, values, options))
    case 'filter':
      return values.flatMap((value) => filtered(step, value, options))
  }
}

/** A field missing here and there is skipped; one that is missing everywhere is a fault. */
function fields(
  name: string,
  values: readonly Json[],
  { allowMissingKeys }: JsonPathOptions,
): readonly Json[] {
  if (values.length === 0) return values
  const found: Json[] = []
  for (const value of values) {
    const item = isObject(value) ? (getOwn(value, name) as Json | undefined) : undefined
    if (item !== undefined) found.push(item)
  }
  if (found.length === 0 && !allowMissingKeys) throw new JsonPathError(`${name} is not found`)
  return found
}

function childrenOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value).filter((item) => item !== undefined) : []
}

/** The value and all maps and lists below it that hold anything. */
function descendants(value: Json): readonly Json[] {
  const children = childrenOf(value)
  return children.length === 0 ? [] : [value, ...children.flatMap(descendants)]
}

function sliced({ first, last, step = 1, single }: Slice, value: Json): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value))
    throw new JsonPathError(`${isObject(value) ? 'map' : typeof value} is not array or slice`)
  const { length } = value
  let start = first ?? 0
  if (start < 0) start += length
  let end = last ?? length
  if (end < 0 || (single && end === 0)) end += length
  if (start === end) return []
  if (start < 0 || start >= length)
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`)
  if (end < 0 || end > length)
    throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`)
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`)
  if (step <= 0) throw new JsonPathError('step must be > 0')
  const found: Json[] = []
  for (let index = start; index < end; index += step) found.push(value[index] as Json)
  return found
}

function filtered(
  { left, compare }: { readonly left: Path; readonly compare?: Comparison },
  value: Json,
  options: JsonPathOptions,
): readonly Json[] {
  if (value === null) return []
  if (!Array.isArray(value))
    throw new JsonPathError(`${printed(value)} is not array or slice and cannot be filtered`)
  const items = value as readonly Json[]
  if (!compare) return items.filter((item) => walk(left, [item], { allowMissingKeys: true }).length > 0)
  return items.filter((item) => {
    const mine = single(walk(left, [item], options))
    const theirs = mine === undefined ? undefined : single(walk(compare.right, [item], options))
    return mine !== undefined && theirs !== undefined && holds(mine, compare.operator, theirs)
  })
}

function single(values: readonly Json[]): Json | undefined {
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time')
  return values[0]
}

function holds(left: Json, operator: Comparison['operator'], right: Json): boolean {
  if (operator === '==') return sameScalar(left, right)
  if (operator === '!=') return !sameScalar(left, right)
  const order = orderOf(left, right)
  if (order === undefined) throw new JsonPathError('incompatible types for comparison')
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function sameScalar(left: Json, right: Json): boolean {
  // A bigint and a number may hold the same amount.
  // biome-ignore lint/suspicious/noDoubleEquals: the loose comparison is the one that knows both
  return left === right || (isNumber(left) && isNumber(right) && left == right)
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function orderOf(left: Json, right: Json): number | undefined {
  const comparable =
    (isNumber(left) && isNumber(right)) || (typeof left === 'string' && typeof right === 'string')
  if (!comparable) return undefined
  return left < right ? -1 : left > right ? 1 : 0
}
