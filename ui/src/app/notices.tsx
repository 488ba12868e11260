// What was told lately, and warnings of the server from the last hour: behind the bell, the newest first.
import { Bell } from 'lucide-react'
import { useState } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { HAPPENINGS, type Happening } from '../data/kinds.ts'
import type { Tone } from '../data/machine-state.ts'
import { useObjects } from '../data/use-objects.ts'
import { Age } from '../parts/age.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { type Message, useHistory } from './messages.ts'
import { useProject } from './project.ts'
import { type Say, useWords } from './words.ts'

/** More than anybody reads. */
const SHOWN_MAX = 40

interface Notice {
  readonly id: string
  readonly atMs: number
  readonly tone: Tone
  readonly word: string
  readonly text: string
}

export function Notices() {
  const { t } = useWords()
  const history = useHistory()
  const [seenMs, setSeenMs] = useState(() => Date.now())
  const fresh = history.filter(({ tone, atMs }) => tone === 'bad' && atMs > seenMs).length
  return (
    <DialogTrigger onOpenChange={() => setSeenMs(Date.now())}>
      <Button
        className="btn quiet square bell"
        aria-label={fresh > 0 ? t('notices.fresh', { count: fresh }) : t('notices.title')}
      >
        <Bell className="icon" aria-hidden />
        {fresh > 0 && <span className="dot" aria-hidden />}
      </Button>
      <Popover className="popover" offset={4} placement="bottom end">
        <Dialog className="notices" aria-label={t('notices.title')}>
          <List history={history} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

/** Warnings are read only while somebody looks. */
function List({ history }: { readonly history: readonly Message[] }) {
  const { t } = useWords()
  const { list } = useObjects(HAPPENINGS, { namespace: useProject(), fieldSelector: 'type=Warning' })
  const notices = [...history.map((one) => ofMessage(t, one)), ...list.map(ofHappening)]
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, SHOWN_MAX)
  return (
    <>
      <h2>{t('notices.title')}</h2>
      {notices.length === 0 && <p className="muted">{t('notices.none')}</p>}
      <ul className="notice-list">
        {notices.map(({ id, atMs, tone, word, text }) => (
          <li key={id}>
            <StateMark shown={{ tone, word }} />{' '}
            <span className="muted small">
              <Age since={new Date(atMs).toISOString()} />
            </span>
            <br />
            {text}
          </li>
        ))}
      </ul>
    </>
  )
}

function ofMessage(t: Say, { id, tone, text, atMs }: Message): Notice {
  const shown = {
    ok: ['ok', 'notices.done'],
    bad: ['bad', 'notices.refused'],
    busy: ['busy', 'notices.runs'],
  } as const
  const [mark, word] = shown[tone]
  return { id: `m${id}`, atMs, tone: mark, word: t(word), text }
}

function ofHappening({ metadata, reason, message, involvedObject, ...event }: Happening): Notice {
  const at = event.lastTimestamp || event.eventTime || metadata.creationTimestamp || ''
  return {
    id: metadata.uid ?? '',
    atMs: Date.parse(String(at)) || 0,
    tone: 'warn',
    word: reason ?? '',
    text: `${involvedObject?.name ?? ''}: ${message ?? ''}`,
  }
}
