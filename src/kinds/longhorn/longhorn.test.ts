import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { PersistentVolumeClaim } from '../core/persistent-volume-claim.ts'
import { judge, judgeDelete, lookOver } from '../judge.ts'
import type { RuleLook } from '../kind.ts'
import { StorageClass } from '../kubernetes/storage-class.ts'
import { BackingImage } from './backing-image.ts'
import { Node } from './node.ts'
import { volumeNameFor, volumeSizeFor } from './rules/volume.ts'
import { Volume } from './volume.ts'

const empty = lookOver([])
const GIB = 1024 ** 3

function longhorn(kind: string, name: string, spec: JsonObject, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'longhorn.io/v1beta2',
    kind,
    metadata: { name, namespace: 'longhorn-system' },
    spec,
    status,
  } as KubeObject
}
const volume = (spec: JsonObject, name = 'pvc-1'): JsonObject =>
  longhorn('Volume', name, spec) as unknown as JsonObject
const fields = (body: JsonObject, look: RuleLook = empty, previous?: KubeObject): readonly string[] =>
  judge(Volume, body, look, previous).causes.map(({ field }) => field)

test('a volume has whole blocks, its defaults, and applying it again changes nothing', () => {
  const { object, causes } = judge(Volume, volume({ size: '1' }), empty)
  assert.deepEqual(causes, [])
  const spec = object['spec'] as JsonObject
  assert.equal(spec['size'], '2097152')
  assert.equal(spec['numberOfReplicas'], 3)
  assert.equal(spec['backupTargetName'], 'default')
  assert.deepEqual(judge(Volume, volume({ size: '1' }), empty, object).object['spec'], spec)
  const one = judge(Volume, volume({ size: '1', numberOfReplicas: 1 }), empty).object
  assert.equal(
    (judge(Volume, volume({ size: '1' }), empty, one).object['spec'] as JsonObject)['numberOfReplicas'],
    1,
  )
  assert.equal(volumeSizeFor(2n * 1024n * 1024n), 2n * 1024n * 1024n)
  assert.equal(volumeNameFor('v'.repeat(60)).length, 40)
})

test('VOL-06: a volume never shrinks, and both sizes are named', () => {
  const stored = judge(Volume, volume({ size: String(20 * GIB) }), empty).object
  const { causes } = judge(Volume, volume({ size: String(10 * GIB) }), empty, stored)
  assert.equal(causes[0]?.field, 'spec.size')
  assert.match(causes[0]?.message ?? '', /21474836480.*10737418240/)
  assert.deepEqual(fields(volume({ size: String(20 * GIB) }), empty, stored), [])
  assert.deepEqual(fields(volume({ size: String(20 * GIB + 1) }), empty, stored), [])
  for (const size of ['0', '-1', '1Gi', '']) assert.deepEqual(fields(volume({ size })), ['spec.size'], size)
})

test('copies, sharing and the image under a volume make sense together', () => {
  for (const count of [0, -1, 21])
    assert.deepEqual(fields(volume({ size: '1', numberOfReplicas: count })), ['spec.numberOfReplicas'])
  assert.deepEqual(fields(volume({ size: '1', migratable: true })), ['spec.migratable'])
  assert.deepEqual(fields(volume({ size: '1', dataLocality: 'strict-local' })), ['spec.dataLocality'])
  assert.deepEqual(fields(volume({ size: '1' }, 'UPPER')), ['metadata.name'])
  assert.deepEqual(fields(volume({ size: '1', backingImage: 'img' })), ['spec.backingImage'])
  const image = longhorn('BackingImage', 'img', { sourceType: 'upload' }, { virtualSize: 4 * GIB })
  const look = lookOver([image])
  assert.deepEqual(fields(volume({ size: String(2 * GIB), backingImage: 'img' }), look), ['spec.size'])
  const stored = judge(Volume, volume({ size: String(4 * GIB), backingImage: 'img' }), look).object
  assert.deepEqual(fields(volume({ size: String(4 * GIB) }), look, stored), ['spec.backingImage'])
})

test('a backing image is whole, fixed, and stays while a volume stands on it', () => {
  const body = (spec: JsonObject): JsonObject =>
    longhorn('BackingImage', 'img', spec) as unknown as JsonObject
  const causes = (spec: JsonObject, previous?: KubeObject): readonly string[] =>
    judge(BackingImage, body(spec), empty, previous).causes.map(({ field }) => field)
  assert.deepEqual(causes({}), ['spec.sourceType'])
  assert.deepEqual(causes({ sourceType: 'download' }), ['spec.sourceParameters.url'])
  const stored = judge(BackingImage, body({ sourceType: 'upload' }), empty).object
  assert.deepEqual(causes({ sourceType: 'upload', diskFileSpecMap: { a: {} } }, stored), [])
  assert.deepEqual(causes({ sourceType: 'upload', checksum: 'a'.repeat(128) }, stored), ['spec.checksum'])
  const user = longhorn('Volume', 'pvc-1', { size: '1', backingImage: 'img' })
  assert.match(
    judgeDelete(BackingImage, stored, lookOver([user])).refuse?.message ?? '',
    /in use by volume pvc-1/,
  )
  assert.equal(judgeDelete(BackingImage, stored, empty).refuse, undefined)
})

test('a disk is given up only when it is empty and closed', () => {
  const node = (disks: JsonObject, status: JsonObject = {}): KubeObject =>
    longhorn('Node', 'a', { allowScheduling: true, disks }, status)
  const causes = (next: KubeObject, previous?: KubeObject): string =>
    judge(Node, next as unknown as JsonObject, empty, previous)
      .causes.map(({ message }) => message)
      .join()
  const path = '/var/lib/croft/disks/default'
  assert.equal(causes(node({ d: { path, allowScheduling: true } })), '')
  assert.match(causes(node({ d: { path: '../etc' } })), /must be absolute/)
  assert.match(causes(node({}), node({ d: { path, allowScheduling: true } })), /after allowScheduling is off/)
  const held = node(
    { d: { path, allowScheduling: false } },
    { diskStatus: { d: { scheduledReplica: { 'pvc-1-r-0': 1 } } } },
  )
  assert.match(causes(node({}), held), /still holds replicas: pvc-1-r-0/)
})

const storageClass = (parameters: JsonObject, name = 'fast'): JsonObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'driver.longhorn.io',
  parameters,
})

test('VOL-10: a class with an impossible number of copies is refused, one with more than nodes is warned of', () => {
  for (const count of ['0', '-1', 'x', '21', '1.5']) {
    const { causes } = judge(StorageClass, storageClass({ numberOfReplicas: count }), empty)
    assert.deepEqual(
      causes.map(({ field }) => field),
      ['parameters[numberOfReplicas]'],
      count,
    )
  }
  const oneNode = lookOver([longhorn('Node', 'a', {})])
  const { causes, warnings } = judge(
    StorageClass,
    storageClass({ numberOfReplicas: '3', migratable: 'true' }),
    oneNode,
  )
  assert.deepEqual(causes, [])
  assert.match(warnings.join(), /numberOfReplicas is 3, but there is one node/)
  assert.deepEqual(judge(StorageClass, storageClass({ numberOfReplicas: '1' }), oneNode).warnings, [])
})

test('IMG-15: a class stays while its image is there, and the answer names the image', () => {
  const image: KubeObject = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name: 'img', namespace: 'default' },
    status: { storageClassName: 'lh-1' },
  }
  const own = storageClass({}, 'lh-1') as unknown as KubeObject
  assert.match(judgeDelete(StorageClass, own, lookOver([image])).refuse?.message ?? '', /image default\/img/)
  const going = { ...image, metadata: { ...image.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  assert.equal(judgeDelete(StorageClass, own, lookOver([going])).refuse, undefined)
})

function claim(storage: string, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default', ...metadata },
    spec: {
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Block',
      storageClassName: 'fast',
      resources: { requests: { storage } },
    },
  }
}
const SIZE = 'spec.resources.requests.storage'
/** What is said when a bound claim is patched from one size to another; a cause may stand beside one of Kubernetes. */
const resized = (
  from: string,
  to: string,
  look: RuleLook,
): { readonly fields: string; readonly text: string } => {
  const previous = { ...judge(PersistentVolumeClaim, claim(from), look).object, status: { phase: 'Bound' } }
  const { causes } = judge(PersistentVolumeClaim, claim(to), look, previous)
  return {
    fields: [...new Set(causes.map(({ field }) => field))].join(),
    text: causes.map(({ message }) => message).join(),
  }
}
const expandable = { ...storageClass({}), allowVolumeExpansion: true } as unknown as KubeObject
const withClass = lookOver([expandable])

test('VOL-06: a claim never shrinks, equal sizes in other words are equal', () => {
  for (const to of ['10Gi', '19.9Gi', '20G']) assert.equal(resized('20Gi', to, withClass).fields, SIZE, to)
  assert.match(
    resized('20Gi', '20G', withClass).text,
    /20Gi \(21474836480 bytes\).*20G \(20000000000 bytes\)/,
  )
  for (const to of ['21474836480', '20480Mi', '20Gi', '21474836481'])
    assert.equal(resized('20Gi', to, withClass).fields, '', to)
})

test('VOL-04: growing beyond every disk is refused before anything grows', () => {
  const node = longhorn(
    'Node',
    'a',
    { disks: { d: { path: '/d', storageReserved: 10 * GIB } } },
    { diskStatus: { d: { storageMaximum: 100 * GIB, storageScheduled: 20 * GIB } } },
  )
  const look = lookOver([node, expandable])
  assert.equal(resized('2Gi', '10000Gi', look).fields, SIZE)
  assert.match(resized('2Gi', '10000Gi', look).text, /no disk has room/)
  assert.equal(resized('2Gi', '4Gi', look).fields, '')
  assert.equal(resized('2Gi', '72Gi', look).fields, '')
  assert.equal(resized('2Gi', '73Gi', look).fields, SIZE)
})

test('IMG-06: no claim starts from an image that is not verified', () => {
  const body = claim('1Gi', { annotations: { 'harvesterhci.io/imageId': 'default/img' } })
  const image = (status: JsonObject): KubeObject =>
    ({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'img', namespace: 'default' },
      status,
    }) as KubeObject
  const text = (look: RuleLook): string =>
    judge(PersistentVolumeClaim, body, look)
      .causes.map(({ message }) => message)
      .join()
  assert.match(text(empty), /image default\/img not found/)
  assert.match(text(lookOver([image({ progress: 40 })])), /cannot be used yet: 40%/)
  assert.match(
    text(
      lookOver([
        image({
          progress: 100,
          conditions: [{ type: 'Imported', status: 'False', message: 'wrong digest' }],
        }),
      ]),
    ),
    /wrong digest/,
  )
  assert.equal(
    text(lookOver([image({ progress: 100, conditions: [{ type: 'Imported', status: 'True' }] })])),
    '',
  )
})

test('VM-09: a claim stays while a machine uses it, running or not, and the answer names the machine', () => {
  const machine: KubeObject = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      template: {
        spec: { domain: {}, volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] },
      },
    },
  }
  const stored = judge(PersistentVolumeClaim, claim('1Gi'), empty).object
  const { refuse } = judgeDelete(PersistentVolumeClaim, stored, lookOver([machine]))
  assert.equal(refuse?.code, 409)
  assert.match(refuse?.message ?? '', /default\/web/)
  const going = { ...machine, metadata: { ...machine.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  assert.equal(judgeDelete(PersistentVolumeClaim, stored, lookOver([going])).refuse, undefined)
})

test('shared table of sizes', (t) => {
  const file = new URL('../../../../shared/cases/vol-06-shrink-refused/patches.json', import.meta.url)
  if (!existsSync(file)) return t.skip('shared tables absent')
  for (const { to, code } of JSON.parse(readFileSync(file, 'utf8')) as { to: string; code: number }[])
    assert.equal(resized('20Gi', to, withClass).fields === '', code === 200, to)
})
