// Real storage daemons under the volume room, through the real API.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { startApi } from '../../../test/api-fixture.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { createInformers } from '../../client/informer.ts'
import { realHost } from '../../host/real/index.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { allKinds } from '../../kinds/index.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import type { VolumeRoom } from '../ports.ts'
import { StartGate } from '../start-gate.ts'
import { volumeRoom } from './room.ts'

const run = promisify(execFile)
const host = realHost({ log: { level: 'error' } })
const NAMESPACE = 'longhorn-system'
const SIZE = 64 * 1024 * 1024
const DEADLINE_MS = 20_000

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function start(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'croft-volume-'))
  const api = await startApi({ kinds: allKinds })
  const client = createInProcessClient({
    api: api.api,
    user: { username: 'test', groups: ['system:masters'] },
    fieldManager: 'test',
  })
  const rooms: AbortController[] = []
  const running: Promise<void>[] = []
  const open = (): VolumeRoom => {
    const stop = new AbortController()
    const informers = createInformers(client, host, { signal: stop.signal })
    const room = volumeRoom({
      host,
      client,
      informers,
      starts: new StartGate(2),
      nodeName: 'n1',
      runFolder: join(folder, 'run'),
    })
    running.push(room.run(stop.signal))
    rooms.push(stop)
    return room
  }
  const close = async (): Promise<void> => {
    for (const stop of rooms.splice(0)) stop.abort()
    await Promise.all(running.splice(0))
  }
  t.after(async () => {
    await close()
    // A storage daemon outlives the room by design; a test must not leave one.
    const left = await host.files.readText(join(folder, 'replicas/v-0a1b2c3d/daemon.json'))
    if (left.ok) process.kill((JSON.parse(left.value) as { pid: number }).pid, 'SIGKILL')
    await rm(folder, { recursive: true })
    await api.close()
  })
  return { folder, client, open, close }
}

type World = Awaited<ReturnType<typeof start>>

async function makeVolume({ folder, client }: World): Promise<void> {
  await client.create(Replica, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Replica',
    metadata: {
      name: 'v-r-1',
      namespace: NAMESPACE,
      labels: { longhornvolume: 'v' },
      finalizers: ['longhorn.io'],
    },
    spec: {
      volumeName: 'v',
      volumeSize: String(SIZE),
      nodeID: 'n1',
      engineName: 'v-e-0',
      diskPath: folder,
      dataDirectoryName: 'v-0a1b2c3d',
      desireState: 'running',
    },
  })
  await client.create(Engine, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Engine',
    metadata: { name: 'v-e-0', namespace: NAMESPACE },
    spec: {
      volumeName: 'v',
      volumeSize: String(SIZE),
      nodeID: 'n1',
      desireState: 'running',
      replicaAddressMap: { 'v-r-1': ':0' },
    },
  })
  await client.create(VolumeEpoch, {
    apiVersion: 'storage.croft.io/v1alpha1',
    kind: 'VolumeEpoch',
    metadata: { name: 'v', namespace: NAMESPACE },
    spec: { epoch: 0, inSync: [], size: SIZE, cleanShutdown: true },
  })
}

const engineOf = ({ client }: World): Promise<Engine> => client.get(Engine, 'v-e-0', { namespace: NAMESPACE })

const attached = (world: World): Promise<string> =>
  until('engine runs', async () => {
    const engine = await engineOf(world)
    return engine.status?.currentState === 'running' ? engine.status.endpoint : undefined
  })

const want = async ({ client }: World, desireState: 'running' | 'stopped'): Promise<void> => {
  await client.patch(Engine, 'v-e-0', { spec: { desireState } }, { namespace: NAMESPACE })
}

const qemuIo = (endpoint: string, command: string): Promise<{ readonly stdout: string }> =>
  run('qemu-io', ['-f', 'raw', '-c', command, endpoint], { timeout: 10_000 })

async function daemonPid({ folder }: World): Promise<number> {
  const text = await host.files.readText(join(folder, 'replicas/v-0a1b2c3d/daemon.json'))
  assert.ok(text.ok)
  return (JSON.parse(text.value) as { pid: number }).pid
}

test('a volume is served under a new name for every engine, survives our restart, and leaves nothing', async (t) => {
  const world = await start(t)
  const room = world.open()
  await makeVolume(world)
  const first = await attached(world)
  await qemuIo(first, 'write -P 0x5a 1M 64k')
  const pid = await daemonPid(world)
  assert.equal(room.endpoint('v')?.kind, 'nbd')

  // Our own restart: the daemon and the export stay, nothing is committed anew.
  await world.close()
  const second = world.open()
  await until('endpoint is found again', () => second.endpoint('v'))
  assert.equal(await daemonPid(world), pid)
  assert.equal((await engineOf(world)).status?.endpoint, first)
  await qemuIo(first, 'read -P 0x5a 1M 64k')

  // Detach and attach: a new epoch, a new name, the old name is unknown, the data are there.
  await want(world, 'stopped')
  await until('engine stops', async () =>
    (await engineOf(world)).status?.currentState === 'stopped' ? true : undefined,
  )
  await assert.rejects(qemuIo(first, 'read 0 512'))
  const record = await world.client.get(VolumeEpoch, 'v', { namespace: NAMESPACE })
  assert.equal(record.spec.cleanShutdown, true)
  await want(world, 'running')
  const third = await attached(world)
  assert.notEqual(third, first)
  await qemuIo(third, 'read -P 0x5a 1M 64k')
  await assert.rejects(qemuIo(first, 'read 0 512'))

  // Deletion takes the process and the files.
  await want(world, 'stopped')
  await world.client.delete(Replica, 'v-r-1', { namespace: NAMESPACE })
  await until('replica is gone', async () => {
    const left = await world.client.list(Replica, { namespace: NAMESPACE })
    return left.items.length === 0 ? true : undefined
  })
  assert.deepEqual(await readdir(join(world.folder, 'replicas')), [])
  await assert.rejects(stat(`/proc/${pid}`))
})

test('a storage daemon that dies under an engine is told, never hidden', async (t) => {
  const world = await start(t)
  const room = world.open()
  await makeVolume(world)
  await attached(world)
  process.kill(await daemonPid(world), 'SIGKILL')
  await until('engine error', async () => {
    const engine = await engineOf(world)
    return engine.status?.currentState === 'error' ? true : undefined
  })
  assert.equal(room.endpoint('v'), undefined)
  // The guest may have lost acknowledged writes, so only a new start of the engine may serve it again.
  await want(world, 'stopped')
  await until('engine stops', async () =>
    (await engineOf(world)).status?.currentState === 'stopped' ? true : undefined,
  )
  await want(world, 'running')
  await qemuIo(await attached(world), 'read 0 512')
})
