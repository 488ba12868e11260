import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, refuse } from '../base/errors.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { problemOf, usageError } from './cli-error.ts'
import { EXIT } from './command.ts'
import { machineObject, userDataFor } from './machine-objects.ts'
import { nearest } from './nearest.ts'
import { type Field, type Format, printObjects, printTable, sizeText } from './output.ts'

type Thing = {
  readonly apiVersion: 'v1'
  readonly kind: 'Namespace'
  readonly metadata: { readonly name: string }
}
const things: readonly Thing[] = ['a', 'longer'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
}))
const fields: readonly Field<Thing>[] = [
  { name: 'Name', value: ({ metadata }) => metadata.name },
  { name: 'Length', wide: true, value: ({ metadata }) => metadata.name.length },
]
const print = (format: Format | undefined, forEyes = true): string =>
  printObjects(Namespace, things, fields, { format, forEyes, now: 0 })

test('a table for eyes has a header and columns; one for a pipe has tabs only', () => {
  assert.equal(print(undefined), 'NAME\na\nlonger\n')
  assert.equal(print('wide'), 'NAME    LENGTH\na       1\nlonger  6\n')
  assert.equal(print('wide', false), 'a\t1\nlonger\t6\n')
  assert.equal(printTable(['A', 'B'], [['', 'x\ty']], false), '\tx y\n')
  assert.equal(printTable(['A', 'B'], [['', 'x']], true), 'A  B\n-  x\n')
})

test('wide characters keep columns straight', () => {
  assert.equal(printTable(['A', 'B'], [['运行中', 'x']], true), 'A       B\n运行中  x\n')
})

test('json and yaml are one List; name is what kubectl takes', () => {
  assert.deepEqual(JSON.parse(print('json')), { apiVersion: 'v1', kind: 'List', items: things })
  assert.match(print('yaml'), /^apiVersion: v1\nitems:\n- apiVersion: v1\n/m)
  assert.equal(print('name'), 'namespace/a\nnamespace/longer\n')
})

test('sizes for people', () => {
  assert.deepEqual([0, 1023, 1024, 1.5 * 2 ** 30].map(sizeText), ['0 B', '1023 B', '1 KiB', '1.5 GiB'])
})

test('the nearest word is near', () => {
  assert.equal(nearest('lsit', ['list', 'show']), 'list')
  assert.equal(nearest('xyz', ['list', 'show']), undefined)
  assert.equal(nearest('stat', []), undefined)
})

test('exit codes are the contract', () => {
  const code = (error: unknown): number => problemOf(error, 'en').code
  assert.equal(code(usageError('x')), EXIT.usage)
  assert.equal(code(refuse.notFound({ group: '', resource: 'pods' }, 'x')), EXIT.notFound)
  assert.equal(code(new ApiError(409, 'AlreadyExists', 'x')), EXIT.conflict)
  assert.equal(code(new ApiError(403, 'Forbidden', 'x')), EXIT.refused)
  assert.equal(code(new ApiError(422, 'Invalid', 'x')), EXIT.refused)
  assert.equal(code(new ApiError(504, 'Timeout', 'x')), EXIT.timedOut)
  assert.equal(code(new ApiError(500, 'InternalError', 'x')), EXIT.failed)
  assert.equal(code(new Error('x')), EXIT.bug)
  assert.deepEqual([EXIT.done, EXIT.failed, EXIT.usage, EXIT.notFound, EXIT.refused], [0, 1, 2, 3, 4])
  assert.deepEqual([EXIT.conflict, EXIT.timedOut], [5, 124])
})

test('a server that does not answer is named with the way to start it', () => {
  const told = problemOf(
    refuse.unavailable('https://1.2.3.4:6443: requesting https://1.2.3.4:6443/version: connection refused'),
    'en',
  )
  assert.equal(told.what, 'No croft answers at https://1.2.3.4:6443: connection refused')
  assert.match(told.next ?? '', /croft up/)
})

test('a machine in the form of Harvester: claim template, image, cloud-init from a Secret', () => {
  const made = machineObject({
    name: 'web',
    namespace: 'prod',
    suffix: 'abcde',
    cpus: 2,
    memory: '1Gi',
    disk: '10Gi',
    image: { id: 'prod/debian', storageClass: 'lh-1' },
    userData: '',
    runStrategy: 'Always',
    graceSeconds: 60,
  })
  const templates = JSON.parse(made.metadata.annotations?.['harvesterhci.io/volumeClaimTemplates'] ?? '')
  assert.equal(templates[0].metadata.name, 'web-disk-0-abcde')
  assert.equal(templates[0].metadata.annotations['harvesterhci.io/imageId'], 'prod/debian')
  assert.equal(templates[0].spec.storageClassName, 'lh-1')
  assert.match(JSON.stringify(made), /"secretRef":\{"name":"web-abcde"\}/)
})

test('user data leaves out what nobody asked for', () => {
  assert.equal(userDataFor({ hostname: 'a', sshKeys: [] }), '#cloud-config\nhostname: "a"\n')
  assert.match(
    userDataFor({ hostname: 'a', sshKeys: ['ssh-ed25519 AAAA me'] }),
    /ssh_authorized_keys: \["ssh-ed25519/,
  )
})
