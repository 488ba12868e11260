// Label selectors: their text form (`a=b,c in (d,e),!f`) and their object form (matchLabels, matchExpressions) read
// into one value. A text that is no selector is refused with 400 in Kubernetes' words.
import { ApiError, refuse } from './errors.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted, without duplicates. */
  readonly values: readonly string[]
}

/** All requirements must hold. `nothing` is the selector that an absent object stands for. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  readonly nothing?: true
}

/** The object form, as it stands in specs. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

export const everything: LabelSelector = { requirements: [] }
export const nothing: LabelSelector = { requirements: [], nothing: true }

type Labels = Readonly<Record<string, string>> | undefined

/** Whether the labels satisfy the selector. */
export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  if (selector.nothing) return false
  for (const requirement of selector.requirements) if (!satisfies(requirement, labels)) return false
  return true
}

function satisfies({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt':
      return value !== undefined && compares(value, operator, values[0] ?? '')
  }
}

function compares(value: string, operator: 'gt' | 'lt', bound: string): boolean {
  if (!isInt64(value) || !isInt64(bound)) return false
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
}

function isInt64(text: string): boolean {
  if (!/^-?[0-9]{1,25}$/.test(text)) return false
  const value = BigInt(text)
  return value === BigInt.asIntN(64, value)
}

/** The text form, sorted by key; reading it gives the same selector. */
export function formatLabelSelector({ requirements }: LabelSelector): string {
  return requirements.map(formatRequirement).join(',')
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${values.join(',')})`
  const sign = operator === 'gt' ? '>' : operator === 'lt' ? '<' : operator
  return `${key}${sign}${values[0] ?? ''}`
}

const OBJECT_OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/** Reads the object form. Absent selects nothing, empty selects everything. Throws ApiError 400 when malformed. */
export function labelSelectorOf(object: LabelSelectorObject | undefined | null): LabelSelector {
  if (!object) return nothing
  const requirements: LabelRequirement[] = []
  const { matchLabels, matchExpressions } = object
  for (const key in matchLabels) requirements.push(requirement(key, '=', [matchLabels[key] ?? '']))
  for (const expression of matchExpressions ?? []) {
    const operator = OBJECT_OPERATORS[expression.operator]
    if (!operator) throw refuse.badRequest(`"${expression.operator}" is not a valid label selector operator`)
    requirements.push(requirement(expression.key, operator, expression.values ?? []))
  }
  return sorted(requirements)
}

function sorted(requirements: LabelRequirement[]): LabelSelector {
  // Sort is stable, so two requirements on one key keep their order.
  requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return { requirements }
}

function requirement(key: string, operator: LabelOperator, given: readonly string[]): LabelRequirement {
  checkKey(key)
  const values = [...new Set(given)].sort()
  const wrong = wrongValues(operator, values)
  if (wrong.length === 1 && wrong[0] !== undefined) throw refuse.badRequest(wrong[0])
  if (wrong.length > 1) throw refuse.badRequest(`[${wrong.join(', ')}]`)
  return { key, operator, values }
}

function checkKey(key: string): void {
  const wrong = checkQualifiedName(key)
  if (wrong.length > 0)
    throw refuse.badRequest(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong.join('; ')}`)
}

function wrongValues(operator: LabelOperator, values: readonly string[]): string[] {
  const wrong: string[] = []
  if ((operator === 'in' || operator === 'notin') && values.length === 0)
    wrong.push("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty")
  if ((operator === 'exists' || operator === '!') && values.length > 0)
    wrong.push(
      `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
    )
  return wrong
}

/** Characters that are tokens by themselves; everything else up to the next of them or a blank is a word. */
const TOKEN = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+)/y
const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}
const OPERATORS_TEXT = 'in, notin, =, ==, !=, gt, lt'

function tokens(text: string): string[] {
  const found: string[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text))
    if (match[1] !== undefined) found.push(match[1])
  return found
}

function isWord(token: string): boolean {
  return token !== '' && !/^[=!(),<>]/.test(token)
}

/** Where the parser stands; the end of the text reads as an empty token. */
interface Cursor {
  readonly tokens: readonly string[]
  at: number
}

function peek(cursor: Cursor): string {
  return cursor.tokens[cursor.at] ?? ''
}
function next(cursor: Cursor): string {
  return cursor.tokens[cursor.at++] ?? ''
}

/** Reads the text form; an empty text selects everything. Throws ApiError 400 when it is no selector. */
export function parseLabelSelector(text: string): LabelSelector {
  const cursor: Cursor = { tokens: tokens(text), at: 0 }
  const requirements: LabelRequirement[] = []
  const first = peek(cursor)
  if (first === '') return everything
  if (!isWord(first) && first !== '!')
    throw refuse.badRequest(`found '${first}', expected: !, identifier, or 'end of string'`)
  for (;;) {
    requirements.push(readRequirement(cursor))
    const after = next(cursor)
    if (after === '') return sorted(requirements)
    if (after !== ',') throw refuse.badRequest(`found '${after}', expected: ',' or 'end of string'`)
    const follower = peek(cursor)
    if (!isWord(follower) && follower !== '!')
      throw refuse.badRequest(`found '${follower}', expected: identifier after ','`)
  }
}

function readRequirement(cursor: Cursor): LabelRequirement {
  try {
    const negated = peek(cursor) === '!'
    if (negated) cursor.at++
    const key = next(cursor)
    if (!isWord(key)) throw refuse.badRequest(`found '${key}', expected: identifier`)
    checkKey(key)
    if (negated) return requirement(key, '!', [])
    if (peek(cursor) === '' || peek(cursor) === ',') return requirement(key, 'exists', [])
    const word = next(cursor)
    const operator = Object.hasOwn(OPERATORS, word) ? OPERATORS[word] : undefined
    if (!operator) throw refuse.badRequest(`found '${word}', expected: ${OPERATORS_TEXT}`)
    const values = operator === 'in' || operator === 'notin' ? readValues(cursor) : [readValue(cursor)]
    return textRequirement(key, operator, values)
  } catch (error) {
    if (error instanceof ApiError) throw refuse.badRequest(`unable to parse requirement: ${error.message}`)
    throw error
  }
}

/** In the text form the values are checked too; in the object form the validation of the object does that. */
function textRequirement(key: string, operator: LabelOperator, given: readonly string[]): LabelRequirement {
  const made = requirement(key, operator, given)
  const wrong: string[] = []
  for (const [index, value] of made.values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && !isInt64(value))
      wrong.push(
        `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      )
    const texts = checkLabelValue(value)
    if (texts.length > 0)
      wrong.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${texts.join('; ')}`)
  }
  if (wrong.length > 0)
    throw refuse.badRequest(wrong.length === 1 ? (wrong[0] ?? '') : `[${wrong.join(', ')}]`)
  return made
}

function readValue(cursor: Cursor): string {
  const token = peek(cursor)
  if (token === '' || token === ',') return ''
  if (!isWord(token)) throw refuse.badRequest(`found '${token}', expected: identifier`)
  cursor.at++
  return token
}

/** `(a,b)`; an empty place between commas is the empty value, and so is an empty pair of brackets. */
function readValues(cursor: Cursor): string[] {
  const open = next(cursor)
  if (open !== '(') throw refuse.badRequest(`found '${open}' expected: '('`)
  const values: string[] = []
  let wantsValue = true
  for (;;) {
    const token = next(cursor)
    if (token === ')' || token === ',') {
      if (wantsValue) values.push('')
      if (token === ')') return values
      wantsValue = true
    } else if (isWord(token) && wantsValue) {
      values.push(token)
      wantsValue = false
    } else {
      const expected = wantsValue && values.length === 0 ? "',', ')' or identifier" : "',' or ')'"
      throw refuse.badRequest(`found '${token}', expected: ${expected}`)
    }
  }
}
