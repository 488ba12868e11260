// A real server for acceptance tests: its own process, data folder and port, real kubectl, real QEMU. Everything it
// started is gone after `end`, whatever the test did to it.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../src/base/errors.ts'
import type { Client } from '../../src/client/client.ts'
import { createHttpsClient } from '../../src/client/https.ts'
import { parseKubeconfig } from '../../src/client/kubeconfig.ts'
import { realHost } from '../../src/host/real/index.ts'
import type { Kind, KindOf } from '../../src/kinds/kind.ts'
import { installationId } from '../../src/node/network/default-network.ts'
import { readLinks } from '../../src/node/network/host-network.ts'
import { tapsOf } from '../../src/node/network/links.ts'
import { removeNetwork } from '../../src/node/network/remove.ts'
import { kubectlTools } from '../kubectl-binary.ts'
import { isQemu, killExactly, processesOf, type TestProcess } from './processes.ts'

const host = realHost({ log: { level: 'error' } })
const CHILD = join(import.meta.dirname, 'child.ts')
/** A starved machine with several emulated guests on two cores needs most of it. */
const READY_TIMEOUT_MS = 60_000
const KUBECTL_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 100

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface E2eServer {
  /** The test's folder; below it `d`, the data folder. */
  readonly root: string
  readonly data: string
  readonly log: string
  readonly client: Client
  readonly kubectlPath: string
  readonly env: NodeJS.ProcessEnv
  /** Runs kubectl; never throws for a bad exit code. */
  tryKubectl(argv: readonly string[], input?: string): Promise<Ran>
  /** Runs kubectl and fails the test when it fails. Gives its standard output. */
  kubectl(argv: readonly string[], input?: string): Promise<string>
  /** The objects as kubectl reads them: YAML or JSON text, or values. */
  apply(...objects: readonly (string | object)[]): Promise<string>
  /** Undefined when it does not exist. */
  find<K extends Kind>(kind: K, name: string, namespace?: string): Promise<KindOf<K> | undefined>
  /** Starts the process again; resolves when it serves. */
  start(): Promise<void>
  kill9(): Promise<void>
  /** SIGTERM, and waits. */
  stop(): Promise<void>
  readonly running: boolean
  /** Machines' QEMUs of this server. */
  qemus(): readonly TestProcess[]
  /** Names of the machines' network devices of this server. */
  taps(): Promise<readonly string[]>
  /** Ends everything and removes the folder. */
  end(): Promise<void>
}

/** `seen` is asked once the time is over, for what a reader of the failure wants to know. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  ms = 60_000,
  seen: () => Promise<unknown> | unknown = () => '',
): Promise<T> {
  const deadline = Date.now() + ms
  for (;;) {
    const found = await Promise.resolve(look())
    if (found !== undefined && found !== false) return found
    if (Date.now() > deadline) {
      const more = await Promise.resolve(seen())
      const text = typeof more === 'string' ? more : JSON.stringify(more, null, 1)
      assert.fail(`not within ${ms / 1000} s: ${what}\n${text.slice(-4_000)}`)
    }
    await sleep(POLL_MS)
  }
}

/** Reasons why such tests cannot run here; false when they can. */
export async function whyNoE2e(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'needs root'
  if (!(await kubectlTools())) return 'kubectl cannot be had here'
  return existsSync('/usr/bin/qemu-system-x86_64') ? false : 'qemu-system-x86_64 is not installed'
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

interface Running {
  child: ChildProcess | undefined
}

async function startChild(run: Running, data: string, port: number, log: string, env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [CHILD, data, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    // A signal to the test's group must not end what the test wants to see survive.
    detached: true,
  })
  run.child = child
  let ready = false
  let said = ''
  const hear = (bytes: Buffer): void => {
    said += bytes.toString()
    appendFileSync(log, bytes)
    if (said.includes('ready\n')) ready = true
    else if (said.length > 65_536) said = said.slice(-1_024)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.once('exit', () => {
    if (run.child === child) run.child = undefined
  })
  await until(
    'the server is ready',
    () => {
      if (run.child !== child && !ready) assert.fail(`the server ended: ${tail(log)}`)
      return ready
    },
    READY_TIMEOUT_MS,
  )
}

function tail(log: string): string {
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-25).join('\n') : ''
}

function runProgram(
  program: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | undefined,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env, timeout: KUBECTL_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }
    const child = execFile(program, [...argv], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr })
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input ?? '')
  })
}

export interface E2eOptions {
  /** Added to the server's environment, from its data folder. */
  readonly envFor?: (data: string) => Readonly<Record<string, string>>
  /** Called with the data folder, which does not exist yet, before the first start. */
  readonly prepare?: (data: string) => Promise<void>
}

export async function startE2eServer(options: E2eOptions = {}): Promise<E2eServer> {
  const root = await mkdtemp(join(tmpdir(), 'croft-e2e-'))
  await chmod(root, 0o711)
  const data = join(root, 'd')
  const log = join(root, 'server.log')
  const port = await freePort()
  const tools = await kubectlTools()
  assert.ok(tools)
  const kubeconfig = join(data, 'kubeconfig')
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: root, KUBECACHEDIR: join(root, 'cache') }
  const run: Running = { child: undefined }
  const start = (): Promise<void> =>
    startChild(run, data, port, log, { ...process.env, ...options.envFor?.(data) })
  await options.prepare?.(data)
  try {
    await start()
  } catch (error) {
    await endAll(run, root, data)
    throw error
  }
  const client = clientFor(kubeconfig)
  const tryKubectl = (argv: readonly string[], input?: string): Promise<Ran> =>
    runProgram(tools.kubectl, argv, env, input)
  const kubectl = async (argv: readonly string[], input?: string): Promise<string> => {
    const ran = await tryKubectl(argv, input)
    assert.equal(ran.code, 0, `kubectl ${argv.join(' ')}: ${ran.stderr}`)
    return ran.stdout
  }
  return {
    root,
    data,
    log,
    client,
    env,
    kubectlPath: tools.kubectl,
    tryKubectl,
    kubectl,
    apply: (...objects) => kubectl(['apply', '-f', '-'], objects.map(asText).join('\n---\n')),
    find: (kind, name, namespace = 'default') => findObject(client, kind, name, namespace),
    start,
    kill9: () => endChild(run, 'SIGKILL'),
    stop: () => endChild(run, 'SIGTERM'),
    get running() {
      return run.child !== undefined
    },
    taps: async () => {
      const links = await readLinks(host)
      assert.ok(links.ok)
      return tapsOf(links.value, installationId(data)).map(({ name }) => name)
    },
    qemus: () => processesOf(data).filter(isQemu),
    end: () => endAll(run, root, data),
  }
}

function asText(object: string | object): string {
  return typeof object === 'string' ? object : JSON.stringify(object)
}

function clientFor(kubeconfig: string): Client {
  const parsed = parseKubeconfig(readFileSync(kubeconfig, 'utf8'))
  assert.ok(parsed.ok)
  const { server, caPem, certificatePem, keyPem } = parsed.value
  return createHttpsClient({
    net: host.net,
    server,
    fieldManager: 'e2e',
    ...(caPem === undefined ? {} : { caPem }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
  })
}

async function findObject<K extends Kind>(
  client: Client,
  kind: K,
  name: string,
  namespace: string,
): Promise<KindOf<K> | undefined> {
  try {
    return await client.get(kind, name, kind.scope === 'Namespaced' ? { namespace } : {})
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 503)) return undefined
    throw error
  }
}

async function endChild(run: Running, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { child } = run
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  // A timer that is not needed any more must not keep the test's own process alive.
  const late = sleep(STOP_TIMEOUT_MS, 'late' as const, { ref: false })
  if ((await Promise.race([exited, late])) === 'late') {
    child.kill('SIGKILL')
    await exited
    assert.fail(`the server did not stop within ${STOP_TIMEOUT_MS / 1000} s`)
  }
}

async function endAll(run: Running, root: string, data: string): Promise<void> {
  await endChild(run, 'SIGKILL').catch(() => undefined)
  // Twice: one that was just being started shows up in the second look.
  for (let look = 0; look < 2; look += 1) {
    for (const one of processesOf(data)) killExactly(one)
    await sleep(POLL_MS)
  }
  await removeNetwork(host, { dataFolder: data })
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}
