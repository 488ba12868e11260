// People who log in with a password: list, make, take away.
import { since } from '../kinds/cells.ts'
import { Secret } from '../kinds/core/secret.ts'
import type { KindOf } from '../kinds/kind.ts'
import { ClusterRoleBinding } from '../kinds/kubernetes/rbac.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { isDataFormat, printData, printTable } from './output.ts'
import { confirm, shownOf } from './show.ts'
import { isTaken } from './vm-create.ts'

/** Where croft keeps them, one Secret each. */
const NAMESPACE = 'kube-system'
const PREFIX = 'croft-user-'
const LABEL = 'croft.io/user'
/** Without letters that look like others. */
const PASSWORD_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const PASSWORD_LENGTH = 20

export const userList: Run = async (call, world) => {
  const { client } = await connect(call, world)
  const { items } = await client.list(Secret, { namespace: NAMESPACE, labelSelector: LABEL })
  const now = world.host.clock.now()
  const users = items.map((secret) => {
    const field = (name: string): string => fromBase64(String(secret.data?.[name] ?? ''))
    return {
      name: (secret.metadata.name ?? '').slice(PREFIX.length),
      groups: field('groups').split(',').filter(Boolean),
      mustChangePassword: field('mustChangePassword') === 'true',
      since: secret.metadata.creationTimestamp,
    }
  })
  const { format, forEyes } = shownOf(call, world)
  if (isDataFormat(format)) world.terminal.out(printData(users, format))
  else if (format === 'name') world.terminal.out(users.map(({ name }) => `user/${name}\n`).join(''))
  else
    world.terminal.out(
      printTable(
        ['NAME', 'GROUPS', 'PASSWORD', 'AGE'],
        users.map((user) => [
          user.name,
          user.groups.join(', '),
          user.mustChangePassword ? 'to be changed' : 'own',
          since(user.since, now),
        ]),
        forEyes || format === 'table',
      ),
    )
  return EXIT.done
}

function fromBase64(text: string): string {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}

export const userCreate: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { items } = await connection.client.list(Secret, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${PREFIX}${name}`,
  })
  if (items.length > 0)
    throw new CliError({
      what: `There is a user "${name}" already.`,
      next: `A new password: croft user reset ${name}`,
      code: EXIT.conflict,
      reason: 'AlreadyExists',
    })
  const password = newPassword(world)
  await provide(connection, name, password, call.list('group'))
  if (call.on('admin')) await makeAdmin(connection, name)
  tell(world, name, password)
  return EXIT.done
}

export const userReset: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const secret = await connection.client.get(Secret, `${PREFIX}${name}`, { namespace: NAMESPACE })
  const groups = fromBase64(String(secret.data?.['groups'] ?? ''))
  const password = newPassword(world)
  await provide(connection, name, password, groups.split(',').filter(Boolean))
  tell(world, name, password)
  return EXIT.done
}

type Connected = Awaited<ReturnType<typeof connect>>

async function provide(
  { ask }: Connected,
  name: string,
  password: string,
  groups: readonly string[],
): Promise<void> {
  await ask('PUT', `/v1-croft/users/${encodeURIComponent(name)}`, { password, groups })
}

async function makeAdmin({ client }: Connected, name: string): Promise<void> {
  try {
    await client.create(ClusterRoleBinding, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `croft-admin-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    } as KindOf<typeof ClusterRoleBinding>)
  } catch (error) {
    if (!isTaken(error)) throw error
  }
}

function newPassword({ host }: World): string {
  const letters = [...host.random.bytes(PASSWORD_LENGTH)].map(
    (byte) => PASSWORD_LETTERS[byte % PASSWORD_LETTERS.length],
  )
  return letters.join('').replace(/(.{5})(?=.)/g, '$1-')
}

function tell({ terminal }: World, name: string, password: string): void {
  terminal.out(`${password}\n`)
  terminal.note(`This is the first password of ${name}; it is asked to be changed at the first login.\n`)
}

export const userDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const { client } = await connect(call, world)
  await client.get(Secret, `${PREFIX}${name}`, { namespace: NAMESPACE })
  if (!(await confirm(call, world, `Delete user "${name}"?`))) {
    world.terminal.note('Nothing was deleted.\n')
    return EXIT.failed
  }
  await client.delete(Secret, `${PREFIX}${name}`, { namespace: NAMESPACE })
  const { items } = await client.list(ClusterRoleBinding, {
    fieldSelector: `metadata.name=croft-admin-${name}`,
  })
  if (items.length > 0) await client.delete(ClusterRoleBinding, `croft-admin-${name}`)
  world.terminal.note(`User ${name} deleted. What it was granted in projects stays: croft project revoke\n`)
  return EXIT.done
}
