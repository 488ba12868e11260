// Durations as Kubernetes writes them (Go's form, `1h30m`, `250ms`) and ages as kubectl shows them (`5m3s`).

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds of a Go duration; undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  if (text.slice(sign.length) === '0') return 0
  PART.lastIndex = sign.length
  let total = 0
  let read = sign.length
  for (let match = PART.exec(text); match; match = PART.exec(text)) {
    total += Number(match[1]) * UNIT_MS[match[2]!]!
    read = PART.lastIndex
  }
  if (read !== text.length || read === sign.length || !Number.isFinite(total)) return undefined
  return sign === '-' ? -total : total
}

/** A duration in Go's form: `1h0m0s`, `1.5s`, `250ms`, `0s`. Finer than a nanosecond is cut. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms === 0) return '0s'
  if (ms < 1e-3) return `${Math.trunc(ms * 1e6)}ns`
  if (ms < 1) return `${trimmed(ms * 1e3, 3)}µs`
  if (ms < 1000) return `${trimmed(ms, 6)}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = `${trimmed((ms % 60_000) / 1000, 9)}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

function trimmed(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.?0+$/, '')
}

/** An age in at most two units, the smaller one only where it matters, as in kubectl's AGE column. */
export function humanDuration(seconds: number): string {
  const whole = Math.trunc(seconds)
  // Clocks differ a little: a second in the future is now, more than that is wrong.
  if (whole < -1) return '<invalid>'
  if (whole < 0) return '0s'
  if (whole < 120) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 10) return twoUnits(minutes, 'm', whole % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

/** The shortest age, in one unit. */
export function shortHumanDuration(seconds: number): string {
  const whole = Math.trunc(seconds)
  if (whole < -1) return '<invalid>'
  if (whole < 0) return '0s'
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m`
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h`
  const days = Math.floor(whole / 86_400)
  return days < 365 ? `${days}d` : `${Math.floor(days / 365)}y`
}
