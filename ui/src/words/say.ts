// Says a text of the interface in a language.
import { fill, type Language } from '../../../src/words/say.ts'
import type { Catalogue, Key, Params } from './catalogue.ts'
import { en } from './en.ts'
import { zhHans } from './zh-hans.ts'

const catalogues: Readonly<Record<Language, Catalogue>> = { en, 'zh-Hans': zhHans }

export type Filling<K extends Key> = keyof Params<K> extends never ? [] : [params: Params<K>]

export function sayUi<K extends Key>(language: Language, key: K, ...[params]: Filling<K>): string {
  return fill(catalogues[language][key], (params ?? {}) as Readonly<Record<string, string | number | bigint>>)
}

/** The language as browsers and `Intl` name it. */
export function localeOf(language: Language): string {
  return language === 'zh-Hans' ? 'zh-CN' : 'en-US'
}
