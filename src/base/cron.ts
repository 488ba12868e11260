// Times of the kind that cron has: five fields (minute, hour, day of month, month, day of week) in UTC, or one of the
// short words. Pure: which minutes match, and the next one after a given time.

export interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Both days are named: one of them suffices, as cron has it since ever. */
  readonly eitherDay: boolean
}

const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** A 29th of February may be eight years away. */
const SEARCH_DAYS_MAX = 8 * 366

/** Undefined where the text is no such time. */
export function parseCron(text: string): Cron | undefined {
  const fields = (WORDS[text.trim()] ?? text.trim()).split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string]
  const minutes = numbers(minute, 0, 59, [])
  const hours = numbers(hour, 0, 23, [])
  const days = numbers(day, 1, 31, [])
  const months = numbers(month, 1, 12, MONTHS)
  const weekdays = numbers(weekday, 0, 7, WEEKDAYS)
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map((one) => one % 7)),
    eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
  }
}

function numbers(
  field: string,
  least: number,
  most: number,
  names: readonly string[],
): ReadonlySet<number> | undefined {
  const found = new Set<number>()
  for (const part of field.toLowerCase().split(',')) {
    const match = /^(\*|\?|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/(\d+))?$/.exec(part)
    if (!match) return undefined
    const [, first = '', last, stepText] = match
    const step = stepText === undefined ? 1 : Number(stepText)
    const every = first === '*' || first === '?'
    const value = (word: string): number =>
      /^\d+$/.test(word) ? Number(word) : names.includes(word) ? names.indexOf(word) + least : Number.NaN
    const from = every ? least : value(first)
    const to = every ? most : last !== undefined ? value(last) : stepText !== undefined ? most : from
    if (!(step >= 1) || !(from >= least) || !(to <= most) || !(from <= to)) return undefined
    for (let number = from; number <= to; number += step) found.add(number)
  }
  return found
}

function isDay(cron: Cron, date: Date): boolean {
  if (!cron.months.has(date.getUTCMonth() + 1)) return false
  const day = cron.days.has(date.getUTCDate())
  const weekday = cron.weekdays.has(date.getUTCDay())
  return cron.eitherDay ? day || weekday : day && weekday
}

/** The first matching minute after `after`, both in milliseconds since 1970; undefined when none ever comes. */
export function nextCronTime(cron: Cron, after: number): number | undefined {
  const start = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  const firstDay = Math.floor(start / DAY_MS) * DAY_MS
  for (let index = 0; index < SEARCH_DAYS_MAX; index += 1) {
    const dayStart = firstDay + index * DAY_MS
    if (!isDay(cron, new Date(dayStart))) continue
    for (const hour of [...cron.hours].sort((a, b) => a - b))
      for (const minute of [...cron.minutes].sort((a, b) => a - b)) {
        const time = dayStart + (hour * 60 + minute) * MINUTE_MS
        if (time >= start) return time
      }
  }
  return undefined
}
