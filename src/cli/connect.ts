// The way to a server: the kubeconfig that holds, a client, and plain calls for what is no object (actions, streams,
// uploads).

import { refuse } from '../base/errors.ts'
import { parseJson, printJson } from '../base/json.ts'
import type { Client } from '../client/client.ts'
import { createHttpsClient } from '../client/https.ts'
import { type Kubeconfig, parseKubeconfig } from '../client/kubeconfig.ts'
import { refusalOf } from '../client/wire.ts'
import type { HttpClientRequest, HttpClientResponse, WebSocketPeer } from '../host/host.ts'
import { CliError, failedError } from './cli-error.ts'
import { type Call, EXIT, type Flag, type World } from './command.ts'

export const DEFAULT_DATA = '/var/lib/croft'

export const DATA_FLAG: Flag = {
  name: 'data',
  type: 'text',
  value: 'DIR',
  doc: `The data folder; ${DEFAULT_DATA} without it.`,
}
/** What every command that talks to a server understands. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    name: 'kubeconfig',
    type: 'text',
    value: 'FILE',
    doc: 'Server and credentials; else $KUBECONFIG, else DIR/kubeconfig, else ~/.kube/config.',
  },
  DATA_FLAG,
]
export const NAMESPACE_FLAG: Flag = {
  name: 'namespace',
  short: 'n',
  type: 'text',
  value: 'NAMESPACE',
  doc: 'The namespace; that of the kubeconfig without it.',
}

export interface Connection {
  readonly config: Kubeconfig
  readonly client: Client
  /** Namespace of -n or of the kubeconfig. */
  readonly namespace: string
  /** The folder of a croft on this computer, where the kubeconfig came from one. */
  readonly dataFolder: string | undefined
  /** A JSON call; a refusal is thrown as ApiError. */
  ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown>
  /** A call whose body and answer are for the caller to handle. */
  send(
    request: Omit<HttpClientRequest, 'url' | 'idleTimeoutMs'> & { readonly path: string },
  ): Promise<HttpClientResponse>
  openWebSocket(path: string, protocols: readonly string[], signal?: AbortSignal): Promise<WebSocketPeer>
}

/** An import of a large image may be silent while it is checked. Milliseconds. */
const SILENCE_MAX_MS = 10 * 60_000
/** Answers of actions are small. Bytes. */
const ANSWER_MAX_BYTES = 16 * 1024 * 1024

export async function connect(call: Call, world: World): Promise<Connection> {
  const { path, dataFolder } = await kubeconfigPath(call, world)
  const config = await readKubeconfig(world, path)
  return connectionTo(config, world, { dataFolder, namespace: namespaceOf(call) ?? config.namespace })
}

function namespaceOf(call: Call): string | undefined {
  return call.command.flags.some(({ name }) => name === 'namespace') ? call.text('namespace') : undefined
}

/** A connection by a kubeconfig that was read already. */
export function connectionTo(
  config: Kubeconfig,
  { host }: World,
  more: { readonly dataFolder: string | undefined; readonly namespace: string },
): Connection {
  const { server, caPem, certificatePem, keyPem, token } = config
  const tls = {
    ...(caPem === undefined ? {} : { caPem }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
  }
  const headers: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  const client = createHttpsClient({
    net: host.net,
    server,
    fieldManager: 'croft-cli',
    ...tls,
    ...(token === undefined ? {} : { token: () => token }),
  })
  const send: Connection['send'] = async ({ path, ...request }) => {
    const answer = await host.net.request({
      ...request,
      ...tls,
      url: `${server}${path}`,
      headers: { ...headers, ...request.headers },
      idleTimeoutMs: SILENCE_MAX_MS,
    })
    if (!answer.ok) throw refuse.unavailable(`${server}: ${answer.failure.message}`)
    return answer.value
  }
  return {
    config,
    client,
    ...more,
    send,
    async ask(method, path, body, signal) {
      const answer = await send({
        method,
        path,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: printJson(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      return readAnswer(answer)
    },
    async openWebSocket(path, protocols, signal) {
      const opened = await host.net.openWebSocket({
        ...tls,
        url: `${server.replace(/^http/, 'ws')}${path}`,
        headers,
        protocols,
        idleTimeoutMs: SILENCE_MAX_MS,
        ...(signal === undefined ? {} : { signal }),
      })
      if (opened.ok) return opened.value
      throw upgradeRefusal(opened.failure.message) ?? failedError('No connection.', opened.failure)
    },
  }
}

/** JSON where it is JSON, else text. Throws the ApiError of a refusal. */
export async function readAnswer(answer: HttpClientResponse): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > ANSWER_MAX_BYTES) throw refuse.unavailable('an answer of more than 16 MiB')
  }
  let body: unknown = text
  try {
    if (text !== '') body = parseJson(text)
  } catch {
    // Text it is.
  }
  if (answer.status >= 400) throw refusalOf(answer.status, body)
  return body
}

/** The Status behind `... answered 404 {...}`. */
function upgradeRefusal(message: string): Error | undefined {
  const [, code, text] = /answered (\d{3}) (\{.*)$/s.exec(message) ?? []
  if (code === undefined || text === undefined) return undefined
  try {
    return refusalOf(Number(code), parseJson(text))
  } catch {
    return undefined
  }
}

interface Found {
  readonly path: string
  readonly dataFolder: string | undefined
}

/** What is said explicitly beats the environment, which beats the usual places. */
async function kubeconfigPath(call: Call, world: World): Promise<Found> {
  const { terminal, host } = world
  const given = call.text('kubeconfig')
  if (given !== undefined) return found(absolute(given, terminal.folder))
  const data = call.text('data')
  if (data !== undefined) return found(`${absolute(data, terminal.folder)}/kubeconfig`)
  const fromEnv = terminal
    .env('KUBECONFIG')
    ?.split(':')
    .find((part) => part !== '')
  if (fromEnv !== undefined) return found(absolute(fromEnv, terminal.folder))
  const usual = `${DEFAULT_DATA}/kubeconfig`
  if ((await host.files.stat(usual)).ok) return found(usual)
  const home = `${terminal.env('HOME') ?? '/root'}/.kube/config`
  if ((await host.files.stat(home)).ok) return found(home)
  throw new CliError({
    what: 'There is no croft on this computer yet.',
    why: `Neither ${usual} nor ${home} is there, and $KUBECONFIG is not set.`,
    next: 'Start it with "croft up --detach", or name its data folder with --data or a file with --kubeconfig.',
    code: EXIT.failed,
    reason: 'NoKubeconfig',
  })
}

function found(path: string): Found {
  const folder = path.replace(/\/[^/]*$/, '')
  return { path, dataFolder: path.endsWith('/kubeconfig') ? folder : undefined }
}

export function absolute(path: string, folder: string): string {
  return (path.startsWith('/') ? path : `${folder}/${path}`).replace(/(?<=.)\/+$/, '')
}

async function readKubeconfig({ host }: World, path: string): Promise<Kubeconfig> {
  const text = await host.files.readText(path)
  if (!text.ok)
    throw failedError(
      'The kubeconfig cannot be read.',
      text.failure,
      'Start croft with "croft up --detach", or name another file with --kubeconfig.',
    )
  const parsed = parseKubeconfig(text.value)
  if (!parsed.ok) throw failedError(`${path} is no kubeconfig that croft understands.`, parsed.failure)
  const config = parsed.value
  const filled = { ...config } as { -readonly [K in keyof Kubeconfig]: Kubeconfig[K] }
  const wanted = [
    ['caPem', config.files.ca],
    ['certificatePem', config.files.certificate],
    ['keyPem', config.files.key],
    ['token', config.files.token],
  ] as const
  for (const [field, file] of wanted) {
    if (file === undefined || config[field] !== undefined) continue
    const read = await host.files.readText(absolute(file, path.replace(/\/[^/]*$/, '')))
    if (!read.ok) throw failedError('A file that the kubeconfig names cannot be read.', read.failure)
    filled[field] = read.value.trim()
  }
  return filled
}
