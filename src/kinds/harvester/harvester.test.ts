import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { JsonObject } from '../../base/json.ts'
import { checkLabelValue } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import { judge, judgeDelete, lookOver } from '../judge.ts'
import type { AnyKind } from '../kind.ts'
import { VirtualMachine } from '../kubevirt/virtual-machine.ts'
import { CLAIM_TEMPLATES } from './claim-templates.ts'
import { KeyPair } from './key-pair.ts'
import { md5 } from './md5.ts'
import { displayNameLabel } from './rules/image.ts'
import { Setting } from './setting.ts'
import { graceInForce, overcommitInForce } from './setting-look.ts'
import { settingObjects, settings } from './settings.ts'
import { VirtualMachineImage } from './virtual-machine-image.ts'
import { VirtualMachineTemplateVersion } from './virtual-machine-template-version.ts'

const empty = lookOver([])
const shared = new URL('../../../../shared/cases/', import.meta.url)
function sharedText(path: string): string | undefined {
  const file = new URL(path, shared)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
function of(kind: AnyKind, name: string, rest: JsonObject): JsonObject {
  const namespace = kind.scope === 'Namespaced' ? { namespace: 'default' } : {}
  return { apiVersion: 'harvesterhci.io/v1beta1', kind: kind.kind, metadata: { name, ...namespace }, ...rest }
}
function image(spec: JsonObject, name = 'img'): JsonObject {
  return of(VirtualMachineImage, name, { spec: { displayName: name, sourceType: 'upload', ...spec } })
}
function fields(kind: AnyKind, body: JsonObject, look = empty, previous?: KubeObject): readonly string[] {
  return judge(kind, body, look, previous).causes.map(({ field }) => field)
}

test('IMG-05: a checksum is a whole SHA-512 digest, in either case of letters', () => {
  const download = (checksum: string): JsonObject =>
    image({ sourceType: 'download', url: 'http://127.0.0.1/small.qcow2', checksum, retry: 3 })
  assert.deepEqual(fields(VirtualMachineImage, download('0'.repeat(128))), [])
  assert.deepEqual(fields(VirtualMachineImage, download('AB'.repeat(64))), [])
  for (const bad of ['0'.repeat(31), 'g'.repeat(128), '0'.repeat(129)])
    assert.deepEqual(fields(VirtualMachineImage, download(bad)), ['spec.checksum'])
})

test('IMG-14: any name for people, one label from it, none without letters', () => {
  const names = ['a'.repeat(64), 'd'.repeat(253), 'disk <b>one</b> & "two" / ü 🙂.qcow2', '🙂', '-x-']
  for (const displayName of names) {
    const { object, causes } = judge(VirtualMachineImage, image({ displayName }), empty)
    assert.deepEqual(causes, [])
    const label = object.metadata.labels?.['harvesterhci.io/imageDisplayName'] ?? ''
    assert.deepEqual(checkLabelValue(label), [], displayName)
    assert.deepEqual(fields(VirtualMachineImage, object as unknown as JsonObject, empty, object), [])
  }
  assert.equal(displayNameLabel('debian-12'), 'debian-12')
  assert.equal(new Set(names.map(displayNameLabel)).size, names.length)
  assert.deepEqual(fields(VirtualMachineImage, image({ displayName: '' })), ['spec.displayName'])
  assert.deepEqual(fields(VirtualMachineImage, image({ displayName: 'é'.repeat(127) })), ['spec.displayName'])
})

test('an image needs what its source needs, and has no twin', () => {
  assert.deepEqual(fields(VirtualMachineImage, image({ sourceType: 'download' })), ['spec.url'])
  assert.deepEqual(
    fields(VirtualMachineImage, image({ sourceType: 'download', url: 'file:///etc/passwd' })),
    ['spec.url'],
  )
  assert.deepEqual(fields(VirtualMachineImage, image({ url: 'http://a/b' })), ['spec.url'])
  assert.deepEqual(fields(VirtualMachineImage, image({ sourceType: 'export-from-volume' })), ['spec.pvcName'])
  assert.deepEqual(fields(VirtualMachineImage, image({ backend: 'cdi' })), ['spec.targetStorageClassName'])
  const one = judge(VirtualMachineImage, image({}), empty).object
  const twin = image({ displayName: 'img' }, 'other')
  assert.deepEqual(fields(VirtualMachineImage, twin, lookOver([one])), ['spec.displayName'])
  const changed = image({ sourceType: 'download', url: 'http://a/b' })
  assert.deepEqual(fields(VirtualMachineImage, changed, empty, one), ['spec.url', 'spec.sourceType'])
})

test('IMG-15: an image stays while a claim uses it, and the answer names the claim', () => {
  const one = { ...judge(VirtualMachineImage, image({}), empty).object, status: { storageClassName: 'lh-1' } }
  const claim = (metadata: JsonObject, spec: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'root', namespace: 'apps', ...metadata },
    spec,
  })
  for (const user of [
    claim({}, { storageClassName: 'lh-1' }),
    claim({ annotations: { 'harvesterhci.io/imageId': 'default/img' } }, {}),
  ]) {
    const { refuse } = judgeDelete(VirtualMachineImage, one, lookOver([user]))
    assert.equal(refuse?.code, 409)
    assert.match(refuse?.message ?? '', /apps\/root/)
  }
  assert.equal(
    judgeDelete(VirtualMachineImage, one, lookOver([claim({}, { storageClassName: 'b' })])).refuse,
    undefined,
  )
})

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBLQcNyzMDmMoL1AVdVWTc2fMsErJgeJI04ij2BG9y4B'
const pair = (publicKey: string, name = 'k'): JsonObject => of(KeyPair, name, { spec: { publicKey } })

test('TF-04: public keys are read, trimmed and shown by their fingerprint', () => {
  const bytes = Buffer.from(KEY.split(' ')[1] ?? '', 'base64')
  const expected = createHash('md5').update(bytes).digest('hex').match(/../g)?.join(':')
  for (const text of [
    KEY,
    `${KEY}\n`,
    `  ${KEY} user@host.example`,
    `${KEY} comment with spaces`,
    `restrict,command="a b" ${KEY}`,
  ]) {
    const { causes, object } = judge(KeyPair, pair(text), empty)
    assert.deepEqual(causes, [])
    assert.equal((object['status'] as JsonObject)['fingerPrint'], expected)
    assert.equal((object['spec'] as JsonObject)['publicKey'], text)
  }
  const privateKey = '-----BEGIN OPENSSH PRIVATE KEY-----\nnot-a-real-key\n-----END OPENSSH PRIVATE KEY-----'
  for (const text of [
    'ssh-ed25519 AAAA',
    'ssh-ed25519',
    '',
    privateKey,
    `${KEY}\n${KEY}`,
    KEY.replace('ssh-ed25519 ', 'ssh-rsa '),
  ]) {
    const { causes } = judge(KeyPair, pair(text), empty)
    assert.deepEqual(
      causes.map(({ field }) => field),
      ['spec.publicKey'],
    )
    assert.ok(!JSON.stringify(causes).includes('not-a-real-key'))
  }
})

test('TF-04: a changed key has a new fingerprint, a doubled one is told', () => {
  const one = judge(KeyPair, pair(KEY), empty).object
  const other = KEY.replace('IBLQ', 'IBLR')
  const changed = judge(KeyPair, { ...pair(other), status: { fingerPrint: 'forged' } }, empty, one).object
  assert.notDeepEqual(changed['status'], one['status'])
  assert.match(String((changed['status'] as JsonObject)['fingerPrint']), /^([0-9a-f]{2}:){15}/)
  assert.match(
    judge(KeyPair, pair(KEY, 'twin'), lookOver([one])).warnings.join(),
    /KeyPair k holds the same key/,
  )
})

test('MD5 agrees with the platform at every padding border', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37) & 255)
    assert.equal(Buffer.from(md5(bytes)).toString('hex'), createHash('md5').update(bytes).digest('hex'))
  }
})

test('every setting accepts its own default and refuses an unknown name', () => {
  for (const { name, default: value, check, doc } of settings) {
    assert.equal(value === '' ? undefined : check(value), undefined, name)
    assert.ok(doc.length > 10, name)
  }
  assert.equal(new Set(settings.map(({ name }) => name)).size, settings.length)
  for (const object of settingObjects())
    assert.deepEqual(fields(Setting, object as unknown as JsonObject), [])
  assert.deepEqual(fields(Setting, of(Setting, 'no-such-setting', { value: '1' })), ['metadata.name'])
})

test('a setting is read before it is stored, and its value is not repeated', () => {
  const rows: readonly [string, string, boolean][] = [
    ['overcommit-config', '{"cpu":1600,"memory":150,"storage":200}', true],
    ['overcommit-config', '{"cpu":99}', false],
    ['overcommit-config', '{"ram":150}', false],
    ['overcommit-config', '150', false],
    ['log-level', 'debug', true],
    ['log-level', 'loud', false],
    ['additional-guest-memory-overhead-ratio', '0', true],
    ['additional-guest-memory-overhead-ratio', '0.5', false],
    ['additional-guest-memory-overhead-ratio', '10.0', true],
    ['vm-force-reset-policy', '{"enable":true,"period":0}', false],
    ['ntp-servers', '{"ntpServers":["a.example","a.example"]}', false],
    ['ntp-servers', '{"ntpServers":["http://a.example"]}', false],
    ['ssl-certificates', '{"publicCertificate":"x","privateKey":"secret-text"}', false],
    ['max-hotplug-ratio', '21', false],
    ['log-level', '', true],
  ]
  for (const [name, value, good] of rows) {
    const { causes } = judge(Setting, of(Setting, name, { value }), empty)
    assert.deepEqual(
      causes.map(({ field }) => field),
      good ? [] : ['value'],
      `${name} ${value}`,
    )
    assert.ok(!JSON.stringify(causes).includes('secret-text'))
  }
})

test('the value in force is the own one, else the default, and nonsense never counts', () => {
  const setting = (name: string, value: string): KubeObject =>
    of(Setting, name, { value }) as unknown as KubeObject
  assert.deepEqual(overcommitInForce(empty), { cpu: 1000, memory: 150, storage: 100 })
  assert.equal(overcommitInForce(lookOver([setting('overcommit-config', '{"memory":200}')])).memory, 200)
  assert.equal(overcommitInForce(lookOver([setting('overcommit-config', 'broken')])).memory, 150)
  assert.equal(graceInForce(lookOver([setting('default-vm-termination-grace-period-seconds', '5')])), 5)
})

function machine(templates: unknown, name = 'web', more: JsonObject = {}): JsonObject {
  const text = typeof templates === 'string' ? templates : JSON.stringify(templates)
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', annotations: { [CLAIM_TEMPLATES]: text, ...more } },
    spec: {
      runStrategy: 'Halted',
      template: {
        spec: {
          domain: {
            devices: { disks: [{ name: 'root' }] },
            memory: { guest: '1Gi' },
            resources: { limits: { memory: '2Gi' } },
          },
          volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }],
        },
      },
    },
  }
}
const entry = (size: string, more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'root', annotations },
  spec: {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: size } },
    volumeMode: 'Block',
    ...more,
  },
})
const AT = `metadata.annotations[${CLAIM_TEMPLATES}]`
const said = (body: JsonObject, look = empty, previous?: KubeObject): string =>
  judge(VirtualMachine, body, look, previous)
    .causes.map(({ field, message }) => `${field} ${message}`)
    .join('\n')

test('VOL-06: claims in the annotation are whole, keep their class and never shrink', () => {
  assert.match(said(machine('[{')), /is not JSON/)
  assert.match(said(machine('{}')), /must be a JSON list/)
  assert.match(said(machine([{ spec: {} }])), /without metadata.name/)
  assert.match(said(machine([entry('0')])), /must ask for storage/)
  assert.match(said(machine([entry('1Gi'), entry('1Gi')])), /listed twice/)
  assert.match(
    said(machine([entry('1Gi', { storageClassName: 'none' })])),
    /storage class none of claim root not found/,
  )
  const stored = judge(VirtualMachine, machine([entry('20Gi')]), empty).object
  for (const [size, good] of [
    ['10Gi', false],
    ['19.9Gi', false],
    ['20G', false],
    ['21474836480', true],
    ['20480Mi', true],
    ['21Gi', true],
  ] as const)
    assert.equal(said(machine([entry(size)]), empty, stored) === '', good, size)
  const shrunk = said(machine([entry('10Gi')]), empty, stored)
  assert.ok(shrunk.startsWith(AT) && /from 20Gi to 10Gi/.test(shrunk))
  assert.match(said(machine([entry('20Gi', { storageClassName: 'other' })]), empty, stored), /is immutable/)
})

test('IMG-06: a machine cannot be made from an image that is not there, not seen or failed', () => {
  const from = (id: string, spec: JsonObject = {}): JsonObject =>
    machine([entry('1Gi', spec, { 'harvesterhci.io/imageId': id })])
  assert.match(said(from('default/img')), /image default\/img of claim root not found/)
  assert.match(said(from('img')), /must be namespace\/name/)
  const made = judge(VirtualMachineImage, image({}), empty).object
  const failed = {
    ...made,
    status: { conditions: [{ type: 'Imported', status: 'False', message: 'digest differs' }] },
  }
  assert.match(said(from('default/img'), lookOver([failed])), /cannot be used: digest differs/)
  assert.equal(said(from('default/img'), lookOver([made])), '')
  assert.match(said(from('default/img'), lookOver([made], { mayDo: () => false })), /may not get it/)
  const ready = {
    ...made,
    status: { progress: 100, storageClassName: 'lh-1', conditions: [{ type: 'Imported', status: 'True' }] },
  }
  assert.match(said(from('default/img', { storageClassName: 'x' }), lookOver([ready])), /needs lh-1/)
})

test('a claim belongs to one machine', () => {
  const first = judge(VirtualMachine, machine([entry('1Gi')], 'first'), empty).object
  assert.match(
    said(machine([entry('1Gi')]), lookOver([first])),
    /claim root is already used by VirtualMachine default\/first/,
  )
})

test('reserved memory is an amount that leaves the guest its own', () => {
  const reserved = (text: string): string =>
    said(machine('[]', 'web', { 'harvesterhci.io/reservedMemory': text }))
  assert.equal(reserved('256Mi'), '')
  assert.match(reserved('lots'), /must be an amount/)
  assert.match(reserved('2Gi'), /must be less than the memory limit 2Gi/)
  assert.match(reserved('1500Mi'), /together exceed the memory limit/)
})

test('a version of a template holds a machine and never changes', () => {
  const template = of(
    { ...VirtualMachineTemplateVersion, kind: 'VirtualMachineTemplate' },
    't',
    {},
  ) as unknown as KubeObject
  const version = of(VirtualMachineTemplateVersion, 't-1', {
    spec: { templateId: 'default/t', vm: { spec: machine('[]')['spec'] ?? null } },
  })
  const look = lookOver([template])
  const { object, causes } = judge(VirtualMachineTemplateVersion, version, look)
  assert.deepEqual(causes, [])
  const changed = { ...version, spec: { ...(version['spec'] as JsonObject), description: 'new' } }
  assert.equal(judge(VirtualMachineTemplateVersion, changed, look, object).refuse?.code, 405)
  assert.deepEqual(
    fields(
      VirtualMachineTemplateVersion,
      of(VirtualMachineTemplateVersion, 'x', { spec: { templateId: 'default/no' } }),
    ),
    ['spec.templateId', 'spec.vm.spec.template.spec'],
  )
})

test('shared tables of keys and images', (t) => {
  const keys = sharedText('tf-04-ssh-key-shapes/keys.json')
  if (keys === undefined) return t.skip('shared tables absent')
  for (const { key, ok } of JSON.parse(keys) as { key: string; ok?: boolean }[])
    assert.equal(judge(KeyPair, pair(key), empty).causes.length === 0, ok ?? true, key)
  const images = parseAllDocuments(sharedText('img-14-long-display-name-by-api/images.yaml') ?? '').flatMap(
    (document) => (document.toJSON() as { items: JsonObject[] }).items,
  )
  assert.deepEqual(
    images.map((body) => fields(VirtualMachineImage, body)),
    [[], [], ['spec.displayName']],
  )
  const wrongSum = parseAllDocuments(
    sharedText('img-05-wrong-checksum-retries/image.yaml') ?? '',
  )[0]?.toJSON()
  assert.deepEqual(fields(VirtualMachineImage, wrongSum as JsonObject), [])
})
