// Transcripts: what a person types and what comes back, as text that can be read. Each is run against a real server, by the
// command line's own front in this process, so that a hundred commands cost no hundred starts.
//
//   # a remark
//   $ croft vm list -o name        a command; quotes as in a shell
//   < y                            what is piped into it
//   virtualmachine.kubevirt.io/web its standard output
//   ! Nothing was deleted.         its standard error
//   [4]                            its exit code, 0 where left out
//
// Empty lines mean nothing. In what is expected `<*>` stands for any text within a line, and a line `...` for any lines.
import assert from 'node:assert/strict'
import type { World } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { runCommand } from '../../src/cli/run.ts'
import { realHost } from '../../src/host/real/index.ts'
import { serverCommands } from '../../src/serve/commands.ts'

export interface Step {
  readonly line: number
  readonly words: readonly string[]
  readonly input: string | undefined
  readonly out: readonly string[]
  readonly note: readonly string[]
  readonly code: number
}

export interface Said {
  readonly code: number
  readonly out: string
  readonly note: string
}

export interface Place {
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

const host = realHost({ log: { level: 'error' } })

export interface Typed {
  readonly input?: string
  /** Presses Ctrl-C a moment after the command begins to wait. */
  readonly interrupts?: boolean
}

const INTERRUPT_AFTER_MS = 200

/** Runs one command as if it had been typed, without a terminal. */
export async function croft(place: Place, words: readonly string[], typed: Typed = {}): Promise<Said> {
  let out = ''
  let note = ''
  const decoder = new TextDecoder()
  const world: World = {
    host,
    terminal: {
      out: (text) => void (out += typeof text === 'string' ? text : decoder.decode(text, { stream: true })),
      note: (text) => void (note += text),
      outIsTerminal: false,
      noteIsTerminal: false,
      inIsTerminal: false,
      columns: 120,
      rows: 40,
      input: inputOf(typed.input),
      raw: () => undefined,
      env: (name) => place.env[name],
      folder: place.folder,
      userId: process.getuid?.() ?? 0,
      onInterrupt(call) {
        const timer = typed.interrupts ? setTimeout(call, INTERRUPT_AFTER_MS) : undefined
        return () => clearTimeout(timer)
      },
      onBug: () => undefined,
      exit: () => assert.fail('a command does not end the process'),
      handOver: () => assert.fail('nothing is handed over here'),
    },
    language: 'en',
    version: 'test',
    root: place.folder,
    self: ['croft'],
  }
  const server: Parameters<typeof runCommand>[0]['server'] = async ({ words: named }) =>
    serverCommands[named.join(' ')] ?? assert.fail(`no code for ${named.join(' ')}`)
  const code = await runCommand({ commands, server }, words, world)
  return { code, out, note }
}

async function* inputOf(text: string | undefined): AsyncGenerator<Uint8Array> {
  if (text !== undefined) yield new TextEncoder().encode(text)
}

export function readTranscript(text: string): readonly Step[] {
  const steps: { -readonly [K in keyof Step]: Step[K] extends readonly string[] ? string[] : Step[K] }[] = []
  text.split('\n').forEach((line, index) => {
    if (line.startsWith('#') || (line === '' && steps.length === 0)) return
    const step = steps.at(-1)
    if (line.startsWith('$ croft '))
      steps.push({
        line: index + 1,
        words: wordsOf(line.slice('$ croft '.length)),
        input: undefined,
        out: [],
        note: [],
        code: 0,
      })
    else if (!step) assert.fail(`line ${index + 1} stands before the first command`)
    else if (/^\[\d+\]$/.test(line)) step.code = Number(line.slice(1, -1))
    else if (line.startsWith('< ')) step.input = `${step.input ?? ''}${line.slice(2)}\n`
    else if (line.startsWith('!')) step.note.push(line.slice(1).replace(/^ /, ''))
    else if (line !== '') step.out.push(line)
  })
  return steps
}

function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [, quoted, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|((?:[^\s'"]|'[^']*')+)/g))
    words.push(quoted ?? single ?? (plain ?? '').replaceAll("'", ''))
  return words
}

/** Runs it to its end; fails at the first command that says something else. */
export async function play(name: string, text: string, place: Place): Promise<void> {
  for (const step of readTranscript(text)) {
    const said = await croft(place, step.words, step.input === undefined ? {} : { input: step.input })
    const where = `${name}:${step.line}: croft ${step.words.join(' ')}`
    const whole = `\n--- exit code ${said.code}\n--- stdout\n${said.out}--- stderr\n${said.note}`
    assert.equal(said.code, step.code, where + whole)
    assert.ok(fits(step.out, said.out), `${where}\nexpected on stdout:\n${step.out.join('\n')}${whole}`)
    assert.ok(fits(step.note, said.note), `${where}\nexpected on stderr:\n${step.note.join('\n')}${whole}`)
  }
}

function fits(expected: readonly string[], said: string): boolean {
  const pattern = expected
    .map((line) =>
      line === '...'
        ? '(?:[^\\n]*\\n)*?'
        : `${line
            .split('<*>')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('[^\\n]*')}\\n`,
    )
    .join('')
  const lines = said.split('\n').filter((line) => line !== '')
  return new RegExp(`^${pattern}$`).test(lines.map((line) => `${line}\n`).join(''))
}
