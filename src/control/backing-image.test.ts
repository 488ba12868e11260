import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { decideBackingImage, type SeenBackingImage } from './backing-image.ts'
import { disk } from './volume/volume.fixture.ts'

function image(spec: object = {}, files: Readonly<Record<string, string>> = {}): BackingImage {
  return {
    metadata: { name: 'i', namespace: 'longhorn-system', uid: 'u', finalizers: ['longhorn.io'] },
    spec: {
      diskFileSpecMap: Object.fromEntries(Object.keys(files).map((name) => [name, {}])),
      ...spec,
    },
    status: {
      diskFileStatusMap: Object.fromEntries(Object.entries(files).map(([name, state]) => [name, { state }])),
    },
  } as unknown as BackingImage
}

const disks = [disk('n1'), disk('n1', { diskUUID: 'second' }), disk('n2')]
const added = (one: BackingImage, more: Partial<SeenBackingImage> = {}): readonly string[] => {
  const seen = { image: one, disks, replicaDisks: [], users: [], leastCopies: 1, orphaned: false, ...more }
  const [action] = decideBackingImage(seen, 0).actions
  const patch = action?.do === 'patch' ? (action.patch as { spec?: { diskFileSpecMap?: object } }) : undefined
  return Object.keys(patch?.spec?.diskFileSpecMap ?? {})
}

test('an image gets a first disk, and the disks of the replicas that stand on it', () => {
  assert.equal(added(image()).length, 1)
  assert.deepEqual(added(image({}, { 'disk-n1': 'ready' }), { replicaDisks: ['disk-n2'] }), ['disk-n2'])
  assert.deepEqual(added(image({}, { 'disk-n1': 'ready' })), [])
})

test('more copies come one by one, on other nodes first, once the first is whole', () => {
  const two = { minNumberOfCopies: 2 }
  assert.deepEqual(added(image(two, { 'disk-n1': 'in-progress' })), [])
  assert.deepEqual(added(image(two, { 'disk-n1': 'ready' })), ['disk-n2'])
  assert.deepEqual(added(image({}, { 'disk-n1': 'ready' }), { leastCopies: 2 }), ['disk-n2'])
  assert.deepEqual(added(image({ minNumberOfCopies: 3 }, { 'disk-n1': 'ready', 'disk-n2': 'ready' })), [
    'second',
  ])
  assert.deepEqual(
    added(image({ minNumberOfCopies: 9 }, { 'disk-n1': 'ready', 'disk-n2': 'ready', second: 'ready' })),
    [],
  )
})
