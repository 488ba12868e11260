// The commands for people and what they may do, for networks and settings, of the command table.
import type { Command, Flag } from './command.ts'
import {
  ALL,
  command,
  IN_NAMESPACE,
  NO_WAIT,
  nameOfA,
  OUTPUT,
  TIMEOUT,
  WAITING,
  YES,
} from './command-flags.ts'
import { SERVER_FLAGS } from './connect.ts'

const NODE = nameOfA('node', 'Name of the node.')
const NETWORK = nameOfA('network', 'Name of the network.')
const KEY = nameOfA('key', 'Name of the key.')
const PROJECT = nameOfA('project', 'Name of the project.')
const SETTING = nameOfA('setting', 'Name of the setting.')
const GROUP: Flag = { name: 'group', type: 'switch', doc: 'WHO is a group.' }
const LIMITS: readonly Flag[] = [
  { name: 'cpus', type: 'quantity', value: 'N', doc: 'Processors of all machines together.' },
  { name: 'memory', type: 'quantity', value: 'SIZE', doc: 'Memory of all machines together.' },
  { name: 'storage', type: 'quantity', value: 'SIZE', doc: 'Size of all volumes together.' },
]

export const accessCommands: readonly Command[] = [
  command('node list', 'The computers of the cluster.', async () => (await import('./node.ts')).nodeList, {
    flags: [OUTPUT, ...SERVER_FLAGS],
  }),
  command(
    'node show',
    'All about one computer of the cluster.',
    async () => (await import('./node.ts')).nodeShow,
    {
      args: [nameOfA('node', 'Name of the node.')],
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command(
    'node cordon',
    'Keeps new machines off a node; those that run there stay.',
    async () => (await import('./node.ts')).nodeCordon,
    { args: [NODE], flags: SERVER_FLAGS, examples: ['croft node cordon node2'] },
  ),
  command(
    'node uncordon',
    'Lets a node take machines again.',
    async () => (await import('./node.ts')).nodeUncordon,
    { args: [NODE], flags: SERVER_FLAGS, examples: ['croft node uncordon node2'] },
  ),
  command(
    'network list',
    'The networks that machines can be connected to beside the default one.',
    async () => (await import('./network.ts')).networkList,
    { flags: [OUTPUT, ALL, ...IN_NAMESPACE] },
  ),
  command('network show', 'All about one network.', async () => (await import('./network.ts')).networkShow, {
    args: [NETWORK],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command(
    'network delete',
    'Deletes a network that no machine uses.',
    async () => (await import('./network.ts')).networkDelete,
    { args: [NETWORK], flags: [YES, ...WAITING] },
  ),
  command('key list', 'Public SSH keys.', async () => (await import('./key.ts')).keyList, {
    flags: [OUTPUT, ALL, ...IN_NAMESPACE],
  }),
  command(
    'key add',
    'Keeps a public SSH key, to be put into machines.',
    async () => (await import('./key.ts')).keyAdd,
    {
      args: [{ name: 'NAME', doc: 'Name of the key.' }],
      flags: [{ name: 'file', type: 'text', value: 'FILE', doc: 'The public key.' }, ...IN_NAMESPACE],
      examples: ['croft key add laptop --file ~/.ssh/id_ed25519.pub'],
    },
  ),
  command('key show', 'All about one key.', async () => (await import('./key.ts')).keyShow, {
    args: [KEY],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command('key delete', 'Forgets a key.', async () => (await import('./key.ts')).keyDelete, {
    args: [KEY],
    flags: [YES, ...WAITING],
  }),
  command(
    'project list',
    'The projects (namespaces) that you may look into.',
    async () => (await import('./project.ts')).projectList,
    { flags: [OUTPUT, ...SERVER_FLAGS] },
  ),
  command(
    'project show',
    'State, limits and members of a project.',
    async () => (await import('./project.ts')).projectShow,
    { args: [PROJECT], flags: [OUTPUT, ...SERVER_FLAGS] },
  ),
  command(
    'project create',
    'Makes a project, with limits where they are given.',
    async () => (await import('./project.ts')).projectCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the project.' }],
      flags: [...LIMITS, ...SERVER_FLAGS],
      examples: ['croft project create shop --cpus 16 --memory 64Gi --storage 1Ti'],
    },
  ),
  command(
    'project quota',
    'Sets the limits of a project.',
    async () => (await import('./project.ts')).projectQuota,
    {
      args: [PROJECT],
      flags: [...LIMITS, ...SERVER_FLAGS],
      examples: ['croft project quota shop --cpus 32'],
    },
  ),
  command(
    'project grant',
    'Gives somebody a role in a project.',
    async () => (await import('./project.ts')).projectGrant,
    {
      args: [PROJECT, { name: 'WHO', doc: 'Name of a user, or of a group with --group.' }],
      flags: [
        {
          name: 'role',
          type: 'text',
          choices: ['view', 'edit', 'admin'],
          doc: 'What they may do; edit without it.',
        },
        GROUP,
        ...SERVER_FLAGS,
      ],
      examples: ['croft project grant shop jane --role edit'],
    },
  ),
  command(
    'project revoke',
    'Takes all roles in a project from somebody.',
    async () => (await import('./project.ts')).projectRevoke,
    {
      args: [PROJECT, { name: 'WHO', doc: 'Name of a user, or of a group with --group.' }],
      flags: [GROUP, ...SERVER_FLAGS],
    },
  ),
  command(
    'project delete',
    'Deletes a project with everything in it.',
    async () => (await import('./project.ts')).projectDelete,
    { args: [PROJECT], flags: [YES, NO_WAIT, TIMEOUT, ...SERVER_FLAGS] },
  ),
  command(
    'setting list',
    'The settings of the cluster.',
    async () => (await import('./setting.ts')).settingList,
    { flags: [OUTPUT, ...SERVER_FLAGS] },
  ),
  command(
    'setting show',
    'The value of a setting, and what it steers.',
    async () => (await import('./setting.ts')).settingShow,
    { args: [SETTING], flags: [OUTPUT, ...SERVER_FLAGS] },
  ),
  command('setting set', 'Changes a setting.', async () => (await import('./setting.ts')).settingSet, {
    args: [SETTING, { name: 'VALUE', doc: 'Its new value.' }],
    flags: SERVER_FLAGS,
    examples: ['croft setting set overcommit-config \'{"cpu":800,"memory":150,"storage":200}\''],
  }),
  command(
    'setting reset',
    'Gives a setting its default again.',
    async () => (await import('./setting.ts')).settingReset,
    { args: [SETTING], flags: SERVER_FLAGS },
  ),
  command(
    'user list',
    'Who can log in with a password.',
    async () => (await import('./user-admin.ts')).userList,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command(
    'user create',
    'Makes a user and prints the first password, which is to be changed at the first login.',
    async () => (await import('./user-admin.ts')).userCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the user.' }],
      flags: [
        { name: 'group', type: 'list', value: 'GROUP', doc: 'Group; may be given several times.' },
        { name: 'admin', type: 'switch', doc: 'May do everything.' },
        ...SERVER_FLAGS,
      ],
      examples: ['croft user create jane', 'croft user create root2 --admin'],
    },
  ),
  command(
    'user reset',
    'Gives a user a new first password, and prints it.',
    async () => (await import('./user-admin.ts')).userReset,
    { args: [{ name: 'NAME', doc: 'Name of the user.' }], flags: SERVER_FLAGS },
  ),
  command('user delete', 'Takes a user away.', async () => (await import('./user-admin.ts')).userDelete, {
    args: [{ name: 'NAME', doc: 'Name of the user.' }],
    flags: [YES, ...SERVER_FLAGS],
  }),
  command(
    'user passwd',
    'Changes the password of a user; on a terminal it asks, else it reads the present and the new one as two lines.',
    async () => (await import('./user.ts')).userPasswd,
    {
      args: [{ name: 'NAME', doc: 'Name of the user; admin without it.', optional: true }],
      flags: SERVER_FLAGS,
    },
  ),
]
