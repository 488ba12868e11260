// Language and theme, on every page and before the login.
import { Languages, SunMoon } from 'lucide-react'
import type { Language } from '../../../src/words/say.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { setPreferences, type Theme, usePreferences } from './preferences.ts'
import { useWords } from './words.ts'

const LANGUAGES: readonly { readonly id: Language; readonly text: string; readonly lang: string }[] = [
  { id: 'en', text: 'English', lang: 'en' },
  { id: 'zh-Hans', text: '简体中文', lang: 'zh-CN' },
]

export function LanguageMenu() {
  const { t, language } = useWords()
  return (
    <MenuButton
      label={t('app.language')}
      icon={Languages}
      text={LANGUAGES.find(({ id }) => id === language)?.text ?? ''}
      chosen={language}
      choices={LANGUAGES}
      onChoose={(id) => setPreferences({ language: id as Language })}
      quiet
    />
  )
}

export function ThemeMenu() {
  const { t } = useWords()
  const { theme } = usePreferences()
  const themes: readonly Theme[] = ['system', 'light', 'dark', 'contrast']
  return (
    <MenuButton
      label={t('app.theme')}
      icon={SunMoon}
      chosen={theme}
      choices={themes.map((id) => ({ id, text: t(`app.theme.${id}`) }))}
      onChoose={(id) => setPreferences({ theme: id as Theme })}
      quiet
    />
  )
}
