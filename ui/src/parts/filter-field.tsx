// The filter of a list; `/` goes to it, Escape clears it.
import { Search, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useWords } from '../app/words.ts'
import { Button } from './button.tsx'

export interface FilterFieldProps {
  readonly value: string
  readonly hint: string
  readonly onValue: (value: string) => void
}

export function FilterField({ value, hint, onValue }: FilterFieldProps) {
  const { t } = useWords()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <div className="search">
      <Search className="icon" aria-hidden />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={t('app.filter')}
        placeholder={hint}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onValue('')}
      />
      {value === '' && <kbd aria-hidden>/</kbd>}
      {value !== '' && (
        <Button kind="quiet" square label={t('app.clearFilter')} onPress={() => onValue('')}>
          <X className="icon" aria-hidden />
        </Button>
      )}
    </div>
  )
}

/** Whether a single letter belongs to what has the focus. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input, textarea, select, .console-pane, [role=dialog]') !== null)
  )
}
