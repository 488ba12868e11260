// How replicas are seen: what a running clock says of them must lead to a time to look again that is really later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
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
