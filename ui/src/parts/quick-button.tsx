// A square button for rows of long lists: a plain element, so that thousands of rows scroll smoothly.
import type { LucideIcon } from 'lucide-react'
import { iconOf } from './icons.tsx'

export interface QuickButtonProps {
  readonly icon: LucideIcon
  /** What it does, in short; shown when the pointer rests. */
  readonly label: string
  /** What it does to which object. */
  readonly longLabel?: string
  /** Why it cannot be pressed; absent when it can. */
  readonly whyNot?: string | undefined
  readonly onPress: () => void
}

export function QuickButton({ icon, label, longLabel = label, whyNot, onPress }: QuickButtonProps) {
  return (
    <button
      type="button"
      className="btn quiet square"
      aria-label={longLabel}
      title={whyNot ?? label}
      disabled={whyNot !== undefined}
      onClick={onPress}
    >
      {iconOf(icon)}
    </button>
  )
}
