// What the acceptance tests run: images on a loopback server that can misbehave, and machines as users write them.
import { execFile } from 'node:child_process'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BUILD_TIMEOUT_MS = 600_000

/** The demo guest's disk; built once into a cache where nobody has it yet. */
export async function demoImage(): Promise<string> {
  const path = process.env['CROFT_DEMO_IMAGE'] ?? join(tmpdir(), 'guest', 'demo.qcow2')
  if (existsSync(path)) return path
  await mkdir(dirname(path), { recursive: true })
  const half = `${path}.new-${process.pid}`
  const recipe = join(import.meta.dirname, '../../guest/build-demo')
  await run(recipe, ['--cache', join(dirname(path), 'packages'), half], { timeout: BUILD_TIMEOUT_MS })
  await rename(half, path)
  return path
}

export type ImageAnswer =
  | { readonly file: string }
  | { readonly bytes: Uint8Array; readonly promisedBytes?: number }
  | { readonly status: number }

export interface ImageServer {
  readonly url: (path: string) => string
  /** What is served under a path, from now on. Absent paths are 404. */
  serve(path: string, answer: ImageAnswer): void
  /** Requests so far for a path. */
  asked(path: string): number
  close(): Promise<void>
}

export async function startImageServer(): Promise<ImageServer> {
  const answers = new Map<string, ImageAnswer>()
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    counts.set(path, (counts.get(path) ?? 0) + 1)
    void answer(request, response, answers.get(path) ?? { status: 404 })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    serve: (path, one) => void answers.set(path, one),
    asked: (path) => counts.get(path) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, what: ImageAnswer): Promise<void> {
  if ('status' in what) {
    response.writeHead(what.status).end('no\n')
    return
  }
  if ('file' in what) {
    const size = statSync(what.file).size
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const partial = from > 0 && from < size
    response.writeHead(partial ? 206 : 200, {
      'content-length': size - (partial ? from : 0),
      'accept-ranges': 'bytes',
      etag: `"${size}"`,
      ...(partial ? { 'content-range': `bytes ${from}-${size - 1}/${size}` } : {}),
    })
    if (request.method === 'HEAD') response.end()
    else createReadStream(what.file, { start: partial ? from : 0 }).pipe(response)
    return
  }
  response.writeHead(200, { 'content-length': what.promisedBytes ?? what.bytes.length })
  if (request.method !== 'HEAD') response.write(what.bytes)
  // A promise that is not kept ends with the connection.
  if (what.promisedBytes !== undefined && what.promisedBytes > what.bytes.length)
    setTimeout(() => response.destroy(), 50)
  else response.end()
}

/** Lets the server fetch from this test's own loopback server. */
export const ALLOW_LOOPBACK = {
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'image-source-allow-list' },
  value: '127.0.0.1',
}

export interface MachineWish {
  readonly name: string
  readonly runStrategy?: string
  /** Bytes of guest memory as a quantity; 64Mi where firmware alone is to run. */
  readonly memory?: string
  readonly cores?: number
  readonly disks?: readonly object[]
  readonly volumes?: readonly object[]
  readonly dataVolumeTemplates?: readonly object[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly network?: boolean
  readonly graceSeconds?: number
  /** Where more machines are to run than a small host has room for by KubeVirt's ratio. */
  readonly cpuRequest?: string
  readonly more?: Readonly<Record<string, unknown>>
}

/** A VirtualMachine; without disks its guest is the firmware alone, which costs next to nothing. */
export function machine(wish: MachineWish): object {
  const { name, runStrategy = 'Always', memory = '64Mi', network = false } = wish
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', ...(wish.annotations ? { annotations: wish.annotations } : {}) },
    spec: {
      runStrategy,
      ...(wish.dataVolumeTemplates ? { dataVolumeTemplates: wish.dataVolumeTemplates } : {}),
      template: {
        metadata: { labels: { 'test.croft.io/vm': name } },
        spec: {
          terminationGracePeriodSeconds: wish.graceSeconds ?? 0,
          ...(network ? { networks: [{ name: 'default', pod: {} }] } : {}),
          domain: {
            ...(wish.cores ? { cpu: { cores: wish.cores } } : {}),
            memory: { guest: memory },
            ...(wish.cpuRequest ? { resources: { requests: { cpu: wish.cpuRequest } } } : {}),
            devices: {
              ...(network
                ? { interfaces: [{ name: 'default', masquerade: {} }] }
                : { autoattachPodInterface: false }),
              ...(wish.disks ? { disks: wish.disks } : {}),
            },
          },
          ...(wish.volumes ? { volumes: wish.volumes } : {}),
          ...wish.more,
        },
      },
    },
  }
}

/** A dataVolumeTemplate that downloads the image. */
export function imported(name: string, url: string, size = '300Mi'): object {
  return {
    metadata: { name },
    spec: {
      source: { http: { url } },
      storage: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: size } } },
    },
  }
}

export function blank(name: string, size = '64Mi'): object {
  return {
    metadata: { name },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: size } } } },
  }
}

/** The last lines that the guest's console said. */
export async function serialLog(data: string, vmiUid: string): Promise<string> {
  return readFile(join(data, 'machines', vmiUid, 'serial.log'), 'utf8').catch(() => '')
}
