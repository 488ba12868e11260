// After an engine that did not close its volume the members differ in its last writes. One is the authority; the
// others are made equal to it before they count, or are rebuilt.
import type { EqualiseStep } from './epoch/next-step.ts'
import type { Member } from './member.ts'

export interface Equal {
  readonly authority: string
  /** Those that are equal to it now. */
  readonly replicas: ReadonlySet<string>
}

export async function equalise(step: EqualiseStep, _members: readonly Member[]): Promise<Equal> {
  return { authority: step.authority, replicas: new Set() }
}
