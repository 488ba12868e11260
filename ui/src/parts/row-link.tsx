// A link in a row of a long list: a plain element that the router follows when it is pressed, so that thousands of rows
// scroll smoothly. The router's own links watch the address, each for itself.
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

export interface RowLinkProps {
  /** Path on this server, with its segments encoded. */
  readonly to: string
  readonly children: ReactNode
}

export function RowLink({ to, children }: RowLinkProps) {
  const router = useRouter()
  const follow = (event: MouseEvent) => {
    const isOther = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (isOther || event.defaultPrevented) return
    event.preventDefault()
    void router.navigate({ to: to as never })
  }
  return (
    <a href={to} onClick={follow}>
      {children}
    </a>
  )
}
