// The image room against real HTTP servers, odd ones too, and real wrappers.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startApi } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { createInformers } from '../../client/informer.ts'
import { realHost } from '../../host/real/index.ts'
import { Setting } from '../../kinds/harvester/setting.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Node } from '../../kinds/longhorn/node.ts'
import { imageRoom } from './room.ts'

/** Long enough that a busy machine has read what was sent before the line broke. */
const LINE_BREAKS_MS = 500

const host = realHost({ log: { level: 'error', write: () => undefined } })
const NAMESPACE = 'longhorn-system'
const DISK = '11111111-2222-3333-4444-555555555555'
const DEADLINE_MS = 30_000

type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface World {
  readonly folder: string
  readonly base: string
  readonly requests: string[]
  readonly room: ReturnType<typeof imageRoom>
  serve(path: string, answer: Answer): string
  make(name: string, spec: Readonly<Record<string, unknown>>): Promise<void>
  /** Waits until the file has come to rest and gives its state. */
  settled(
    name: string,
  ): Promise<{ readonly state: string; readonly message: string; readonly image: BackingImage }>
  retry(name: string): Promise<void>
}

async function start(t: TestContext): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'croft-image-'))
  const api = await startApi()
  const client = createInProcessClient({
    api: api.api,
    user: { username: 'test', groups: ['system:masters'] },
    fieldManager: 'test',
  })
  const answers = new Map<string, Answer>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.range ?? ''}`.trim())
    const answer = answers.get(request.url ?? '')
    if (answer) answer(request, response)
    else response.writeHead(404).end('<html>not found')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const informers = createInformers(client, host, { signal: stop.signal })
  const room = imageRoom({ host, client, informers, nodeName: 'n1', clusterNetworks: [] })
  await client.create(Node, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Node',
    metadata: { name: 'n1', namespace: NAMESPACE },
  })
  await client.patch(
    Node,
    'n1',
    {
      status: {
        diskStatus: { 'default-disk': { diskUUID: DISK, diskPath: folder, diskName: 'default-disk' } },
      },
    },
    { namespace: NAMESPACE, subresource: 'status' },
  )
  await client.create(Setting, {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'image-source-allow-list' },
    value: '127.0.0.1',
  })
  const running = room.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
    await api.close()
  })
  const settled: World['settled'] = async (name) => {
    const deadline = Date.now() + DEADLINE_MS
    for (;;) {
      const image = await client.get(BackingImage, name, { namespace: NAMESPACE })
      const file = image.status?.diskFileStatusMap?.[DISK]
      if (file?.state && (file.state === 'ready' || file.state.startsWith('failed')))
        return { state: file.state, message: file.message ?? '', image }
      if (Date.now() > deadline) throw new Error(`${name} did not settle: ${JSON.stringify(file)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    folder,
    base,
    requests,
    room,
    serve: (path, answer) => {
      answers.set(path, answer)
      return `${base}${path}`
    },
    make: async (name, spec) => {
      await client.create(BackingImage, {
        apiVersion: 'longhorn.io/v1beta2',
        kind: 'BackingImage',
        metadata: { name, namespace: NAMESPACE },
        spec: { diskFileSpecMap: { [DISK]: {} }, sourceType: 'download', ...spec } as never,
      })
    },
    settled,
    retry: async (name) => {
      const status: JsonObject = {
        diskFileStatusMap: { [DISK]: { state: 'pending', progress: 0, message: '' } },
      }
      await client.patch(BackingImage, name, { status }, { namespace: NAMESPACE, subresource: 'status' })
    },
  }
}

/** A 32 MiB disk with 1 MiB of data, as qcow2. */
function smallDisk(folder: string): Buffer {
  execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', 'small.qcow2', '32M'], { cwd: folder })
  execFileSync('qemu-io', ['-c', 'write -P 0x7e 1M 1M', 'small.qcow2'], { cwd: folder, stdio: 'ignore' })
  return readFileSync(join(folder, 'small.qcow2'))
}

const whole =
  (bytes: Buffer, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-length': String(bytes.length), ...headers }).end(bytes)

const sha512 = (bytes: Buffer): string => createHash('sha512').update(bytes).digest('hex')
const spec = (url: string, more: object = {}): Readonly<Record<string, unknown>> => ({
  sourceParameters: { url },
  ...more,
})

async function storedContent(world: World, name: string): Promise<string> {
  const [folder] = (await readdir(join(world.folder, 'backing-images'))).filter((one) =>
    one.startsWith(`${name}-`),
  )
  const path = join(world.folder, 'backing-images', folder!, 'backing')
  assert.equal((await stat(path)).mode & 0o777, 0o444)
  const raw = join(world.folder, `${name}.raw`)
  execFileSync('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', path, raw])
  return sha512(await readFile(raw))
}

function wrapped(folder: string, program: string, bytes: Buffer): Buffer {
  return execFileSync(program, ['-c'], { cwd: folder, input: bytes, maxBuffer: 1 << 28 })
}

test('a disk comes as it is, wrapped in anything, under any name, and is the same disk', async (t) => {
  const world = await start(t)
  const disk = smallDisk(world.folder)
  execFileSync('qemu-img', ['convert', '-O', 'raw', 'small.qcow2', 'small.raw'], { cwd: world.folder })
  const content = sha512(await readFile(join(world.folder, 'small.raw')))
  const rows: readonly (readonly [string, Buffer])[] = [
    ['plain', disk],
    ['raw', await readFile(join(world.folder, 'small.raw'))],
    ['xz', wrapped(world.folder, 'xz', disk)],
    ['gz', wrapped(world.folder, 'gzip', disk)],
    ['zst', wrapped(world.folder, 'zstd', disk)],
    ['wrong-suffix.gz', wrapped(world.folder, 'zstd', disk)],
  ]
  for (const [path, bytes] of rows)
    await world.make(path.replace('.', '-'), spec(world.serve(`/${path}`, whole(bytes))))
  for (const [path] of rows) {
    const name = path.replace('.', '-')
    const { state, message, image } = await world.settled(name)
    assert.equal(state, 'ready', `${name}: ${message}`)
    assert.equal(Number(image.status?.virtualSize), 33554432)
    assert.equal(await storedContent(world, name), content, name)
  }
})

test('a wrong checksum fails with both sums, again on each attempt, and nothing is asked in between', async (t) => {
  const world = await start(t)
  const disk = smallDisk(world.folder)
  const url = world.serve('/disk', whole(disk))
  await world.make('bad', spec(url, { checksum: '0'.repeat(128) }))
  const first = await world.settled('bad')
  assert.equal(first.state, 'failed')
  assert.match(first.message, new RegExp(`expected 0+, the file has ${sha512(disk)}`))
  assert.equal(world.requests.length, 1)
  await world.retry('bad')
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal((await world.settled('bad')).state, 'failed')
  assert.equal(world.requests.length, 2)
  await world.make('good', spec(url, { checksum: sha512(disk).toUpperCase() }))
  assert.equal((await world.settled('good')).state, 'ready')
  const sha256 = createHash('sha256').update(disk).digest('hex')
  await world.make('other-sum', { sourceParameters: { url, checksum: `sha256:${sha256}` } })
  assert.equal((await world.settled('other-sum')).state, 'ready')
})

test('odd servers: redirects, no length, a broken line that is gone on with, a lie about the length', async (t) => {
  const world = await start(t)
  const disk = smallDisk(world.folder)
  world.serve('/disk', whole(disk))
  const redirect = world.serve('/hop', (_request, response) =>
    response.writeHead(302, { location: '/disk' }).end(),
  )
  const endless = world.serve('/round', (_request, response) =>
    response.writeHead(302, { location: '/round' }).end(),
  )
  const noLength = world.serve('/chunked', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write(disk.subarray(0, 1000))
    response.end(disk.subarray(1000))
  })
  let broken = 0
  const breaks = world.serve('/breaks', (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const headers = { etag: '"v1"', 'content-length': String(disk.length - from) }
    if (from > 0)
      response.writeHead(206, {
        ...headers,
        'content-range': `bytes ${from}-${disk.length - 1}/${disk.length}`,
      })
    else response.writeHead(200, headers)
    if (broken++ > 1) return response.end(disk.subarray(from))
    response.write(disk.subarray(from, from + 200_000), () =>
      setTimeout(() => response.destroy(), LINE_BREAKS_MS),
    )
    return undefined
  })
  const liar = world.serve('/liar', (_request, response) => {
    response.writeHead(200, { 'content-length': String(disk.length + 5000) })
    response.write(disk, () => setTimeout(() => response.destroy(), LINE_BREAKS_MS))
  })
  await world.make('redirect', spec(redirect))
  await world.make('endless', spec(endless))
  await world.make('no-length', spec(noLength))
  await world.make('breaks', spec(breaks))
  for (const name of ['redirect', 'no-length', 'breaks']) {
    const { state, message } = await world.settled(name)
    assert.equal(state, 'ready', `${name}: ${message}`)
  }
  assert.ok(
    world.requests.some((line) => line.startsWith('/breaks bytes=')),
    'the broken line was gone on with',
  )
  const round = await world.settled('endless')
  assert.match(round.message, /redirects more than/)
  await world.make('liar', spec(liar))
  assert.match((await world.settled('liar')).message, /broke|ended after/)
})

test('what cannot work says why: no server, no page, not an image, a hostile image, an address of our own', async (t) => {
  const world = await start(t)
  smallDisk(world.folder)
  execFileSync(
    'qemu-img',
    ['create', '-q', '-f', 'qcow2', '-b', 'small.qcow2', '-F', 'qcow2', 'child.qcow2'],
    {
      cwd: world.folder,
    },
  )
  const child = await readFile(join(world.folder, 'child.qcow2'))
  const cut = wrapped(world.folder, 'xz', smallDisk(world.folder)).subarray(0, 300)
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['dead', 'http://127.0.0.1:9/disk', /cannot reach 127\.0\.0\.1:9/],
    ['missing', `${world.base}/nothing`, /answered 404/],
    [
      'page',
      world.serve('/page', whole(Buffer.from(`<!DOCTYPE html><html>${' '.repeat(2000)}`))),
      /web page/,
    ],
    ['hostile', world.serve('/child', whole(child)), /backing file/],
    ['cut', world.serve('/cut.xz', whole(cut)), /cut off or damaged/],
    ['empty', world.serve('/empty', whole(Buffer.alloc(0))), /empty/],
    ['tiny', world.serve('/tiny', whole(Buffer.alloc(100))), /100 bytes/],
    ['own', 'http://169.254.169.254/latest/meta-data', /image-source-allow-list/],
    ['ftp', 'ftp://example.com/disk', /only http and https/],
  ]
  for (const [name, url] of rows) await world.make(name, spec(url))
  for (const [name, , words] of rows) {
    const { state, message } = await world.settled(name)
    assert.match(state, /^failed/)
    assert.match(message, words, name)
  }
  const left = await readdir(join(world.folder, 'backing-images'))
  for (const folder of left)
    assert.ok(!(await readdir(join(world.folder, 'backing-images', folder))).includes('backing'), folder)
})

async function* chunksOf(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536)
}

test('an upload is taken whole or not at all', async (t) => {
  const world = await start(t)
  const disk = smallDisk(world.folder)
  await world.make('up', { sourceType: 'upload' })
  const send = (backingImage: string, sizeBytes: number) =>
    world.room.uploads.receive({ nodeName: 'n1', backingImage, sizeBytes, body: chunksOf(disk) })
  const deadline = Date.now() + DEADLINE_MS
  let taken = await send('up', disk.length)
  while (!taken.ok && taken.failure.reason === 'ImageUnknown' && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    taken = await send('up', disk.length)
  }
  assert.ok(taken.ok)
  assert.equal((await world.settled('up')).state, 'ready')
  const again = await send('up', disk.length)
  assert.equal(again.ok ? '' : again.failure.reason, 'ImageNotWaiting')
  await world.make('half', { sourceType: 'upload' })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const short = await send('half', disk.length + 1)
  assert.equal(short.ok ? '' : short.failure.reason, 'UploadShort')
  assert.equal((await world.settled('half')).state, 'failed')
})

test('an image that is whole is not fetched again because a late word of progress overtook the last one', async (t) => {
  const world = await start(t)
  await world.make('late', spec(world.serve('/late.qcow2', whole(smallDisk(world.folder)))))
  assert.equal((await world.settled('late')).state, 'ready')
  const before = world.requests.length
  await world.retry('late')
  assert.equal((await world.settled('late')).state, 'ready')
  assert.equal(world.requests.length, before)
})
