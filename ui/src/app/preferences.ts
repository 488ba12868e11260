// Language and theme of this browser, kept in its own storage and shown by the attributes of the root element.
import { useSyncExternalStore } from 'react'
import { type Language, languageFor } from '../../../src/words/say.ts'
import { localeOf } from '../words/say.ts'

const THEMES = ['system', 'light', 'dark', 'contrast'] as const
export type Theme = (typeof THEMES)[number]
export interface Preferences {
  readonly language: Language
  readonly theme: Theme
}

const STORED = 'croft.preferences'
const listeners = new Set<() => void>()
let current = read()
apply()

function read(): Preferences {
  const fallback: Preferences = { language: languageFor(navigator.languages.join(',')), theme: 'system' }
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Preferences>
    return {
      language:
        stored.language === 'en' || stored.language === 'zh-Hans' ? stored.language : fallback.language,
      theme: THEMES.find((theme) => theme === stored.theme) ?? fallback.theme,
    }
  } catch {
    return fallback
  }
}

function apply(): void {
  const root = document.documentElement
  root.lang = localeOf(current.language)
  if (current.theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = current.theme
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  apply()
  try {
    localStorage.setItem(STORED, JSON.stringify(current))
  } catch {
    // A browser without storage keeps the choice until the page is closed.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}
