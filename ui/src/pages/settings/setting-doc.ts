// What a setting steers, in the language of the page; settings that only the server knows say it in its words.
import { settingNamed } from '../../../../src/kinds/harvester/settings.ts'
import { useWords } from '../../app/words.ts'
import type { Key } from '../../words/catalogue.ts'
import { en } from '../../words/en.ts'

type DocKey = Extract<Key, `setting.${string}`>

function isDocKey(key: string): key is DocKey {
  return Object.hasOwn(en, key)
}

export function useSettingDoc(name: string): string {
  const { t } = useWords()
  const key = `setting.${name}`
  return isDocKey(key) ? t(key) : (settingNamed(name)?.doc ?? '')
}
