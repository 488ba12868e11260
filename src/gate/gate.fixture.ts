// An API server with its gate on a random HTTPS port, over a store in memory. The agent is a script that keeps what it
// was told: what a real one does is tried with real machines elsewhere.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpsApi, startHttpsApi } from '../../test/https-api.ts'
import type { AgentStream, AgentTarget, UploadRequest } from '../base/agent-port.ts'
import type { ApiPort } from '../base/call.ts'
import type { MetricsView, SampleSink } from '../base/metrics-port.ts'
import { failed, ok, type Result } from '../base/result.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { realHost } from '../host/real/index.ts'
import { realInflater } from '../host/real/inflater.ts'
import { realPasswords } from '../host/real/passwords.ts'
import type { Store } from '../store/store.ts'
import type { GateAgent } from './ask.ts'
import { createGate, type Gate } from './create-gate.ts'

export interface ScriptedAgent extends GateAgent {
  readonly told: string[]
  readonly targets: AgentTarget[]
  /** What a guest says when a stream is opened; what it hears comes back in upper case. */
  greeting: string
  received: Buffer
  failure: { readonly reason: string; readonly message: string } | undefined
}

export interface GateFixture extends HttpsApi {
  readonly gate: Gate
  readonly agent: ScriptedAgent
  readonly uiFolder: string
  /** Plain HTTPS with headers of one's choice. */
  fetch(method: string, path: string, more?: Wish): Promise<Answer>
}

export interface Wish {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly json: { readonly [field: string]: unknown }
}

export interface GateWish {
  readonly store?: Store
  readonly metrics?: MetricsView & SampleSink
}

export async function startGate({ metrics, ...more }: GateWish = {}): Promise<GateFixture> {
  const host = realHost({ log: { level: 'error' } as never })
  const uiFolder = await mkdtemp(join(tmpdir(), 'croft-ui-'))
  const agent = scriptedAgent()
  const late: { api?: HttpsApi } = {}
  const port: ApiPort = {
    call: (call) => late.api!.api.call(call),
    watch: (call) => late.api!.api.watch(call),
  }
  const gate = createGate({
    host,
    passwords: realPasswords,
    openInflater: realInflater,
    clientFor: (user, fieldManager) => createInProcessClient({ api: port, user, fieldManager }),
    agent: () => agent,
    uiFolder,
    croftVersion: 'test',
    ...(metrics ? { metrics, samples: metrics } : {}),
  })
  const { sessionUser, sessionToken } = gate.sessions
  const api = await startHttpsApi({ gate, sessionUser, sessionToken, ...more })
  late.api = api
  return {
    ...api,
    gate,
    agent,
    uiFolder,
    fetch: (method, path, wish = {}) => ask(api, method, path, wish),
    close: async () => {
      await api.close()
      await rm(uiFolder, { recursive: true, force: true })
    },
  }
}

async function ask(api: HttpsApi, method: string, path: string, wish: Wish): Promise<Answer> {
  const host = realHost({ log: { level: 'error' } as never })
  const answer = await host.net.request({
    method,
    url: `${api.url}${path}`,
    caPem: api.caPem,
    idleTimeoutMs: 20_000,
    headers: { ...wish.headers },
    ...(wish.body === undefined ? {} : { body: wish.body }),
  })
  if (!answer.ok) throw new Error(answer.failure.message)
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.value.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: answer.value.status, headers: answer.value.headers, text, json: parsed(text) }
}

function parsed(text: string): Answer['json'] {
  try {
    return JSON.parse(text) as Answer['json']
  } catch {
    return {}
  }
}

function scriptedAgent(): ScriptedAgent {
  const agent: ScriptedAgent = {
    told: [],
    targets: [],
    greeting: 'RFB 003.008\n',
    received: Buffer.alloc(0),
    failure: undefined,
    dial: {
      async open(_node, target) {
        agent.targets.push(target)
        return answerOf(agent, shouting(agent.greeting))
      },
    },
    actions: {
      pause: (_node, { name }) => note(agent, `pause ${name}`),
      unpause: (_node, { name }) => note(agent, `unpause ${name}`),
      reset: (_node, { name }) => note(agent, `reset ${name}`),
      softReboot: (_node, { name }) => note(agent, `softReboot ${name}`),
      freeze: (_node, { name }, ms) => note(agent, `freeze ${name} ${ms}`),
      unfreeze: (_node, { name }) => note(agent, `unfreeze ${name}`),
      eject: (_node, { name }, disk) => note(agent, `eject ${name} ${disk}`),
      guestOsInfo: async () => answerOf(agent, { os: { name: 'Debian' }, supportedCommands: ['guest-ping'] }),
      userList: async () => answerOf(agent, [{ userName: 'croft' }]),
      filesystemList: async () => answerOf(agent, []),
      screenshot: async () => answerOf(agent, Uint8Array.of(0x89, 0x50)),
    },
    uploads: {
      async receive({ body, sizeBytes }: UploadRequest) {
        const chunks: Uint8Array[] = []
        try {
          for await (const chunk of body) chunks.push(chunk)
        } catch (error) {
          return failed({ reason: 'UploadBroken', message: String(error), retry: 'later' })
        }
        agent.received = Buffer.concat(chunks)
        if (sizeBytes !== undefined && agent.received.length !== sizeBytes)
          return failed({
            reason: 'UploadShort',
            message: `${agent.received.length} of ${sizeBytes} bytes came`,
            retry: 'later',
          })
        return answerOf(agent, undefined)
      },
    },
  }
  return agent
}

function answerOf<T>({ failure }: ScriptedAgent, value: T): Result<T> {
  return failure ? failed({ ...failure, retry: 'later' }) : ok(value)
}

async function note(agent: ScriptedAgent, what: string): Promise<Result<void>> {
  agent.told.push(what)
  return answerOf(agent, undefined)
}

/** A guest that says its greeting and shouts back what it hears. */
function shouting(greeting: string): AgentStream {
  const said: Uint8Array[] = [Buffer.from(greeting)]
  let wake: () => void = () => undefined
  let over = false
  const closing = Promise.withResolvers<void>()
  return {
    readable: (async function* () {
      while (true) {
        const next = said.shift()
        if (next) yield next
        else if (over) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    })(),
    async write(bytes) {
      if (over) throw new Error('closed')
      said.push(Buffer.from(Buffer.from(bytes).toString('utf8').toUpperCase()))
      wake()
    },
    close() {
      over = true
      wake()
      closing.resolve()
    },
    closed: closing.promise,
  }
}
