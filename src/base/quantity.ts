// resource.Quantity: exact amounts such as `1.5Gi`, `500m` and `1e3`. Held as whole billionths in a BigInt, which
// is the finest amount Kubernetes knows, so that no sum of them ever rounds.
import { type Failure, failed, ok, type Result } from './result.ts'

/** How an amount is written: with powers of ten, with powers of 1024, or with an exponent. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** An exact amount. */
export interface Quantity {
  /** The amount in billionths. */
  readonly nano: bigint
  /** The way in which its first text was written; sums keep that of the first part. */
  readonly format: QuantityFormat
}

const NANO = 1_000_000_000n
/** Amounts written with a power of 1024 are capped here, as Kubernetes caps them. */
const INT64_MAX = 9_223_372_036_854_775_807n
/** Exponents beyond this are refused: they serve nobody and would cost memory (`1e999999999`). */
const EXPONENT_MAX = 1000
/** Longest text looked at; a longer one is not an amount anybody means. */
const TEXT_MAX = 1024

// Digits may be absent: Kubernetes reads a bare suffix, sign or point as zero.
const TEXT = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][+-]?[0-9]+|[numkMGTPE]|[KMGTPE]i|)$/
const DECIMAL_POWERS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const

/** What Kubernetes answers to a text that is no amount. */
export const QUANTITY_TEXT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const SUFFIX_TEXT = "unable to parse quantity's suffix"

interface Parts {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
  readonly power: number
  readonly format: QuantityFormat
}

function split(text: string): Parts | undefined {
  if (text.length > TEXT_MAX) return undefined
  const match = TEXT.exec(text)
  if (!match) return undefined
  const suffix = match[4] ?? ''
  const whole = match[2] ?? ''
  const fraction = match[3] ?? ''
  if (text === '') return undefined
  const negative = match[1] === '-'
  if (suffix.endsWith('i')) {
    const power = BINARY_SUFFIXES.indexOf(suffix as (typeof BINARY_SUFFIXES)[number]) * 10
    return { negative, whole, fraction, power, format: 'BinarySI' }
  }
  const named = DECIMAL_POWERS[suffix]
  if (named !== undefined) return { negative, whole, fraction, power: named, format: 'DecimalSI' }
  const power = Number(suffix.slice(1))
  if (Math.abs(power) > EXPONENT_MAX) return undefined
  return { negative, whole, fraction, power, format: 'DecimalExponent' }
}

function fromParts(parts: Parts): Quantity {
  const digits = BigInt(parts.whole + parts.fraction || '0')
  let nano: bigint
  let { format } = parts
  if (format === 'BinarySI') {
    nano = divideUp((digits << BigInt(parts.power)) * NANO, 10n ** BigInt(parts.fraction.length))
    if (nano > INT64_MAX * NANO) nano = INT64_MAX * NANO
    if (nano < NANO && nano > 0n) format = 'DecimalSI'
  } else {
    const shift = parts.power - parts.fraction.length + 9
    nano = shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift))
  }
  return { nano: parts.negative ? -nano : nano, format }
}

/** Division of two positive numbers, rounded up: whoever asks for a little of something gets some of it. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return quotient * divisor === dividend ? quotient : quotient + 1n
}

/** Reads an amount; a JSON number counts as its decimal text. Undefined when it is none. */
export function parseQuantity(value: string | number | bigint): Quantity | undefined {
  const parts = split(typeof value === 'string' ? value : numberText(value))
  return parts && fromParts(parts)
}

/** Reads an amount and says why it is none. */
export function readQuantity(value: string | number | bigint): Result<Quantity, Failure> {
  const quantity = parseQuantity(value)
  if (quantity) return ok(quantity)
  const looksRight = /^[+-]?[0-9]*(?:\.[0-9]*)?[eEinumkKMGTP]*[-+]?[0-9]*$/.test(String(value))
  const message = looksRight && value !== '' ? SUFFIX_TEXT : QUANTITY_TEXT
  return failed({ reason: 'BadQuantity', message, retry: 'never' })
}

function numberText(value: number | bigint): string {
  return typeof value === 'number' && !Number.isFinite(value) ? '' : String(value)
}

/** Whether the value can stand where an amount is wanted. */
export function isQuantity(value: unknown): value is string | number | bigint {
  if (typeof value === 'string') return split(value) !== undefined
  return (typeof value === 'number' || typeof value === 'bigint') && split(numberText(value)) !== undefined
}

/** The canonical text: no fraction, the largest suffix that keeps a whole number, the way of writing kept. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0'
  if (format === 'BinarySI' && nano % NANO === 0n) {
    const whole = nano / NANO
    if (whole <= -1024n || whole >= 1024n) return formatBinary(whole)
  }
  return formatDecimal(nano, format === 'DecimalExponent')
}

function formatBinary(whole: bigint): string {
  let value = whole
  let step = 0
  while (step < BINARY_SUFFIXES.length - 1 && value % 1024n === 0n) {
    value /= 1024n
    step++
  }
  return `${value}${BINARY_SUFFIXES[step]}`
}

function formatDecimal(nano: bigint, exponent: boolean): string {
  let value = nano
  let step = 0
  while ((exponent || step < DECIMAL_SUFFIXES.length - 1) && value % 1000n === 0n) {
    value /= 1000n
    step++
  }
  if (!exponent) return `${value}${DECIMAL_SUFFIXES[step]}`
  return step === 3 ? `${value}` : `${value}e${step * 3 - 9}`
}

/**
 * The text that a write through the API gives back for `text`: canonical, except that texts which already have the
 * canonical scale are kept letter by letter (`1E3`, `+1`, `1.025`). Blanks around it go. Undefined when it is no
 * amount.
 */
export function canonicalQuantity(value: string | number | bigint): string | undefined {
  const text = typeof value === 'string' ? value.trim() : numberText(value)
  const parts = split(text)
  if (!parts) return undefined
  return keepsText(parts) ? text : formatQuantity(fromParts(parts))
}

function keepsText({ whole, fraction, power, format }: Parts): boolean {
  const significant = whole.replace(/^0+/, '')
  const digits = significant + fraction
  if (significant === '' || digits.length > 18) return false
  if (format === 'BinarySI') {
    // Small enough that the product is exact in 64 bits by Kubernetes' own estimate.
    if (fraction !== '' || 14 - significant.length - Math.trunc((power * 3) / 10) < 0) return false
    return BigInt(digits) % 1024n !== 0n
  }
  const scale = power - fraction.length
  return scale >= -9 && scale % 3 === 0 && !digits.endsWith('000')
}

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareQuantity(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0
}

/** The sum, written as `a` is (as `b` when `a` is zero, as Kubernetes does). */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format }
}

/** The difference, written as `a` is (as `b` when `a` is zero). */
export function subQuantity(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format }
}

/** Whole units, rounded away from zero: bytes for memory and storage, cores for CPU. */
export function toBigIntBytes({ nano }: Quantity): bigint {
  return scaleDown(nano, NANO)
}

/** Thousandths, rounded away from zero: the unit in which CPU is counted. */
export function toMilli({ nano }: Quantity): bigint {
  return scaleDown(nano, 1_000_000n)
}

function scaleDown(nano: bigint, unit: bigint): bigint {
  return nano < 0n ? -divideUp(-nano, unit) : divideUp(nano, unit)
}

/** An amount of whole units: bytes with powers of 1024, everything else with powers of ten. */
export function quantityOf(units: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(units) * NANO, format }
}

/** The amount rounded up to thousandths, as Kubernetes stores requests and limits (`1u` becomes `1m`). */
export function roundUpToMilli(quantity: Quantity): Quantity {
  const nano = toMilli(quantity) * 1_000_000n
  return nano === quantity.nano ? quantity : { nano, format: quantity.format }
}

/** Whether two texts name the same amount. Texts that are no amounts are never equal. */
export function equalQuantity(a: string | number | bigint, b: string | number | bigint): boolean {
  const left = parseQuantity(a)
  const right = parseQuantity(b)
  return left !== undefined && right !== undefined && left.nano === right.nano
}
