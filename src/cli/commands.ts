// The command table: parsing, help and completion are made from it. Code is loaded only for the command that runs.

import type { Argument, Command, Flag } from './command.ts'
import { clusterCommands, NODE_FLAGS } from './commands-cluster.ts'
import { DATA_FLAG, NAMESPACE_FLAG, SERVER_FLAGS } from './connect.ts'
import { FORMATS } from './output.ts'

const OUTPUT: Flag = {
  name: 'output',
  short: 'o',
  type: 'text',
  choices: FORMATS,
  doc: 'Form of what is printed; a table without it.',
}
const ALL: Flag = { name: 'all-namespaces', short: 'A', type: 'switch', doc: 'In all namespaces.' }
const NO_WAIT: Flag = { name: 'no-wait', type: 'switch', doc: 'Does not wait until it is done.' }
const TIMEOUT: Flag = {
  name: 'timeout',
  type: 'duration',
  value: 'TIME',
  doc: 'How long to wait, for instance 5m.',
}
const YES: Flag = { name: 'yes', type: 'switch', doc: 'Does not ask first.' }
const IN_NAMESPACE: readonly Flag[] = [NAMESPACE_FLAG, ...SERVER_FLAGS]
const WAITING: readonly Flag[] = [NO_WAIT, TIMEOUT, ...IN_NAMESPACE]
const NAME: Argument = { name: 'NAME', doc: 'Name of the machine.' }
const LISTEN: Flag = {
  name: 'listen',
  type: 'text',
  value: 'ADDR:PORT',
  doc: 'Where the API and the web page are served; 0.0.0.0:6443 without it. Port 0 takes a free one.',
}

interface More {
  readonly args?: readonly Argument[]
  readonly flags?: readonly Flag[]
  readonly examples?: readonly string[]
}

function command(words: string, doc: string, load: Command['load'], more: More = {}): Command {
  return { words: words.split(' '), doc, load, args: [], flags: [], examples: [], ...more }
}

const serverCommands: readonly Command[] = [
  command(
    'demo',
    'Starts croft on this computer and a small machine in it, and says how to reach both.',
    'server',
    {
      flags: [DATA_FLAG, LISTEN, TIMEOUT],
      examples: ['croft demo', 'croft demo --data /tmp/try --listen 127.0.0.1:7443'],
    },
  ),
  command(
    'up',
    'Starts croft on this computer: API, web page, controllers and the agent that runs machines.',
    'server',
    {
      flags: [
        DATA_FLAG,
        LISTEN,
        ...NODE_FLAGS,
        { name: 'detach', type: 'switch', doc: 'Starts in the background and returns once the API answers.' },
        { ...TIMEOUT, doc: 'How long --detach waits for the API, for instance 30s.' },
      ],
      examples: ['croft up', 'croft up --detach', 'croft up --data /srv/croft --listen 10.0.0.5:6443'],
    },
  ),
  command(
    'down',
    'Stops croft on this computer. Machines run on, and are taken over by the next "croft up".',
    'server',
    {
      flags: [
        DATA_FLAG,
        { name: 'machines', type: 'switch', doc: 'Shuts the machines down, too.' },
        { ...TIMEOUT, doc: 'How long guests get to shut down before their power is cut; 60s without it.' },
      ],
      examples: ['croft down', 'croft down --machines'],
    },
  ),
  command('install', 'Has systemd start croft at boot, and start it again should it ever end.', 'server', {
    flags: [DATA_FLAG, LISTEN],
    examples: ['croft install'],
  }),
  command('uninstall', 'Takes croft out of systemd. Data and running machines stay.', 'server', {
    examples: ['croft uninstall'],
  }),
]

const hostCommands: readonly Command[] = [
  command(
    'status',
    'Health of the cluster in one screen.',
    async () => (await import('./status.ts')).status,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command(
    'doctor',
    'What this computer lacks, why it is wanted and what to do.',
    async () => (await import('./doctor.ts')).doctor,
    {
      flags: [DATA_FLAG, LISTEN, OUTPUT],
    },
  ),
  command(
    'why',
    'Why something is not as it should be, and what to do.',
    async () => (await import('./why.ts')).why,
    {
      args: [{ name: 'KIND/NAME', doc: 'What is looked at, for instance vm/web or image/debian.' }],
      flags: [OUTPUT, ...IN_NAMESPACE],
      examples: ['croft why vm/web', 'croft why image/debian -n prod'],
    },
  ),
]

const machineCommands: readonly Command[] = [
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
          choices: ['Always', 'RerunOnFailure', 'Manual', 'Halted', 'Once'],
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
    flags: [OUTPUT, ALL, ...IN_NAMESPACE],
    examples: ['croft vm list', 'croft vm list -A -o wide'],
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
        { name: 'NAME', doc: 'Name of the machine, or USER@NAME.' },
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
    'vm delete',
    'Deletes a machine together with its disks.',
    async () => (await import('./vm-delete.ts')).vmDelete,
    {
      args: [NAME],
      flags: [{ name: 'keep-disks', type: 'switch', doc: 'Keeps its disks.' }, YES, ...WAITING],
    },
  ),
]

const otherCommands: readonly Command[] = [
  command(
    'image create',
    'Imports a disk image from a web address or a file, and waits until it is there.',
    async () => (await import('./image-create.ts')).imageCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the image.' }],
      flags: [
        { name: 'url', type: 'text', value: 'URL', doc: 'Address to download it from, http or https.' },
        { name: 'file', type: 'text', value: 'FILE', doc: 'File on this computer to upload.' },
        {
          name: 'checksum',
          type: 'text',
          value: 'SHA512',
          doc: 'SHA-512 that the file must have, in hexadecimal.',
        },
        { name: 'display-name', type: 'text', value: 'TEXT', doc: 'Name for people; NAME without it.' },
        OUTPUT,
        ...WAITING,
      ],
      examples: ['croft image create debian-12 --file debian-12.qcow2'],
    },
  ),
  command(
    'image list',
    'The images of a namespace.',
    async () => (await import('./image-list.ts')).imageList,
    {
      flags: [OUTPUT, ALL, ...IN_NAMESPACE],
    },
  ),
  command('image show', 'All about one image.', async () => (await import('./image-list.ts')).imageShow, {
    args: [{ name: 'NAME', doc: 'Name of the image.' }],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command('image delete', 'Deletes an image.', async () => (await import('./image-list.ts')).imageDelete, {
    args: [{ name: 'NAME', doc: 'Name of the image.' }],
    flags: [YES, ...WAITING],
  }),
  command(
    'volume list',
    'The volumes of the cluster.',
    async () => (await import('./volume.ts')).volumeList,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command('volume show', 'All about one volume.', async () => (await import('./volume.ts')).volumeShow, {
    args: [{ name: 'NAME', doc: 'Name of the volume, or of the claim that it belongs to.' }],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command('node list', 'The computers of the cluster.', async () => (await import('./node.ts')).nodeList, {
    flags: [OUTPUT, ...SERVER_FLAGS],
  }),
  command(
    'node show',
    'All about one computer of the cluster.',
    async () => (await import('./node.ts')).nodeShow,
    {
      args: [{ name: 'NAME', doc: 'Name of the node.' }],
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command(
    'user passwd',
    'Changes the password of a user; on a terminal it asks, else it reads the present and the new one as two lines.',
    async () => (await import('./user.ts')).userPasswd,
    {
      args: [{ name: 'NAME', doc: 'Name of the user; admin without it.', optional: true }],
      flags: SERVER_FLAGS,
    },
  ),
  command(
    'version',
    'The version of this program, and of the server where one answers.',
    async () => (await import('./version.ts')).version,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command('completion', 'Completion for a shell.', async () => (await import('./completion.ts')).completion, {
    args: [{ name: 'SHELL', doc: 'bash or zsh.' }],
    examples: ['source <(croft completion bash)'],
  }),
]

export const commands: readonly Command[] = [
  ...serverCommands,
  ...clusterCommands,
  ...hostCommands,
  ...machineCommands,
  ...otherCommands,
]
