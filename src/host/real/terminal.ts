// The terminal of this process.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Terminal } from '../terminal.ts'

/** Width where nobody says one: what printed tables are read on. Characters. */
const COLUMNS_WITHOUT_TERMINAL = 120
const ROWS_WITHOUT_TERMINAL = 40
/** What a shell says for a program that is not there. */
const NOT_THERE = 127
/** What a shell adds to the number of the signal that ended a program. */
const BY_SIGNAL = 128

export function realTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  // A reader that went away (`croft vm list | head -1`) ends the command without a word.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    outIsTerminal: stdout.isTTY === true,
    noteIsTerminal: stderr.isTTY === true,
    inIsTerminal: stdin.isTTY === true,
    get columns() {
      return stdout.columns || stderr.columns || COLUMNS_WITHOUT_TERMINAL
    },
    get rows() {
      return stdout.rows || stderr.rows || ROWS_WITHOUT_TERMINAL
    },
    input: inputOf(stdin),
    raw(on) {
      if (stdin.isTTY) stdin.setRawMode(on)
    },
    env: (name) => process.env[name],
    folder: process.cwd(),
    userId: process.getuid?.() ?? -1,
    onInterrupt(call) {
      process.on('SIGINT', call)
      process.on('SIGTERM', call)
      return () => {
        process.off('SIGINT', call)
        process.off('SIGTERM', call)
      }
    },
    onBug(call) {
      process.on('uncaughtException', call)
    },
    exit(code) {
      process.exitCode = code
      // The callback of an empty write comes after everything before it.
      stdout.write('', () => stderr.write('', () => process.exit(code)))
    },
    handOver,
  }
}

/** Opened only when somebody reads; leaving the loop lets the process end. */
async function* inputOf(stdin: NodeJS.ReadStream): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stdin) yield chunk as Uint8Array
  } finally {
    stdin.destroy()
  }
}

function handOver(argv: readonly string[]): Promise<number> {
  const [program = '', ...rest] = argv
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: 'inherit' })
    // Ctrl-C belongs to the program that has the terminal.
    const ignore = (): void => undefined
    process.on('SIGINT', ignore)
    const finish = (code: number): void => {
      process.off('SIGINT', ignore)
      resolve(code)
    }
    child.once('error', () => finish(NOT_THERE))
    child.once('exit', (code, signal) =>
      finish(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal])),
    )
  })
}
