// Search over objects and actions (Ctrl K). Objects are those that the user may list, actions those they may do.
import { useNavigate } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { type KeyboardEvent as Press, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { StateMark } from '../parts/state-mark.tsx'
import { type Found, useFindings } from './search-findings.tsx'
import { useWords } from './words.ts'

export function Search() {
  const { t } = useWords()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      if ((event.target as HTMLElement | null)?.closest?.('.console-pane')) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" className="search-open" onClick={() => setOpen(true)}>
        <SearchIcon className="icon" aria-hidden />
        <span>{t('search.title')}</span>
        <kbd aria-hidden>Ctrl K</kbd>
      </button>
      <ModalOverlay className="overlay top" isOpen={isOpen} onOpenChange={setOpen} isDismissable>
        <Modal className="dialog-frame">
          <Dialog className="search-dialog" aria-label={t('search.title')}>
            <Box onDone={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  )
}

/** More are found by typing on. */
const SHOWN_MAX = 12

function Box({ onDone }: { readonly onDone: () => void }) {
  const { t } = useWords()
  const navigate = useNavigate()
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const all = useFindings()
  const found = useMemo(() => best(all, text), [all, text])
  const chosen = Math.min(at, found.length - 1)
  const go = (one: Found | undefined) => {
    if (!one) return
    onDone()
    if ('to' in one) void navigate({ to: one.to as never })
    else one.does()
  }
  const onKey = (event: Press) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      const next = (chosen + step + found.length) % Math.max(1, found.length)
      setAt(next)
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(found[chosen])
    }
  }
  return (
    <>
      <div className="search whole">
        <SearchIcon className="icon" aria-hidden />
        <input
          className="input"
          // biome-ignore lint/a11y/noAutofocus: the user asked to write here
          autoFocus
          role="combobox"
          aria-label={t('search.title')}
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder={t('search.hint')}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
      </div>
      <div className="found" role="listbox" id={`${id}-list`} aria-label={t('search.found')} ref={list}>
        {found.map((one, index) => {
          const Icon = one.icon
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the field
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={one.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              onClick={() => go(one)}
              onPointerMove={() => setAt(index)}
            >
              <Icon className="icon" aria-hidden />
              <span>{one.text}</span>
              <span className="muted small">{one.about}</span>
              {one.shown && <StateMark shown={one.shown} />}
            </div>
          )
        })}
      </div>
      {found.length === 0 && (
        <p className="empty" role="status">
          {t('app.noMatch', { filter: text })}
        </p>
      )}
    </>
  )
}

/** Every word must be found; names that begin with the text come first. */
function best(all: readonly Found[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return all.filter(({ isFirst }) => isFirst).slice(0, SHOWN_MAX)
  const fits: { readonly one: Found; readonly rank: number }[] = []
  for (const one of all) {
    const name = one.text.toLowerCase()
    const whole = `${name} ${one.about.toLowerCase()}`
    if (!words.every((word) => whole.includes(word))) continue
    fits.push({ one, rank: name === words[0] ? 0 : name.startsWith(words[0] ?? '') ? 1 : 2 })
  }
  return fits
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN_MAX)
    .map(({ one }) => one)
}
