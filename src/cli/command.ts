// What a command is: one value that gives parsing, help, completion and the code that runs it.
import type { Host } from '../host/host.ts'
import type { Terminal } from '../host/terminal.ts'
import type { Language } from '../words/say.ts'

export interface Flag {
  readonly name: string
  /** One letter, for the frequent few. */
  readonly short?: string
  /** `switch` takes no value; a `list` may be given several times. */
  readonly type: 'text' | 'number' | 'duration' | 'quantity' | 'switch' | 'list'
  /** What stands for the value in help, for instance `FILE`. */
  readonly value?: string
  /** One that ends in `=WORD` stands for all texts that begin so, for instance `jsonpath=EXPR`. */
  readonly choices?: readonly string[]
  readonly doc: string
}

export interface Argument {
  readonly name: string
  readonly doc: string
  readonly optional?: boolean
  /** The noun whose names it takes, for completion. */
  readonly names?: string
  /** Takes all that is left, for instance what stands behind `--`. */
  readonly rest?: boolean
}

export interface Call {
  readonly command: Command
  readonly args: readonly string[]
  text(flag: string): string | undefined
  list(flag: string): readonly string[]
  number(flag: string): number | undefined
  /** Milliseconds. */
  duration(flag: string): number | undefined
  on(flag: string): boolean
}

/** What a command has of the world. */
export interface World {
  readonly host: Host
  readonly terminal: Terminal
  readonly language: Language
  readonly version: string
  /** Root folder of the installation: where `guest/` and the launcher lie. */
  readonly root: string
  /** How this very program was started: interpreter, its options, script. The words of a command follow. */
  readonly self: readonly string[]
}

/** Gives the exit code; throws CliError or ApiError. */
export type Run = (call: Call, world: World) => Promise<number>

export interface Command {
  /** Words before the arguments, for instance `['vm', 'create']`. */
  readonly words: readonly string[]
  readonly doc: string
  readonly args: readonly Argument[]
  readonly flags: readonly Flag[]
  readonly examples: readonly string[]
  /** For programs: help and completion do not show it. */
  readonly hidden?: boolean
  /** Imports the code of the command only when it is wanted. `server` commands are found by main.ts. */
  readonly load: (() => Promise<Run>) | 'server'
}

/** Contract with scripts. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  /** As sysexits' EX_SOFTWARE: a bug of ours. */
  bug: 70,
  timedOut: 124,
  interrupted: 130,
} as const
