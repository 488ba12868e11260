// A volume grows under a writing guest; smaller is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growVolume } from './grow.ts'
import { makeRig, must, qemuImg, SIZE } from './rig.fixture.ts'

for (const replicas of [1, 3])
  test(`a volume of ${replicas} grows under a writing guest`, async (t) => {
    const rig = await makeRig(t, { replicas, front: 'virtio-blk' })
    await rig.progress(20)
    const before = performance.now()
    must(await growVolume(rig.volume(), rig.record, 2 * SIZE))
    t.diagnostic(`growth of ${replicas}: ${(performance.now() - before).toFixed(0)} ms`)
    assert.equal(rig.record.sizeBytes, 2 * SIZE)
    const shrunk = await growVolume(rig.volume(), rig.record, SIZE)
    assert.equal(shrunk.ok ? '' : shrunk.failure.reason, 'ShrinkRefused')
    await rig.progress(20)
    const blocks = must(await rig.qemu.execute('query-block')) as readonly {
      readonly inserted?: { readonly image: { readonly 'virtual-size': number } }
    }[]
    assert.ok(blocks.some((one) => one.inserted?.image['virtual-size'] === 2 * SIZE))
    await rig.judge(rig.replicas.map((one) => one.name))
    for (const { place } of rig.replicas) {
      const stdout = await qemuImg('info', '--output=json', place.head)
      assert.equal((JSON.parse(stdout) as Record<string, unknown>)['virtual-size'], 2 * SIZE)
    }
  })
