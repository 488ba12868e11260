// Who is logged in.
import { call } from './api.ts'

export interface Session {
  readonly username: string
  readonly groups: readonly string[]
  readonly mustChangePassword: boolean
}

/** The cookie itself is out of reach of pages; this mark says that there may be one. */
const MARK = 'croft.loggedIn'

export function mayHaveSession(): boolean {
  return localStorage.getItem(MARK) !== null
}

/** Undefined where nobody has logged in here, without asking: a refusal would stand in the browser's log as an error. */
export async function readSession(): Promise<Session | undefined> {
  if (!mayHaveSession()) return undefined
  return call<Session>('/v1-croft/session', { isLogin: true })
}

export async function logIn(username: string, password: string): Promise<Session> {
  const session = await call<Session>('/v1-croft/login', {
    method: 'POST',
    body: { username, password },
    isLogin: true,
  })
  localStorage.setItem(MARK, session.username)
  return session
}

export async function logOut(): Promise<void> {
  await call('/v1-croft/logout', { method: 'POST', isLogin: true })
  localStorage.removeItem(MARK)
}

export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await call('/v1-croft/password', { method: 'POST', body: { currentPassword, newPassword }, isLogin: true })
}
