// Texts in the language of this browser.
import { useMemo } from 'react'
import type { Language } from '../../../src/words/say.ts'
import type { Key } from '../words/catalogue.ts'
import { type Filling, sayUi } from '../words/say.ts'
import { usePreferences } from './preferences.ts'

export type Say = <K extends Key>(key: K, ...filling: Filling<K>) => string

export function useWords(): { readonly t: Say; readonly language: Language } {
  const { language } = usePreferences()
  return useMemo(() => ({ language, t: (key, ...filling) => sayUi(language, key, ...filling) }), [language])
}
