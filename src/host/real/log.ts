// The log: one line an event, `time LEVEL message key=value`, on standard error. Values that could be secrets are
// left out by name and by shape, because a log is copied into support bundles and tickets.
import type { Log } from '../host.ts'

export type LogLevel = 'info' | 'warn' | 'error'

export interface LogOptions {
  /** The least important level that is written. */
  readonly level: LogLevel
  /** Where lines go, without the line end; standard error when absent. */
  readonly write?: (line: string) => void
}

const RANK: Readonly<Record<LogLevel, number>> = { info: 0, warn: 1, error: 2 }
/** One value must not flood the log. Characters. */
const VALUE_MAX = 2048

export function makeLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`))
  const log =
    (level: LogLevel) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      if (RANK[level] < RANK[options.level]) return
      write(logLine(new Date().toISOString(), level, message, fields))
    }
  return { info: log('info'), warn: log('warn'), error: log('error') }
}

export function logLine(
  time: string,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${SECRET_NAME.test(name) ? '(hidden)' : valueText(value)}`)
  return [time, level.toUpperCase().padEnd(5), oneLine(message), ...parts].join(' ')
}

const SECRET_NAME =
  /pass(word|phrase)?$|token|secret|authorization|cookie|(private|api|access|tls)_?key|keyPem|userData/i
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '(private key)'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 (hidden)'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '(token)'],
  [/\/\/[^\s/@"']+@/g, '//(hidden)@'],
  [/([?&][\w-]*(?:token|signature|password|secret|key)[\w-]*=)[^&\s"']+/gi, '$1(hidden)'],
]

function withoutSecrets(text: string): string {
  return SECRET_SHAPES.reduce((done, [shape, instead]) => done.replace(shape, instead), text)
}

function oneLine(text: string): string {
  return withoutSecrets(text).replace(/[\r\n]+/g, ' | ')
}

function valueText(value: unknown): string {
  const text = withoutSecrets(plainText(value)).slice(0, VALUE_MAX)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text)
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.stack ?? value.message
  if (typeof value !== 'object' || value === null) return String(value)
  return JSON.stringify(value, (name, inner: unknown) =>
    SECRET_NAME.test(name) ? '(hidden)' : typeof inner === 'bigint' ? inner.toString() : inner,
  )
}
