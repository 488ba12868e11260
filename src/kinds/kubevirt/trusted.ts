// Who may do what people may not: change a running instance, or write the labels that say where it runs.
import type { UserInfo } from '../../base/call.ts'

/** Croft's own deciders, and agents speaking for their node. */
const TRUSTED: readonly string[] = [
  'system:croft:',
  'system:node:',
  'system:kube-controller-manager',
  'system:apiserver',
  // Croft itself in one process with its API; people come with a certificate or token of another name.
  'system:admin',
]

export function isTrusted(user: UserInfo): boolean {
  return TRUSTED.some((name) =>
    name.endsWith(':') ? user.username.startsWith(name) : user.username === name,
  )
}
