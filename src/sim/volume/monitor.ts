// The monitor of a simulated program: QMP lines over a byte stream. Commands are carried out one after another; a
// program that hangs answers none until it goes on.
import { printJson } from '../../base/json.ts'
import type { ByteStream } from '../../host/host.ts'

/** Throws what the program answers as its error. */
export type Command = (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>

export interface Monitor {
  readonly stream: ByteStream
  event(name: string, data: Readonly<Record<string, unknown>>): void
  close(): void
}

export function openMonitor(ready: () => Promise<boolean>, command: Command): Monitor {
  const encoder = new TextEncoder()
  const out: Uint8Array[] = []
  let wake: () => void = () => undefined
  let over = false
  let tell: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    tell = resolve
  })
  const send = (message: unknown): void => {
    if (over) return
    out.push(encoder.encode(`${printJson(message as never)}\n`))
    wake()
  }
  const close = (): void => {
    over = true
    wake()
    tell()
  }
  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = out.shift()
      if (next) yield next
      else if (over) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  let turn: Promise<void> = ready().then((up) => {
    if (up) send({ QMP: { version: {}, capabilities: [] } })
    else close()
  })
  const take = async (line: string): Promise<void> => {
    const { execute, id, ...rest } = JSON.parse(line) as Record<string, unknown>
    if (over || !(await ready())) return
    try {
      const value =
        execute === 'qmp_capabilities'
          ? {}
          : await command(String(execute), (rest['arguments'] ?? {}) as never)
      send({ return: value ?? {}, id })
    } catch (error) {
      send({ error: { class: 'GenericError', desc: (error as Error).message }, id })
    }
  }
  return {
    stream: {
      readable: read(),
      write: async (bytes) => {
        if (over) throw new Error('closed')
        const text = new TextDecoder().decode(bytes)
        for (const line of text.split('\n')) if (line !== '') turn = turn.then(() => take(line))
      },
      close,
      closed,
    },
    event: (name, data) => send({ event: name, data, timestamp: { seconds: 0, microseconds: 0 } }),
    close,
  }
}
