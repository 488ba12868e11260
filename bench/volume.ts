// The data path of a volume with copies, by product code: three replicas on three folders of one disk under a quorum,
// against three raw files written in parallel (what one disk can do at most for three copies) and against one NBD
// export. Direct I/O. Run: node bench/volume.ts [FOLDER]
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Result } from '../src/base/result.ts'
import type { ProcessIdentity } from '../src/host/host.ts'
import { realHost } from '../src/host/real/index.ts'
import type { NbdChild } from '../src/node/plan/backing.ts'
import { incarnationOf, type ReplicaDaemon, startDaemon } from '../src/node/volume/daemon.ts'
import { HEAD_FILE, type ReplicaPlace } from '../src/node/volume/layout.ts'
import { localMember } from '../src/node/volume/member.ts'
import { writeMeta } from '../src/node/volume/meta.ts'
import { head, line, quantile, usageOf } from './figures.ts'

const SIZE = 1024 ** 3
const COPIES = 3
const ROUNDS = 3
/** Bytes; scatters consecutive requests over the whole volume, each place once before any comes twice. */
const STRIDE = 4096 * 40_503
const run = promisify(execFile)
const host = realHost({ log: { level: 'error' } })

interface Load {
  readonly name: string
  readonly bytes: number
  readonly depth: number
  readonly count: number
  readonly write: boolean
  /** Requests between two flushes. */
  readonly flush?: number
}

const LOADS: readonly Load[] = [
  { name: '4k write, one at a time', bytes: 4096, depth: 1, count: 6_000, write: true },
  { name: '4k write, 32 at a time', bytes: 4096, depth: 32, count: 24_000, write: true },
  { name: '4k write, one at a time, each flushed', bytes: 4096, depth: 1, count: 600, write: true, flush: 1 },
  { name: '4k read, one at a time', bytes: 4096, depth: 1, count: 8_000, write: false },
  { name: '4k read, 32 at a time', bytes: 4096, depth: 32, count: 30_000, write: false },
  { name: '1 MiB write', bytes: 1024 ** 2, depth: 4, count: 1_000, write: true },
  { name: '1 MiB read', bytes: 1024 ** 2, depth: 4, count: 1_000, write: false },
]

function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

interface Took {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** One run of qemu-img's own load; bash tells what it cost. */
async function drive(image: string, format: string, load: Load): Promise<Took> {
  const words = [
    ...['qemu-img', 'bench', '-t', 'none', '-f', format, '-c', `${load.count}`, '-d', `${load.depth}`],
    ...['-s', `${load.bytes}`, '-S', load.bytes === 4096 ? `${STRIDE}` : `${load.bytes}`],
    ...(load.write ? ['-w'] : []),
    ...(load.flush === undefined ? [] : ['--flush-interval', `${load.flush}`]),
    image,
  ]
  const { stdout, stderr } = await run('bash', ['-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash', ...words])
  const seconds = Number(/completed in ([\d.]+) seconds/.exec(stdout)?.[1])
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr) ?? []
  if (!Number.isFinite(seconds)) throw new Error(`qemu-img bench said ${stdout} ${stderr}`)
  return { seconds, cpuSeconds: Number(user) + Number(system) }
}

function placeOf(folder: string, name: string): ReplicaPlace {
  const home = join(folder, name)
  const socketFolder = join(folder, `s${name}`)
  return {
    folder: home,
    head: join(home, HEAD_FILE),
    meta: join(home, 'volume.meta'),
    daemon: join(home, 'daemon.json'),
    log: join(home, 'daemon.log'),
    socketFolder,
    qmpSocket: join(socketFolder, 'qmp.sock'),
    nbdSocket: join(socketFolder, 'nbd.sock'),
  }
}

interface Served {
  readonly daemon: ReplicaDaemon
  readonly child: NbdChild
}

async function serve(folder: string, name: string, started: ProcessIdentity[]): Promise<Served> {
  const place = placeOf(folder, name)
  await mkdir(place.folder)
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', place.head, `${SIZE}`])
  must(
    await writeMeta(host.files, place.meta, {
      formatVersion: 1,
      volume: 'bench',
      replica: name,
      sizeBytes: SIZE,
      head: HEAD_FILE,
      epoch: 0,
      incarnation: '',
      cleanShutdown: true,
    }),
  )
  const daemon = must(await startDaemon(host, place, undefined))
  started.push(daemon.process)
  const member = localMember({ host, replica: name, place, daemon })
  return { daemon, child: must(await member.serve({ epoch: 1, incarnation: incarnationOf(daemon.process) })) }
}

function nbd({ server, exportName }: NbdChild): Readonly<Record<string, unknown>> {
  const path = 'unix' in server ? server.unix : ''
  return { driver: 'nbd', server: { type: 'unix', path }, export: exportName }
}

const json = (node: Readonly<Record<string, unknown>>): string => `json:${JSON.stringify(node)}`

interface Peer {
  readonly name: string
  readonly daemons: readonly ReplicaDaemon[]
  run(load: Load): Promise<Took>
}

/** Requests a second, and processor microseconds for each, of everything that takes part. */
async function measure(peer: Peer, load: Load): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const spent = (): number =>
      peer.daemons.reduce((sum, { process }) => sum + usageOf(process.pid).cpuSeconds, 0)
    const before = spent()
    const { seconds, cpuSeconds } = await peer.run(load)
    rates.push(load.count / seconds)
    costs.push(((cpuSeconds + spent() - before) * 1e6) / load.count)
  }
  return { rate: quantile(rates, 0.5), cpuUs: quantile(costs, 0.5) }
}

head('volume')
const folder = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'croft-bench-'))
const started: ProcessIdentity[] = []
try {
  const copies = await Promise.all(
    Array.from({ length: COPIES }, (_, index) => serve(folder, `r${index}`, started)),
  )
  const single = await serve(folder, 'one', started)
  const raws = Array.from({ length: COPIES }, (_, index) => join(folder, `raw${index}`))
  for (const raw of raws) await run('qemu-img', ['create', '-q', '-f', 'raw', raw, `${SIZE}`])
  const children = copies.map(({ child }) => nbd(child))
  const quorum = { driver: 'quorum', 'vote-threshold': COPIES, 'read-pattern': 'fifo', children }
  const inParallel = async (load: Load): Promise<Took> => {
    const all = await Promise.all(raws.map((raw) => drive(raw, 'raw', load)))
    return {
      seconds: Math.max(...all.map(({ seconds }) => seconds)),
      cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    }
  }
  const volume: Peer = {
    name: 'three replicas',
    daemons: copies.map(({ daemon }) => daemon),
    run: (load) => drive(json(quorum), 'quorum', load),
  }
  const peers: readonly Peer[] = [
    { name: 'three raw files', daemons: [], run: inParallel },
    { name: 'one raw file', daemons: [], run: (load) => drive(raws[0] ?? '', 'raw', load) },
    {
      name: 'one NBD export',
      daemons: [single.daemon],
      run: (load) => drive(json(nbd(single.child)), 'nbd', load),
    },
  ]
  // Everything is allocated before anything is measured.
  const fill: Load = { name: 'fill', bytes: 1024 ** 2, depth: 4, count: SIZE / 1024 ** 2, write: true }
  for (const peer of [volume, ...peers]) await peer.run(fill)
  for (const load of LOADS) {
    const ours = await measure(volume, load)
    line(load.name, `${ours.rate.toFixed(0)} /s, ${ours.cpuUs.toFixed(0)} us of processor each`)
    for (const peer of peers) {
      const theirs = await measure(peer, load)
      const what = `  against ${peer.name}`
      line(
        what,
        `${(ours.rate / theirs.rate).toFixed(2)} (${theirs.rate.toFixed(0)} /s, ${theirs.cpuUs.toFixed(0)} us)`,
        goalOf(load, peer.name),
      )
    }
  }
} finally {
  for (const one of started) await host.exec.kill(one, 'SIGKILL')
  await rm(folder, { recursive: true, force: true })
}

/** What a volume is held to (SPEC.md). */
function goalOf({ bytes, depth, write, flush }: Load, peer: string): string | undefined {
  if (peer === 'three raw files' && write && bytes === 4096 && flush === undefined)
    return depth === 1 ? '>= 0.6' : '>= 0.5'
  if (peer !== 'one NBD export') return undefined
  if (!write) return '>= 0.9'
  return bytes > 4096 ? '>= 0.45' : undefined
}
