// Words of the command line to a call of a command, by the command table alone. Pure.
import { parseDuration } from '../base/duration.ts'
import { parseQuantity } from '../base/quantity.ts'
import { usageError } from './cli-error.ts'
import type { Call, Command, Flag } from './command.ts'
import { nearest } from './nearest.ts'

export interface Parsed {
  readonly call: Call
  readonly wantsHelp: boolean
}

type Values = ReadonlyMap<string, readonly string[]>

/** Flags that every command understands. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: 'help', short: 'h', type: 'switch', doc: 'Shows this help.' },
  { name: 'debug', type: 'switch', doc: 'Shows where an error comes from.' },
]

/** Throws a usage error (exit code 2) with the nearest name where one is near. */
export function parse(commands: readonly Command[], argv: readonly string[]): Parsed {
  const { command, rest } = findCommand(commands, argv)
  const flags = [...command.flags, ...COMMON_FLAGS]
  const { values, args } = readWords(command, flags, rest)
  const wantsHelp = values.has('help')
  if (!wantsHelp) checkArguments(command, args)
  return { call: callOf(command, args, values, flags), wantsHelp }
}

/** The command whose words stand first; flags before a noun are not understood. */
function findCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const fits = commands.filter((command) => command.words.every((word, index) => argv[index] === word))
  const best = fits.toSorted((a, b) => b.words.length - a.words.length)[0]
  if (best) return { command: best, rest: argv.slice(best.words.length) }
  throw unknownCommand(commands, argv)
}

function unknownCommand(commands: readonly Command[], argv: readonly string[]): Error {
  const [noun = '', verb] = argv
  const verbs = commands.filter(({ words }) => words[0] === noun && words.length > 1)
  if (verbs.length > 0) {
    const names = verbs.map(({ words }) => words[1]!)
    if (verb === undefined || verb.startsWith('-'))
      return usageError(
        `"croft ${noun}" wants to be told what to do: ${names.join(', ')}.`,
        `croft help ${noun}`,
      )
    const near = nearest(verb, names)
    return usageError(
      `There is no command "${noun} ${verb}".`,
      near === undefined ? `croft help ${noun}` : `Did you mean "croft ${noun} ${near}"?`,
    )
  }
  const near = nearest(noun, [...new Set(commands.map(({ words }) => words[0]!))])
  return usageError(
    `There is no command "${noun}".`,
    near === undefined ? 'croft help' : `Did you mean "croft ${near}"?`,
  )
}

function readWords(
  command: Command,
  flags: readonly Flag[],
  words: readonly string[],
): { readonly values: Values; readonly args: readonly string[] } {
  const values = new Map<string, string[]>()
  const args: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word === '--') {
      args.push(...words.slice(index + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word)
      continue
    }
    const { name, inline } = splitFlag(word)
    const flag = flags.find((one) => (word.startsWith('--') ? one.name === name : one.short === name))
    if (!flag) throw unknownFlag(command, flags, word.split('=')[0]!)
    const value = flag.type === 'switch' ? switchValue(flag, inline) : (inline ?? words[(index += 1)])
    if (value === undefined)
      throw usageError(`--${flag.name} wants a value: --${flag.name} ${flag.value ?? 'VALUE'}.`)
    checkValue(flag, value)
    if (values.has(flag.name) && flag.type !== 'list' && flag.type !== 'switch')
      throw usageError(`--${flag.name} is given twice.`)
    values.set(flag.name, [...(values.get(flag.name) ?? []), value])
  }
  return { values, args }
}

/** `--name`, `--name=value`, `-n`, `-n=value`, `-nvalue`. */
function splitFlag(word: string): { readonly name: string; readonly inline?: string } {
  const [, long, value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
  if (long !== undefined) return { name: long, ...(value === undefined ? {} : { inline: value }) }
  const behind = word.slice(2).replace(/^=/, '')
  return { name: word.slice(1, 2), ...(word.length === 2 ? {} : { inline: behind }) }
}

function switchValue(flag: Flag, inline: string | undefined): string {
  if (inline === undefined || inline === 'true' || inline === 'false') return inline ?? 'true'
  throw usageError(`--${flag.name} is on or off and takes no value "${inline}".`)
}

function unknownFlag(command: Command, flags: readonly Flag[], word: string): Error {
  const near = word.startsWith('--')
    ? nearest(
        word.slice(2),
        flags.map(({ name }) => name),
      )
    : undefined
  return usageError(
    `There is no option "${word}" for "croft ${command.words.join(' ')}".`,
    near === undefined ? `croft help ${command.words.join(' ')}` : `Did you mean "--${near}"?`,
  )
}

function checkValue(flag: Flag, value: string): void {
  const wrong = (wanted: string): Error => usageError(`--${flag.name} "${value}" is not ${wanted}.`)
  if (flag.choices && !flag.choices.some((choice) => fits(choice, value))) {
    const near = nearest(value, flag.choices)
    throw usageError(
      `--${flag.name} cannot be "${value}"; it is one of ${flag.choices.join(', ')}.`,
      near === undefined ? undefined : `Did you mean "${near}"?`,
    )
  }
  if (flag.type === 'number' && !/^[1-9]\d{0,8}$/.test(value)) throw wrong('a whole number above 0')
  if (flag.type === 'duration' && parseDuration(value) === undefined)
    throw wrong('a time such as 90s, 5m or 1h')
  if (flag.type === 'quantity' && !((parseQuantity(value)?.nano ?? 0n) > 0n))
    throw wrong('a size such as 512Mi or 10Gi')
}

/** `jsonpath=EXPR` among the choices fits `jsonpath={.metadata.name}`. */
function fits(choice: string, value: string): boolean {
  const begin = choice.indexOf('=') + 1
  return begin === 0 ? choice === value : value.startsWith(choice.slice(0, begin)) && value.length > begin
}

function checkArguments(command: Command, args: readonly string[]): void {
  const missing = command.args.slice(args.length).find(({ optional }) => !optional)
  const how = `croft help ${command.words.join(' ')}`
  if (missing) throw usageError(`The argument ${missing.name} is missing: ${missing.doc}`, how)
  const takesRest = command.args.at(-1)?.rest === true
  const tooMuch = takesRest ? undefined : args[command.args.length]
  if (tooMuch === undefined) return
  throw usageError(
    `"croft ${command.words.join(' ')}" does not understand "${tooMuch}".`,
    command.args.length === 0 ? `croft help ${command.words[0]}` : how,
  )
}

function callOf(command: Command, args: readonly string[], values: Values, flags: readonly Flag[]): Call {
  const last = (name: string): string | undefined => {
    // A flag that the table does not have is a mistake in the code that asks, not of the user.
    if (!flags.some((flag) => flag.name === name))
      throw new Error(`${command.words.join(' ')}: no flag ${name}`)
    return values.get(name)?.at(-1)
  }
  return {
    command,
    args,
    text: last,
    list: (name) => (last(name) === undefined ? [] : values.get(name)!),
    number: (name) => (last(name) === undefined ? undefined : Number(last(name))),
    duration: (name) => (last(name) === undefined ? undefined : parseDuration(last(name)!)),
    on: (name) => last(name) === 'true',
  }
}
