import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTime } from '../base/time.ts'
import type { DataVolume } from '../kinds/cdi/data-volume.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Decision } from '../kinds/decide.ts'
import type { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { decideDataVolume, imageNameFor } from './data-volume.ts'

const NOW = Date.UTC(2026, 10, 30)
const SECOND = 1_000

const dataVolume = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'root', namespace: 'shop', uid: 'dv-uid' },
  spec: { source: { http: { url: 'http://images.example/a.qcow2' } }, storage: {} },
} as DataVolume
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'root', namespace: 'shop' },
  spec: { resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Bound' },
} as unknown as PersistentVolumeClaim

function image(state: string, message = ''): BackingImage {
  return {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'BackingImage',
    metadata: { name: imageNameFor(dataVolume), namespace: 'longhorn-system' },
    status: {
      diskFileStatusMap: {
        'disk-1': { state, message, progress: 0, lastStateTransitionTime: formatTime(NOW) },
      },
    },
  } as BackingImage
}

function decide(file: BackingImage, restartCount: number, at: number): Decision {
  const before = { ...dataVolume, status: { restartCount } } as DataVolume
  return decideDataVolume({ dataVolume: before, claim, image: file, storageClass: undefined }, at)
}

const statusOf = ({ status }: Decision): NonNullable<DataVolume['status']> =>
  status as unknown as NonNullable<DataVolume['status']>

test('a broken import is tried again after 10 s, 40 s, 90 s, and at most every 300 s', () => {
  const waits = [0, 1, 2, 9].map(
    (restarts) => decide(image('failed', 'no route'), restarts, NOW).wakeAt! - NOW,
  )
  assert.deepEqual(
    waits.map((ms) => ms / SECOND),
    [10, 40, 90, 300],
  )
  const early = decide(image('failed', 'no route'), 0, NOW + 9 * SECOND)
  assert.deepEqual(early.actions, [])
  assert.equal(statusOf(early).phase, 'ImportInProgress')
  const running = statusOf(early).conditions?.find(({ type }) => type === 'Running')
  assert.deepEqual([running?.reason, running?.message], ['Error', 'no route'])
})

test('when the time has come the file is set back, and the restart is counted once', () => {
  const due = decide(image('failed', 'no route'), 1, NOW + 40 * SECOND)
  const [action] = due.actions
  assert.ok(action?.do === 'patch')
  assert.equal(action.subresource, 'status')
  assert.deepEqual(action.patch, {
    status: { diskFileStatusMap: { 'disk-1': { state: 'pending', progress: 0, message: 'no route' } } },
  })
  assert.equal(statusOf(due).restartCount, 2)
  assert.equal(statusOf(decide(image('pending'), 2, NOW + 41 * SECOND)).restartCount, 2)
})

test('a source that cannot become right is final, with what to do', () => {
  const refused = decide(image('failed-and-cleanup', 'not an image'), 0, NOW + 400 * SECOND)
  assert.deepEqual(refused.actions, [])
  assert.equal(refused.wakeAt, undefined)
  assert.equal(statusOf(refused).phase, 'Failed')
  const running = statusOf(refused).conditions?.find(({ type }) => type === 'Running')
  assert.match(running?.message ?? '', /^not an image; .*create the DataVolume anew$/)
})

test('a broken upload waits for its sender', () => {
  const upload = { ...dataVolume, spec: { source: { upload: {} }, storage: {} } } as DataVolume
  const seen = { dataVolume: upload, claim, image: image('failed', 'cut off'), storageClass: undefined }
  const answer = decideDataVolume(seen, NOW + 400 * SECOND)
  assert.deepEqual(answer.actions, [])
  assert.equal(statusOf(answer).phase, 'UploadReady')
})

test('a clone of a claim: of its source’s size where it names none, and done when its volume is whole', () => {
  const source = { pvc: { namespace: 'shop', name: 'golden' } }
  const clone = { ...dataVolume, spec: { source, storage: {} } } as DataVolume
  const base = { dataVolume: clone, claim: undefined, image: undefined, storageClass: undefined }
  assert.deepEqual(decideDataVolume(base, NOW).actions, [], 'its size is not known yet')
  const [made] = decideDataVolume({ ...base, sourceSize: '3Gi' }, NOW).actions
  const spec = made?.do === 'create' ? (made.object as PersistentVolumeClaim).spec : undefined
  assert.equal(spec?.resources?.requests?.['storage'], '3Gi')
  assert.deepEqual(spec?.dataSource, { kind: 'PersistentVolumeClaim', name: 'golden' })
  const filling = decideDataVolume({ ...base, claim, sourceSize: '3Gi', isFilled: false }, NOW)
  assert.equal(statusOf(filling).phase, 'CSICloneInProgress')
  assert.equal(statusOf(decideDataVolume({ ...base, claim, isFilled: true }, NOW)).phase, 'Succeeded')
  const away = { ...clone, spec: { source: { pvc: { namespace: 'other', name: 'golden' } }, storage: {} } }
  const refused = decideDataVolume({ ...base, dataVolume: away as DataVolume }, NOW)
  assert.deepEqual(refused.actions, [])
  assert.match(JSON.stringify(statusOf(refused).conditions), /namespace other is another one/)
})
