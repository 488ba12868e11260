// The port to the person who typed the command: their terminal, their environment, their Ctrl-C. Commands get it
// handed over, so that a test can type and read without a process.

export interface Terminal {
  /** Data for the next program: tables, objects, what a guest says. */
  out(text: string | Uint8Array): void
  /** Words for the person: progress, hints, errors. */
  note(text: string): void
  readonly outIsTerminal: boolean
  readonly noteIsTerminal: boolean
  readonly inIsTerminal: boolean
  /** Characters in a line. */
  readonly columns: number
  /** Lines of a screen. */
  readonly rows: number
  /** What is typed or piped in. Read once; ends with the input. */
  readonly input: AsyncIterable<Uint8Array>
  /** Whether each key comes at once and unechoed, Ctrl-C included. Does nothing where the input is no terminal. */
  raw(on: boolean): void
  env(name: string): string | undefined
  readonly folder: string
  readonly userId: number
  /** Calls back at Ctrl-C or SIGTERM until the returned function is called; nobody listening, the process ends. */
  onInterrupt(call: () => void): () => void
  /** Calls back for an error that nobody caught: a bug of ours. */
  onBug(call: (error: unknown) => void): void
  /** Ends this process once what was written is out. */
  exit(code: number): void
  /** Runs a program that has the terminal for itself; gives its exit code, 127 when it is not there. */
  handOver(argv: readonly string[]): Promise<number>
}
