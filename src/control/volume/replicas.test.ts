// How replicas are seen and who looks again when: cases that simulated clusters were stuck in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { volumeDecider } from './decider.ts'
import { decideFailures, START_WAIT_MS } from './failures.ts'
import { viewsOf } from './replicas.ts'

const replica = (name: string, currentState: string): Replica =>
  ({ metadata: { name }, spec: { nodeID: 'n', diskID: 'd' }, status: { currentState } }) as unknown as Replica

test('a replica that is silent for the time limit but for a fraction is not waited for in no time', () => {
  const epoch = {
    spec: { epoch: 1, inSync: [{ replica: 'a' }, { replica: 'b' }] },
  } as unknown as VolumeEpoch
  const disk = { diskUUID: 'd', nodeID: 'n', alive: true, usable: true } as never
  for (const silent of [START_WAIT_MS - 1e-7, START_WAIT_MS - 0.5, START_WAIT_MS - 1.5]) {
    const views = viewsOf([replica('a', 'running'), replica('b', 'error')], {
      engine: undefined,
      epoch,
      disks: [disk],
      lostNodes: new Set(),
      silentMs: () => silent,
    })
    const now = 1_767_225_628_485
    const seen = { volume: {} as Volume, engine: undefined, epoch, views, isWanted: true, autoSalvage: true }
    const { changes, wakeAt } = decideFailures(seen, now)
    assert.ok(changes.has('b') || (wakeAt !== undefined && wakeAt >= now + 1), `silent for ${silent} ms`)
  }
})

test('a member that was given up is taken back when the last other one has lost its files', () => {
  const epoch = {
    spec: { epoch: 3, inSync: [{ replica: 'a' }, { replica: 'b' }] },
  } as unknown as VolumeEpoch
  const back = replica('b', 'stopped')
  const views = (silent: number) =>
    viewsOf([replica('a', 'error'), { ...back, spec: { ...back.spec, failedAt: '2026-01-01T00:00:00Z' } }], {
      engine: undefined,
      epoch,
      disks: [{ diskUUID: 'd', nodeID: 'n', alive: true, usable: true } as never],
      lostNodes: new Set(),
      silentMs: (name) => (name === 'a' ? silent : 0),
    })
  const seen = { volume: {} as Volume, engine: undefined, epoch, isWanted: true, autoSalvage: true }
  const waits = decideFailures({ ...seen, views: views(1_000) }, 5_000)
  assert.equal(waits.changes.size, 0)
  assert.equal(waits.wakeAt, 5_000 + START_WAIT_MS - 1_000)
  const taken = decideFailures({ ...seen, views: views(START_WAIT_MS) }, 5_000)
  assert.deepEqual([...taken.changes], [['b', { failedAt: '' }]])
})

test('a volume looks again when the node of its engine comes back, though no replica lies there', () => {
  const watch = volumeDecider.watches.find(({ kind }) => kind.kind === 'Node' && kind.group === '')
  const engine = { metadata: { namespace: 'longhorn-system', labels: { longhornvolume: 'v' } } }
  const look = {
    byIndex: (kind: unknown, _name: string, value: string) =>
      kind === Engine && value === 'n2' ? [engine] : [],
  }
  assert.deepEqual(watch?.keys({ metadata: { name: 'n2' } } as never, look as never), ['longhorn-system/v'])
})
