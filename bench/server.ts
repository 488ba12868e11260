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
  const line = fromLauncher(/"\$esbuild" src\/main\.ts ([\s\S]*?)\) \|\|\n/, 'esbuild line')
  const out = join(folder, 'build')
  const script = `BUILD='${out}'; "$ESBUILD" bench/server-entry.ts ${line} --entry-names=main`
  execFileSync('/bin/sh', ['-c', script.replaceAll('$BUILD/next', '$BUILD')], {
    cwd: ROOT,
    env: { ...process.env, ESBUILD: join(ROOT, 'node_modules/.bin/esbuild') },
    stdio: 'inherit',
  })
  execFileSync('/bin/sh', ['-c', `printf '{"type":"module"}' >'${out}/package.json'`])
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

export async function makeServer(): Promise<BenchServer> {
  const root = mkdtempSync(join(tmpdir(), 'croft-bench-'))
  chmodSync(root, 0o711)
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
      [
        ...flags,
        ...(process.env['BENCH_NODE_FLAGS']?.split(' ') ?? []),
        join(root, 'build/main.js'),
        data,
        String(port),
        ROOT,
      ],
      { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    )
    child = started
    started.stderr.on('data', (bytes: Buffer) => appendFileSync(log, bytes))
    started.stdout.on('data', (bytes: Buffer) => {
      if (bytes.includes('ready')) allMs = performance.now() - began
    })
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
      for (let look = 0; look < 2; look += 1) {
        for (const one of processesOf(root)) killExactly(one)
        await sleep(100)
      }
      if (existsSync(root)) rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
