// Short messages about what the user did, shown at the corner of the page; refusals stay until they are dismissed.
import { useSyncExternalStore } from 'react'

export interface Message {
  readonly id: number
  readonly tone: 'ok' | 'bad' | 'busy'
  readonly text: string
  /** 0 to 1. */
  readonly progress?: number
  readonly atMs: number
}

const SHOW_MS = 6_000
/** Kept for looking back, also after they have gone from the corner. */
const HISTORY_MAX = 50
let messages: readonly Message[] = []
let history: readonly Message[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

export function tell(tone: Message['tone'], text: string): number {
  const id = nextId++
  const message = { id, tone, text, atMs: Date.now() }
  history = [...history, message].slice(-HISTORY_MAX)
  set([...messages, message])
  if (tone === 'ok') setTimeout(() => dismiss(id), SHOW_MS)
  return id
}

export function dismiss(id: number): void {
  set(messages.filter((message) => message.id !== id))
}

export function showProgress(id: number, progress: number): void {
  set(messages.map((message) => (message.id === id ? { ...message, progress } : message)))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useMessages(): readonly Message[] {
  return useSyncExternalStore(subscribe, () => messages)
}

/** All that was told since the page was opened, the oldest first. */
export function useHistory(): readonly Message[] {
  return useSyncExternalStore(subscribe, () => history)
}
