import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { judge, lookOver } from '../judge.ts'
import type { RuleLook } from '../kind.ts'
import { DataVolume } from './data-volume.ts'

const empty = lookOver([])
const storage = { resources: { requests: { storage: '1Gi' } } }
function body(spec: JsonObject, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'root', namespace: 'default', annotations },
    spec,
  }
}
function told(spec: JsonObject, look: RuleLook = empty, previous?: KubeObject): string {
  return judge(DataVolume, body(spec), look, previous)
    .causes.map(({ field, message }) => `${field} ${message}`)
    .join('\n')
}

test('whole data volumes are taken', () => {
  for (const source of [
    { blank: {} },
    { upload: {} },
    { http: { url: 'https://images.example/a.qcow2', checksum: `sha256:${'a'.repeat(64)}` } },
    { registry: { url: 'docker://images.example/disk' } },
    { s3: { url: 'https://s3.example/bucket/disk' } },
  ])
    assert.equal(told({ source, storage }), '')
  assert.equal(told({ sourceRef: { kind: 'DataSource', name: 'debian' }, storage: {} }), '')
  assert.equal(told({ source: { blank: {} }, pvc: { accessModes: ['ReadWriteOnce'], ...storage } }), '')
})

test('refusals have the fields and words of CDI', () => {
  const http = (more: JsonObject): JsonObject => ({
    source: { http: { url: 'http://a/b', ...more } },
    storage,
  })
  const rows: readonly [JsonObject, RegExp][] = [
    [{ source: { blank: {} } }, /^spec\.PVC Missing Data volume PVC/],
    [{ source: { blank: {} }, storage, pvc: {} }, /^spec\.PVC\.Storage Duplicate storage definition/],
    [{ source: { blank: {} }, storage: {} }, /size is missing/],
    [
      { source: { blank: {} }, storage: { resources: { requests: { storage: '0' } } } },
      /equal or less than zero/,
    ],
    [{ source: { blank: {} }, storage: { resources: { requests: { storage: '1k' } } } }, /at least 1MiB/],
    [{ source: { blank: {} }, pvc: storage }, /^spec\.PVC\.accessModes .*at least 1 access mode/],
    [{ storage }, /^spec\.source .*should have either Source or SourceRef, or be externally populated/],
    [{ source: {}, storage }, /^spec\.source Missing Data volume source/],
    [{ source: { blank: {}, upload: {} }, storage }, /Multiple Data volume sources/],
    [{ source: { blank: {} }, contentType: 'tar', storage }, /^spec\.contentType ContentType not one of/],
    [{ source: { blank: {} }, contentType: 'archive', storage }, /SourceType cannot be blank/],
    [http({ url: '' }), /^spec\.source\.HTTP\.url .*source URL is empty/],
    [http({ url: 'ftp://a/b' }), /Invalid source URL scheme: ftp/],
    [http({ url: 'no url' }), /Invalid source URL/],
    [http({ checksum: 'sha256:12' }), /^spec\.source\.HTTP\.checksum Invalid checksum format/],
    [{ source: { registry: {} }, storage }, /either URL or ImageStream/],
    [{ sourceRef: { kind: 'Other', name: 'a' }, storage }, /Unsupported sourceRef kind Other/],
    [
      {
        source: { blank: {} },
        storage: { ...storage, dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } },
      },
      /External population is incompatible/,
    ],
  ]
  for (const [spec, words] of rows) assert.match(told(spec), words)
})

test('a data volume never changes, and takes no claim that is somebody else’s', () => {
  const spec = { source: { blank: {} }, storage }
  const stored = judge(DataVolume, body(spec), empty).object
  assert.equal(told(spec, empty, stored), '')
  assert.match(told({ ...spec, preallocation: true }, empty, stored), /Cannot update DataVolume Spec/)
  assert.equal(told({ ...spec, checkpoints: [{ previous: 'a', current: 'b' }] }, empty, stored), '')
  const claim = (annotations: JsonObject = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'root', namespace: 'default', annotations: annotations as Record<string, string> },
  })
  assert.match(
    told(spec, lookOver([claim()])),
    /^DataVolume\.Name Destination PVC default\/root already exists/,
  )
  assert.equal(told(spec, lookOver([claim({ 'cdi.kubevirt.io/storage.populatedFor': 'root' })])), '')
  assert.equal(told(spec, lookOver([claim({ 'cdi.kubevirt.io/allowClaimAdoption': 'true' })])), '')
})

test('copying from another namespace takes its permission', () => {
  const spec = { source: { pvc: { namespace: 'secret', name: 'disk' } }, storage: {} }
  assert.equal(told(spec), '')
  const blind = lookOver([], { username: 'alice', mayDo: () => false })
  assert.match(told(spec, blind), /User alice has insufficient permissions in clone source namespace secret/)
  assert.equal(told({ ...spec, source: { pvc: { namespace: 'default', name: 'disk' } } }, blind), '')
})
