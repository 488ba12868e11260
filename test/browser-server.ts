// A real server process for the browser tests: own data folder and port, real QEMU, the built interface. Run with
// arguments, this file is that process; it prints the first login as JSON once it serves.
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Client } from '../src/client/client.ts'
import { createHttpsClient } from '../src/client/https.ts'
import { parseKubeconfig } from '../src/client/kubeconfig.ts'
import { realHost } from '../src/host/real/index.ts'
import { killExactly, processesOf } from './e2e/processes.ts'

export const CROFT_ROOT = join(import.meta.dirname, '..')
/** A machine with two cores that runs other tests beside this one. */
const READY_TIMEOUT_MS = 120_000
const BUILD_TIMEOUT_MS = 300_000

export interface Login {
  readonly user: string
  readonly password: string
}
export interface BrowserServer {
  readonly url: string
  readonly login: Login
  /** With all rights, beside the browser. */
  readonly client: Client
  /** Ends the server as a crash would. */
  crash(): Promise<void>
  /** Starts it again over the same data, at the same address. */
  again(): Promise<void>
  end(): Promise<void>
}

/** Reasons why the tests cannot run here; false when they can. */
export function whyNoBrowser(): string | false {
  if (process.getuid?.() !== 0) return 'needs root'
  if (!existsSync('/usr/bin/chromium')) return 'chromium is not installed'
  return existsSync('/usr/bin/qemu-system-x86_64') ? false : 'qemu-system-x86_64 is not installed'
}

/** `croft test` builds the interface before; a test that is run alone does so here. */
export async function ensureInterface(): Promise<void> {
  if (existsSync(join(CROFT_ROOT, 'ui/dist/index.html'))) return
  const options = { cwd: join(CROFT_ROOT, 'ui'), timeout: BUILD_TIMEOUT_MS }
  await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], options)
  await promisify(execFile)('npm', ['run', 'build'], options)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

export async function startBrowserServer(): Promise<BrowserServer> {
  const root = await mkdtemp(join(tmpdir(), 'croft-ui-'))
  await chmod(root, 0o711)
  const data = join(root, 'd')
  const port = await freePort()
  const argv = ['--disable-warning=ExperimentalWarning', import.meta.filename, data, String(port)]
  let child: ChildProcessByStdio<null, Readable, Readable>
  let said = ''
  const start = async (): Promise<string> => {
    const started = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    started.stderr.on('data', (bytes: Buffer) => {
      said = `${said}${bytes}`.slice(-4_000)
    })
    const timeout = AbortSignal.timeout(READY_TIMEOUT_MS)
    const lines = once(createInterface(started.stdout), 'line', { signal: timeout })
    const ended = once(started, 'exit').then(() => assert.fail(`the server ended: ${said}`))
    // It ends some day: nobody waits for that then.
    ended.catch(() => undefined)
    const [line] = (await Promise.race([lines, ended])) as [string]
    return line
  }
  const crash = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const end = async (): Promise<void> => {
    await crash()
    for (const one of processesOf(data)) killExactly(one)
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const line = await start()
    const client = await clientFor(join(data, 'kubeconfig'))
    return {
      url: `https://127.0.0.1:${port}`,
      login: JSON.parse(line) as Login,
      client,
      crash,
      again: async () => void (await start()),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function clientFor(path: string): Promise<Client> {
  const parsed = parseKubeconfig(await readFile(path, 'utf8'))
  assert.ok(parsed.ok)
  const { server, caPem, certificatePem, keyPem } = parsed.value
  return createHttpsClient({
    net: realHost({ log: { level: 'error' } }).net,
    server,
    fieldManager: 'browser-test',
    ...(caPem === undefined ? {} : { caPem }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
  })
}

async function serve(dataFolder: string, port: number): Promise<void> {
  const { makeHost, startServer } = await import('../src/serve/up.ts')
  const listen = { host: '127.0.0.1', port }
  const server = await startServer({ dataFolder, listen, croftRoot: CROFT_ROOT }, makeHost())
  if (!server.ok) {
    process.stderr.write(`${server.failure.message}\n`)
    process.exit(1)
  }
  process.stdout.write(`${JSON.stringify(server.value.firstLogin)}\n`)
}

const [, entry, data, port] = process.argv
if (entry === import.meta.filename && data !== undefined) await serve(data, Number(port))
