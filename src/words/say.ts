// Says a thing to a person in their language.
import type { Catalogue, Key, Params } from './catalogue.ts'
import { en } from './en.ts'
import { zhHans } from './zh-hans.ts'

export type Language = 'en' | 'zh-Hans'

const catalogues: Readonly<Record<Language, Catalogue>> = { en, 'zh-Hans': zhHans }

type Filling<K extends Key> = keyof Params<K> extends never ? [] : [params: Params<K>]

/** The text for the key with its places filled. */
export function say<K extends Key>(language: Language, key: K, ...[params]: Filling<K>): string {
  return fill(catalogues[language][key], (params ?? {}) as Readonly<Record<string, string | number | bigint>>)
}

/** Fills the places of any text; one without a value stays as it is. */
export function fill(text: string, params: Readonly<Record<string, string | number | bigint>>): string {
  return text.replace(/\{([^}]*)\}/g, (whole: string, place: string) => {
    const [name = '', one, many] = place.split('|')
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    if (value === undefined) return whole
    if (one === undefined || many === undefined) return String(value)
    return Number(value) === 1 ? one : many
  })
}

/** The best language for what a browser or a shell asks for: `zh-CN,en;q=0.5`, `zh_CN.UTF-8`. English otherwise. */
export function languageFor(wanted: string | undefined): Language {
  const ranked = (wanted ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...options] = part.trim().split(';')
      const weight = Number(/q=([0-9.]+)/.exec(options.join(';'))?.[1] ?? 1)
      return { tag: tag.toLowerCase().replaceAll('_', '-'), weight }
    })
    .sort((a, b) => b.weight - a.weight)
  for (const { tag, weight } of ranked) {
    if (weight <= 0) continue
    if (/^zh(-|\.|$)/.test(tag)) return 'zh-Hans'
    if (/^en(-|\.|$)/.test(tag)) return 'en'
  }
  return 'en'
}
