// A state: always a word, a shape and a colour together. Disc: fine; ring: working; triangle: look at it; diamond:
// broken; circle: off.
import type { ReactNode } from 'react'
import type { Shown, Tone } from '../data/machine-state.ts'

const shape = (of: ReactNode) => (
  <svg viewBox="0 0 14 14" aria-hidden="true">
    {of}
  </svg>
)
const SHAPES: Readonly<Record<Tone, ReactNode>> = {
  ok: shape(<circle cx="7" cy="7" r="5" fill="currentColor" />),
  busy: shape(<path d="M7 1.8a5.2 5.2 0 1 0 5.2 5.2" fill="none" stroke="currentColor" strokeWidth="2" />),
  warn: shape(<path d="M7 1.4 13.2 12.4H.8z" fill="currentColor" />),
  bad: shape(<path d="M7 .6 13.4 7 7 13.4.6 7z" fill="currentColor" />),
  off: shape(<circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="2" />),
}

export function StateShape({ tone }: { readonly tone: Tone }) {
  return SHAPES[tone]
}

export function StateMark({ shown: { tone, word, message } }: { readonly shown: Shown }) {
  return (
    <span className={`state ${tone}`} title={message}>
      <StateShape tone={tone} />
      {word}
    </span>
  )
}
