// A time that passes: how long ago, with the exact time on demand.
import { useNow } from '../app/clock.ts'
import { useWords } from '../app/words.ts'
import { ageText, timeText } from '../data/measures.ts'

export function Age({ since }: { readonly since: string | null | undefined }) {
  const { language } = useWords()
  const now = useNow()
  if (!since) return <span>–</span>
  return (
    <time dateTime={since} title={timeText(language, since)}>
      {ageText(language, since, now)}
    </time>
  )
}
