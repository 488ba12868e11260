// Load as clients ask for it: charts by JSON, kubectl top, and only what the caller may see.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN } from '../../../test/api-fixture.ts'
import { kubectlTools } from '../../../test/kubectl-binary.ts'
import type { UserInfo } from '../../base/call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { MachineFigures, NodeSample } from '../../base/metrics-port.ts'
import { realHost } from '../../host/real/index.ts'
import { createObservatory, type Observatory } from '../../observe/observatory.ts'
import { type GateFixture, startGate } from '../gate.fixture.ts'

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const AGENT: UserInfo = { username: 'system:node:n2', groups: ['system:masters', 'system:authenticated'] }
const host = realHost({ log: { level: 'error' } })
const tools = await kubectlTools()
let folder: string
let observatory: Observatory
let fixture: GateFixture

const MACHINE: MachineFigures = {
  uid: 'u',
  namespace: 'default',
  name: 'web',
  podName: 'virt-launcher-web-1',
  userSeconds: 5,
  systemSeconds: 0,
  guestSeconds: 0,
  residentBytes: 64 * 1024 * 1024,
  domainBytes: 128 * 1024 * 1024,
  nics: [],
  disks: [
    {
      name: 'root',
      volume: 'pvc-1',
      readBytes: 0,
      writeBytes: 0,
      readOperations: 0,
      writeOperations: 0,
      flushOperations: 0,
      readSeconds: 0,
      writeSeconds: 0,
      flushSeconds: 0,
    },
  ],
}

function sample(at: number, seconds: number): NodeSample {
  const [disk] = MACHINE.disks ?? []
  return {
    node: 'n1',
    at,
    host: {
      cpus: 2,
      busySeconds: 100 + seconds,
      load1: 0.5,
      memoryBytes: 8 * 2 ** 30,
      memoryAvailableBytes: 6 * 2 ** 30,
      diskBytes: 100,
      diskFreeBytes: 50,
      diskReadBytes: 0,
      diskWriteBytes: 0,
      receiveBytes: 0,
      transmitBytes: 0,
      ownSeconds: 1,
      ownResidentBytes: 7,
    },
    machines: [
      {
        ...MACHINE,
        userSeconds: 5 + seconds / 4,
        disks: [{ ...disk!, writeBytes: seconds * 4096, writeOperations: seconds }],
      },
    ],
  }
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'croft-metrics-'))
  observatory = createObservatory({ host, folder: join(folder, 'metrics') })
  fixture = await startGate({ metrics: observatory })
  const object = (apiVersion: string, kind: string, metadata: object, spec: object): Promise<unknown> =>
    fixture.create({ apiVersion, kind, metadata, spec } as JsonObject)
  const domain = { devices: { disks: [], interfaces: [] }, memory: { guest: '64Mi' } }
  await object('v1', 'Node', { name: 'n1' }, {})
  const resources = { cpu: '2', memory: '8Gi' }
  await fixture.call('patch', 'v1/nodes/n1/status', {
    patchType: 'merge',
    body: { status: { capacity: resources, allocatable: resources } },
  })
  for (const name of ['web', 'other'])
    await object(
      'kubevirt.io/v1',
      'VirtualMachine',
      { name, namespace: 'default' },
      { runStrategy: 'Halted', template: { spec: { domain } } },
    )
  await object('kubevirt.io/v1', 'VirtualMachineInstance', { name: 'web', namespace: 'default' }, { domain })
  for (const name of ['virt-launcher-web-1', 'plain'])
    await object(
      'v1',
      'Pod',
      { name, namespace: 'default', labels: { app: name } },
      { nodeName: 'n1', containers: [{ name: 'compute', image: 'x' }] },
    )
  await object(
    'v1',
    'PersistentVolumeClaim',
    { name: 'disk', namespace: 'default' },
    {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'x',
      volumeName: 'pvc-1',
    },
  )
  for (const [name, apiGroups, resources] of [
    ['machines', ['kubevirt.io'], ['virtualmachines', 'virtualmachineinstances']],
    ['top', ['metrics.k8s.io'], ['pods']],
  ] as const) {
    const place = { name, namespace: 'default' }
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }]
    await fixture.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: place,
      rules: [{ apiGroups, resources, verbs: ['get', 'list'] }],
    } as unknown as JsonObject)
    await fixture.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: place,
      roleRef,
      subjects,
    } as unknown as JsonObject)
  }
  const now = Date.now()
  // Objects have whole seconds of age.
  observatory.push(sample(now - 10_000, 0))
  observatory.push(sample(now + 1_000, 11))
})
after(async () => {
  await fixture.close()
  await rm(folder, { recursive: true })
})

const get = (path: string, user?: string) =>
  fixture.fetch('GET', path, { headers: user === undefined ? admin : { ...admin, 'impersonate-user': user } })

interface Answer {
  readonly start: number
  readonly step: number
  readonly series: readonly {
    readonly name: string
    readonly unit: string
    readonly values: readonly (number | null)[]
  }[]
  readonly latest?: { readonly values: Readonly<Record<string, number>> }
}

async function chart(path: string, user?: string): Promise<Answer> {
  const answer = await get(path, user)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as unknown as Answer
}

test('a chart has one value a point, and nothing from before the object was made', async () => {
  const { start, step, series, latest } = await chart('/v1-croft/metrics/vm/default/web?start=-10m&step=10s')
  assert.equal(step, 10)
  assert.ok(start > Date.now() / 1000 - 120, 'begins with the machine')
  const cpu = series.find(({ name }) => name === 'cpu')
  assert.equal(cpu?.unit, 'cores')
  assert.equal(latest?.values['cpu'], 0.25)
  const { series: volume, latest: present } = await chart('/v1-croft/metrics/volume/default/disk')
  assert.ok(volume.some(({ name }) => name === 'writeLatency'))
  assert.equal(present?.values['write'], 4096)
  const one = await chart('/v1-croft/metrics/node/n1?metrics=cpu,load&start=-1h&step=1m&fold=max')
  assert.deepEqual(
    one.series.map(({ name }) => name),
    ['cpu', 'load'],
  )
  assert.equal(one.step, 60)
})

test('a machine that was never measured has an empty chart, not an error', async () => {
  const { series, latest } = await chart('/v1-croft/metrics/vm/default/other')
  assert.ok(series.every(({ values }) => values.every((value) => value === null)))
  assert.equal(latest, undefined)
})

test('whoever may get the object sees its load, nobody else', async () => {
  assert.equal((await get('/v1-croft/metrics/vm/default/web', 'machines')).status, 200)
  const refused = await get('/v1-croft/metrics/volume/default/disk', 'machines')
  assert.equal(refused.status, 403)
  assert.match(refused.text, /cannot get resource/)
  assert.equal((await get('/v1-croft/metrics/node/n1', 'machines')).status, 403)
  assert.equal((await get('/v1-croft/metrics/vm/default/none', 'machines')).status, 404)
  assert.equal((await fixture.fetch('GET', '/v1-croft/metrics/vm/default/web')).status, 401)
  assert.equal((await get('/v1-croft/metrics/latest?type=vm', 'machines')).status, 403)
  const mine = await get('/v1-croft/metrics/latest?type=vm&namespace=default', 'machines')
  assert.equal(mine.status, 200)
  const { items } = mine.json as unknown as { readonly items: readonly { readonly name: string }[] }
  assert.deepEqual(
    items.map(({ name }) => name),
    ['web'],
  )
  assert.equal((await get('/metrics', 'machines')).status, 403)
  assert.equal((await get('/apis/metrics.k8s.io/v1beta1/namespaces/default/pods', 'machines')).status, 403)
  assert.equal((await get('/apis/metrics.k8s.io/v1beta1/namespaces/default/pods', 'top')).status, 200)
})

test('what is asked wrongly is told with an example', async () => {
  for (const [query, words] of [
    ['?step=often', /no span of time like 10s or 5m/],
    ['?start=yesterday', /is no time: give seconds since 1970/],
    ['?start=-1m&end=-2m', /start must be before end/],
    ['?fold=sum', /fold is mean or max/],
  ] as const) {
    const answer = await get(`/v1-croft/metrics/vm/default/web${query}`)
    assert.equal(answer.status, 400, query)
    assert.match(answer.text, words)
  }
  for (const path of [
    '/v1-croft/metrics/pod/default/x',
    '/v1-croft/metrics/vm/web',
    '/v1-croft/metrics/latest',
  ]) {
    const answer = await get(path)
    assert.equal(answer.status, 400)
    assert.match(answer.text, /ask for \/v1-croft\/metrics\/vm/)
  }
})

function kubectl(...argv: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    KUBECONFIG: fixture.kubeconfig,
    HOME: folder,
    KUBECACHEDIR: join(folder, 'cache'),
  }
  return new Promise((resolve, reject) =>
    execFile(tools!.kubectl, [...argv], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    ),
  )
}

test('kubectl top shows nodes and machines', {
  skip: tools ? false : 'kubectl cannot be had here',
}, async () => {
  const nodes = await kubectl('top', 'node')
  assert.match(nodes, /^n1 +1000m +50% +2048Mi +25%/m)
  const pods = await kubectl('top', 'pod', '--containers')
  assert.match(pods, /^virt-launcher-web-1 +compute +250m +64Mi/m)
  assert.doesNotMatch(pods, /plain/)
  assert.match(await kubectl('top', 'pod', '-A'), /virt-launcher-web-1/)
  await assert.rejects(kubectl('top', 'pod', '-l', 'app=plain'), /metrics not available|No resources/i)
  assert.match(await kubectl('get', 'apiservice', 'v1beta1.metrics.k8s.io'), /True/)
  assert.match(await kubectl('get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes/n1'), /"window":"10s"/)
  await assert.rejects(
    kubectl('get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes/n2'),
    /nodes.metrics.k8s.io "n2" not found/,
  )
  assert.match(await kubectl('get', 'podmetrics', '-o', 'name'), /virt-launcher-web-1/)
})

// Last: what this node tells of the machine takes the place of what was known before.
test('a node that joined tells its own load and that of its own machines, nothing else', async () => {
  const at = 'kubevirt.io/v1/namespaces/default/virtualmachineinstances'
  const vmi = await fixture.call('get', `${at}/web`)
  const { uid } = vmi['metadata'] as { readonly uid: string }
  await fixture.call('patch', `${at}/web`, {
    patchType: 'merge',
    user: AGENT,
    body: { metadata: { labels: { 'kubevirt.io/nodeName': 'n2' } } },
  })
  await fixture.call('patch', `${at}/web/status`, {
    patchType: 'merge',
    user: AGENT,
    body: { status: { nodeName: 'n2', phase: 'Running' } },
  })
  const post = (body: unknown, user = 'system:node:n2', group = 'system:nodes') =>
    fixture.fetch('POST', '/v1-croft/metrics/samples', {
      headers: { ...admin, 'impersonate-user': user, 'impersonate-group': group },
      body: JSON.stringify(body),
    })
  const own = { ...MACHINE, uid, podName: 'virt-launcher-web-2' }
  const foreign = { ...MACHINE, uid: 'other', name: 'other' }
  const { host: figures } = sample(0, 0)
  assert.equal((await post({ at: Date.now(), host: figures, machines: [own, foreign] })).status, 204)
  const [told] = observatory.samples().filter(({ node }) => node === 'n2')
  assert.deepEqual(
    told?.machines.map(({ name }) => name),
    ['web'],
  )
  assert.equal((await post({}, 'jane', 'system:authenticated')).status, 403)
  assert.equal((await post({ at: 0, host: figures, machines: [{ ...own, residentBytes: -1 }] })).status, 400)
  assert.equal((await post({ at: 0, host: { ...figures, cpus: 'two' }, machines: [] })).status, 400)
  assert.equal((await fixture.fetch('POST', '/v1-croft/metrics/samples')).status, 403)
})
