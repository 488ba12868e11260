// Help, made from the command table: the list of all commands, the verbs of a noun, one command whole.
import { usageError } from './cli-error.ts'
import type { Command, Flag } from './command.ts'
import { nearest } from './nearest.ts'
import { COMMON_FLAGS } from './parse.ts'

/** `words` is what stands behind `croft help`. */
export function helpText(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return overview(commands)
  const exact = commands.find((command) => command.words.join(' ') === words.join(' '))
  if (exact) return commandHelp(exact)
  const verbs = commands.filter(({ words: [noun] }) => noun === words[0])
  if (words.length === 1 && verbs.length > 0) return nounHelp(words[0]!, verbs)
  const near = nearest(
    words.join(' '),
    commands.map((command) => command.words.join(' ')),
  )
  throw usageError(
    `There is no command "${words.join(' ')}".`,
    near === undefined ? 'croft help' : `Did you mean "croft help ${near}"?`,
  )
}

export function usageLine(command: Command): string {
  const args = command.args.map(({ name, optional, rest }) => {
    const shown = rest ? `${name}...` : name
    return optional ? `[${shown}]` : shown
  })
  const flags = command.flags.length === 0 ? [] : ['[OPTIONS]']
  return ['croft', ...command.words, ...args, ...flags].join(' ')
}

function overview(commands: readonly Command[]): string {
  const nouns = [...new Set(commands.filter(({ hidden }) => hidden !== true).map(({ words }) => words[0]!))]
  const rows = nouns.map((noun): readonly [string, string] => {
    const of = commands.filter(({ words }) => words[0] === noun)
    const [only] = of
    if (of.length === 1 && only) return [only.words.join(' '), only.doc]
    return [noun, of.flatMap(({ words }) => words.slice(1, 2)).join(', ')]
  })
  return [
    'Croft runs virtual machines on this computer and others, with the API of Kubernetes.',
    '',
    'First steps:',
    ...aligned([
      ['croft demo', 'Starts everything and a small machine to play with.'],
      ['croft up --detach', 'Starts croft on this computer, in the background.'],
      ['croft vm create web --image demo', 'Makes a machine and waits until it runs.'],
    ]),
    '',
    'Commands:',
    ...aligned(rows),
    '',
    '"croft help COMMAND" says more, "croft help vm create" all about one command.',
    '',
  ].join('\n')
}

function nounHelp(noun: string, verbs: readonly Command[]): string {
  const [only] = verbs
  if (verbs.length === 1 && only) return commandHelp(only)
  return [
    `Usage: croft ${noun} COMMAND`,
    '',
    ...aligned(verbs.map(({ words, doc }) => [words.slice(1).join(' ') || noun, doc])),
    '',
    `"croft help ${noun} COMMAND" says more.`,
    '',
  ].join('\n')
}

function commandHelp(command: Command): string {
  const sections = [
    [`Usage: ${usageLine(command)}`, '', command.doc],
    command.args.length === 0
      ? []
      : ['', 'Arguments:', ...aligned(command.args.map(({ name, doc }) => [name, doc]))],
    [
      '',
      'Options:',
      ...aligned([...command.flags, ...COMMON_FLAGS].map((flag) => [flagText(flag), flag.doc])),
    ],
    command.examples.length === 0 ? [] : ['', 'Examples:', ...command.examples.map((text) => `  ${text}`)],
  ]
  return [...sections.flat(), ''].join('\n')
}

function flagText({ name, short, type, value, choices }: Flag): string {
  const shown = value ?? choices?.join('|') ?? 'VALUE'
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'switch' ? '' : ` ${shown}`}`
}

function aligned(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
