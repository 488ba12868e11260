// A volume under a real guest for tests: storage daemons, a QEMU whose firmware runs a boot sector that writes
// numbered records for ever and says each one that was acknowledged, and a judge that looks for every one of them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { failed, ok, type Result } from '../../base/result.ts'
import type { ProcessIdentity } from '../../host/host.ts'
import { realHost } from '../../host/real/index.ts'
import { diskNodes, topNode } from '../plan/disk-node.ts'
import { connectQmp, type Qmp } from '../qmp/qmp.ts'
import type { LiveVolume } from './change-epoch.ts'
import { incarnationOf, type ReplicaDaemon, startBareDaemon, startDaemon } from './daemon.ts'
import type { EngineQemu } from './engine-qemu.ts'
import { type EpochRecord, exportName } from './epoch/record.ts'
import { saysLocked, whenUnlocked } from './file-lock.ts'
import { HEAD_FILE, type ReplicaPlace } from './layout.ts'
import { type LocalMemberInput, localMember, type Member } from './member.ts'
import { readMeta, writeMeta } from './meta.ts'
import { serveAll } from './swap.ts'
import { tlsArgv } from './tls.ts'

export const run = promisify(execFile)
export const host = realHost({ log: { level: 'error' } })
export const SIZE = 64 * 1024 * 1024
export const DEVICE = 'ua-root'
const DEADLINE_MS = 120_000

/**
 * The boot sector. Record n (512 bytes, each word n) goes to sector n*7919 mod 16384 of the first hard disk; after
 * each write "A" and eight letters (n in base 16, a=0) appear on the serial port; then the record 64 before is read
 * back. "W" and "R" tell an I/O error, "X" an old record.
 */
export const WRITER_CODE =
  '31c08ed88ec08ed0bc007cfc66bd010000006689e8bf0080b9800066f3ab6689ebb443e82f00b0577222b041e866006683fd40761c67668d5dc0b442e81600b052720966391e00807407b058e84600faf46645ebbd6669cbef1e00006681e1ff3f000066890e007d66c706047d0000000066c706f87c1000010066c706fc7c0080000030c0bef87cb28066536655cd13665d665bc3e817006689ebb9080066c1c30488d8240f0461e80400e2f1b00abaf803eec3'
const RECORD_STRIDE = 7919
const RECORD_SECTORS = 16_384
const FLOPPY_BYTES = 1_474_560

/** Waits while a process that was just ended still has the image. */
export async function qemuImg(...args: readonly string[]): Promise<string> {
  const answer = await whenUnlocked(
    host.clock,
    () =>
      run('qemu-img', args).then(
        ({ stdout }) => ({ stdout }),
        (error: unknown) => ({ error: error as Error }),
      ),
    (one) => 'error' in one && saysLocked(one.error.message),
  )
  if ('error' in answer) throw answer.error
  return answer.stdout
}

export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export function must<T>(result: Result<T, { readonly reason: string; readonly message: string }>): T {
  if (!result.ok) throw new Error(`${result.failure.reason}: ${result.failure.message}`)
  return result.value
}

export interface RigReplica {
  readonly name: string
  readonly place: ReplicaPlace
  daemon: ReplicaDaemon
  member: Member
}

export interface Rig {
  readonly folder: string
  readonly replicas: RigReplica[]
  readonly qemu: EngineQemu
  readonly qemuProcess: ProcessIdentity
  record: EpochRecord
  /** Refuses the next commits when set. */
  readonly faults: { commit?: 'refuse' | 'unknown' }
  readonly commits: EpochRecord[]
  volume(more?: Partial<LiveVolume>): LiveVolume
  /** Numbers of acknowledged records so far. */
  acked(): Promise<number>
  /** Waits for this many more records. */
  progress(count: number): Promise<void>
  /** A replica whose daemon holds nothing yet. */
  addBare(name: string): Promise<RigReplica>
  input(replica: RigReplica): LocalMemberInput
  restart(replica: RigReplica): Promise<void>
  /** Ends the guest, then looks for every acknowledged record in each of these replicas, and that they are equal. */
  judge(names: readonly string[]): Promise<void>
}

export interface RigOptions {
  readonly replicas: number
  readonly front?: 'virtio-blk' | 'scsi-hd'
  readonly writeCache?: 'on' | 'off'
  /** The replicas are reached by TCP, as from another host. */
  readonly tcp?: boolean
  /** The replicas stand on an image. */
  readonly backingImage?: boolean
}

export async function makeRig(t: TestContext, options: RigOptions): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'cv-'))
  const processes: ProcessIdentity[] = []
  t.after(async () => {
    for (const one of processes) await host.exec.kill(one, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const image = options.backingImage ? join(folder, 'image.qcow2') : undefined
  if (image) {
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', image, String(SIZE / 2)])
    await run('qemu-io', ['-c', 'write -P 0x77 20M 4M', image])
  }
  const make = (name: string): Promise<RigReplica> =>
    makeReplica(folder, name, processes, { image, ...(options.tcp ? { tcp: true } : {}) })
  const replicas = await Promise.all(
    Array.from({ length: options.replicas }, (_, index) => make(`r${index}`)),
  )
  let record: EpochRecord = {
    epoch: 1,
    engine: { name: 'v-e-0', incarnation: 'first', nodeID: 'n1' },
    inSync: replicas.map(({ name, daemon }) => ({
      replica: name,
      incarnation: incarnationOf(daemon.process),
    })),
    sizeBytes: SIZE,
    cleanShutdown: false,
  }
  const children = must(
    await serveAll(
      replicas.map((one) => one.member),
      record,
    ),
  )
  const machine = await startGuest(folder, children, options)
  processes.push(machine.process)
  const log = join(folder, 'serial.log')
  const acked = async (): Promise<number> => lastRecord(await readFile(log, 'latin1'))
  const rig: Rig = {
    folder,
    replicas,
    qemu: machine.qemu,
    qemuProcess: machine.process,
    get record() {
      return record
    },
    set record(next) {
      record = next
    },
    faults: {},
    commits: [],
    volume: (more = {}) => ({
      qemu: machine.qemu,
      disk: { device: DEVICE, disk: 'root' },
      members: replicas.map((one) => one.member),
      keepPaused: false,
      commit: async (next, before) => {
        const fault = rig.faults.commit
        if (fault === 'refuse' || before.epoch !== record.epoch)
          return failed({
            reason: 'EpochNotCommitted',
            message: 'another epoch is on record',
            retry: 'later',
          })
        assert.ok(next.epoch === record.epoch + 1 || (record.joining && !next.joining))
        record = next
        rig.commits.push(next)
        if (fault === 'unknown')
          return failed({ reason: 'EpochUnknown', message: 'no answer', retry: 'later' })
        return ok(next)
      },
      ...more,
    }),
    acked,
    progress: async (count) => {
      const from = await acked()
      await until(`${count} records after ${from}`, async () => {
        return (await acked()) >= from + count ? true : undefined
      })
    },
    addBare: async (name) => {
      const place = placeOf(folder, name)
      const daemon = must(await startBareDaemon(host, place, undefined))
      processes.push(daemon.process)
      const one = { name, place, daemon, member: localMember({ host, replica: name, place, daemon }) }
      replicas.push(one)
      return one
    },
    input: ({ name, place, daemon }) => ({ host, replica: name, place, daemon }),
    restart: async (replica) => {
      replica.daemon.qmp.close()
      replica.daemon = must(await startDaemon(host, replica.place, undefined))
      processes.push(replica.daemon.process)
      replica.member = localMember({
        host,
        replica: replica.name,
        place: replica.place,
        daemon: replica.daemon,
      })
    },
    judge: (names) => judge(rig, names, log),
  }
  return rig
}

function placeOf(folder: string, name: string): ReplicaPlace {
  const home = join(folder, name)
  return {
    folder: home,
    head: join(home, HEAD_FILE),
    meta: join(home, 'volume.meta'),
    daemon: join(home, 'daemon.json'),
    log: join(home, 'daemon.log'),
    socketFolder: join(folder, `s${name}`),
    qmpSocket: join(folder, `s${name}`, 'qmp.sock'),
    nbdSocket: join(folder, `s${name}`, 'nbd.sock'),
  }
}

async function makeReplica(
  folder: string,
  name: string,
  processes: ProcessIdentity[],
  { image, tcp }: { readonly image: string | undefined; readonly tcp?: boolean },
): Promise<RigReplica> {
  const place = placeOf(folder, name)
  await mkdir(place.folder)
  const backing = image ? ['-b', image, '-F', 'qcow2'] : []
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...backing, place.head, String(SIZE)])
  must(
    await writeMeta(host.files, place.meta, {
      formatVersion: 1,
      volume: 'v',
      replica: name,
      sizeBytes: SIZE,
      head: HEAD_FILE,
      ...(image ? { backingFile: image } : {}),
      epoch: 0,
      incarnation: '',
      cleanShutdown: true,
    }),
  )
  const daemon = must(
    await startDaemon(host, place, undefined, tcp ? { host: '127.0.0.1', port: 0 } : undefined),
  )
  processes.push(daemon.process)
  return { name, place, daemon, member: localMember({ host, replica: name, place, daemon }) }
}

/** A machine whose firmware runs the writer on the first disk. */
export async function startGuest(
  folder: string,
  children: Parameters<typeof diskNodes>[1] extends infer B
    ? B extends { readonly children: infer C }
      ? C
      : never
    : never,
  options: RigOptions,
) {
  const floppy = Buffer.alloc(FLOPPY_BYTES)
  floppy.write(WRITER_CODE, 'hex')
  floppy.writeUInt16LE(0xaa55, 510)
  await writeFile(join(folder, 'boot.img'), floppy)
  const nodes = diskNodes(
    'root',
    { kind: 'nbd', children },
    { readOnly: false, cache: undefined, io: undefined, shareable: false },
  )
  const front = `drive=${topNode('root')},id=${DEVICE},werror=stop,rerror=stop,write-cache=${options.writeCache ?? 'on'}`
  const argv = [
    'qemu-system-x86_64',
    ...['-M', 'pc', '-accel', 'tcg', '-m', '16', '-nodefaults', '-display', 'none'],
    ...['-chardev', `file,id=s,path=${join(folder, 'serial.log')}`, '-device', 'isa-serial,chardev=s'],
    ...['-drive', `if=floppy,format=raw,readonly=on,file=${join(folder, 'boot.img')}`],
    ...['main', 'rescue'].flatMap((name) => [
      ...['-chardev', `socket,id=${name},path=${join(folder, `${name}.sock`)},server=on,wait=off`],
      ...['-mon', `chardev=${name},mode=control`],
    ]),
    ...children.slice(0, 1).flatMap(tlsArgv),
    ...nodes.flatMap((node) => ['-blockdev', JSON.stringify(node)]),
    ...(options.front === 'scsi-hd'
      ? ['-device', 'virtio-scsi-pci', '-device', `scsi-hd,${front}`]
      : ['-device', `virtio-blk-pci,${front}`]),
  ]
  const process = must(
    await host.exec.startDetached(argv, {
      cwd: folder,
      stdoutPath: join(folder, 'qemu.log'),
      stderrPath: join(folder, 'qemu.log'),
    }),
  )
  const dial = (name: string, oob: boolean): Promise<Qmp> =>
    until(`QEMU's ${name} monitor`, async () => {
      const session = await connectQmp(host, join(folder, `${name}.sock`), { oob, timeoutMs: 5_000 })
      return session.ok ? session.value : undefined
    })
  const main = await dial('main', false)
  const rescue = await dial('rescue', true)
  const qemu: EngineQemu = {
    execute: (command, args, timeoutMs) =>
      main.execute(command, args as never, timeoutMs === undefined ? {} : { timeoutMs }),
    rescue: (command, args) => rescue.execute(command, args as never, { oob: true }),
    onEvent: (listener) => main.onEvent(listener),
  }
  return { qemu, process }
}

export function lastRecord(log: string): number {
  const line = log.slice(0, log.lastIndexOf('\n')).split('\n').at(-1) ?? ''
  assert.ok(line === '' || line.startsWith('A'), `the guest saw an error or an old record: ${line}`)
  return [...line.slice(1)].reduce((sum, letter) => sum * 16 + letter.charCodeAt(0) - 97, 0)
}

async function judge(rig: Rig, names: readonly string[], log: string): Promise<void> {
  await host.exec.kill(rig.qemuProcess, 'SIGKILL')
  const last = lastRecord(await readFile(log, 'latin1'))
  const images: Image[] = []
  for (const name of names) {
    const replica = rig.replicas.find((one) => one.name === name)!
    must(await replica.member.fence())
    await replica.daemon.qmp.execute('quit')
    await until('the daemon ends', async () =>
      (await host.exec.isAlive(replica.daemon.process)) ? undefined : true,
    )
    images.push({ name, bytes: await contentOf(replica.place) })
  }
  judgeImages(images, last)
}

export interface Image {
  readonly name: string
  readonly bytes: Buffer
}

/** What a replica holds, as a guest would see it. Nothing may have it open. */
export async function contentOf(place: ReplicaPlace): Promise<Buffer> {
  const meta = must(await readMeta(host.files, place.meta))!
  const head = join(place.folder, meta.head)
  await qemuImg('check', '-q', head)
  const raw = join(place.folder, 'judged.raw')
  await qemuImg('convert', '-O', 'raw', head, raw)
  const bytes = await readFile(raw)
  await rm(raw)
  return bytes
}

/** Every record up to the last acknowledged one is in each image, and the images are equal. */
export function judgeImages(images: readonly Image[], last: number): void {
  for (const [index, { name, bytes: image }] of images.entries()) {
    for (let number = Math.max(1, last - RECORD_SECTORS + 1); number <= last; number++) {
      const at = ((number * RECORD_STRIDE) % RECORD_SECTORS) * 512
      const found = image.readUInt32LE(at)
      // The next record may be on its way; it takes the place of the one a whole round before.
      const next = number === last - RECORD_SECTORS + 1 ? last + 1 : number
      assert.ok(found === number || found === next, `${name}: record ${number} is ${found}`)
    }
    // In flight at the end: may be on some replicas only.
    const pending = (((last + 1) * RECORD_STRIDE) % RECORD_SECTORS) * 512
    image.fill(0, pending, pending + 512)
    assert.ok(index === 0 || image.equals(images[0]!.bytes), `${name} differs from ${images[0]!.name}`)
  }
}

export { exportName }
