// What the pane around a console and the console itself say to each other.
import type { RefObject } from 'react'
import type { Layout } from './layouts.ts'

/** `taken`: somebody else opened it. `ended`: the guest or the server closed it for good. */
export type ConsoleState = 'connecting' | 'connected' | 'lost' | 'taken' | 'ended'

export interface Controls {
  /** Sends a text as if it were typed on a keyboard that the guest takes for one of this layout. */
  type(text: string, layout: Layout): void
  ctrlAltDel?(): void
  /** Presses the keys together; codes as KeyboardEvent has them. */
  press?(codes: readonly string[]): void
}

export interface ConsoleProps {
  readonly namespace: string
  readonly name: string
  readonly label: string
  /** Whether the screen is scaled to the pane. */
  readonly fit: boolean
  readonly controls: RefObject<Controls | null>
  readonly onState: (state: ConsoleState) => void
}

/** The subprotocol of KubeVirt's streams. */
export const PROTOCOL = 'plain.kubevirt.io'
/** Close code of a console that somebody else has taken over. */
export const TAKEN = 4001
/** A console comes back this long after it was lost, then again and again. */
export const RETRY_MS = 1_500

export function streamUrl(kind: 'console' | 'vnc', namespace: string, name: string): string {
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/${kind}`
  return `wss://${location.host}${path}`
}
