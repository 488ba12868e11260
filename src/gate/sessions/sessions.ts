// Logins: a session is a random token of which only the hash is kept, as a Secret in kube-system, so that it survives a
// restart and is valid on every server. It ends with its time, with a logout, and with the password it was opened by.
import { Buffer } from 'node:buffer'
import type { UserInfo } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import { sha256Hex } from '../../base/sha256.ts'
import { formatTime, parseTime } from '../../base/time.ts'
import type { HttpRequest } from '../../host/host.ts'
import { type GateDeps, gateClient } from '../ask.ts'
import { createAttempts } from './attempts.ts'
import { needsSameOrigin, requireSameOrigin } from './same-origin.ts'
import {
  changeRecord,
  createRecord,
  listRecords,
  type RecordType,
  readRecord,
  removeRecord,
  type SecretRecord,
} from './secret-record.ts'
import { checkNewPassword, createFirstUser, readUser, setPassword, type User, userInfoOf } from './users.ts'

export const COOKIE = 'R_SESS'
/** A working day and a half, as Rancher has it. */
export const SESSION_MS = 16 * 3_600_000
/** A token for programs may be asked for longer. */
export const SESSION_MAX_MS = 90 * 24 * 3_600_000
/** Of one person; the oldest go first. */
const SESSIONS_PER_USER = 100
const TOKEN_BYTES = 32
const TOKEN_PREFIX = 'croft-'
const SESSIONS: RecordType = { type: 'croft.io/session', label: 'croft.io/session' }
const NAME_PREFIX = 'croft-session-'
/** A guess at a user that does not exist takes as long as any other. */
const NOBODY_HASH = 'scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

export interface Session {
  readonly user: User
  readonly expiresMs: number
  readonly record: SecretRecord
}

export interface Login {
  readonly token: string
  /** Short name of the session, no secret. */
  readonly id: string
  readonly user: User
  readonly expiresMs: number
}

export interface LoginWish {
  readonly username: string
  readonly password: string
  readonly ttlMs: number
  readonly description: string
}

export interface Sessions {
  /** The password of the first user, where there was none yet: to be shown once. */
  ensureFirstUser(): Promise<string | undefined>
  /** Throws 401 for a wrong name or password, 429 after too many. */
  login(request: HttpRequest, wish: LoginWish): Promise<Login>
  logout(token: string): Promise<void>
  /** Every other session of this user is over. Throws 401 where the present password is wrong. */
  changePassword(request: HttpRequest, session: Session, current: string, next: string): Promise<void>
  find(token: string): Promise<Session | undefined>
  /** For ApiDeps: who a cookie belongs to. Throws 401 for a session that is over, 403 for a foreign page. */
  sessionUser(request: HttpRequest): Promise<UserInfo | undefined>
  /** For ApiDeps: who a bearer token belongs to. */
  sessionToken(token: string): Promise<UserInfo | undefined>
}

export function createSessions(deps: GateDeps): Sessions {
  const { clock, random } = deps.host
  const client = gateClient(deps)
  const parts = { client, passwords: deps.passwords, random }
  const attempts = createAttempts(clock)

  const check = async (username: string, password: string): Promise<User | undefined> => {
    const user = await readUser(client, username)
    const right = await deps.passwords.verify(password, user?.passwordHash ?? NOBODY_HASH)
    return right ? user : undefined
  }
  const find = async (token: string): Promise<Session | undefined> => {
    const record = await readRecord(client, SESSIONS, nameOf(token))
    const session = record?.fields['hash'] === sha256Hex(token) ? await sessionOf(record) : undefined
    return session
  }
  const sessionOf = async (record: SecretRecord): Promise<Session | undefined> => {
    const expiresMs = parseTime(record.fields['expires'] ?? '') ?? 0
    if (expiresMs <= clock.now()) return undefined
    const user = await readUser(client, record.fields['user'] ?? '')
    return user && user.stamp === record.fields['stamp'] ? { user, expiresMs, record } : undefined
  }

  return {
    ensureFirstUser: () => createFirstUser(parts),
    find,
    async login({ peer }, { username, password, ttlMs, description }) {
      const name = username.trim().toLowerCase()
      const user = await attempts.guarded(peer.address, name, () => check(name, password))
      if (!user) {
        deps.host.log.warn('a login was refused', { user: name, address: peer.address })
        throw refuse.unauthorized('the user name or the password is wrong')
      }
      await prune(deps, user.name)
      const token = `${TOKEN_PREFIX}${Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')}`
      const expiresMs = clock.now() + ttlMs
      await createRecord(client, SESSIONS, nameOf(token), {
        hash: sha256Hex(token),
        user: user.name,
        stamp: user.stamp,
        created: formatTime(clock.now()),
        expires: formatTime(expiresMs),
        description,
      })
      return { token, id: idOf(token), user, expiresMs }
    },
    async logout(token) {
      if (await find(token)) await removeRecord(client, nameOf(token))
    },
    async changePassword({ peer }, { user, record }, current, next) {
      const right = await attempts.guarded(peer.address, user.name, () => check(user.name, current))
      if (!right) throw refuse.badRequest('the present password is wrong')
      checkNewPassword(user, current, next)
      const stamp = await setPassword(parts, right, next)
      await changeRecord(client, record, { stamp })
    },
    async sessionUser(request) {
      const token = cookieToken(request)
      if (token === undefined) return undefined
      const session = await find(token)
      if (!session) {
        if (isOpenToAll(request)) return undefined
        throw refuse.unauthorized()
      }
      if (needsSameOrigin(request)) requireSameOrigin(request)
      if (session.user.mustChangePassword && isForOthers(request))
        throw refuse.forbiddenPath('the password must be changed first: POST /v1-croft/password')
      return userInfoOf(session.user)
    },
    async sessionToken(token) {
      if (!token.startsWith(TOKEN_PREFIX)) return undefined
      const session = await find(token)
      return session && userInfoOf(session.user)
    },
  }
}

function nameOf(token: string): string {
  return `${NAME_PREFIX}${sha256Hex(token).slice(0, 40)}`
}

function idOf(token: string): string {
  return `token-${sha256Hex(token).slice(0, 5)}`
}

/** Sessions that are over leave with the next login; so do the oldest of somebody who never logs out. */
async function prune(deps: GateDeps, username: string): Promise<void> {
  const client = gateClient(deps)
  const now = deps.host.clock.now()
  const all = await listRecords(client, SESSIONS)
  const over = all.filter(({ fields }) => (parseTime(fields['expires'] ?? '') ?? 0) <= now)
  const own = all
    .filter((record) => record.fields['user'] === username && !over.includes(record))
    .sort((a, b) => (a.fields['created'] ?? '').localeCompare(b.fields['created'] ?? ''))
  const tooMany = own.slice(0, Math.max(0, own.length - SESSIONS_PER_USER + 1))
  for (const { name } of [...over, ...tooMany]) await removeRecord(client, name)
}

export function cookieToken({ headers }: HttpRequest): string | undefined {
  for (const part of (headers['cookie'] ?? '').split(';')) {
    const [name = '', ...value] = part.trim().split('=')
    if (name === COOKIE) return value.join('=')
  }
  return undefined
}

export function bearerToken({ headers }: HttpRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
}

/** Everything but what is needed to change the password. */
function isForOthers({ url }: HttpRequest): boolean {
  return /^\/(api|apis|v1)(\/|\?|$)/.test(url)
}

/** A cookie that is over must not keep anybody from the login page. */
const KNOWN_USERS_ONLY = /^\/(api|apis|openapi|version|metrics|v1|v3|v1-croft)(\/|\?|$)/
const OPEN = /^\/v1-croft\/(login|session)(\?|$)/

function isOpenToAll({ url }: HttpRequest): boolean {
  return !KNOWN_USERS_ONLY.test(url) || OPEN.test(url)
}
