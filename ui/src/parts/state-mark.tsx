// A state: always a word, a shape and a colour together.
import { Circle, CircleCheck, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { Shown, Tone } from '../data/machine-state.ts'

const SHAPES = {
  ok: CircleCheck,
  busy: LoaderCircle,
  warn: TriangleAlert,
  bad: CircleX,
  off: Circle,
} as const satisfies Record<Tone, unknown>

export function StateMark({ shown: { tone, word, message } }: { readonly shown: Shown }) {
  const Shape = SHAPES[tone]
  return (
    <span className={`state ${tone}`} title={message}>
      <Shape aria-hidden strokeWidth={2.4} />
      {word}
    </span>
  )
}
