// Whether what is shown is the present state of things.
import { useWords } from '../app/words.ts'
import type { Liveness } from '../data/watch-feed.ts'

const WORDS = {
  live: 'app.live',
  loading: 'app.loading',
  reconnecting: 'app.reconnecting',
  failed: 'app.failed',
} as const

export function LiveMark({ liveness }: { readonly liveness: Liveness }) {
  const { t } = useWords()
  return (
    <span className="live" data-liveness={liveness} role="status">
      {t(WORDS[liveness])}
    </span>
  )
}
