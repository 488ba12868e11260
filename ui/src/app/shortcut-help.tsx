// Keys that work on every page, and the dialog that tells them (`?`). `g` and a letter go to a page.
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isTyping } from '../parts/filter-field.tsx'
import { useWords } from './words.ts'

const GOES: Readonly<Record<string, string>> = { h: '/', m: '/machines', i: '/images', o: '/hosts' }
/** The second key must follow within this. */
const GO_MS = 1_200

let isOpen = false
const listeners = new Set<() => void>()
function show(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export function showShortcuts(): void {
  show(true)
}

export function ShortcutHelp() {
  const { t } = useWords()
  const navigate = useNavigate()
  const wentAt = useRef(0)
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const to = GOES[event.key]
      if (to !== undefined && performance.now() - wentAt.current < GO_MS) {
        wentAt.current = 0
        event.preventDefault()
        event.stopImmediatePropagation()
        void navigate({ to: to as never })
      } else if (event.key === 'g') wentAt.current = performance.now()
      else if (event.key === '?') show(true)
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [navigate])
  const rows: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['Ctrl', 'K'], t('search.title')],
    [['/'], t('app.filter')],
    [['c'], t('create.title')],
    [['g', 'h'], t('page.home')],
    [['g', 'm'], t('page.machines')],
    [['g', 'i'], t('page.images')],
    [['g', 'o'], t('page.hosts')],
    [['j', 'k'], t('keys.walk')],
    [['x'], t('keys.choose')],
    [['Ctrl', 'Enter'], t('keys.send')],
    [['?'], t('keys.title')],
  ]
  return (
    <Dialog title={t('keys.title')} isOpen={shown} onClose={() => show(false)}>
      <dl className="facts">
        {rows.map(([keys, what]) => (
          <div key={what} className="fact">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-end">
        <Button autoFocus onPress={() => show(false)}>
          {t('app.close')}
        </Button>
      </div>
    </Dialog>
  )
}
