// A replica is rebuilt while the guest writes, and is equal to the others at the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDaemon } from './daemon.ts'
import { rebuildReplica } from './rebuild.ts'
import { host, makeRig, must } from './rig.fixture.ts'

const words = { name: 'rebuild-1', userCreated: false, createdAt: '2026-01-02T03:04:05Z' }

test('a new replica joins under a writing guest and is equal in the end', async (t) => {
  const rig = await makeRig(t, { replicas: 2 })
  await rig.progress(40)
  const target = await rig.addBare('r2')
  const [source] = rig.replicas
  const before = rig.record
  let copied = 0
  const rebuilt = must(
    await rebuildReplica({
      volume: rig.volume(),
      record: before,
      source: rig.input(source!),
      target: rig.input(target),
      words,
      rateBytes: 16 * 1024 * 1024,
      onBytes: (count) => {
        copied += count
      },
    }),
  )
  assert.ok(copied > 0)
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
  const rebuilt = await rebuildReplica({
    volume: rig.volume(),
    record: rig.record,
    source: rig.input(rig.replicas[0]!),
    target: rig.input(target),
    words,
    onBytes: () => {
      void host.exec.kill(target.daemon.process, 'SIGKILL')
    },
  })
  assert.equal(rebuilt.ok, false)
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
