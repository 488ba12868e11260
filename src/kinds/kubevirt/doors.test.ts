// The same judgement at every door of the real API server, over a store in memory.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, createApi } from '../../api/create-api.ts'
import { ApiError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Client } from '../../client/client.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { realCertificates } from '../../host/real/certificates.ts'
import { realHost } from '../../host/real/index.ts'
import { memoryStore } from '../../store/memory.ts'
import { KeyPair } from '../harvester/key-pair.ts'
import { allKinds } from '../index.ts'
import { VirtualMachine } from './virtual-machine.ts'
import { VirtualMachineInstance } from './virtual-machine-instance.ts'

let api: Api
let client: Client
const where = { namespace: 'default' }

before(async () => {
  api = await createApi({
    store: memoryStore(),
    host: realHost({ log: { level: 'error' } }),
    certificates: realCertificates,
    kinds: allKinds,
    identity: {
      clientCaPem: '',
      servingCaPem: '',
      tokenKeys: [],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [],
    },
    advertised: { addresses: ['127.0.0.1'], port: 6443, serviceIp: '10.96.0.1' },
    croftVersion: '0',
  })
  const user = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
  client = createInProcessClient({ api, user, fieldManager: 'test' })
})
after(() => api.close())

function machine(name: string, disk = 'root'): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default' },
    spec: {
      runStrategy: 'Halted',
      template: {
        spec: {
          domain: {
            cpu: { cores: 1 },
            memory: { guest: '128Mi' },
            resources: { limits: { cpu: '1', memory: '128Mi' } },
            devices: {
              disks: [
                { name: disk, bootOrder: 1, disk: { bus: 'virtio' } },
                { name: 'seed', disk: { bus: 'virtio' } },
              ],
              interfaces: [{ name: 'nic', model: 'virtio', masquerade: {} }],
            },
          },
          networks: [{ name: 'nic', pod: {} }],
          volumes: [
            { name: 'root', emptyDisk: { capacity: '1Gi' } },
            { name: 'seed', cloudInitNoCloud: { userData: '#cloud-config' } },
          ],
        },
      },
    },
  }
}

async function refusal(attempt: Promise<unknown>): Promise<ApiError> {
  try {
    await attempt
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error
  }
  throw new assert.AssertionError({ message: 'nothing was refused' })
}

test('create, update, patch, apply and dry-run refuse the same with the same words', async () => {
  const stored = await client.create(VirtualMachine, machine('doors'), where)
  const bad = machine('doors', 'rootDisk')
  const disks = bad.spec.template.spec?.domain.devices?.disks ?? []
  const patch = { spec: { template: { spec: { domain: { devices: { disks } } } } } } as unknown as JsonObject
  const attempts = [
    client.create(VirtualMachine, machine('other', 'rootDisk'), where),
    client.create(VirtualMachine, machine('other', 'rootDisk'), { ...where, dryRun: true }),
    client.update(VirtualMachine, { ...stored, spec: bad.spec }, where),
    client.patch(VirtualMachine, 'doors', patch, where),
    client.patch(VirtualMachine, 'doors', bad as unknown as JsonObject, {
      ...where,
      type: 'apply',
      force: true,
    }),
  ]
  const answers = await Promise.all(attempts.map(refusal))
  for (const { code, details } of answers) {
    assert.equal(code, 422)
    const [cause] = details?.causes ?? []
    assert.equal(cause?.field, 'spec.template.spec.domain.devices.disks[0].name')
    assert.match(cause?.message ?? '', /DNS_LABEL/)
  }
  assert.equal(
    (await client.get(VirtualMachine, 'doors', where)).metadata.resourceVersion,
    stored.metadata.resourceVersion,
  )
})

test('TF-01: applying the same manifest again changes nothing, by either kind of apply', async () => {
  const body = machine('again') as unknown as JsonObject
  const apply = { ...where, type: 'apply' as const, force: true }
  const first = await client.patch(VirtualMachine, 'again', body, apply)
  const second = await client.patch(VirtualMachine, 'again', body, apply)
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion)
  assert.equal(second.metadata.generation, 1)
  const merged = await client.patch(VirtualMachine, 'again', { spec: body['spec'] as JsonObject }, where)
  assert.equal(merged.metadata.resourceVersion, first.metadata.resourceVersion)
  const { status: _status, ...whole } = first
  const replaced = await client.update(
    VirtualMachine,
    { ...whole, spec: machine('again').spec } as VirtualMachine,
    where,
  )
  assert.equal(replaced.metadata.resourceVersion, first.metadata.resourceVersion)
})

test('VM-22: what a person wrote is read back letter by letter after every edit', async () => {
  const made = await client.create(VirtualMachine, machine('kept'), where)
  for (let edit = 0; edit < 5; edit++) {
    const patch = { metadata: { annotations: { 'field.cattle.io/description': String(edit) } } }
    await client.patch(VirtualMachine, 'kept', patch, where)
  }
  const read = await client.get(VirtualMachine, 'kept', where)
  assert.deepEqual(read.spec, made.spec)
  const { devices, memory, resources, cpu } = read.spec.template.spec?.domain ?? {}
  const given = machine('kept').spec.template.spec?.domain
  assert.deepEqual({ devices, memory, resources, cpu }, { ...given })
})

test('VM-15: names are judged once, and what was made can be edited', async () => {
  for (const name of ['web.prod.01', '9lives', 'a', `x${'2'.repeat(62)}`]) {
    await client.create(VirtualMachine, machine(name), where)
    const patch = { metadata: { annotations: { note: 'edited' } } }
    assert.equal(
      (await client.patch(VirtualMachine, name, patch, where)).metadata.annotations?.['note'],
      'edited',
    )
  }
  for (const name of ['web.', '-web', 'Web', 'web_1', 'wéb', ''])
    assert.equal((await refusal(client.create(VirtualMachine, machine(name), where))).code, 422, name)
})

test('a run has its defaults when it is made, and people do not change it', async () => {
  const { spec } = machine('run').spec.template
  const body = {
    ...machine('run'),
    kind: 'VirtualMachineInstance',
    spec,
  } as unknown as VirtualMachineInstance
  const made = await client.create(VirtualMachineInstance, body, where)
  assert.equal(made.spec.domain.machine?.type, 'q35')
  assert.equal(made.spec.domain.resources?.requests?.['memory'], '85Mi')
  assert.equal(made.spec.domain.memory?.guest, '128Mi')
  const patch = { spec: { terminationGracePeriodSeconds: 1 } }
  const answer = await refusal(client.patch(VirtualMachineInstance, 'run', patch, where))
  assert.match(answer.message, /update of VMI object is restricted/)
})

test('TF-04: the fingerprint of a key is there at once', async () => {
  const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBLQcNyzMDmMoL1AVdVWTc2fMsErJgeJI04ij2BG9y4B'
  const body = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'KeyPair',
    metadata: { name: 'k', namespace: 'default' },
    spec: { publicKey },
  }
  const made = await client.create(KeyPair, body, where)
  assert.match(made.status?.fingerPrint ?? '', /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/)
})
