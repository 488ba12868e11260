// `--listen ADDR:PORT`: where a server listens.
import { usageError } from './cli-error.ts'
import type { Call } from './command.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Kubernetes' usual port, on every address: the API asks who is calling. */
export const DEFAULT_LISTEN: ListenAddress = { host: '0.0.0.0', port: 6443 }
const PORT_MAX = 65_535

export function listenAddress(call: Call): ListenAddress {
  const text = call.text('listen')
  if (text === undefined) return DEFAULT_LISTEN
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > PORT_MAX)
    throw usageError(`--listen "${text}" is not ADDRESS:PORT.`, 'For instance --listen 127.0.0.1:6443')
  return { host: bracketed ?? (plain || DEFAULT_LISTEN.host), port }
}

export function listenText({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
