// Short messages about what the user did, shown at the corner of the page; refusals stay until they are dismissed.
import { useSyncExternalStore } from 'react'

export interface Message {
  readonly id: number
  readonly tone: 'ok' | 'bad' | 'busy'
  readonly text: string
  /** 0 to 1. */
  readonly progress?: number
}

const SHOW_MS = 6_000
let messages: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

export function tell(tone: Message['tone'], text: string): number {
  const id = nextId++
  set([...messages, { id, tone, text }])
  if (tone === 'ok') setTimeout(() => dismiss(id), SHOW_MS)
  return id
}

export function dismiss(id: number): void {
  set(messages.filter((message) => message.id !== id))
}

export function showProgress(id: number, progress: number): void {
  set(messages.map((message) => (message.id === id ? { ...message, progress } : message)))
}

export function useMessages(): readonly Message[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => messages,
  )
}
