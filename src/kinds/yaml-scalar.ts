// What an unquoted word in YAML means to kubectl: the rules of YAML 1.1 as Go's library knows them. An unquoted `on`
// is true and `0777` is 511, whatever the writer had in mind; so the reader also says when a word changed.
import type { Json } from '../base/json.ts'

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...spellings(['y', 'yes', 'true', 'on'], true),
  ...spellings(['n', 'no', 'false', 'off'], false),
  ...spellings(['null'], null),
  ['', null],
  ['~', null],
])

/** `yes`, `Yes` and `YES`, but not `yEs`. */
function spellings<T>(words: readonly string[], value: T): [string, T][] {
  return words.flatMap((word): [string, T][] => [
    [word, value],
    [(word[0] ?? '').toUpperCase() + word.slice(1), value],
    [word.toUpperCase(), value],
  ])
}

const DECIMAL = /^[-+]?(?:0|[1-9][0-9]*)$/
const OCTAL = /^([-+]?)0o?([0-7]+)$/
const HEXADECIMAL = /^([-+]?)0[xX]([0-9a-fA-F]+)$/
const BINARY = /^([-+]?)0[bB]([01]+)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
/** Longer runs of digits are text: nobody means them as numbers, and they would cost time. */
const DIGITS_MAX = 400

/** The value of an unquoted word; undefined for infinity and not-a-number, which JSON cannot hold. */
export function plainScalar(text: string): Json | undefined {
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (NOT_FINITE.test(text)) return undefined
  if (!/^[-+.0-9]/.test(text) || text.length > DIGITS_MAX) return text
  // Underscores group digits, but only between them.
  const digits = /^[-+.0-9][-+.0-9a-zA-Z_]*$/.test(text) ? text.replaceAll('_', '') : text
  return integer(digits) ?? (FLOAT.test(digits) ? finite(digits, text) : text)
}

function finite(digits: string, text: string): number | string {
  const value = Number(digits)
  return Number.isFinite(value) ? value : text
}

function integer(text: string): number | bigint | undefined {
  if (DECIMAL.test(text)) return exact(BigInt(text.replace('+', '')))
  const [, sign, digits, base] = based(text) ?? []
  if (digits === undefined) return undefined
  const value = BigInt(`${base}${digits}`)
  return exact(sign === '-' ? -value : value)
}

function based(text: string): readonly [string, string, string, string] | undefined {
  for (const [pattern, base] of [
    [OCTAL, '0o'],
    [HEXADECIMAL, '0x'],
    [BINARY, '0b'],
  ] as const) {
    const match = pattern.exec(text)
    if (match) return [text, match[1] ?? '', match[2] ?? '', base]
  }
  return undefined
}

function exact(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** What to tell the writer when a word became something that looks different; undefined when it did not. */
export function changedWord(text: string, value: Json): string | undefined {
  if (value === null || typeof value === 'string') return undefined
  if (typeof value === 'boolean' && /^(?:true|false)$/i.test(text)) return undefined
  if (String(value) === text) return undefined
  return `${text} is read as ${String(value)}; write "${text}" if the text is meant`
}
