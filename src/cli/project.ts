// Projects: namespaces with what may be used in them and who may do what.
import { isObject } from '../base/json.ts'
import { since } from '../kinds/cells.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { ResourceQuota } from '../kinds/core/resource-quota.ts'
import type { KindOf } from '../kinds/kind.ts'
import { RoleBinding } from '../kinds/kubernetes/rbac.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { usageError } from './cli-error.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { nameOf, printTable } from './output.ts'
import { removeOne } from './removal.ts'
import { notFoundNear, printList, printOne } from './show.ts'
import { isTaken } from './vm-create.ts'

const QUOTA = 'croft-project'
/** ClusterRoles of Kubernetes that croft's own kinds are part of. */
export const PROJECT_ROLES = ['view', 'edit', 'admin'] as const
/** Flags of a quota with the resource that each limits. */
const LIMITS = [
  ['cpus', 'limits.cpu'],
  ['memory', 'limits.memory'],
  ['storage', 'requests.storage'],
] as const

export const projectList: Run = async (call, world) => {
  const { client, ask } = await connect(call, world)
  // Who may not list namespaces still may look into some.
  const answer = await ask('GET', '/v1-croft/projects')
  const names = isObject(answer) ? (answer['names'] as readonly string[]) : []
  const machines = await client.list(VirtualMachine).then(
    ({ items }) => items,
    () => undefined,
  )
  const seen = await Promise.all(names.map((name) => client.get(Namespace, name)))
  const now = world.host.clock.now()
  return printList(call, world, {
    kind: Namespace,
    items: seen,
    fields: [
      { name: 'Name', value: ({ metadata }) => metadata.name },
      { name: 'State', value: ({ status }) => status?.phase },
      {
        name: 'Machines',
        value: ({ metadata }) =>
          machines?.filter((vm) => vm.metadata.namespace === metadata.name).length ?? '',
      },
      { name: 'Age', value: ({ metadata }) => since(metadata.creationTimestamp, now) },
    ],
  })
}

export const projectCreate: Run = async (call, world) => {
  const [name = ''] = call.args
  const { client } = await connect(call, world)
  const made = await client.create(Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  } as KindOf<typeof Namespace>)
  await writeQuota(call, client, name)
  world.terminal.out(`${nameOf(Namespace, made)} created\n`)
  world.terminal.note(`Let somebody in: croft project grant ${name} USER --role edit\n`)
  return EXIT.done
}

export const projectQuota: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Namespace, name)
  if (!(await writeQuota(call, connection.client, name)))
    throw usageError('Say what is limited: --cpus, --memory or --storage.')
  world.terminal.note(`The quota of ${name} is set.\n`)
  return EXIT.done
}

async function writeQuota(call: Call, client: Connection['client'], namespace: string): Promise<boolean> {
  const hard = Object.fromEntries(
    LIMITS.flatMap(([flag, resource]) => {
      const value = call.text(flag)
      return value === undefined ? [] : [[resource, value]]
    }),
  )
  if (Object.keys(hard).length === 0) return false
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: QUOTA, namespace },
    spec: { hard },
  } as KindOf<typeof ResourceQuota>
  try {
    await client.create(ResourceQuota, quota, { namespace })
  } catch (error) {
    if (!isTaken(error)) throw error
    await client.patch(ResourceQuota, QUOTA, { spec: { hard } }, { namespace })
  }
  return true
}

export const projectShow: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const project = await notFoundNear(world, connection, Namespace, name)
  if (call.text('output') !== undefined) return printOne(call, world, Namespace, project)
  world.terminal.out(await describe(world, connection, project))
  return EXIT.done
}

async function describe(
  { host, terminal }: World,
  { client }: Connection,
  project: KindOf<typeof Namespace>,
): Promise<string> {
  const { name = '' } = project.metadata
  const [quotas, bindings] = await Promise.all([
    client.list(ResourceQuota, { namespace: name }),
    client.list(RoleBinding, { namespace: name }),
  ])
  const limits = quotas.items.flatMap(({ spec, status }) =>
    Object.entries(spec?.hard ?? {}).map(([resource, hard]) => [
      resource,
      String(status?.used?.[resource] ?? 0),
      String(hard),
    ]),
  )
  const members = bindings.items.flatMap(({ roleRef, subjects = [] }) =>
    subjects.map(({ name: who = '', kind = '' }) => [who, kind, roleRef?.name ?? '']),
  )
  return [
    `Name:   ${name}\n`,
    `State:  ${project.status?.phase ?? ''}\n`,
    `Age:    ${since(project.metadata.creationTimestamp, host.clock.now())}\n`,
    limits.length === 0
      ? ''
      : `\n${printTable(['LIMIT OF', 'USED', 'MOST'], limits, terminal.outIsTerminal)}`,
    members.length === 0 ? '' : `\n${printTable(['WHO', 'KIND', 'ROLE'], members, terminal.outIsTerminal)}`,
  ].join('')
}

export const projectDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  return removeOne(call, world, connection, {
    kind: Namespace,
    name,
    question: `Delete project "${name}" with all machines, disks and images in it?`,
  })
}

/** One binding for each role, whose subjects are those who have it by this command. */
const bindingName = (role: string): string => `croft-${role}`

export const projectGrant: Run = async (call, world) => {
  const [project = '', who = ''] = call.args
  const role = call.text('role') ?? 'edit'
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Namespace, project)
  const { client } = connection
  const subject = subjectOf(call, who)
  const present = await bindingOf(connection, project, role)
  if (!present)
    await client.create(
      RoleBinding,
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: bindingName(role), namespace: project },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [subject],
      } as KindOf<typeof RoleBinding>,
      { namespace: project },
    )
  else if (!present.subjects?.some(({ kind, name }) => kind === subject.kind && name === who))
    await writeSubjects(connection, present, [...(present.subjects ?? []), subject])
  world.terminal.note(`${who} has the role ${role} in ${project}.\n`)
  return EXIT.done
}

export const projectRevoke: Run = async (call, world) => {
  const [project = '', who = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Namespace, project)
  const { kind } = subjectOf(call, who)
  const { items } = await connection.client.list(RoleBinding, { namespace: project })
  const held = items.filter(({ subjects }) => subjects?.some((one) => one.kind === kind && one.name === who))
  for (const binding of held) {
    const left = (binding.subjects ?? []).filter((one) => one.kind !== kind || one.name !== who)
    if (left.length > 0) await writeSubjects(connection, binding, left)
    else await connection.client.delete(RoleBinding, binding.metadata.name ?? '', { namespace: project })
  }
  world.terminal.note(
    held.length === 0
      ? `${who} had no role in ${project}.\n`
      : `${who} has no role in ${project} any more.\n`,
  )
  return EXIT.done
}

function subjectOf(call: Call, name: string) {
  const kind = call.on('group') ? 'Group' : 'User'
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name }
}

async function bindingOf({ client }: Connection, namespace: string, role: string) {
  const { items } = await client.list(RoleBinding, {
    namespace,
    fieldSelector: `metadata.name=${bindingName(role)}`,
  })
  return items[0]
}

async function writeSubjects(
  { client }: Connection,
  { metadata }: KindOf<typeof RoleBinding>,
  subjects: readonly object[],
): Promise<void> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const seen = resourceVersion === undefined ? {} : { resourceVersion }
  await client.patch(RoleBinding, name, { metadata: seen, subjects: subjects as never }, { namespace })
}
