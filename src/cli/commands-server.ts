// The commands about this computer and the whole cluster, of the command table.
import type { Command, Flag } from './command.ts'
import { ALL, command, IN_NAMESPACE, OUTPUT, TIMEOUT } from './command-flags.ts'
import { NODE_FLAGS } from './commands-cluster.ts'
import { DATA_FLAG, SERVER_FLAGS } from './connect.ts'

const LISTEN: Flag = {
  name: 'listen',
  type: 'text',
  value: 'ADDR:PORT',
  doc: 'Where the API and the web page are served; 0.0.0.0:6443 without it. Port 0 takes a free one.',
}

export const serverCommands: readonly Command[] = [
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

export const hostCommands: readonly Command[] = [
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
    'top',
    'What nodes and machines use now; full screen on a terminal, with keys.',
    async () => (await import('./top.ts')).top,
    {
      flags: [
        ALL,
        {
          name: 'sort',
          type: 'text',
          choices: ['cpu', 'memory', 'network', 'disk', 'name'],
          doc: 'Order of the machines; cpu without it.',
        },
        { name: 'once', type: 'switch', doc: 'Prints once, also on a terminal.' },
        OUTPUT,
        ...IN_NAMESPACE,
      ],
      examples: ['croft top -A', 'croft top --once --sort memory', 'croft top -o json'],
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
