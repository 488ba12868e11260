// Sizes, counts and times as people read them.
import { parseQuantity, toBigIntBytes, toMilli } from '../../../src/base/quantity.ts'
import type { Language } from '../../../src/words/say.ts'
import { localeOf } from '../words/say.ts'
import type { Machine } from './kinds.ts'

const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `4 GiB`; at most one digit behind the point. */
export function bytesText(language: Language, bytes: number): string {
  let value = bytes
  let step = 0
  while (value >= 1024 && step < STEPS.length - 1) {
    value /= 1024
    step++
  }
  return `${value.toLocaleString(localeOf(language), { maximumFractionDigits: 1 })} ${STEPS[step]}`
}

/** `0.25`: processors in use. */
export function coresText(language: Language, cores: number): string {
  return cores.toLocaleString(localeOf(language), { maximumFractionDigits: 2 })
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

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `12 days`, `8 sec.`: the largest unit that fits. */
export function ageText(language: Language, since: string | null | undefined, nowMs: number): string {
  if (!since) return '–'
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000))
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1]
  return new Intl.NumberFormat(localeOf(language), { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.floor(seconds / size),
  )
}

export function timeText(language: Language, time: string | null | undefined): string {
  if (!time) return '–'
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'medium' }).format(
    new Date(time),
  )
}
