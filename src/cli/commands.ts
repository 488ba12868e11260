// The command table: parsing, help and completion are made from it. Code is loaded only for the command that runs.

import type { Command } from './command.ts'
import { command, IN_NAMESPACE, OUTPUT } from './command-flags.ts'
import { accessCommands } from './commands-access.ts'
import { clusterCommands } from './commands-cluster.ts'
import { hostCommands, serverCommands } from './commands-server.ts'
import { storageCommands } from './commands-storage.ts'
import { machineCommands } from './commands-vm.ts'
import { SERVER_FLAGS } from './connect.ts'

const ownCommands: readonly Command[] = [
  command(
    'version',
    'The version of this program, and of the server where one answers.',
    async () => (await import('./version.ts')).version,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command('completion', 'Completion for a shell.', async () => (await import('./completion.ts')).completion, {
    args: [{ name: 'SHELL', doc: 'bash, zsh or fish.' }],
    examples: ['source <(croft completion bash)', 'croft completion fish'],
  }),
  {
    ...command(
      'complete-names',
      'Names for a shell to offer.',
      async () => (await import('./completion-names.ts')).completionNames,
      {
        args: [
          { name: 'NOUN', doc: 'What is named.' },
          { name: 'WORDS', doc: 'The line so far.', optional: true, rest: true },
        ],
        flags: IN_NAMESPACE,
      },
    ),
    hidden: true,
  },
]

export const commands: readonly Command[] = [
  ...serverCommands,
  ...clusterCommands,
  ...hostCommands,
  ...machineCommands,
  ...storageCommands,
  ...accessCommands,
  ...ownCommands,
]
