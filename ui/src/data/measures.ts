// Sizes, counts and times as people read them.
import { parseQuantity, toBigIntBytes, toMilli } from '../../../src/base/quantity.ts'
import type { Language } from '../../../src/words/say.ts'
import { localeOf } from '../words/say.ts'
import type { Machine } from './kinds.ts'

/** Making one of these costs far more than using it, and every row of a list uses some. */
function kept<T>(make: (locale: string) => T): (language: Language) => T {
  const made = new Map<Language, T>()
  return (language) => {
    let one = made.get(language)
    if (one === undefined) {
      one = make(localeOf(language))
      made.set(language, one)
    }
    return one
  }
}
const decimals = [0, 1, 2].map((maximumFractionDigits) =>
  kept((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits })),
)

/** A number as the language writes it, with so many digits behind the point at most. */
export function numberText(language: Language, value: number, digits: 0 | 1 | 2 = 1): string {
  return decimals[digits]?.(language).format(value) ?? String(value)
}

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `4 GiB`; at most one digit behind the point. */
export function bytesText(language: Language, bytes: number): string {
  let value = bytes
  let step = 0
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024
    step++
  }
  return `${numberText(language, value)} ${STEPS[step]}`
}

/** `0.25`: processors in use. */
export function coresText(language: Language, cores: number): string {
  return numberText(language, cores, 2)
}

export function quantityBytes(text: string | number | bigint | undefined): number {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity ? Number(toBigIntBytes(quantity)) : 0
}

export function quantityText(language: Language, text: string | number | bigint | undefined): string {
  const bytes = quantityBytes(text)
  return bytes === 0 ? '–' : bytesText(language, bytes)
}

type Domain = NonNullable<Machine['spec']['template']['spec']>['domain'] | undefined

/** What it asks for: sockets times cores times threads, or the request where it says no topology. */
export function cpusOfDomain(domain: Domain): number {
  const { sockets = 1, cores = 1, threads = 1 } = domain?.cpu ?? {}
  if (domain?.cpu) return sockets * cores * threads
  const asked = parseQuantity(domain?.resources?.limits?.['cpu'] ?? domain?.resources?.requests?.['cpu'] ?? 1)
  return asked ? Math.max(1, Math.ceil(Number(toMilli(asked)) / 1000)) : 1
}

export function memoryOfDomain(domain: Domain): number {
  const { limits, requests } = domain?.resources ?? {}
  return quantityBytes(domain?.memory?.guest ?? limits?.['memory'] ?? requests?.['memory'])
}

export function cpusOf(machine: Machine): number {
  return cpusOfDomain(machine.spec.template.spec?.domain)
}

export function memoryOf(machine: Machine): number {
  return memoryOfDomain(machine.spec.template.spec?.domain)
}

const unit = (name: string) =>
  kept((locale) => new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short' }))
const UNITS = [
  [unit('day'), 86_400],
  [unit('hour'), 3_600],
  [unit('minute'), 60],
  [unit('second'), 1],
] as const
const moments = kept(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
)

/** `12 days`, `8 sec.`: the largest unit that fits. */
export function ageText(language: Language, since: string | null | undefined, nowMs: number): string {
  if (!since) return '–'
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000))
  const [form, size] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3]
  return form(language).format(Math.floor(seconds / size))
}

export function timeText(language: Language, time: string | null | undefined): string {
  if (!time) return '–'
  return moments(language).format(new Date(time))
}
