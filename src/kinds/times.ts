// Times of Kubernetes objects: RFC 3339 in UTC, in whole seconds, or with six decimals for MicroTime.
import { isDateTime } from './formats.ts'

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const CANONICAL_MICRO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/**
 * The canonical text, or undefined when the text is no RFC 3339 time. Fractions of seconds are cut; a MicroTime
 * must have its six decimals, as Kubernetes demands.
 */
export function canonicalTime(text: string, micro = false): string | undefined {
  if (!isDateTime(text) || (micro && !/\.\d{6}[Zz+-]/.test(text))) return undefined
  if ((micro ? CANONICAL_MICRO : CANONICAL).test(text)) return text
  const milliseconds = Date.parse(text.replace(/\.\d+/, ''))
  if (Number.isNaN(milliseconds)) return undefined
  const seconds = new Date(milliseconds).toISOString().slice(0, 19)
  if (!micro) return `${seconds}Z`
  return `${seconds}.${/\.(\d{6})/.exec(text)?.[1] ?? '000000'}Z`
}
