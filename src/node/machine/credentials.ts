// Puts SSH keys and passwords into a guest by its agent, and takes back the keys that are no longer wished. What the
// guest's own people wrote stays: only what came from here is removed again.

import { ok, type Result } from '../../base/result.ts'
import { sha256Hex } from '../../base/sha256.ts'
import { toBase64 } from '../plan/base64.ts'
import type { GuestAgent } from './guest-agent.ts'

export interface WantedCredentials {
  /** Keys by user of the guest. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** Passwords by user of the guest. */
  readonly passwords: Readonly<Record<string, string>>
}

/** What the guest has from us; kept with the machine, so that our own restart changes no password. */
export interface GivenCredentials {
  readonly keys: Readonly<Record<string, readonly string[]>>
  /** Digests, by user. */
  readonly passwords: Readonly<Record<string, string>>
}

export const NOTHING_GIVEN: GivenCredentials = { keys: {}, passwords: {} }

/** `salt` is the machine's uid: equal passwords of two machines have different digests. */
function digest(salt: string, user: string, password: string): string {
  return sha256Hex(`${salt}/${user}/${password}`)
}

/** Failures are those of the agent; what was done before it is done again the next time without harm. */
export async function giveCredentials(
  agent: GuestAgent,
  wanted: WantedCredentials,
  given: GivenCredentials,
  salt: string,
): Promise<Result<GivenCredentials>> {
  for (const [username, keys] of Object.entries(wanted.keys)) {
    const before = given.keys[username] ?? []
    const fresh = keys.filter((key) => !before.includes(key))
    if (fresh.length === 0) continue
    const added = await agent.execute('guest-ssh-add-authorized-keys', { username, keys: fresh })
    if (!added.ok) return added
  }
  for (const [username, keys] of Object.entries(given.keys)) {
    const old = keys.filter((key) => !(wanted.keys[username] ?? []).includes(key))
    if (old.length === 0) continue
    const removed = await agent.execute('guest-ssh-remove-authorized-keys', { username, keys: old })
    if (!removed.ok) return removed
  }
  const passwords: Record<string, string> = {}
  for (const [username, password] of Object.entries(wanted.passwords)) {
    const sum = digest(salt, username, password)
    passwords[username] = sum
    if (given.passwords[username] === sum) continue
    const text = toBase64(new TextEncoder().encode(password))
    const set = await agent.execute('guest-set-user-password', { username, password: text, crypted: false })
    if (!set.ok) return set
  }
  return ok({ keys: wanted.keys, passwords })
}
