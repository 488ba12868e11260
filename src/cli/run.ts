// The front of every command: finds it in the table, answers calls for help, runs it, and turns whatever it throws
// into words on standard error and an exit code.
import { languageFor } from '../words/say.ts'
import { problemOf } from './cli-error.ts'
import { type Command, EXIT, type Run, type World } from './command.ts'
import { helpText } from './help.ts'
import { parse } from './parse.ts'

export interface Front {
  readonly commands: readonly Command[]
  /** The code of a command that is a server's. */
  readonly server: (command: Command) => Promise<Run>
}

export async function runCommand(front: Front, argv: readonly string[], world: World): Promise<number> {
  try {
    return await answer(front, argv, world)
  } catch (error) {
    return report(error, argv, world)
  }
}

async function answer(front: Front, argv: readonly string[], world: World): Promise<number> {
  const { terminal } = world
  const [first] = argv
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    terminal.out(
      helpText(
        front.commands,
        argv.slice(1).filter((word) => !word.startsWith('-')),
      ),
    )
    return first === undefined ? EXIT.usage : EXIT.done
  }
  const words = first === '--version' ? ['version', ...argv.slice(1)] : argv
  const nouns = new Set(
    front.commands.filter(({ words: { length } }) => length > 1).map((one) => one.words[0]),
  )
  if (nouns.has(first) && (words[1] === '--help' || words[1] === '-h' || words[1] === 'help')) {
    terminal.out(helpText(front.commands, [first]))
    return EXIT.done
  }
  const { call, wantsHelp } = parse(front.commands, words)
  if (wantsHelp) {
    terminal.out(helpText(front.commands, call.command.words))
    return EXIT.done
  }
  const { load } = call.command
  const run = load === 'server' ? await front.server(call.command) : await load()
  return run(call, world)
}

function report(error: unknown, argv: readonly string[], { terminal, language }: World): number {
  const { what, why, next, code } = problemOf(error, language)
  const colours = terminal.noteIsTerminal && !terminal.env('NO_COLOR')
  const red = (text: string): string => (colours ? `\u001b[31m${text}\u001b[0m` : text)
  terminal.note(`${red('croft:')} ${what}\n`)
  if (why !== undefined && why !== what) terminal.note(`  why: ${why}\n`)
  if (next !== undefined) terminal.note(`  next: ${next}\n`)
  if (argv.includes('--debug') && error instanceof Error) terminal.note(`${error.stack ?? ''}\n`)
  return code
}

/** The language that the environment asks for, by the rules of gettext. */
export function languageOf(env: (name: string) => string | undefined): World['language'] {
  return languageFor(env('LC_ALL') || env('LC_MESSAGES') || env('LANG'))
}
