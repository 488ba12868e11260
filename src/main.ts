// The entry of every croft process. It picks the real adapters, finds the command in the table and runs it. A server
// loads the whole house; a command for people loads only what it needs.
import { join } from 'node:path'
import { EXIT, type World } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { languageOf, runCommand } from './cli/run.ts'
import { realHost } from './host/real/index.ts'
import { realTerminal } from './host/real/terminal.ts'
import { CROFT_VERSION } from './serve/version.ts'

const terminal = realTerminal()
const world: World = {
  host: realHost({ log: { level: 'error' } }),
  terminal,
  language: languageOf(terminal.env),
  version: CROFT_VERSION,
  root: terminal.env('CROFT_ROOT') ?? join(import.meta.dirname, '..'),
  self: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
}
const server = async (command: (typeof commands)[number]) => {
  const { serverCommands } = await import('./serve/commands.ts')
  const run = serverCommands[command.words.join(' ')]
  if (!run) throw new Error(`no code for croft ${command.words.join(' ')}`)
  return run
}
terminal.onBug((error) => {
  terminal.note(`croft: a bug: ${error instanceof Error ? error.stack : String(error)}\n`)
  terminal.exit(EXIT.bug)
})
terminal.exit(await runCommand({ commands, server }, process.argv.slice(2), world))
