// The swap primitive under a guest that writes all the time: losing members, cut off at every step, both front ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeVolume, repairVolume } from './change-epoch.ts'
import { host, makeRig, must, type Rig, until } from './rig.fixture.ts'
import { carrySwap } from './swap.ts'
import { Watch } from './watch.ts'

const status = async (rig: Rig): Promise<string> =>
  (must(await rig.qemu.execute('query-status')) as { readonly status: string }).status

for (const front of ['virtio-blk', 'scsi-hd'] as const)
  test(`a replica dies under a ${front} disk: the guest goes on with the others and loses nothing`, async (t) => {
    const rig = await makeRig(t, { replicas: 3, front })
    await rig.progress(60)
    await host.exec.kill(rig.replicas[1]!.daemon.process, 'SIGKILL')
    await until('the guest stops', async () => ((await status(rig)) === 'io-error' ? true : undefined))
    const before = performance.now()
    const repaired = must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
    t.diagnostic(`pause of the repair: ${(performance.now() - before).toFixed(0)} ms`)
    assert.equal(repaired.outcome, 'healthy')
    assert.deepEqual(
      rig.record.inSync.map((one) => one.replica),
      ['r0', 'r2'],
    )
    await rig.progress(60)
    // Down to one member: a plain NBD node.
    await host.exec.kill(rig.replicas[0]!.daemon.process, 'SIGKILL')
    await until('the guest stops again', async () => ((await status(rig)) === 'io-error' ? true : undefined))
    must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
    await rig.progress(60)
    await rig.judge(['r2'])
  })

test('a swap that is cut off at any step is taken up again, and the guest never notices', async (t) => {
  const rig = await makeRig(t, { replicas: 3 })
  await rig.progress(20)
  for (const cut of ['serve', 'attach', 'continue', 'clean', 'done']) {
    const same = { during: async () => ({ ok: true, value: { inSync: rig.record.inSync } }) as const }
    const broken = rig.volume({
      onStep: (step) => {
        if (step === cut) throw new Error('cut off')
      },
    })
    await assert.rejects(changeVolume(broken, rig.record, same), /cut off/)
    must(await carrySwap(rig.volume(), rig.record))
    await rig.progress(20)
  }
  await rig.judge(['r0', 'r1', 'r2'])
})

test('an epoch that is not committed changes nothing; one whose commit is unknown holds the guest', async (t) => {
  const rig = await makeRig(t, { replicas: 2 })
  await rig.progress(20)
  const drop = {
    during: async () => ({ ok: true, value: { inSync: rig.record.inSync.slice(0, 1) } }) as const,
  }
  rig.faults.commit = 'refuse'
  assert.equal((await changeVolume(rig.volume(), rig.record, drop)).ok, false)
  await rig.progress(20)
  rig.faults.commit = 'unknown'
  assert.equal((await changeVolume(rig.volume(), rig.record, drop)).ok, false)
  assert.equal(await status(rig), 'paused')
  delete rig.faults.commit
  must(await carrySwap(rig.volume(), rig.record))
  await rig.progress(20)
  await rig.judge(['r0'])
})

test('all replicas lost: the guest waits; a replica that lost its memory means a reset', async (t) => {
  const rig = await makeRig(t, { replicas: 2 })
  await rig.progress(20)
  for (const one of rig.replicas) await host.exec.kill(one.daemon.process, 'SIGKILL')
  await until('the guest stops', async () => ((await status(rig)) === 'io-error' ? true : undefined))
  const lost = must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
  assert.equal(lost.outcome, 'faulted')
  await rig.restart(rig.replicas[0]!)
  const back = must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
  assert.equal(back.outcome, 'reset')
  assert.equal(await status(rig), 'io-error')
  assert.equal(rig.record.epoch, 1)
})

test('a watch repairs by itself: a death, a silence, and a connection that broke for no reason', async (t) => {
  const rig = await makeRig(t, { replicas: 3 })
  const outcomes: string[] = []
  const stop = new AbortController()
  t.after(() => stop.abort())
  const watch = new Watch(
    {
      host,
      volume: async () => rig.volume(),
      record: () => rig.record,
      repair: async (trouble) => {
        const repaired = await repairVolume(rig.volume(), rig.record, trouble)
        outcomes.push(repaired.ok ? repaired.value.outcome : repaired.failure.message)
        return repaired
      },
      limits: { askEveryMs: 200, silentMs: 600 },
    },
    stop.signal,
  )
  const watching = watch.run()
  await rig.progress(20)
  await host.exec.kill(rig.replicas[1]!.daemon.process, 'SIGKILL')
  await until('the dead one is dropped', () => (outcomes.length === 1 ? true : undefined))
  await rig.progress(20)
  await host.exec.kill(rig.replicas[2]!.daemon.process, 'SIGSTOP')
  await until('the silent one is dropped', () => (outcomes.length === 2 ? true : undefined))
  await rig.progress(20)
  // The last member is well, only its connection is gone: the same set goes on in a new epoch.
  must(await rig.replicas[0]!.member.fence())
  await until('the last one is opened anew', () => (outcomes.length === 3 ? true : undefined))
  await rig.progress(20)
  stop.abort()
  await watching
  assert.deepEqual(outcomes, ['healthy', 'healthy', 'healthy'])
  assert.equal(rig.record.epoch, 4)
  await rig.judge(['r0'])
})

test('a replica that hangs is cut out, though requests wait for it', async (t) => {
  const rig = await makeRig(t, { replicas: 3 })
  await rig.progress(20)
  await host.exec.kill(rig.replicas[2]!.daemon.process, 'SIGSTOP')
  // Let a request run into it.
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(await status(rig), 'running')
  const before = performance.now()
  const repaired = must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
  t.diagnostic(`pause of the repair: ${(performance.now() - before).toFixed(0)} ms`)
  assert.equal(repaired.outcome, 'healthy')
  await rig.progress(20)
  // What the frozen one still holds in its socket belongs to an epoch that is over.
  await host.exec.kill(rig.replicas[2]!.daemon.process, 'SIGCONT')
  await rig.progress(20)
  await rig.judge(['r0', 'r1'])
})

test('replicas that are reached by TCP: a death is repaired in the same way', async (t) => {
  const rig = await makeRig(t, { replicas: 3, tcp: true })
  await rig.progress(20)
  await host.exec.kill(rig.replicas[2]!.daemon.process, 'SIGKILL')
  await until('the guest stops', async () => ((await status(rig)) === 'io-error' ? true : undefined))
  const before = performance.now()
  must(await repairVolume(rig.volume(), rig.record, { suspects: new Set() }))
  t.diagnostic(`pause of the repair: ${(performance.now() - before).toFixed(0)} ms`)
  await rig.progress(20)
  await rig.judge(['r0', 'r1'])
})
