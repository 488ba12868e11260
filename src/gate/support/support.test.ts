// A support bundle over the real API: a tar that tar can read, with the objects and without anything that opens a door.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { type GateFixture, startGate } from '../gate.fixture.ts'
import { redactObject } from './redact.ts'

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const SECRET = 'swordfish-and-plough'
let fixture: GateFixture
let folder: string

before(async () => {
  fixture = await startGate()
  folder = await mkdtemp(join(tmpdir(), 'croft-bundle-'))
  const metadata = { name: 'one', namespace: 'default' }
  for (const object of [
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: SECRET } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'user-data': SECRET, empty: '' } },
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata,
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: { memory: { guest: '1Gi' }, devices: { disks: [{ name: 'seed', disk: {} }] } },
            volumes: [{ name: 'seed', cloudInitNoCloud: { userData: `password: ${SECRET}` } }],
          },
        },
      },
    },
  ])
    await fixture.create(object as unknown as JsonObject)
})
after(async () => {
  await fixture.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  fixture.fetch(method, '/v1-croft/support-bundle', { headers })

test('a bundle holds the objects and no secret, and tar reads it', async () => {
  const answer = await ask(admin)
  assert.equal(answer.status, 200)
  assert.match(answer.headers['content-disposition'] ?? '', /^attachment; filename="croft-support-\w+\.tar"$/)
  assert.ok(!answer.text.includes(SECRET))
  assert.ok(!answer.text.includes(Buffer.from(SECRET).toString('base64')))
  const path = join(folder, 'bundle.tar')
  await writeFile(path, answer.text)
  const names = execFileSync('tar', ['-tf', path], { encoding: 'utf8' }).split('\n')
  assert.ok(names.includes('croft-support/versions.json'))
  assert.ok(names.every((name) => !name.includes('Secret')))
  execFileSync('tar', ['-xf', path, '-C', folder])
  const read = async (name: string) =>
    JSON.parse(await readFile(join(folder, 'croft-support', name), 'utf8')) as {
      readonly objects: readonly KubeObject[]
    }
  const [machine] = (await read('objects/kubevirt.io_VirtualMachine.json')).objects
  assert.equal(machine?.metadata.name, 'one')
  assert.match(JSON.stringify(machine), /"userData":"\*\*\* \(30 characters left out\)"/)
  const maps = (await read('objects/core_ConfigMap.json')).objects
  const map = maps.find(({ metadata }) => metadata.name === 'one' && metadata.namespace === 'default')
  assert.deepEqual(map?.['data'], { 'user-data': '*** (20 characters left out)', empty: '' })
})

test('only who may read everything gets one', async () => {
  assert.equal((await ask({ ...admin, 'impersonate-user': 'guest' })).status, 403)
  assert.equal((await ask({})).status, 401)
  assert.equal((await ask(admin, 'POST')).status, 405)
})

test('what opens doors is left out, wherever it stands', () => {
  const object = (more: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: {
      name: 'backup-target',
      managedFields: [{}],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': SECRET, note: 'kept' },
    },
    ...more,
  })
  const said = JSON.stringify([
    redactObject('Setting', object({ value: SECRET, default: '' })),
    redactObject('Image', object({ spec: { url: `https://jo:${SECRET}@images.example/a.qcow2` } })),
    redactObject('Login', object({ spec: { token: SECRET, deep: [{ privateKey: SECRET }] } })),
  ])
  assert.ok(!said.includes(SECRET), said)
  assert.ok(!said.includes('managedFields'))
  assert.match(said, /https:\/\/\*\*\*@images\.example\/a\.qcow2/)
  assert.match(said, /"note":"kept"/)
})
