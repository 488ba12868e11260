// Reads JSONPath templates in kubectl's dialect: text with `{…}` actions, ranges, filters, unions and slices, but no
// functions and no regular expressions.

export type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'slice'; readonly slice: Slice }
  | { readonly type: 'union'; readonly paths: readonly Path[] }
  | { readonly type: 'filter'; readonly left: Path; readonly compare?: Comparison }
  | { readonly type: 'literal'; readonly value: string | number | boolean }
export type Path = readonly Step[]

/** A bound that is not given is open; `last` counts from the end when negative, and also when it is a derived zero. */
export interface Slice {
  readonly first: number | undefined
  readonly last: number | undefined
  readonly step: number | undefined
  /** The slice is one index: its end was made from its start. */
  readonly single: boolean
}
export interface Comparison {
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>='
  readonly right: Path
}
export type TemplateNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'path'; readonly path: Path }
  | { readonly type: 'range'; readonly path: Path; readonly body: readonly TemplateNode[] }

export class JsonPathError extends Error {
  override readonly name = 'JsonPathError'
}

/** Deeper nesting serves nobody and would cost stack. */
const DEPTH_MAX = 50

/** Reads a template. Throws JsonPathError when it is malformed. */
export function parseTemplate(text: string): readonly TemplateNode[] {
  const stack: { path: Path; body: TemplateNode[] }[] = []
  const root: TemplateNode[] = []
  let body = root
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('{', at)
    const end = open < 0 ? text.length : open
    if (end > at) body.push({ type: 'text', text: text.slice(at, end) })
    if (open < 0) break
    const close = actionEnd(text, open + 1)
    const action = text.slice(open + 1, close).trim()
    at = close + 1
    if (action === 'end') {
      const range = stack.pop()
      if (!range) throw new JsonPathError('not in range, nothing to end')
      const parent = stack.at(-1)?.body ?? root
      parent.push({ type: 'range', path: range.path, body: range.body })
      body = parent
    } else if (/^range\b/.test(action)) {
      if (stack.length >= DEPTH_MAX) throw new JsonPathError('ranges are nested too deeply')
      body = []
      stack.push({ path: parsePath(action.slice('range'.length)), body })
    } else body.push({ type: 'path', path: parsePath(action) })
  }
  if (stack.length > 0) throw new JsonPathError('unclosed range')
  return root
}

/** Where the action that begins at `from` ends; braces inside quotes do not count. */
function actionEnd(text: string, from: number): number {
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!
    if (sign === '\\') at++
    else if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '}') return at
  }
  throw new JsonPathError('unclosed action')
}

const FIELD_END = new Set([' ', '\t', '\n', '.', '[', ']', '$', '@', '{', '}', ','])

/** Reads the inside of an action. */
export function parsePath(text: string, depth = 0): Path {
  if (depth > DEPTH_MAX) throw new JsonPathError('the path is nested too deeply')
  const steps: Step[] = []
  let at = 0
  while (at < text.length) {
    const sign = text[at]!
    if (/\s/.test(sign) || sign === '@' || sign === '$') at++
    else if (sign === '[') at = readBracket(text, at, steps, depth)
    else if (sign === '"' || sign === "'") at = readQuoted(text, at, steps)
    else if (sign === '.') at = readDot(text, at, steps)
    else at = readWord(text, at, steps)
  }
  return steps
}

function readDot(text: string, from: number, steps: Step[]): number {
  if (text[from + 1] === '.') {
    if (steps.at(-1)?.type === 'recursive') throw new JsonPathError('invalid multiple recursive descent')
    steps.push({ type: 'recursive' })
    // A third dot belongs to the field that follows; without one, a field may follow at once.
    const next = text[from + 2]
    return next === undefined || FIELD_END.has(next) ? from + 2 : readField(text, from + 2, steps)
  }
  return readField(text, from + 1, steps)
}

function readField(text: string, from: number, steps: Step[]): number {
  let name = ''
  let at = from
  for (; at < text.length && !FIELD_END.has(text[at]!); at++) {
    if (text[at] === '\\') at++
    name += text[at] ?? ''
  }
  if (name === '*') steps.push({ type: 'wildcard' })
  else if (name !== '') steps.push({ type: 'field', name })
  return at
}

function readQuoted(text: string, from: number, steps: Step[]): number {
  const quote = text[from]
  let value = ''
  for (let at = from + 1; at < text.length; at++) {
    const sign = text[at]!
    if (sign === quote) {
      steps.push({ type: 'literal', value })
      return at + 1
    }
    value += sign === '\\' ? escaped(text[++at] ?? '') : sign
  }
  throw new JsonPathError('unterminated quoted string')
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v' }

function escaped(sign: string): string {
  return ESCAPES[sign] ?? sign
}

function readWord(text: string, from: number, steps: Step[]): number {
  const number = /^[+-]?\d+(\.\d+)?/.exec(text.slice(from))?.[0]
  if (number !== undefined) {
    steps.push({ type: 'literal', value: Number(number) })
    return from + number.length
  }
  const word = /^[A-Za-z0-9_]+/.exec(text.slice(from))?.[0]
  if (word !== 'true' && word !== 'false')
    throw new JsonPathError(`unrecognized character or identifier in action: ${text.slice(from)}`)
  steps.push({ type: 'literal', value: word === 'true' })
  return from + word.length
}

function readBracket(text: string, from: number, steps: Step[], depth: number): number {
  if (text.startsWith('[?(', from)) return readFilter(text, from, steps, depth)
  let at = from + 1
  for (let quoted = false; quoted || text[at] !== ']'; at++) {
    if (at >= text.length) throw new JsonPathError('unterminated array')
    if (text[at] === "'") quoted = !quoted
  }
  const inside = text.slice(from + 1, at).trim()
  const parts = splitUnion(inside)
  if (parts.length > 1)
    steps.push({ type: 'union', paths: parts.map((part) => parsePath(`[${part.trim()}]`, depth + 1)) })
  else readIndex(inside, steps, depth)
  return at + 1
}

function splitUnion(text: string): string[] {
  return text.match(/'[^']*'|[^,]+/g)?.filter((part) => part.trim() !== '') ?? []
}

function readIndex(text: string, steps: Step[], depth: number): void {
  const key = /^'([^']*)'$/.exec(text)?.[1]
  if (key !== undefined) {
    steps.push(...parsePath(`.${key}`, depth + 1))
    return
  }
  const slice = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/.exec(text === '*' ? ':' : text)
  if (!slice || text === '') throw new JsonPathError(`invalid array index ${text}`)
  const [first, last, step] = [bound(slice[1]), bound(slice[2]), bound(slice[3])]
  const single = slice[2] === undefined
  steps.push({ type: 'slice', slice: { first, last: single ? (first ?? 0) + 1 : last, step, single } })
}

function bound(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${text} is not an integer`)
  return value
}

function readFilter(text: string, from: number, steps: Step[], depth: number): number {
  let at = from + 3
  let quote = ''
  for (let open = 1; ; at++) {
    const sign = text[at]
    if (sign === undefined) throw new JsonPathError('unterminated filter')
    if (sign === '\\') at++
    else if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '(') open++
    else if (sign === ')' && --open === 0) break
  }
  if (text[at + 1] !== ']') throw new JsonPathError('unclosed array expect ]')
  const inside = text.slice(from + 3, at)
  const parts = /^([^!<>=]+)([!<>=]+)([\s\S]+)$/.exec(inside)
  if (!parts) steps.push({ type: 'filter', left: parsePath(inside, depth + 1) })
  else {
    const [, left = '', operator = '', right = ''] = parts
    if (!isOperator(operator)) throw new JsonPathError(`unrecognized filter operator ${operator}`)
    const compare = { operator, right: parsePath(right, depth + 1) }
    steps.push({ type: 'filter', left: parsePath(left, depth + 1), compare })
  }
  return at + 2
}

function isOperator(text: string): text is Comparison['operator'] {
  return ['==', '!=', '<', '<=', '>', '>='].includes(text)
}
