// A daemon whose files another process still holds: waited for, and named when it does not go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDaemon } from './daemon.ts'
import { host, makeRig, must, run } from './rig.fixture.ts'

test('a daemon starts as soon as the last holder of its image lets go', async (t) => {
  const rig = await makeRig(t, { replicas: 1 })
  const [only] = rig.replicas
  await host.exec.kill(rig.qemuProcess, 'SIGKILL')
  await only!.daemon.qmp.execute('quit')
  only!.daemon.qmp.close()
  const holding = run('qemu-io', ['-c', 'sleep 1000', only!.place.head])
  await rig.restart(only!)
  await holding
})

test('a holder that stays is named', async (t) => {
  const rig = await makeRig(t, { replicas: 1 })
  const [only] = rig.replicas
  const second = { ...only!.place, socketFolder: `${rig.folder}/x`, qmpSocket: `${rig.folder}/x/q` }
  const started = await startDaemon(host, { ...second, nbdSocket: `${rig.folder}/x/n` }, undefined)
  assert.equal(started.ok ? '' : started.failure.reason, 'ReplicaLocked')
  assert.match(started.ok ? '' : started.failure.message, /qemu-storage-daemon \(process \d+\)/)
  must(await only!.member.fence())
})
