// Snapshot objects of an attached volume: taken on all replicas under a writing machine, told, merged away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { chainBelow } from './layers.ts'
import { readMeta } from './meta.ts'
import { host, must, SIZE, until } from './rig.fixture.ts'
import { makeWorld, NAMESPACE, type World } from './world.fixture.ts'

const snapshot = (name: string): Snapshot => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Snapshot',
  metadata: { name, namespace: NAMESPACE, finalizers: ['longhorn.io'] },
  spec: { volume: 'vol', createSnapshot: true, labels: { why: 'test' } },
})

const layers = async (world: World, replica: string): Promise<readonly string[]> =>
  chainBelow(must(await readMeta(host.files, (await world.place(replica)).meta))!).map((one) => one.name)

test('a snapshot is taken on all replicas, told with its parent, and merged away with its object', async (t) => {
  const world = await makeWorld(t, 2)
  await world.startMachine()
  await world.progress(20)
  for (const name of ['s-1', 's-2']) {
    await world.client.create(Snapshot, snapshot(name))
    const ready = await until(`${name} is ready`, async () => {
      const one = await world.client.get(Snapshot, name, { namespace: NAMESPACE })
      return one.status?.readyToUse ? one : undefined
    })
    assert.equal(Number(ready.status?.restoreSize), SIZE)
    assert.equal(ready.status?.parent, name === 's-2' ? 's-1' : '')
    await world.progress(20)
  }
  assert.deepEqual(await layers(world, 'v-r-1'), ['s-1', 's-2'])
  await world.client.delete(Snapshot, 's-1', { namespace: NAMESPACE })
  await world.until(
    'the engine no longer tells of it',
    (engine) => engine.status?.snapshots?.['s-2'] !== undefined && !engine.status.snapshots['s-1'],
  )
  for (const name of world.names) assert.deepEqual(await layers(world, name), ['s-2'])
  await world.progress(20)
  await world.client.patch(
    Engine,
    'v-e-0',
    { spec: { volumeSize: String(2 * SIZE) } },
    { namespace: NAMESPACE },
  )
  await world.until('it has grown', (engine) => engine.status?.currentSize === String(2 * SIZE))
  await world.progress(20)
  await world.judge(world.names)
})
