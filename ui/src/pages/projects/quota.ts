// The share of the cluster that a project has: a ResourceQuota, as four numbers that people set.
import { parseQuantity, toMilli } from '../../../../src/base/quantity.ts'
import type { Language } from '../../../../src/words/say.ts'
import { bytesText, quantityBytes } from '../../data/measures.ts'
import { localeOf } from '../../words/say.ts'
import type { ResourceQuota } from '../kit/places.ts'

export interface Share {
  readonly cpu: string
  readonly memory: string
  readonly storage: string
  readonly machines: string
}

export const NO_SHARE: Share = { cpu: '', memory: '', storage: '', machines: '' }
/** The quota that these pages write; others are shown and left alone. */
export const QUOTA_NAME = 'project'

/** Names in a quota by the field of the form. Machines count by their limits, as Harvester has it. */
export const RESOURCES = {
  cpu: 'limits.cpu',
  memory: 'limits.memory',
  storage: 'requests.storage',
  machines: 'count/virtualmachines.kubevirt.io',
} as const satisfies Record<keyof Share, string>

const FIELDS = Object.keys(RESOURCES) as (keyof Share)[]
const GIB = 1024 ** 3

/** Undefined for what is neither empty nor a number above zero. */
function quantityOf(field: keyof Share, text: string): string | null | undefined {
  if (text.trim() === '') return null
  const number = Number(text)
  if (!Number.isFinite(number) || number <= 0) return undefined
  if (field === 'machines') return Number.isInteger(number) ? String(number) : undefined
  if (field === 'cpu') return Number.isInteger(number) ? String(number) : `${Math.round(number * 1000)}m`
  return Number.isInteger(number) ? `${number}Gi` : `${Math.round(number * 1024)}Mi`
}

export function isBad(field: keyof Share, text: string): boolean {
  return quantityOf(field, text) === undefined
}

/** What stands in `spec.hard`; null takes a limit away. */
export function hardOf(share: Share): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    FIELDS.map((field) => [RESOURCES[field], quantityOf(field, share[field]) ?? null]),
  )
}

export function isEmpty(share: Share): boolean {
  return FIELDS.every((field) => share[field].trim() === '')
}

export function shareOf(quota: ResourceQuota | undefined): Share {
  const hard = quota?.spec?.hard ?? {}
  const gib = (name: string) => (hard[name] === undefined ? '' : String(quantityBytes(hard[name]) / GIB))
  return {
    cpu: hard[RESOURCES.cpu] === undefined ? '' : String(cores(hard[RESOURCES.cpu])),
    memory: gib(RESOURCES.memory),
    storage: gib(RESOURCES.storage),
    machines: hard[RESOURCES.machines] === undefined ? '' : String(hard[RESOURCES.machines]),
  }
}

function cores(quantity: string | number | undefined): number {
  const read = quantity === undefined ? undefined : parseQuantity(quantity)
  return read ? Number(toMilli(read)) / 1000 : 0
}

export interface Usage {
  readonly resource: string
  readonly used: string
  readonly hard: string
  /** 0 to 1. */
  readonly part: number
}

/** How much of each limit is used, in the words of people. */
export function usageOf(language: Language, { spec, status }: ResourceQuota): readonly Usage[] {
  return Object.entries(status?.hard ?? spec?.hard ?? {}).map(([resource, hard]) => {
    const used = status?.used?.[resource] ?? '0'
    const isBytes = /memory|storage$/.test(resource)
    const number = (quantity: string | number) => (isBytes ? quantityBytes(quantity) : cores(quantity))
    const text = (quantity: string | number) =>
      isBytes
        ? bytesText(language, quantityBytes(quantity))
        : cores(quantity).toLocaleString(localeOf(language))
    const all = number(hard)
    return {
      resource,
      used: text(used),
      hard: text(hard),
      part: all === 0 ? 1 : Math.min(1, number(used) / all),
    }
  })
}
