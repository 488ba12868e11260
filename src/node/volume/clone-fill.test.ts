// A new volume is filled from a snapshot of another one, and holds what that held.
import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { readMeta } from './meta.ts'
import { contentOf, host, must, qemuImg, SIZE, until } from './rig.fixture.ts'
import { makeWorld, NAMESPACE, replicaObject } from './world.fixture.ts'

test('a replica of a copy is filled from a snapshot of its source, and stands alone', async (t) => {
  const world = await makeWorld(t, 1)
  const { client } = world
  await world.startMachine()
  await world.progress(40)
  await client.create(Snapshot, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Snapshot',
    metadata: { name: 's-1', namespace: NAMESPACE },
    spec: { volume: 'vol', createSnapshot: true },
  })
  await until('the snapshot is ready', async () =>
    (await client.get(Snapshot, 's-1', { namespace: NAMESPACE })).status?.readyToUse ? true : undefined,
  )
  await client.create(Volume, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Volume',
    metadata: { name: 'copy', namespace: NAMESPACE },
    spec: { size: String(SIZE), numberOfReplicas: 1, dataSource: 'snap://vol/s-1' },
  })
  await client.create(VolumeEpoch, {
    apiVersion: 'storage.croft.io/v1alpha1',
    kind: 'VolumeEpoch',
    metadata: { name: 'copy', namespace: NAMESPACE },
    spec: { epoch: 0, inSync: [], size: SIZE, cleanShutdown: true },
  })
  const base = replicaObject(world.folder, 'copy-r-0', 'n1')
  await mkdir(join(world.folder, 'disk-copy-r-0'))
  await client.create(Replica, {
    ...base,
    metadata: { ...base.metadata, labels: { longhornvolume: 'copy' } },
    spec: { ...base.spec, volumeName: 'copy', engineName: 'copy-e-0', desireState: 'stopped' },
  })
  await until('it is filled', async () => {
    const one = await client.get(Replica, 'copy-r-0', { namespace: NAMESPACE })
    return one.metadata.annotations?.['croft.io/clone-progress'] === 'done' ? true : undefined
  })
  const copy = await contentOf(await world.place('copy-r-0'))
  assert.ok(copy.some((byte) => byte !== 0))
  const source = await world.place('v-r-0')
  const { layers = [] } = must(await readMeta(host.files, source.meta))!
  const raw = join(world.folder, 'source.raw')
  await qemuImg('convert', '-U', '-O', 'raw', join(source.folder, layers[0]!.file), raw)
  assert.ok(copy.equals(await readFile(raw)))
})
