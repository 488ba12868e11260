// A replica is rebuilt while the guest writes, and is equal to the others at the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { incarnationOf, startDaemon } from './daemon.ts'
import { beginRebuild, copyLayers, countReplica, dropJoining } from './rebuild.ts'
import { host, makeRig, must, type Rig, type RigReplica } from './rig.fixture.ts'

const words = { name: 'rebuild-1', userCreated: false, createdAt: '2026-01-02T03:04:05Z' }

const begin = async (rig: Rig, source: RigReplica, target: RigReplica) =>
  must(
    await beginRebuild({
      volume: rig.volume(),
      record: rig.record,
      source: source.member,
      target: target.member,
      incarnation: incarnationOf(target.daemon.process),
      words,
    }),
  )

test('a new replica joins under a writing guest and is equal in the end', async (t) => {
  const rig = await makeRig(t, { replicas: 2 })
  await rig.progress(40)
  const target = await rig.addBare('r2')
  const [source] = rig.replicas as [RigReplica]
  const joined = await begin(rig, source, target)
  assert.equal(joined.joining?.replica, 'r2')
  const progress: number[] = []
  must(
    await copyLayers({
      source: source.member,
      target: target.member,
      rateBytes: 16 * 1024 * 1024,
      onProgress: (done) => progress.push(done),
    }),
  )
  await source.member.closeLayer(words.name)
  assert.equal(progress.at(-1), 1)
  const rebuilt = must(await countReplica(rig.volume().commit, rig.record, 'r2'))
  assert.deepEqual(
    rebuilt.inSync.map((member) => member.replica),
    ['r0', 'r1', 'r2'],
  )
  assert.equal(rebuilt.joining, undefined)
  await rig.progress(40)
  await rig.judge(['r0', 'r1', 'r2'])
})

test('a target that dies in the middle of its rebuild costs nothing', async (t) => {
  const rig = await makeRig(t, { replicas: 1 })
  await rig.progress(20)
  const target = await rig.addBare('r1')
  const [source] = rig.replicas as [RigReplica]
  await begin(rig, source, target)
  await rig.progress(5)
  await host.exec.kill(target.daemon.process, 'SIGKILL')
  const copied = await copyLayers({ source: source.member, target: target.member })
  assert.equal(copied.ok, false)
  must(await dropJoining(rig.volume(), rig.record))
  assert.deepEqual(
    rig.record.inSync.map((member) => member.replica),
    ['r0'],
  )
  assert.equal(rig.record.joining, undefined)
  await rig.progress(20)
  await rig.judge(['r0'])
  // A half-built replica is never opened as if it were whole.
  const started = await startDaemon(host, target.place, undefined)
  assert.equal(started.ok ? '' : started.failure.reason, 'ReplicaIncomplete')
})
