// Shows the messages; read out by screen readers as they come.
import { CircleCheck, LoaderCircle, TriangleAlert, X } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { Meter } from '../parts/meter.tsx'
import { dismiss, type Message, useMessages } from './messages.ts'
import { useWords } from './words.ts'

const ICONS = { ok: CircleCheck, bad: TriangleAlert, busy: LoaderCircle } as const

export function Messages() {
  const { t } = useWords()
  const messages = useMessages()
  return (
    <section
      className="toasts"
      aria-label={t('app.messages')}
      aria-live="polite"
      data-react-aria-top-layer="true"
    >
      {messages.map((message) => (
        <Toast key={message.id} message={message} />
      ))}
    </section>
  )
}

function Toast({ message: { id, tone, text, progress } }: { readonly message: Message }) {
  const { t } = useWords()
  const Icon = ICONS[tone]
  return (
    <div className={`toast ${tone}`}>
      <span className={`state ${tone}`}>
        <Icon aria-hidden />
      </span>
      <span>{text}</span>
      {tone === 'busy' ? (
        <span />
      ) : (
        <Button kind="quiet" square label={t('app.dismiss')} onPress={() => dismiss(id)}>
          <X className="icon" aria-hidden />
        </Button>
      )}
      {progress !== undefined && <Meter value={progress} label={text} />}
    </div>
  )
}
