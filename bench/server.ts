// A real server for the benchmarks: bundled and started exactly as the launcher does it, in a folder of its own that
// is gone afterwards, with all that it started.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../src/client/client.ts'
import { createHttpsClient } from '../src/client/https.ts'
import { parseKubeconfig } from '../src/client/kubeconfig.ts'
import { realHost } from '../src/host/real/index.ts'
import { killExactly, processesOf } from '../test/e2e/processes.ts'

const ROOT = join(import.meta.dirname, '..')
const START_TIMEOUT_MS = 60_000
const ASK_EVERY_MS = 4

export interface BenchServer {
  readonly data: string
  readonly log: string
  readonly port: number
  readonly pid: number
  readonly client: Client
  /** Starts it (again); gives the milliseconds from exec to the first good answer of /readyz, and to all started. */
  start(): Promise<{ readonly apiMs: number; readonly allMs: number }>
  /** Ends the process alone; machines stay. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** True when /readyz is answered well. */
  isReady(): Promise<boolean>
  /** Ends everything and removes the folder. */
  end(): Promise<void>
}

/** The launcher's own lines, so that what is measured is what people run. */
function fromLauncher(pattern: RegExp, what: string): string {
  const found = pattern.exec(readFileSync(join(ROOT, 'croft'), 'utf8'))?.[1]
  if (found === undefined) throw new Error(`the launcher has no ${what} any more`)
  return found.replaceAll('\\\n', ' ')
}

function bundle(folder: string): string {
  const words = fromLauncher(/"\$esbuild" (src\/main\.ts [\s\S]*?)\) >&2; then/, 'esbuild line')
  const out = join(folder, 'build')
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
  const script = `"${esbuild}" ${words.replace('$next', out)}; printf '{"type":"module"}' >"${out}/package.json"`
  execFileSync('/bin/sh', ['-ec', script], { cwd: ROOT, stdio: 'inherit' })
  return out
}

/** Flags and variables of the launcher's run(). */
function nodeOptions(build: string): { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const line = fromLauncher(/\nrun\(\) \{\n([\s\S]*?) "\$BUILD\/main\.js"/, 'run()')
  const words = line.trim().split(/\s+/)
  const env = Object.fromEntries(
    words
      .filter((word) => /^[A-Z_]+=/.test(word))
      .map((word) => word.replace('$BUILD', build).replace('$ROOT', ROOT).split('=') as [string, string]),
  )
  return { flags: words.filter((word) => word.startsWith('--')), env }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return address !== null && typeof address === 'object' ? address.port : 0
}

function askReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false, timeout: 2_000 },
      (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}

function clientFor(data: string): Client {
  const parsed = parseKubeconfig(readFileSync(join(data, 'kubeconfig'), 'utf8'))
  if (!parsed.ok) throw new Error(parsed.failure.message)
  const { server, caPem, certificatePem, keyPem } = parsed.value
  return createHttpsClient({
    net: realHost({ log: { level: 'error' } }).net,
    server,
    fieldManager: 'bench',
    ...(caPem === undefined ? {} : { caPem }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
  })
}

/** Ends what runs below the folder, twice, as one that was just being started shows up in the second look. */
function removeAll(root: string): void {
  for (let look = 0; look < 2; look += 1) {
    for (const one of processesOf(root)) killExactly(one)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
  if (existsSync(root)) rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

export async function makeServer(): Promise<BenchServer> {
  const root = mkdtempSync(join(tmpdir(), 'croft-bench-'))
  chmodSync(root, 0o711)
  // Also when a benchmark breaks or is interrupted.
  process.once('exit', () => removeAll(root))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const data = join(root, 'd')
  const log = join(root, 'log')
  const port = await freePort()
  const { flags, env } = nodeOptions(bundle(root))
  let child: ChildProcess | undefined
  let client: Client | undefined

  const start: BenchServer['start'] = async () => {
    const began = performance.now()
    let allMs: number | undefined
    const started = spawn(
      process.execPath,
      [...flags, join(root, 'build/main.js'), 'up', '--data', data, '--listen', `127.0.0.1:${port}`],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    )
    child = started
    const hear = (bytes: Buffer): void => {
      appendFileSync(log, bytes)
      if (/\bready\b.*url/.test(bytes.toString())) allMs ??= performance.now() - began
    }
    started.stderr.on('data', hear)
    started.stdout.on('data', hear)
    const check = (): void => {
      if (started.exitCode !== null)
        throw new Error(`the server ended: ${readFileSync(log, 'utf8').slice(-2_000)}`)
      if (performance.now() - began > START_TIMEOUT_MS) throw new Error('the server does not get ready')
    }
    while (!(await askReady(port))) {
      check()
      await sleep(ASK_EVERY_MS)
    }
    const apiMs = performance.now() - began
    while (allMs === undefined) {
      check()
      await sleep(ASK_EVERY_MS)
    }
    return { apiMs, allMs }
  }
  const stop: BenchServer['stop'] = async (signal) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    data,
    log,
    port,
    get pid() {
      return child?.pid ?? 0
    },
    get client() {
      return (client ??= clientFor(data))
    },
    start,
    stop,
    isReady: () => askReady(port),
    end: async () => {
      await stop('SIGKILL')
      removeAll(root)
    },
  }
}
