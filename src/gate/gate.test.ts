// The doors over HTTPS against the real API: actions and their refusals, streams, logs, uploads, files, rights.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { ADMIN_TOKEN } from '../../test/api-fixture.ts'
import type { UserInfo } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import { realHost } from '../host/real/index.ts'
import { type GateFixture, startGate } from './gate.fixture.ts'

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const MACHINES = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines'
const INSTANCES = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances'
const AGENT: UserInfo = { username: 'system:node:n1', groups: ['system:masters', 'system:authenticated'] }
let fixture: GateFixture

before(async () => {
  fixture = await startGate()
  await machine('web', 'Manual')
  await machine('off', 'Halted')
  await instance('web', 'Running')
  await instance('young', 'Scheduling')
  await instance('broken', 'Failed')
  await launcher('virt-launcher-web-abcde', 'web')
})
beforeEach(() => {
  fixture.agent.failure = undefined
  fixture.agent.told.length = 0
})
after(() => fixture.close())

const domain = { devices: { disks: [], interfaces: [] }, memory: { guest: '64Mi' } }

async function machine(name: string, runStrategy: string): Promise<void> {
  await fixture.create({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default' },
    spec: { runStrategy, template: { spec: { domain } } },
  } as JsonObject)
}

async function instance(name: string, phase: string): Promise<void> {
  const at = `kubevirt.io/v1/namespaces/default/virtualmachineinstances`
  await fixture.create({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default' },
    spec: { domain },
  } as JsonObject)
  await fixture.call('patch', `${at}/${name}/status`, {
    patchType: 'merge',
    user: AGENT,
    body: { status: { phase, nodeName: 'n1' } },
  })
}

async function launcher(name: string, vmi: string): Promise<void> {
  const owner = await fixture.call('get', `kubevirt.io/v1/namespaces/default/virtualmachineinstances/${vmi}`)
  const { uid } = owner['metadata'] as { readonly uid: string }
  const pod = (podName: string, metadata: object): JsonObject =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, namespace: 'default', ...metadata },
      spec: { nodeName: 'n1', containers: [{ name: 'compute', image: 'croft/virt-launcher' }] },
    }) as unknown as JsonObject
  await fixture.create(
    pod(name, {
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: vmi, uid, controller: true },
      ],
    }),
  )
  await fixture.create(pod('plain', {}))
}

const put = (path: string, body?: string) =>
  fixture.fetch('PUT', path, { headers: admin, ...(body === undefined ? {} : { body }) })
const get = (path: string, headers: Record<string, string> = {}) =>
  fixture.fetch('GET', path, { headers: { ...admin, ...headers } })

async function openSocket(path: string, protocols: readonly string[] = []) {
  const { net } = realHost({ log: { level: 'error' } as never })
  return net.openWebSocket({
    url: `${fixture.url.replace('https', 'wss')}${path}`,
    protocols,
    idleTimeoutMs: 5_000,
    caPem: fixture.caPem,
    headers: admin,
  })
}

test('start, stop and restart answer 202 and leave what the control plane acts on', async () => {
  const dry = await put(`${MACHINES}/off/start`, '{"dryRun":["All"]}')
  assert.equal(dry.status, 202)
  const at = 'kubevirt.io/v1/namespaces/default/virtualmachines'
  const specOf = async (name: string) => (await fixture.call('get', `${at}/${name}`))['spec'] as JsonObject
  assert.equal((await specOf('off'))['runStrategy'], 'Halted')
  const started = await put(`${MACHINES}/off/start`)
  assert.deepEqual([started.status, started.text], [202, ''])
  assert.equal((await specOf('off'))['runStrategy'], 'Always')
  assert.equal((await put(`${MACHINES}/web/restart`, '{}')).status, 202)
  const status = (await fixture.call('get', `${at}/web`))['status'] as JsonObject
  const requests = status['stateChangeRequests'] as unknown as readonly { readonly action: string }[]
  assert.deepEqual(
    requests.map(({ action }) => action),
    ['Stop', 'Start'],
  )
})

test('every refusal of an action is a Status with the words of KubeVirt', async () => {
  const cases: readonly (readonly [string, string | undefined, number, RegExp])[] = [
    [`${MACHINES}/web/start`, undefined, 409, /VM is already running/],
    [`${MACHINES}/nope/start`, undefined, 404, /virtualmachine.kubevirt.io "nope" not found/],
    [`${MACHINES}/web/start`, 'x: {', 400, /Can not unmarshal Request body/],
    [`${MACHINES}/web/start`, '[]', 400, /no JSON object/],
    [`${MACHINES}/web/start`, '{"paused":"yes"}', 400, /paused must be true or false/],
    [`${MACHINES}/web/stop`, '{"gracePeriod":1.5}', 400, /whole number/],
    [`${MACHINES}/web/stop`, '{"dryRun":["Some"]}', 400, /dryRun may only be "All"/],
    [`${MACHINES}/web/start`, `{"paused":"${'x'.repeat(70_000)}"}`, 413, /may not be longer/],
    [`${MACHINES}/web/migrate`, undefined, 501, /not served/],
    [`${MACHINES}/web/nonsense`, undefined, 404, /could not find/],
    [`${INSTANCES}/young/pause`, undefined, 409, /VM is not running/],
    [`${INSTANCES}/young/reset`, undefined, 409, /VMI is not running/],
    [`${INSTANCES}/nope/pause`, undefined, 404, /virtualmachineinstance.kubevirt.io "nope" not found/],
    [`${INSTANCES}/web/freeze`, '{"unfreezeTimeout":"soon"}', 400, /must be a duration/],
    [`${INSTANCES}/web/console`, undefined, 400, /is a WebSocket/],
  ]
  for (const [path, body, code, words] of cases) {
    const answer = await put(path, body)
    assert.equal(answer.status, code, `${path}: ${answer.text}`)
    assert.equal(answer.json['kind'], 'Status', path)
    assert.match(String(answer.json['message']), words)
  }
  assert.deepEqual(fixture.agent.told, [])
})

test('actions on an instance reach the agent; its failures come back in words', async () => {
  for (const action of ['pause', 'unpause', 'reset', 'softreboot', 'freeze', 'unfreeze'])
    assert.equal((await put(`${INSTANCES}/web/${action}`)).status, 202, action)
  await put(`${INSTANCES}/web/freeze`, '{"unfreezeTimeout":"30s"}')
  await put(`${INSTANCES}/web/pause`, '{"dryRun":["All"]}')
  assert.deepEqual(fixture.agent.told, [
    'pause web',
    'unpause web',
    'reset web',
    'softReboot web',
    'freeze web 300000',
    'unfreeze web',
    'freeze web 30000',
  ])
  for (const [reason, action, code, words] of [
    ['AlreadyPaused', 'pause', 409, /VMI is already paused/],
    ['NotPaused', 'unpause', 409, /VMI is not paused/],
    ['AgentNorAcpi', 'softreboot', 409, /neither have the agent connected/],
    ['AgentNotConnected', 'freeze', 500, /does not have guest agent connected/],
    ['MachineNotRunning', 'reset', 409, /VMI is not running/],
    ['NodeUnknown', 'reset', 503, /no way/],
  ] as const) {
    fixture.agent.failure = { reason, message: 'no way there' }
    const answer = await put(`${INSTANCES}/web/${action}`)
    assert.equal(answer.status, code, reason)
    assert.match(String(answer.json['message']), words)
  }
})

test('what the guest tells: lists and facts in the form of KubeVirt', async () => {
  assert.deepEqual((await get(`${INSTANCES}/web/userlist`)).json['items'], [{ userName: 'croft' }])
  const facts = (await get(`${INSTANCES}/web/guestosinfo`)).json
  assert.deepEqual(facts['supportedCommands'], [{ name: 'guest-ping', enabled: true }])
  const picture = await get(`${INSTANCES}/web/vnc/screenshot`)
  assert.equal(picture.headers['content-type'], 'image/png')
  fixture.agent.failure = { reason: 'AgentNotConnected', message: '' }
  assert.equal((await get(`${INSTANCES}/web/guestosinfo`)).status, 409)
  const version = await get('/apis/subresources.kubevirt.io/v1/version')
  assert.equal(version.json['gitVersion'], 'v1.7.4')
})

test('consoles: both ways of asking, binary frames, and the end of one side is the end', async () => {
  for (const [offered, chosen] of [
    [['plain.kubevirt.io'], 'plain.kubevirt.io'],
    [[], ''],
    [['binary'], 'binary'],
  ] as const) {
    const socket = await openSocket(`${INSTANCES}/web/vnc`, offered)
    assert.ok(socket.ok, JSON.stringify(socket))
    assert.equal(socket.value.protocol, chosen)
    await socket.value.send(Buffer.from('hello'))
    let heard = ''
    for await (const { data, binary } of socket.value.messages) {
      assert.ok(binary)
      heard += Buffer.from(data).toString()
      if (heard.includes('HELLO')) break
    }
    assert.equal(heard, 'RFB 003.008\nHELLO')
    await socket.value.closed
  }
})

test('a second look at a screen takes it over, or is refused where that was asked', async () => {
  const first = await openSocket(`${INSTANCES}/web/vnc`)
  assert.ok(first.ok)
  await first.value.messages[Symbol.asyncIterator]().next()
  const polite = await openSocket(`${INSTANCES}/web/vnc?preserveSession=true`)
  assert.ok(!polite.ok)
  assert.match(polite.failure.message, /503.*session exists/)
  const second = await openSocket(`${INSTANCES}/web/vnc`)
  assert.ok(second.ok)
  await first.value.closed
  second.value.close()
})

test('streams are refused before the upgrade, with a Status', async () => {
  for (const [path, words] of [
    [`${INSTANCES}/young/console`, /400.*VMI is not running/],
    [`${INSTANCES}/broken/vnc`, /409.*VMI is in failed status/],
    [`${INSTANCES}/nope/console`, /404.*not found/],
    [`${MACHINES}/web/portforward/0`, /400.*is no port/],
    [`${MACHINES}/web/portforward/22/udp`, /400.*only tcp/],
    [`${MACHINES}/web/console`, /400.*not served over WebSocket/],
    ['/v1-croft/session', /400.*not served over WebSocket/],
    ['/api/v1/namespaces/default/pods/virt-launcher-web-abcde/exec?command=ls', /400.*croft vm console web/],
    ['/api/v1/namespaces/default/pods/plain/attach', /400.*no container runtime/],
    ['/api/v1/namespaces/default/pods/virt-launcher-web-abcde/portforward', /400.*speaks v4.channel/],
  ] as const) {
    const socket = await openSocket(path)
    assert.ok(!socket.ok, path)
    assert.match(socket.failure.message, words)
    assert.match(socket.failure.message, /"kind":"Status"/)
  }
  fixture.agent.failure = { reason: 'PortUnreachable', message: 'port 22 of the guest does not answer' }
  const port = await openSocket(`${MACHINES}/web/portforward/22/tcp`, ['plain.kubevirt.io'])
  assert.ok(!port.ok)
  assert.match(port.failure.message, /400.*does not answer/)
})

test('the log of a launcher is the serial log, and says what it cannot do', async () => {
  const log = '/api/v1/namespaces/default/pods/virt-launcher-web-abcde/log'
  fixture.agent.targets.length = 0
  const answer = await get(`${log}?container=compute&follow=true&tailLines=10&limitBytes=3&sinceSeconds=5`)
  assert.equal(answer.text, 'RFB')
  assert.match(answer.headers['warning'] ?? '', /sinceSeconds has no effect/)
  const [target] = fixture.agent.targets
  assert.deepEqual(
    [target?.type, target?.follow, target?.tailLines, target?.name],
    ['agent-log', true, 10, 'web'],
  )
  for (const [path, words] of [
    [`${log}?container=foo`, /container foo is not valid for pod/],
    [`${log}?previous=true`, /previous terminated container/],
    [`${log}?tailLines=-1`, /tailLines: Invalid value/],
    [`${log}?limitBytes=0`, /limitBytes: Invalid value/],
    ['/api/v1/namespaces/default/pods/plain/log', /no container runtime/],
  ] as const) {
    const refused = await get(path)
    assert.equal(refused.status, 400, path)
    assert.match(String(refused.json['message']), words)
  }
  assert.equal((await get('/api/v1/namespaces/default/pods/nope/log')).status, 404)
})

test('ports of a Pod over the channel protocol', async () => {
  const path = '/api/v1/namespaces/default/pods/virt-launcher-web-abcde/portforward?ports=22&ports=80'
  fixture.agent.greeting = ''
  const socket = await openSocket(path, ['v4.channel.k8s.io'])
  fixture.agent.greeting = 'RFB 003.008\n'
  assert.ok(socket.ok)
  await socket.value.send(Uint8Array.of(2, ...Buffer.from('get')))
  const heads: number[][] = []
  for await (const { data } of socket.value.messages) {
    if (data.length === 1) continue
    if (data.length === 3) heads.push([...data])
    else {
      assert.deepEqual([data[0], Buffer.from(data.subarray(1)).toString()], [2, 'GET'])
      break
    }
  }
  assert.deepEqual(heads, [
    [0, 22, 0],
    [1, 22, 0],
    [2, 80, 0],
    [3, 80, 0],
  ])
})

async function image(name: string, sourceType: string): Promise<void> {
  const url = sourceType === 'download' ? { url: 'https://example.org/a.img' } : {}
  const made = await fixture.create({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name, namespace: 'default' },
    spec: { displayName: name, sourceType, ...url },
  } as JsonObject)
  const longhorn = 'longhorn.io/v1beta2/namespaces/longhorn-system'
  const backing = `vmi-${made.metadata.uid}`
  await fixture.create({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'BackingImage',
    metadata: { name: backing, namespace: 'longhorn-system' },
    spec: { sourceType: 'upload', diskFileSpecMap: { d1: {} } },
  } as JsonObject)
  await fixture.call('patch', `${longhorn}/backingimages/${backing}/status`, {
    patchType: 'merge',
    body: { status: { diskFileStatusMap: { d1: { state: 'pending' } } } },
  })
}

test('uploads: multipart and bare, counted, and refused with a reason', async () => {
  const longhorn = 'longhorn.io/v1beta2/namespaces/longhorn-system/nodes'
  await fixture.create({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Node',
    metadata: { name: 'n1', namespace: 'longhorn-system' },
    spec: { disks: {} },
  } as JsonObject)
  await fixture.call('patch', `${longhorn}/n1/status`, {
    patchType: 'merge',
    body: { status: { diskStatus: { default: { diskUUID: 'd1' } } } },
  })
  await image('up', 'upload')
  await image('down', 'download')
  const path = (name: string, more = '') =>
    `/v1/harvester/harvesterhci.io.virtualmachineimages/default/${name}?action=upload${more}`
  const form = (content: string) => ({
    headers: { ...admin, 'content-type': 'multipart/form-data; boundary=XX' },
    body: `--XX\r\nContent-Disposition: form-data; name="chunk"; filename="a"\r\n\r\n${content}\r\n--XX--\r\n`,
  })
  assert.equal((await fixture.fetch('POST', path('up', '&size=5'), form('bytes'))).status, 200)
  assert.equal(fixture.agent.received.toString(), 'bytes')
  const bare = await fixture.fetch('PUT', path('up'), { headers: admin, body: 'other bytes' })
  assert.equal(bare.status, 200, bare.text)
  assert.equal(fixture.agent.received.toString(), 'other bytes')
  const cut = form('bytes')
  for (const [answer, code, words] of [
    [await fixture.fetch('POST', path('up', '&size=9'), form('bytes')), 400, /5 of 9 bytes came/],
    [await fixture.fetch('POST', path('up'), { ...cut, body: cut.body.slice(0, -12) }), 400, /breaks off/],
    [await fixture.fetch('POST', path('up', '&size=x'), form('b')), 400, /size must be/],
    [await fixture.fetch('POST', path('down'), form('b')), 400, /takes no file/],
    [await fixture.fetch('POST', path('nope'), form('b')), 404, /not found/],
    [await fixture.fetch('POST', path('up'), { body: 'x' }), 401, /Unauthorized/],
    [await fixture.fetch('GET', path('up'), { headers: admin }), 405, /method/],
  ] as const) {
    assert.equal(answer.status, code, answer.text)
    assert.match(String(answer.json['message']), words)
  }
  fixture.agent.failure = { reason: 'NoSpace', message: 'the disk has no room' }
  assert.equal((await fixture.fetch('POST', path('up'), form('b'))).status, 507)
})

test("actions of Harvester's interface, with the caller's rights", async () => {
  const path = (name: string, action: string) =>
    `/v1/harvester/kubevirt.io.virtualmachines/default/${name}?action=${action}`
  const post = (url: string, headers: Record<string, string> = admin) =>
    fixture.fetch('POST', url, { headers })
  assert.equal((await post(path('web', 'pause'))).status, 204)
  assert.deepEqual(fixture.agent.told, ['pause web'])
  assert.equal((await post(path('off', 'stop'))).status, 204)
  const at = 'kubevirt.io/v1/namespaces/default/virtualmachines/off'
  const stopped = await fixture.call('get', at)
  const { annotations } = stopped['metadata'] as { readonly annotations: Record<string, string> }
  assert.equal(annotations['harvesterhci.io/vmRunStrategy'], 'Always')
  assert.equal((stopped['spec'] as JsonObject)['runStrategy'], 'Halted')
  assert.equal((await post(path('off', 'dance'))).status, 400)
  assert.equal((await post(path('off', 'start'), {})).status, 401)
  const poor = { ...admin, 'impersonate-user': 'somebody' }
  const refused = await post(path('off', 'start'), poor)
  assert.equal(refused.status, 403)
  assert.match(String(refused.json['message']), /cannot update resource "virtualmachines\/start"/)
})

test('the interface: absent, then page, assets, routes of its own; nothing outside its folder', async () => {
  const html = { accept: 'text/html' }
  assert.match((await fixture.fetch('GET', '/', { headers: html })).text, /not been built yet/)
  await mkdir(join(fixture.uiFolder, 'assets'))
  await writeFile(join(fixture.uiFolder, 'index.html'), '<!doctype html>page')
  await writeFile(join(fixture.uiFolder, 'assets', 'app-1a2b3c4d.js'), 'code')
  await writeFile(join(fixture.uiFolder, '.secret'), 'secret')
  const page = await fixture.fetch('GET', '/', { headers: html })
  assert.equal(page.text, '<!doctype html>page')
  assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'; script-src 'self';/)
  assert.equal(page.headers['cache-control'], 'no-cache')
  const again = await fixture.fetch('GET', '/ui/vms/default/web', {
    headers: { ...html, 'if-none-match': page.headers['etag'] ?? '' },
  })
  assert.equal(again.status, 304)
  const code = await fixture.fetch('GET', '/ui/assets/app-1a2b3c4d.js')
  assert.deepEqual([code.text, code.headers['content-type']], ['code', 'text/javascript; charset=utf-8'])
  assert.match(code.headers['cache-control'] ?? '', /immutable/)
  for (const path of [
    '/assets/nope.js',
    '/.secret',
    '/..%2f..%2fetc%2fpasswd',
    '/ui/%2e%2e%2f.secret',
    '/v1/nothing',
  ]) {
    const answer = await fixture.fetch('GET', path)
    assert.equal(answer.status, 404, path)
    assert.equal(answer.json['kind'], 'Status', path)
  }
  assert.ok('paths' in (await get('/')).json)
  assert.equal((await fixture.fetch('POST', '/ui/x')).status, 405)
})

test("the explainer reads with the caller's rights, in their language", async () => {
  const why = await get('/v1-croft/why/vm/default/web', { 'accept-language': 'zh-CN' })
  assert.equal(why.status, 200, why.text)
  assert.match(String(why.json['cause']), /\p{Script=Han}/u)
  assert.deepEqual(why.json['about'], { kind: 'VirtualMachine', namespace: 'default', name: 'web' })
  for (const [path, headers, code] of [
    ['/v1-croft/why/vm/default/nope', admin, 404],
    ['/v1-croft/why/nonsense/default/web', admin, 400],
    ['/v1-croft/why/vm/default/web', {}, 401],
    ['/v1-croft/why/vm/default/web', { ...admin, 'impersonate-user': 'somebody' }, 403],
  ] as const) {
    const answer = await fixture.fetch('GET', path, { headers })
    assert.equal(answer.status, code, path)
    assert.equal(answer.json['kind'], 'Status')
  }
  const role = { name: 'watcher', namespace: 'default' }
  await fixture.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: role,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kubevirt.io:view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
  } as unknown as JsonObject)
  const partly = await get('/v1-croft/why/vm/default/web', { 'impersonate-user': 'viewer' })
  assert.equal(partly.status, 200, partly.text)
  assert.match(JSON.stringify(partly.json['notes']), /may not read nodes/)
})
