// The signs of rows of long lists: one element for each, so that a row that is drawn anew leaves them as they are.
import type { LucideIcon } from 'lucide-react'
import type { ReactElement } from 'react'

const made = new Map<LucideIcon, ReactElement>()

export function iconOf(Icon: LucideIcon): ReactElement {
  let element = made.get(Icon)
  if (!element) {
    element = <Icon className="icon" aria-hidden />
    made.set(Icon, element)
  }
  return element
}
