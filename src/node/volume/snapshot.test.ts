// Snapshots under a guest that writes: one instant on all replicas, constant afterwards, gone without a trace.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { revertReplica } from './freeze.ts'
import { chainBelow } from './layers.ts'
import { readMeta } from './meta.ts'
import { host, makeRig, must, qemuImg, type Rig, type RigReplica, run, until } from './rig.fixture.ts'
import { snapshotVolumes } from './snapshot.ts'

const words = (name: string) => ({ name, userCreated: true, createdAt: '2026-01-02T03:04:05Z' })

const take = async (rig: Rig, name: string) =>
  must(await snapshotVolumes(host, [{ volume: rig.volume(), record: rig.record }], words(name)))

async function contentOf(rig: Rig, replica: RigReplica, layer: string): Promise<string> {
  const meta = must(await readMeta(host.files, replica.place.meta))!
  const file = chainBelow(meta).find((one) => one.name === layer)!.file
  const out = `${rig.folder}/look.raw`
  await qemuImg('convert', '-U', '-O', 'raw', `${replica.place.folder}/${file}`, out)
  return (await run('sha256sum', [out])).stdout.split(' ')[0]!
}

test('snapshots are one instant on all replicas, stay as they were, and go without a trace', async (t) => {
  const rig = await makeRig(t, { replicas: 2 })
  const sums = new Map<string, string>()
  for (const name of ['s1', 's2', 's3']) {
    await rig.progress(20)
    const taken = await take(rig, name)
    t.diagnostic(`pause of a snapshot: ${taken.pauseMs.toFixed(1)} ms`)
    const [a, b] = [
      await contentOf(rig, rig.replicas[0]!, name),
      await contentOf(rig, rig.replicas[1]!, name),
    ]
    assert.equal(a, b, `${name} differs between replicas`)
    sums.set(name, a!)
  }
  assert.equal(new Set(sums.values()).size, 3)
  await rig.progress(20)
  // The middle one, then the lowest, into what lies above, while the guest writes.
  for (const name of ['s2', 's1']) {
    for (const one of rig.replicas) must(await one.member.removeLayer(name))
    await rig.progress(20)
    assert.equal(await contentOf(rig, rig.replicas[0]!, 's3'), sums.get('s3'))
  }
  for (const one of rig.replicas) must(await one.member.removeLayer('s3'))
  await rig.progress(20)
  const files = (await readdir(rig.replicas[0]!.place.folder)).filter((file) => file.endsWith('.qcow2'))
  assert.equal(files.length, 1)
  await rig.judge(['r0', 'r1'])
})

test('a snapshot that is cut off is finished or undone; a revert goes back to it', async (t) => {
  const rig = await makeRig(t, { replicas: 1 })
  const [only] = rig.replicas as [RigReplica]
  await rig.progress(20)
  must(await only.member.prepareFreeze(words('never')))
  assert.equal(must(await only.member.settleFreeze('never')), 'undone')
  await take(rig, 's1')
  const before = await contentOf(rig, only, 's1')
  await rig.progress(20)
  // Frozen, but not noted; then the daemon dies: the new head counts, for it holds the newest writes.
  must(await only.member.prepareFreeze(words('s2')))
  must(await only.member.freeze('s2'))
  await rig.progress(5)
  await host.exec.kill(rig.qemuProcess, 'SIGKILL')
  await host.exec.kill(only.daemon.process, 'SIGKILL')
  await until('the daemon is gone', async () =>
    (await host.exec.isAlive(only.daemon.process)) ? undefined : true,
  )
  await rig.restart(only)
  const meta = must(await readMeta(host.files, only.place.meta))!
  assert.deepEqual(
    chainBelow(meta).map((layer) => layer.name),
    ['s1', 's2'],
  )
  await only.daemon.qmp.execute('quit')
  await until('the daemon ends', async () =>
    (await host.exec.isAlive(only.daemon.process)) ? undefined : true,
  )
  must(await revertReplica({ host, place: only.place }, 's1'))
  const head = must(await readMeta(host.files, only.place.meta))!.head
  const out = `${rig.folder}/head.raw`
  await qemuImg('convert', '-O', 'raw', `${only.place.folder}/${head}`, out)
  assert.equal((await run('sha256sum', [out])).stdout.split(' ')[0], before)
})

test('a replica on a backing image: the lowest layer goes, the image stays below', async (t) => {
  const rig = await makeRig(t, { replicas: 1, backingImage: true })
  const [only] = rig.replicas as [RigReplica]
  await rig.progress(10)
  await take(rig, 's1')
  await rig.progress(10)
  must(await only.member.removeLayer('s1'))
  await rig.progress(10)
  const meta = must(await readMeta(host.files, only.place.meta))!
  const { stdout } = await run('qemu-img', [
    'info',
    '-U',
    '--output=json',
    `${only.place.folder}/${meta.head}`,
  ])
  assert.equal((JSON.parse(stdout) as Record<string, unknown>)['backing-filename'], meta.backingFile)
  await rig.judge(['r0'])
})
