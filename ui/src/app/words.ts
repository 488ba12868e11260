// Texts in the language of this browser.
import type { Language } from '../../../src/words/say.ts'
import type { Key } from '../words/catalogue.ts'
import { type Filling, sayUi } from '../words/say.ts'
import { usePreferences } from './preferences.ts'

export type Say = <K extends Key>(key: K, ...filling: Filling<K>) => string

interface Words {
  readonly t: Say
  readonly language: Language
}
/** The same for everybody who asks: rows of long lists do, and compare what they are given. */
const words: Readonly<Record<Language, Words>> = { en: wordsIn('en'), 'zh-Hans': wordsIn('zh-Hans') }

function wordsIn(language: Language): Words {
  return { language, t: (key, ...filling) => sayUi(language, key, ...filling) }
}

export function useWords(): Words {
  return words[usePreferences().language]
}
