// The flags that many commands share, and the maker of an entry of the command table.
import type { Argument, Command, Flag } from './command.ts'
import { NAMESPACE_FLAG, SERVER_FLAGS } from './connect.ts'
import { FORMATS } from './output.ts'

export const OUTPUT: Flag = {
  name: 'output',
  short: 'o',
  type: 'text',
  choices: FORMATS,
  doc: 'Form of what is printed; a table without it.',
}
export const ALL: Flag = {
  name: 'all-namespaces',
  short: 'A',
  type: 'switch',
  doc: 'In all namespaces.',
}
export const NO_WAIT: Flag = { name: 'no-wait', type: 'switch', doc: 'Does not wait until it is done.' }
export const TIMEOUT: Flag = {
  name: 'timeout',
  type: 'duration',
  value: 'TIME',
  doc: 'How long to wait, for instance 5m.',
}
export const YES: Flag = { name: 'yes', short: 'y', type: 'switch', doc: 'Does not ask first.' }
export const SELECTOR: Flag = {
  name: 'selector',
  short: 'l',
  type: 'text',
  value: 'LABELS',
  doc: 'Only those with these labels, for instance app=web.',
}
export const IN_NAMESPACE: readonly Flag[] = [NAMESPACE_FLAG, ...SERVER_FLAGS]
export const WAITING: readonly Flag[] = [NO_WAIT, TIMEOUT, ...IN_NAMESPACE]

/** An argument that names an object of a noun, so that shells can complete it. */
export function nameOfA(names: string, doc: string, name = 'NAME'): Argument {
  return { name, doc, names }
}

export interface More {
  readonly args?: readonly Argument[]
  readonly flags?: readonly Flag[]
  readonly examples?: readonly string[]
}

export function command(words: string, doc: string, load: Command['load'], more: More = {}): Command {
  return { words: words.split(' '), doc, load, args: [], flags: [], examples: [], ...more }
}
