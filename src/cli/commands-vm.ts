// The commands for machines, of the command table.
import type { Argument, Command } from './command.ts'
import {
  ALL,
  command,
  IN_NAMESPACE,
  nameOfA,
  OUTPUT,
  SELECTOR,
  TIMEOUT,
  WAITING,
  YES,
} from './command-flags.ts'

const NAME: Argument = nameOfA('vm', 'Name of the machine.')

const RUN_STRATEGIES = ['Always', 'RerunOnFailure', 'Manual', 'Halted', 'Once'] as const

export const machineCommands: readonly Command[] = [
  command(
    'vm create',
    'Makes a machine from an image and waits until it runs.',
    async () => (await import('./vm-create.ts')).vmCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the machine; also its host name.' }],
      flags: [
        {
          name: 'image',
          type: 'text',
          value: 'IMAGE',
          doc: 'Image of its disk: a name, a display name or namespace/name; "demo" is built where it is not there.',
        },
        { name: 'cpus', type: 'number', value: 'N', doc: 'Processors; 1 without it.' },
        {
          name: 'memory',
          type: 'quantity',
          value: 'SIZE',
          doc: 'Memory; 1Gi without it (demo image: 256Mi).',
        },
        {
          name: 'disk',
          type: 'quantity',
          value: 'SIZE',
          doc: 'Size of the disk; 10Gi, or that of a larger image, without it (demo image: 1Gi).',
        },
        { name: 'replicas', type: 'number', value: 'N', doc: 'Copies of the disk on as many nodes.' },
        {
          name: 'network',
          type: 'text',
          value: 'NET',
          doc: 'Network it is connected to, NAME or namespace/NAME; the default network without it.',
        },
        {
          name: 'ssh-key',
          type: 'list',
          value: 'FILE',
          doc: 'Public key that may log in; may be given several times.',
        },
        {
          name: 'user-data',
          type: 'text',
          value: 'FILE',
          doc: 'cloud-init user data; "-" reads standard input.',
        },
        {
          name: 'run-strategy',
          type: 'text',
          choices: RUN_STRATEGIES,
          doc: 'When it runs; RerunOnFailure without it.',
        },
        { name: 'dry-run', type: 'switch', doc: 'Prints what would be made and makes nothing.' },
        OUTPUT,
        ...WAITING,
      ],
      examples: [
        'croft vm create web --image demo',
        'croft vm create db --image debian-12 --cpus 4 --memory 8Gi --disk 100Gi --ssh-key ~/.ssh/id_ed25519.pub',
      ],
    },
  ),
  command('vm list', 'The machines of a namespace.', async () => (await import('./vm-list.ts')).vmList, {
    flags: [OUTPUT, ALL, SELECTOR, ...IN_NAMESPACE],
    examples: [
      'croft vm list',
      'croft vm list -A -o wide',
      "croft vm list -o jsonpath='{.items[*].metadata.name}'",
    ],
  }),
  command('vm show', 'All about one machine.', async () => (await import('./vm-list.ts')).vmShow, {
    args: [NAME],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command(
    'vm start',
    'Starts a machine and waits until it runs.',
    async () => (await import('./vm-actions.ts')).vmStart,
    {
      args: [NAME],
      flags: WAITING,
    },
  ),
  command(
    'vm stop',
    'Shuts a machine down and waits until it is off.',
    async () => (await import('./vm-actions.ts')).vmStop,
    {
      args: [NAME],
      flags: [
        { name: 'force', type: 'switch', doc: 'Cuts the power instead of asking the guest.' },
        ...WAITING,
      ],
    },
  ),
  command(
    'vm restart',
    'Shuts a machine down and starts it again.',
    async () => (await import('./vm-actions.ts')).vmRestart,
    {
      args: [NAME],
      flags: [
        { name: 'force', type: 'switch', doc: 'Cuts the power instead of asking the guest.' },
        ...WAITING,
      ],
    },
  ),
  command(
    'vm pause',
    'Stops the processors of a machine.',
    async () => (await import('./vm-actions.ts')).vmPause,
    {
      args: [NAME],
      flags: WAITING,
    },
  ),
  command(
    'vm unpause',
    'Lets a paused machine go on.',
    async () => (await import('./vm-actions.ts')).vmUnpause,
    {
      args: [NAME],
      flags: WAITING,
    },
  ),
  command(
    'vm console',
    'The serial console of a machine, in this terminal. Ctrl-] leaves it.',
    async () => (await import('./vm-console.ts')).vmConsole,
    {
      args: [NAME],
      flags: [
        { name: 'until', type: 'text', value: 'TEXT', doc: 'Leaves once the guest has said this.' },
        { ...TIMEOUT, doc: 'How long --until waits, for instance 2m.' },
        ...IN_NAMESPACE,
      ],
      examples: [
        'croft vm console web',
        'croft vm console web --until "login:" --timeout 2m',
        'echo uptime | croft vm console web',
      ],
    },
  ),
  command(
    'vm ssh',
    'Logs in to a machine by ssh, through croft: the guest needs no address that is reached from here.',
    async () => (await import('./vm-ssh.ts')).vmSsh,
    {
      args: [
        nameOfA('vm', 'Name of the machine, or USER@NAME.'),
        {
          name: 'COMMAND',
          doc: 'What to run there; options of ssh may stand first.',
          optional: true,
          rest: true,
        },
      ],
      flags: [
        { name: 'user', short: 'l', type: 'text', value: 'USER', doc: 'User in the guest.' },
        { name: 'identity', short: 'i', type: 'text', value: 'FILE', doc: 'Private key to log in with.' },
        {
          name: 'port',
          short: 'p',
          type: 'number',
          value: 'PORT',
          doc: 'Port of ssh in the guest; 22 without it.',
        },
        ...IN_NAMESPACE,
      ],
      examples: ['croft vm ssh debian@web', 'croft vm ssh debian@web -- uptime'],
    },
  ),
  command(
    'vm reset',
    'Presses the reset button of a machine.',
    async () => (await import('./vm-actions.ts')).vmReset,
    {
      args: [NAME],
      flags: IN_NAMESPACE,
      examples: ['croft vm reset web'],
    },
  ),
  command(
    'vm set',
    'Changes processors, memory or run strategy of a machine.',
    async () => (await import('./vm-set.ts')).vmSet,
    {
      args: [NAME],
      flags: [
        { name: 'cpus', type: 'number', value: 'N', doc: 'Processors.' },
        { name: 'memory', type: 'quantity', value: 'SIZE', doc: 'Memory.' },
        { name: 'run-strategy', type: 'text', choices: RUN_STRATEGIES, doc: 'When it runs.' },
        ...IN_NAMESPACE,
      ],
      examples: ['croft vm set web --cpus 4 --memory 8Gi'],
    },
  ),
  command(
    'vm log',
    'What the guest said on its serial console.',
    async () => (await import('./vm-log.ts')).vmLog,
    {
      args: [NAME],
      flags: [
        { name: 'follow', short: 'f', type: 'switch', doc: 'Stays, and shows what comes; Ctrl-C leaves.' },
        { name: 'tail', type: 'number', value: 'LINES', doc: 'Only that many lines from the end.' },
        ...IN_NAMESPACE,
      ],
      examples: ['croft vm log web --tail 20', 'croft vm log web -f'],
    },
  ),
  command(
    'vm vnc',
    'The screen of a machine: starts a viewer where one is installed, else says where the screen is.',
    async () => (await import('./vm-forward.ts')).vmVnc,
    {
      args: [NAME],
      flags: [
        { name: 'port', type: 'number', value: 'PORT', doc: 'Port on this computer; a free one without it.' },
        { name: 'proxy-only', type: 'switch', doc: 'Starts no viewer.' },
        {
          name: 'screenshot',
          type: 'text',
          value: 'FILE',
          doc: 'Writes a picture of the screen (PNG), and ends.',
        },
        ...IN_NAMESPACE,
      ],
      examples: ['croft vm vnc web', 'croft vm vnc web --screenshot web.png'],
    },
  ),
  command(
    'vm forward',
    'Ports of this computer that lead into a machine, until Ctrl-C.',
    async () => (await import('./vm-forward.ts')).vmForward,
    {
      args: [NAME, { name: 'PORTS', doc: 'PORT, or HERE:THERE; several.', rest: true }],
      flags: [
        { name: 'address', type: 'text', value: 'ADDR', doc: 'Address to listen on; 127.0.0.1 without it.' },
        ...IN_NAMESPACE,
      ],
      examples: ['croft vm forward web 8080:80', 'croft vm forward db 5432 9187'],
    },
  ),
  command(
    'vm snapshot',
    'Keeps a machine with all its disks as it is now; it goes on running.',
    async () => (await import('./snapshot.ts')).vmSnapshot,
    {
      args: [
        NAME,
        { name: 'SNAPSHOT', doc: 'Name of the snapshot; one is made without it.', optional: true },
      ],
      flags: WAITING,
      examples: ['croft vm snapshot web', 'croft vm snapshot web before-upgrade'],
    },
  ),
  command(
    'vm restore',
    'Puts a machine back to a snapshot of it, while it is off.',
    async () => (await import('./snapshot.ts')).vmRestore,
    {
      args: [NAME, { name: 'SNAPSHOT', doc: 'Name of the snapshot.' }],
      flags: [
        { name: 'delete-old', type: 'switch', doc: 'Deletes the disks that the machine had before.' },
        YES,
        ...WAITING,
      ],
      examples: ['croft vm restore web before-upgrade'],
    },
  ),
  command(
    'vm delete',
    'Deletes a machine together with its disks.',
    async () => (await import('./vm-delete.ts')).vmDelete,
    {
      args: [NAME],
      flags: [
        { name: 'keep-disks', type: 'switch', doc: 'Keeps its disks.' },
        { name: 'force', type: 'switch', doc: 'Cuts the power instead of asking the guest.' },
        YES,
        ...WAITING,
      ],
    },
  ),
]
