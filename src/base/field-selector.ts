// Field selectors (`status.phase=Running,spec.nodeName!=a`): reading them, and matching them against whatever gives
// the text of a field. Which fields a kind offers is the kind's business.
import { refuse } from './errors.ts'

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** All requirements must hold; none selects everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
}

/** Reads the text form. Throws ApiError 400 in Kubernetes' words when it is no selector. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text)) if (term !== '') requirements.push(readTerm(term, text))
  return { requirements }
}

/** Splits at commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === ',') {
      terms.push(text.slice(start, index))
      start = index + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function readTerm(term: string, whole: string): FieldRequirement {
  const match = /!=|==|=/.exec(term)
  if (!match) throw refuse.badRequest(`invalid selector: '${whole}'; can't understand '${term}'`)
  return {
    field: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: readEscapes(term.slice(match.index + match[0].length)),
  }
}

function readEscapes(text: string): string {
  let value = ''
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? ''
    if (sign === '\\') {
      const escaped = text[++index] ?? ''
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=')
        throw refuse.badRequest(`invalid field selector: invalid escape sequence: \\${escaped}`)
      value += escaped
    } else if (sign === ',' || sign === '=') {
      throw refuse.badRequest(`invalid field selector: unescaped character in value: ${sign.charCodeAt(0)}`)
    } else value += sign
  }
  return value
}

/** The text form; reading it gives the same selector. */
export function formatFieldSelector({ requirements }: FieldSelector): string {
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',')
}

/** Whether all requirements hold; `get` gives the text of a field, empty when it is absent. */
export function matchesFields({ requirements }: FieldSelector, get: (field: string) => string): boolean {
  for (const { field, operator, value } of requirements)
    if ((get(field) === value) !== (operator === '=')) return false
  return true
}

/** The value that a selector demands of a field (`metadata.name=x` lets a list become a read), if it does. */
export function demandedValue({ requirements }: FieldSelector, field: string): string | undefined {
  return requirements.find((one) => one.field === field && one.operator === '=')?.value
}

/** Refuses with 400 the first field that the kind does not offer. */
export function refuseUnsupportedFields(
  { requirements }: FieldSelector,
  isSupported: (field: string) => boolean,
): void {
  for (const { field } of requirements)
    if (!isSupported(field)) throw refuse.badRequest(`field label not supported: ${field}`)
}

/** The text of the field at a dotted path, as selectors see it: empty when absent or not a scalar. */
export function fieldText(object: unknown, path: string): string {
  let value = object
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return ''
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
}
