import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { CLONE_PROGRESS, type CloneSeen, cloneWishes, decideClone, isFilled } from './clone.ts'

function volume(dataSource: string, state = ''): Volume {
  return {
    metadata: { name: 'copy', namespace: 'longhorn-system', uid: 'u' },
    spec: { dataSource },
    status: state ? { cloneStatus: { state } } : {},
  } as unknown as Volume
}
const source = { metadata: { name: 'src' } } as unknown as Volume
const snapshot = (ready: boolean): Snapshot =>
  ({
    metadata: { name: 's', namespace: 'longhorn-system', uid: 's' },
    status: { readyToUse: ready },
  }) as unknown as Snapshot
const replica = (progress: string): Replica =>
  ({ metadata: { name: progress, annotations: { [CLONE_PROGRESS]: progress } } }) as unknown as Replica

const seen = (more: Partial<CloneSeen>): CloneSeen => ({
  volume: volume('snap://src/s'),
  replicas: [],
  sourceVolume: source,
  sourceSnapshot: snapshot(true),
  ...more,
})
const stateOf = (more: Partial<CloneSeen>): string | undefined => decideClone(seen(more)).status?.state

test('a copy of a snapshot: started, under way by the slowest, whole when every replica is', () => {
  assert.equal(stateOf({}), 'initiated')
  assert.equal(stateOf({ replicas: [replica('10'), replica('90')] }), 'copy-in-progress')
  assert.match(decideClone(seen({ replicas: [replica('10'), replica('90')] })).waits ?? '', /10%/)
  assert.equal(stateOf({ replicas: [replica('done'), replica('90')] }), 'copy-in-progress')
  assert.equal(stateOf({ replicas: [replica('done'), replica('done')] }), 'completed')
  assert.match(
    decideClone(seen({ replicas: [replica('failed: no space')] })).waits ?? '',
    /tried again: failed: no space/,
  )
})

test('a copy of a volume takes a passing snapshot, which goes when the copy is whole', () => {
  const whole = { volume: volume('vol://src'), sourceSnapshot: undefined }
  const [made] = decideClone(seen(whole)).actions
  assert.equal(made?.do === 'create' && (made.object as Snapshot).spec?.volume, 'src')
  const done = decideClone(seen({ ...whole, sourceSnapshot: snapshot(true), replicas: [replica('done')] }))
  assert.equal(done.actions[0]?.do, 'delete')
  const lasting = decideClone(seen({ replicas: [replica('done')] }))
  assert.deepEqual(lasting.actions, [], 'a snapshot that somebody asked for stays')
})

test('what it waits for is told; without its source a copy that is not whole has failed', () => {
  assert.match(decideClone(seen({ sourceSnapshot: snapshot(false) })).waits ?? '', /not ready/)
  assert.match(decideClone(seen({ sourceSnapshot: undefined })).waits ?? '', /does not exist/)
  assert.equal(stateOf({ sourceVolume: undefined }), 'failed')
  assert.equal(stateOf({ sourceVolume: undefined, volume: volume('snap://src/s', 'completed') }), 'completed')
})

test('the source is wanted attached exactly as long as somebody copies from it', () => {
  assert.equal(cloneWishes([volume('snap://src/s')]).length, 1)
  assert.equal(cloneWishes([volume('snap://src/s', 'completed'), volume('snap://src/s', 'failed')]).length, 0)
  assert.ok(isFilled(volume('')))
  assert.ok(!isFilled(volume('vol://src')))
})
