// People who log in with a password: one Secret `croft-user-NAME` of type `croft.io/user` in kube-system for each.
// What they may do says Kubernetes RBAC for their name and groups.
import type { UserInfo } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import type { Random } from '../../host/host.ts'
import type { Passwords } from '../../host/passwords.ts'
import {
  changeRecord,
  createRecord,
  listRecords,
  type RecordType,
  readRecord,
  type SecretRecord,
} from './secret-record.ts'

const USERS: RecordType = { type: 'croft.io/user', label: 'croft.io/user' }
const PREFIX = 'croft-user-'
/** Fits into the name of a Secret, and can never be one of the names that begin with `system:`. */
const USERNAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/
/** Rancher's and Harvester's own minimum. */
export const PASSWORD_MIN_LENGTH = 12
/** Longer ones only cost time. */
export const PASSWORD_MAX_LENGTH = 256
export const ADMIN_NAME = 'admin'
/** Whoever still has a password that others have seen is in this group and in no other but system:authenticated. */
export const MUST_CHANGE_GROUP = 'croft:password-must-be-changed'

export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly passwordHash: string
  readonly mustChangePassword: boolean
  /** Changes with the password; sessions of an older one are over. */
  readonly stamp: string
  readonly record: SecretRecord
}

function userOf(record: SecretRecord): User {
  const { fields } = record
  return {
    name: record.name.slice(PREFIX.length),
    groups: (fields['groups'] ?? '').split(',').filter((group) => group !== ''),
    passwordHash: fields['passwordHash'] ?? '',
    mustChangePassword: fields['mustChangePassword'] === 'true',
    stamp: fields['stamp'] ?? '',
    record,
  }
}

export function userInfoOf({ name, groups, mustChangePassword }: User): UserInfo {
  const own = mustChangePassword ? [MUST_CHANGE_GROUP] : groups
  return { username: name, groups: [...own, 'system:authenticated'] }
}

export async function readUser(client: Client, name: string): Promise<User | undefined> {
  if (!USERNAME.test(name)) return undefined
  const record = await readRecord(client, USERS, `${PREFIX}${name}`)
  return record && userOf(record)
}

export interface NewUser {
  readonly name: string
  readonly groups: readonly string[]
  readonly password: string
  readonly mustChangePassword: boolean
}

export interface UserParts {
  readonly client: Client
  readonly passwords: Passwords
  readonly random: Random
}

/** Throws 400 for a name or password that may not be. */
export async function createUser({ client, passwords, random }: UserParts, user: NewUser): Promise<void> {
  if (!USERNAME.test(user.name))
    throw refuse.badRequest(
      `"${user.name}" is no user name: lower-case letters, digits, "-" and ".", at most 63, with a letter or digit at both ends`,
    )
  if (user.groups.some((group) => group === '' || group.includes(',')))
    throw refuse.badRequest('a group may neither be empty nor contain a comma')
  await createRecord(client, USERS, `${PREFIX}${user.name}`, {
    groups: user.groups.join(','),
    passwordHash: await passwords.hash(user.password),
    mustChangePassword: String(user.mustChangePassword),
    stamp: random.uuid(),
  })
}

/** Gives the new stamp. */
export async function setPassword(parts: UserParts, user: User, password: string): Promise<string> {
  const stamp = parts.random.uuid()
  await changeRecord(parts.client, user.record, {
    passwordHash: await parts.passwords.hash(password),
    mustChangePassword: 'false',
    stamp,
  })
  return stamp
}

export function checkNewPassword(user: User, current: string, next: string): void {
  checkPassword(user.name, next)
  if (next === current) throw refuse.badRequest('the new password must differ from the present one')
}

function checkPassword(name: string, next: string): void {
  const length = [...next].length
  if (length < PASSWORD_MIN_LENGTH)
    throw refuse.badRequest(`the new password must have at least ${PASSWORD_MIN_LENGTH} characters`)
  if (length > PASSWORD_MAX_LENGTH)
    throw refuse.badRequest(`the new password may have at most ${PASSWORD_MAX_LENGTH} characters`)
  if (next.toLowerCase().includes(name.toLowerCase()))
    throw refuse.badRequest('the new password may not contain the name of the user')
}

/**
 * A user with a password that an administrator chose and that must be changed at the first login; for a user who
 * exists, a new password. True when the user is new.
 */
export async function provideUser(parts: UserParts, user: NewUser): Promise<boolean> {
  const known = await readUser(parts.client, user.name)
  checkPassword(user.name, user.password)
  if (!known) {
    await createUser(parts, user)
    return true
  }
  await changeRecord(parts.client, known.record, {
    groups: user.groups.join(','),
    passwordHash: await parts.passwords.hash(user.password),
    mustChangePassword: String(user.mustChangePassword),
    stamp: parts.random.uuid(),
  })
  return false
}

/**
 * The administrator, where there is no user at all: the password, to be shown once. It is kept only as a hash; when it
 * is lost, deleting the Secret `croft-user-admin` makes the next start give another.
 */
export async function createFirstUser(parts: UserParts): Promise<string | undefined> {
  const users = await listRecords(parts.client, USERS)
  if (users.length > 0) return undefined
  const password = readablePassword(parts.random)
  await createUser(parts, {
    name: ADMIN_NAME,
    groups: ['system:masters'],
    password,
    mustChangePassword: true,
  })
  return password
}

/** Signs that are not mistaken for each other. */
const SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Nearly 100 bits of chance in four groups of five. */
function readablePassword(random: Random): string {
  const signs = [...random.bytes(20)].map((byte) => SIGNS[byte % SIGNS.length]).join('')
  return signs.replace(/.{5}(?=.)/g, '$&-')
}
