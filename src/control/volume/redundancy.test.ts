import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { balanceTarget, surplusCopy } from './balance.ts'
import type { DiskFacts } from './placement.ts'
import { disk, GIB, SETTINGS, VolumeModel } from './volume.fixture.ts'
import { chooseNode, type Wish } from './wishes.ts'

const MINUTE = 60_000
const four = [disk('n1'), disk('n2'), disk('n3'), disk('n4')]

function attached(spec = {}, disks: readonly DiskFacts[] = four): VolumeModel {
  const model = new VolumeModel(spec, disks)
  model.settle()
  model.wantedNode = 'n1'
  model.settle()
  assert.equal(model.state, 'attached')
  assert.equal(model.robustness, 'healthy')
  return model
}

test('three replicas on three nodes, attached and healthy, and each says since when', () => {
  const model = attached()
  assert.deepEqual(model.nodes(), ['n1', 'n2', 'n3'])
  assert.equal(model.whole.length, 3)
  for (const replica of model.replicas.values()) assert.notEqual(replica.spec?.healthyAt, '')
})

test('a volume of one replica costs no write for its health', () => {
  const model = attached({ numberOfReplicas: 1 })
  assert.equal([...model.replicas.values()][0]?.spec?.healthyAt, '')
})

test('a lost replica is given up and degraded told; when its daemon runs again, the same one is brought up to date', () => {
  const model = attached()
  const lost = model.on('n2')
  model.lose(lost.metadata.name!)
  model.step()
  assert.equal(model.robustness, 'degraded')
  const given = model.replicas.get(lost.metadata.name!)
  assert.notEqual(given?.spec?.failedAt, '')
  assert.equal(given?.spec?.desireState, 'stopped')
  model.settle()
  assert.equal(model.replicas.size, 3, 'nothing new within the wait')
  model.dead.clear()
  model.settle()
  assert.equal(model.robustness, 'healthy')
  assert.equal(model.replicas.get(lost.metadata.name!)?.spec?.failedAt, '')
  assert.equal(model.replicas.size, 3)
})

test('one on a lost node is waited for, then replaced elsewhere; the stale one goes when it is back and not needed', () => {
  const model = attached()
  const lost = model.on('n2').metadata.name!
  model.lostNodes.add('n2')
  model.lose(lost)
  const waiting = model.settle()
  assert.equal(model.robustness, 'degraded')
  assert.equal(waiting.wakeAt, model.now + 10 * MINUTE)
  model.pass(10 * MINUTE)
  model.settle()
  assert.equal(model.robustness, 'healthy')
  assert.deepEqual(model.nodes(), ['n1', 'n3', 'n4'])
  assert.ok(model.replicas.has(lost), 'kept until it is stale')
  model.lostNodes.clear()
  model.dead.clear()
  model.settle()
  assert.deepEqual(model.nodes(), ['n1', 'n3', 'n4'], 'no fourth one is taken back')
  model.pass(31 * MINUTE)
  model.settle()
  assert.ok(!model.replicas.has(lost))
})

test('hard affinity and too few nodes: degraded with a reason, and no storm of objects', () => {
  const model = attached({}, [disk('n1'), disk('n2'), disk('n3')])
  model.lostNodes.add('n2')
  model.lose(model.on('n2').metadata.name!)
  model.settle()
  model.pass(11 * MINUTE)
  model.settle()
  assert.equal(model.replicas.size, 3)
  assert.match(
    model.condition('Scheduled')?.message ?? '',
    /hard affinity cannot be satisfied|disks are unavailable/,
  )
})

test('a replica that a person deleted is replaced at once', () => {
  const model = attached()
  model.replicas.delete(model.on('n3').metadata.name!)
  model.settle()
  assert.equal(model.robustness, 'healthy')
  assert.equal(model.replicas.size, 3)
})

test('more and fewer replicas: one at a time, and the surplus leaves only when the rest is whole', () => {
  const model = attached({ numberOfReplicas: 1 })
  model.volume = { ...model.volume, spec: { ...model.volume.spec, numberOfReplicas: 3 } }
  model.settle()
  assert.equal(model.whole.length, 3)
  assert.equal(model.mostJoining, 1)
  model.volume = { ...model.volume, spec: { ...model.volume.spec, numberOfReplicas: 2 } }
  model.settle()
  assert.equal(model.replicas.size, 2)
  assert.equal(model.robustness, 'healthy')
  const order = model.log.filter((line) => /leaving|delete/.test(line))
  assert.match(order[0] ?? '', /croft.io\/leaving/)
  assert.match(order[1] ?? '', /^delete Replica/)
})

test('the limit of rebuilds holds, 0 means none, and the limit of its own node counts', () => {
  const model = attached()
  model.settings = { ...SETTINGS, rebuildsPerNode: 0 }
  model.lose(model.on('n2').metadata.name!)
  model.dead.clear()
  model.settle()
  assert.equal(model.robustness, 'degraded')
  model.settings = { ...SETTINGS, rebuildsPerNode: 1 }
  model.rebuilds.set('n2', 1)
  const held = model.settle()
  assert.equal(model.robustness, 'degraded')
  assert.ok((held.wakeAt ?? 0) > model.now)
  model.rebuilds.clear()
  model.settle()
  assert.equal(model.robustness, 'healthy')
})

test('a replica whose rebuild fails again and again is tried less often, and replaced after the wait', () => {
  const model = attached({}, four)
  const bad = model.on('n2').metadata.name!
  model.lose(bad)
  model.settle()
  model.slow.add(bad)
  model.dead.clear()
  for (const tries of [1, 2]) {
    for (let index = 0; index < 6; index += 1) model.step()
    model.lose(bad)
    model.step()
    assert.equal(model.replicas.get(bad)?.spec?.rebuildRetryCount, tries)
    model.dead.clear()
    const early = model.settle()
    assert.notEqual(model.replicas.get(bad)?.spec?.failedAt, '', 'not at once again')
    assert.equal(early.wakeAt, Math.floor(model.now / 1000) * 1000 + tries * MINUTE)
    model.pass(tries * MINUTE)
  }
  for (let index = 0; index < 6; index += 1) model.step()
  model.lose(bad)
  model.pass(10 * MINUTE)
  model.step()
  model.settle()
  assert.equal(model.robustness, 'healthy')
  assert.deepEqual(model.nodes(), ['n1', 'n3', 'n4'])
})

test('a start goes on without a member that does not come, never with one outside the committed set', () => {
  const model = attached()
  const late = model.on('n3').metadata.name!
  model.wantedNode = undefined
  model.settle()
  assert.equal(model.state, 'detached')
  model.dead.add(late)
  model.wantedNode = 'n1'
  const waiting = model.settle()
  assert.equal(model.state, 'attaching')
  assert.equal(waiting.wakeAt, model.now + 20_000)
  model.silentMs[late] = 20_000
  model.settle()
  assert.equal(model.state, 'attached')
  assert.equal(model.robustness, 'degraded')
  assert.ok(!model.whole.includes(late))
  // The two that are left stop; only the stale one runs: the volume does not start from it.
  model.wantedNode = undefined
  model.settle()
  for (const name of model.whole) model.dead.add(name)
  model.dead.delete(late)
  for (const name of model.replicas.keys()) model.silentMs[name] = 60_000
  model.wantedNode = 'n1'
  model.settle()
  assert.notEqual(model.state, 'attached')
  assert.ok(!model.whole.includes(late))
})

test('all of the committed set given up by hand: it is taken back, and nobody else', () => {
  const model = attached()
  const stale = model.on('n3').metadata.name!
  model.lose(stale)
  model.settle()
  model.wantedNode = undefined
  model.settle()
  for (const [name, replica] of model.replicas)
    model.replicas.set(name, { ...replica, spec: { ...replica.spec, failedAt: '2026-12-01T00:00:00Z' } })
  model.settings = { ...SETTINGS, autoSalvage: false }
  model.settle()
  assert.equal(model.robustness, 'faulted')
  model.settings = SETTINGS
  model.settle()
  assert.notEqual(model.robustness, 'faulted')
  assert.notEqual(model.replicas.get(stale)?.spec?.failedAt, '')
  for (const name of model.whole) assert.equal(model.replicas.get(name)?.spec?.failedAt, '')
})

test('a node that is emptied: one more elsewhere first, then its replica goes', () => {
  const model = attached()
  const leaving = model.on('n2').metadata.name!
  model.disks = four.map((one) => (one.nodeID === 'n2' ? { ...one, evicting: true, usable: false } : one))
  const sizes: number[] = []
  for (let index = 0; index < 20; index += 1) {
    model.step()
    sizes.push(model.whole.length)
  }
  assert.deepEqual(model.nodes(), ['n1', 'n3', 'n4'])
  assert.ok(!model.replicas.has(leaving))
  assert.equal(Math.min(...sizes), 3, 'never fewer than wanted')
})

test('best-effort locality brings a copy to where the volume is used, and the surplus is another', () => {
  const model = new VolumeModel({ numberOfReplicas: 2, dataLocality: 'best-effort' }, four)
  model.settle()
  const away = ['n1', 'n2', 'n3', 'n4'].find((node) => !model.nodes().includes(node))!
  model.wantedNode = away
  model.settle()
  assert.equal(model.replicas.size, 2)
  assert.ok(model.nodes().includes(away))
  assert.equal(model.robustness, 'healthy')
})

test('balance moves one replica when a better spread is to be had, and then rests', () => {
  const soft = { replicaSoftAntiAffinity: 'enabled' as const }
  const model = attached(soft, [disk('n1'), disk('n1', { diskUUID: 'second' }), disk('n2')])
  assert.equal(model.nodes().length, 3)
  model.disks = [...model.disks, disk('n3')]
  model.settings = { ...SETTINGS, autoBalance: 'least-effort' }
  model.settle()
  assert.deepEqual(model.nodes(), ['n1', 'n2', 'n3'])
  const lines = model.log.length
  model.settle()
  assert.equal(model.log.length, lines)
})

test('the engine of a lost node is not waited for when another node wants the volume', () => {
  const model = attached()
  model.lostNodes.add('n1')
  model.settle()
  assert.equal(model.robustness, 'unknown')
  assert.equal(model.state, 'attached')
  const before = Number(model.epoch?.spec.epoch)
  model.wantedNode = 'n2'
  model.settle()
  assert.equal(model.state, 'attached')
  assert.equal(model.volume.status?.currentNodeID, 'n2')
  assert.ok(Number(model.epoch?.spec.epoch) > before)
  assert.equal(model.robustness, 'degraded')
})

test('growth: the engine is told, and replicas are asked for the new size once all have it', () => {
  const model = attached()
  model.volume = { ...model.volume, spec: { ...model.volume.spec, size: String(2n * GIB) } }
  model.settle()
  assert.equal(model.engine?.spec?.volumeSize, String(2n * GIB))
  for (const replica of model.replicas.values()) assert.equal(replica.spec?.volumeSize, String(2n * GIB))
  assert.equal(model.volume.status?.expansionRequired, false)
})

test('who wants the volume where: workloads before background work, and it stays while it is wanted', () => {
  const pod = (nodeID: string, id = nodeID): Wish => ({ id, type: 'csi-attacher', nodeID })
  const snapshot: Wish = { id: 'snap', type: 'snapshot-controller' }
  const growth: Wish = { id: 'grow', type: 'volume-expansion-controller' }
  const user = (nodeID: string): Wish => ({ id: 'user', type: 'longhorn-api', nodeID })
  const choose = (wishes: readonly Wish[], current?: string): string | undefined =>
    chooseNode({ wishes, current, anyNode: 'any' })
  assert.equal(choose([]), undefined)
  assert.equal(choose([snapshot]), 'any')
  assert.equal(choose([snapshot, pod('b')]), 'b')
  assert.equal(choose([pod('b'), pod('a')]), 'a')
  assert.equal(choose([pod('b'), pod('a')], 'b'), 'b')
  assert.equal(choose([pod('a'), user('c')]), 'c')
  assert.equal(choose([snapshot], 'any'), 'any')
  assert.equal(choose([snapshot, pod('b')], 'any'), 'b', 'a snapshot gives way')
  assert.equal(choose([growth, pod('b')], 'any'), 'any', 'a growth is finished first')
})

const places = fc.array(
  fc.record({ node: fc.integer({ min: 0, max: 4 }), disk: fc.integer({ min: 0, max: 1 }) }),
  { minLength: 1, maxLength: 5 },
)

test('whatever the spread: balancing ends, and every move is better than what was before', () => {
  const disks = [0, 1, 2, 3, 4].flatMap((node) =>
    [0, 1].map((index) => disk(`n${node}`, { diskUUID: `d${node}${index}`, zone: `z${node % 2}` })),
  )
  fc.assert(
    fc.property(places, fc.constantFrom('least-effort' as const, 'best-effort' as const), (start, mode) => {
      let copies = start.map((one, index) => ({
        name: `r${index}`,
        nodeID: `n${one.node}`,
        diskUUID: `d${one.node}${one.disk}`,
      }))
      const wish = {
        sizeBytes: GIB,
        nodeSelector: [],
        diskSelector: [],
        softNodeAntiAffinity: true,
      }
      for (let move = 0; ; move += 1) {
        assert.ok(move < 20, 'it never ends')
        const input = {
          mode,
          copies,
          disks,
          wish,
          rules: SETTINGS.rules,
          keepNode: undefined,
          pressurePercent: 90n,
        }
        const target = balanceTarget(input)
        if (!target) break
        const more = [...copies, { name: `m${move}`, nodeID: target.nodeID, diskUUID: target.diskUUID }]
        const gone = surplusCopy(more, disks, undefined)
        assert.notEqual(gone?.name, `m${move}`, 'the new one leaves again')
        copies = more.filter((copy) => copy.name !== gone?.name)
      }
    }),
    { numRuns: 300 },
  )
})

test('whatever is lost and comes back: never without a whole copy, and healthy in the end', () => {
  const events = fc.array(
    fc.record({
      what: fc.constantFrom('lose', 'node', 'back', 'count', 'evict', 'pass'),
      which: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(events, (list) => {
      const model = attached()
      for (const { what, which } of list) {
        const node = `n${which + 1}`
        const replica = [...model.replicas.values()].find((one) => one.spec?.nodeID === node)
        const name = replica?.metadata.name
        if (what === 'lose' && name && model.whole.includes(name) && model.whole.length > 1) model.lose(name)
        if (
          what === 'node' &&
          node !== 'n1' &&
          name &&
          model.whole.includes(name) &&
          model.whole.length > 1
        ) {
          model.lostNodes.add(node)
          model.lose(name)
        }
        if (what === 'back') {
          model.lostNodes.clear()
          model.dead.clear()
        }
        if (what === 'count')
          model.volume = { ...model.volume, spec: { ...model.volume.spec, numberOfReplicas: which + 1 } }
        if (what === 'evict')
          model.disks = four.map((one) =>
            one.nodeID === node ? { ...one, evicting: true, usable: false } : one,
          )
        if (what === 'pass') model.pass(11 * MINUTE)
        for (let index = 0; index < 3; index += 1) {
          model.step()
          assert.ok(model.whole.length >= 1)
          assert.ok(
            model.whole.some((member) => model.replicas.has(member)),
            `no whole copy is left:\n${model.log.slice(-12).join('\n')}`,
          )
        }
      }
      model.lostNodes.clear()
      model.dead.clear()
      model.disks = four
      for (let round = 0; round < 8; round += 1) {
        model.settle()
        model.pass(11 * MINUTE)
      }
      model.settle()
      assert.equal(model.robustness, 'healthy', model.log.slice(-12).join('\n'))
      assert.equal(model.whole.length, model.volume.spec?.numberOfReplicas)
      assert.ok(model.mostJoining <= 1)
    }),
    { numRuns: 200 },
  )
})
