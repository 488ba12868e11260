// The commands for more than one host, of the command table: joining, tokens, and clusters on one machine to try.
import type { Argument, Command, Flag } from './command.ts'
import { DATA_FLAG, SERVER_FLAGS } from './connect.ts'
import { FORMATS } from './output.ts'

const OUTPUT: Flag = {
  name: 'output',
  short: 'o',
  type: 'text',
  choices: FORMATS,
  doc: 'Form of what is printed; a table without it.',
}
const TIMEOUT: Flag = {
  name: 'timeout',
  type: 'duration',
  value: 'TIME',
  doc: 'How long to wait, for instance 5m.',
}
export const NODE_FLAGS: readonly Flag[] = [
  {
    name: 'node-name',
    type: 'text',
    value: 'NAME',
    doc: "Name of this host's node; the host's name without it.",
  },
  {
    name: 'node-ip',
    type: 'text',
    value: 'IP',
    doc: 'Address at which other hosts reach this one; wanted where it has several.',
  },
]

interface More {
  readonly args?: readonly Argument[]
  readonly flags?: readonly Flag[]
  readonly examples?: readonly string[]
}

function command(words: string, doc: string, more: More = {}): Command {
  return { words: words.split(' '), doc, load: 'server', args: [], flags: [], examples: [], ...more }
}

const SANDBOX_DATA: Flag = {
  name: 'data',
  type: 'text',
  value: 'DIR',
  doc: 'Folder of the sandbox; $CROFT_SANDBOX, or /var/lib/croft-sandbox, without it.',
}
const IN_SANDBOX: readonly Flag[] = [SANDBOX_DATA]
const CABLE: readonly Argument[] = [
  { name: 'A', doc: 'A node, or "all".' },
  { name: 'B', doc: 'Another, or "all".' },
]

const sandboxCommands: readonly Command[] = [
  command(
    'sandbox up',
    'Makes a cluster on this computer, of hosts in network namespaces; starts it again, too.',
    {
      flags: [
        {
          name: 'nodes',
          type: 'number',
          value: 'N',
          doc: 'How many hosts; 3 without it. The first is the server.',
        },
        ...IN_SANDBOX,
      ],
      examples: ['croft sandbox up --nodes 3', 'croft sandbox up --nodes 5 --data /srv/sandbox'],
    },
  ),
  command('sandbox status', 'Its hosts, and what is wrong on the cables between them.', {
    flags: [OUTPUT, ...IN_SANDBOX],
  }),
  command('sandbox cut', 'Cuts the cable between two hosts; every other one stays.', {
    args: CABLE,
    flags: [{ name: 'one-way', type: 'switch', doc: 'Only from A to B.' }, ...IN_SANDBOX],
    examples: ['croft sandbox cut node1 node3', 'croft sandbox cut node3 all --one-way'],
  }),
  command('sandbox heal', 'Makes a cable, or all of them, whole and quick again.', {
    args: CABLE.map((one) => ({ ...one, optional: true })),
    flags: IN_SANDBOX,
  }),
  command(
    'sandbox kill',
    'Cuts the power of a host: agent, machines and daemons die at once; its disks stay.',
    {
      args: [{ name: 'NODE', doc: 'Name of the node.' }],
      flags: IN_SANDBOX,
    },
  ),
  command('sandbox start', 'Switches a host on again.', {
    args: [{ name: 'NODE', doc: 'Name of the node.' }],
    flags: IN_SANDBOX,
  }),
  command('sandbox exec', 'Runs a program in the network of a host.', {
    args: [
      { name: 'NODE', doc: 'Name of the node.' },
      { name: 'COMMAND', doc: 'What to run, behind "--".', optional: true, rest: true },
    ],
    flags: IN_SANDBOX,
    examples: ['croft sandbox exec node2 -- ping -c 3 10.231.7.1'],
  }),
  command('sandbox down', 'Kills all its hosts and takes its network away. Disks stay without --delete.', {
    flags: [
      { name: 'delete', type: 'switch', doc: 'Deletes its folder with everything in it, too.' },
      ...IN_SANDBOX,
    ],
  }),
]

export const clusterCommands: readonly Command[] = [
  command('join', 'Makes this computer a node of a cluster, and runs its agent.', {
    args: [
      {
        name: 'SERVER',
        doc: 'Address of a server; not wanted once this computer has joined.',
        optional: true,
      },
    ],
    flags: [
      {
        name: 'token',
        type: 'text',
        value: 'TOKEN',
        doc: 'Token from "croft token create"; else $CROFT_TOKEN.',
      },
      { name: 'token-file', type: 'text', value: 'FILE', doc: 'File that holds the token.' },
      ...NODE_FLAGS,
      DATA_FLAG,
      { name: 'detach', type: 'switch', doc: 'Starts in the background and returns once the node is ready.' },
      { ...TIMEOUT, doc: 'How long --detach waits, for instance 2m.' },
    ],
    examples: [
      'croft join https://10.0.0.1:6443 --token croft.abcdef.0123456789abcdef.5f1c... --detach',
      'croft join --detach',
    ],
  }),
  command('token create', 'Makes a token by which hosts join; prints it.', {
    flags: [
      { name: 'ttl', type: 'duration', value: 'TIME', doc: 'How long it is good for; 24h without it.' },
      { name: 'description', type: 'text', value: 'TEXT', doc: 'What it is for.' },
      ...SERVER_FLAGS,
    ],
    examples: ['croft token create', 'croft token create --ttl 1h'],
  }),
  command('token list', 'The tokens by which hosts may join.', { flags: [OUTPUT, ...SERVER_FLAGS] }),
  command('token revoke', 'Takes a token back. Hosts that joined with it stay.', {
    args: [{ name: 'ID', doc: 'Its first part, or all of it.' }],
    flags: SERVER_FLAGS,
  }),
  ...sandboxCommands,
]
