// Logins over the real API: the first password, its change, cookies and tokens, foreign pages, guessing, restarts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { realHost } from '../../host/real/index.ts'
import { memoryStore } from '../../store/memory.ts'
import { type GateFixture, startGate } from '../gate.fixture.ts'

const NEW_PASSWORD = 'a long new secret'
const store = memoryStore()
let fixture: GateFixture
let first: string

before(async () => {
  fixture = await startGate({ store })
  first = (await fixture.gate.sessions.ensureFirstUser()) ?? ''
})
let restarted: GateFixture | undefined
after(async () => {
  await restarted?.close()
  await fixture.close()
})

const login = (username: string, password: string, more: Record<string, string> = {}) =>
  fixture.fetch('POST', '/v1-croft/login', { body: JSON.stringify({ username, password }), headers: more })

async function cookieOf(password: string): Promise<string> {
  const answer = await login('admin', password)
  assert.equal(answer.status, 200, answer.text)
  return (answer.headers['set-cookie'] ?? '').split(';')[0]!
}
async function tokenOf(password: string): Promise<string> {
  const answer = await fixture.fetch('POST', '/v3-public/localProviders/local?action=login', {
    body: JSON.stringify({ username: 'admin', password, responseType: 'json' }),
  })
  assert.equal(answer.status, 201, answer.text)
  return String(answer.json['token'])
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('the first password is made once and kept as a hash only', async () => {
  assert.match(first, /^[a-z0-9]{5}(-[a-z0-9]{5}){3}$/)
  assert.equal(await fixture.gate.sessions.ensureFirstUser(), undefined)
  const secret = await fixture.call('get', 'v1/namespaces/kube-system/secrets/croft-user-admin')
  const kept = Object.values(secret['data'] as Record<string, string>).map((text) =>
    Buffer.from(text, 'base64').toString(),
  )
  assert.ok(kept.some((text) => text.startsWith('scrypt$')))
  assert.ok(!kept.some((text) => text.includes(first)))
})

test('until the first password is changed nothing else is possible', async () => {
  const cookie = await cookieOf(first)
  const nodes = await fixture.fetch('GET', '/api/v1/nodes', { headers: { cookie } })
  assert.equal(nodes.status, 403)
  assert.match(String(nodes.json['message']), /password must be changed/)
  const me = await fixture.fetch('GET', '/v1-croft/session', { headers: { cookie } })
  assert.equal(me.json['mustChangePassword'], true)
  const byToken = await fixture.fetch('GET', '/api/v1/nodes', { headers: bearer(await tokenOf(first)) })
  assert.equal(byToken.status, 403)
})

test('a new password: judged, and with it every older session is over', async () => {
  const cookie = await cookieOf(first)
  const other = await tokenOf(first)
  const origin = fixture.url
  const change = (currentPassword: string, newPassword: string) =>
    fixture.fetch('POST', '/v3/users?action=changepassword', {
      headers: { cookie, origin },
      body: JSON.stringify({ currentPassword, newPassword }),
    })
  for (const [current, next, why] of [
    [first, 'short', /at least 12/],
    [first, first, /must differ/],
    [first, 'my-admin-secret', /name of the user/],
    [first, 'x'.repeat(257), /at most 256/],
    ['wrong', NEW_PASSWORD, /present password is wrong/],
  ] as const) {
    const answer = await change(current, next)
    assert.equal(answer.status, 400, answer.text)
    assert.match(String(answer.json['message']), why)
  }
  assert.equal((await change(first, NEW_PASSWORD)).status, 204)
  assert.equal((await fixture.fetch('GET', '/api/v1/nodes', { headers: { cookie } })).status, 200)
  assert.equal((await fixture.fetch('GET', '/api/v1/nodes', { headers: bearer(other) })).status, 401)
  assert.equal((await login('admin', first)).status, 401)
})

test('the cookie is out of reach for scripts and foreign pages', async () => {
  const answer = await login('admin', NEW_PASSWORD)
  assert.match(
    answer.headers['set-cookie'] ?? '',
    /^R_SESS=croft-[\w-]{43}; .*HttpOnly; Secure; SameSite=Strict$/,
  )
})

test('writes with a cookie come from our own pages, or are refused', async () => {
  const cookie = await cookieOf(NEW_PASSWORD)
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'c-' } })
  const create = async (headers: Record<string, string>) =>
    (
      await fixture.fetch('POST', '/api/v1/namespaces/default/configmaps', {
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body,
      })
    ).status
  assert.equal(await create({}), 403)
  assert.equal(await create({ origin: 'https://evil.example' }), 403)
  assert.equal(await create({ origin: 'null' }), 403)
  assert.equal(await create({ origin: fixture.url }), 201)
  assert.equal(await create({ 'sec-fetch-site': 'same-origin' }), 201)
  assert.equal((await login('admin', NEW_PASSWORD, { origin: 'https://evil.example' })).status, 403)
})

test('a WebSocket with a cookie comes from our own pages, too', async () => {
  const cookie = await cookieOf(NEW_PASSWORD)
  const { net } = realHost({ log: { level: 'error' } as never })
  const watch = (headers: Record<string, string>) =>
    net.openWebSocket({
      url: `${fixture.url.replace('https', 'wss')}/api/v1/nodes?watch=true`,
      protocols: [],
      idleTimeoutMs: 5_000,
      caPem: fixture.caPem,
      headers: { cookie, ...headers },
    })
  for (const headers of [{}, { origin: 'https://evil.example' }] as Record<string, string>[]) {
    const refused = await watch(headers)
    assert.ok(!refused.ok)
    assert.match(refused.failure.message, /403.*must come from a page of this server/)
  }
  const opened = await watch({ origin: fixture.url })
  assert.ok(opened.ok, JSON.stringify(opened))
  opened.value.close()
})

test('a token works as bearer without an origin, and ends with the logout', async () => {
  const token = await tokenOf(NEW_PASSWORD)
  const nodes = () => fixture.fetch('GET', '/api/v1/nodes', { headers: bearer(token) })
  assert.equal((await nodes()).status, 200)
  const secrets = await fixture.call('list', 'v1/namespaces/kube-system/secrets')
  assert.ok(!JSON.stringify(secrets).includes(Buffer.from(token).toString('base64').slice(0, 40)))
  assert.equal(
    (await fixture.fetch('POST', '/v3/tokens?action=logout', { headers: bearer(token) })).status,
    204,
  )
  assert.equal((await nodes()).status, 401)
})

test('a session survives a restart of the server; a wrong or old one is 401, and the login page stays open', async () => {
  const cookie = await cookieOf(NEW_PASSWORD)
  const next = await startGate({ store })
  restarted = next
  const get = (path: string, value: string) => next.fetch('GET', path, { headers: { cookie: value } })
  assert.equal((await get('/api/v1/nodes', cookie)).status, 200)
  assert.equal((await get('/api/v1/nodes', `${cookie}x`)).status, 401)
  assert.equal((await get('/v1-croft/session', `${cookie}x`)).status, 401)
  const page = await next.fetch('GET', '/', { headers: { cookie: `${cookie}x`, accept: 'text/html' } })
  assert.equal(page.status, 200)
  const again = await next.fetch('POST', '/v1-croft/login', {
    headers: { cookie: `${cookie}x` },
    body: JSON.stringify({ username: 'admin', password: NEW_PASSWORD }),
  })
  assert.equal(again.status, 200)
})

test('an administrator makes users, who choose a password of their own at first', async () => {
  const headers = bearer(await tokenOf(NEW_PASSWORD))
  const user = (name: string, body: object, more: Record<string, string> = headers) =>
    fixture.fetch('PUT', `/v1-croft/users/${name}`, { headers: more, body: JSON.stringify(body) })
  const body = { password: 'for the first day', groups: ['system:masters'] }
  assert.equal((await user('jo', body)).status, 201)
  assert.equal((await login('jo', body.password)).json['mustChangePassword'], true)
  assert.equal((await user('jo', { ...body, password: 'for the other day' })).status, 200)
  assert.equal((await login('jo', body.password)).status, 401)
  assert.equal((await user('jo', body, {})).status, 401)
  assert.equal((await user('jo', body, { ...headers, 'impersonate-user': 'x' })).status, 403)
  for (const [name, wish] of [
    ['system:admin', body],
    ['Jo', body],
    ['jo2', { password: 'short' }],
    ['jo2', { ...body, groups: 'all' }],
    ['jo2', { ...body, groups: ['a,b'] }],
  ] as const) {
    const answer = await user(name, wish)
    assert.equal(answer.status, 400, answer.text)
  }
})

test('guessing is slowed down: 429 with the time to wait, other names are not concerned', async () => {
  const statuses: number[] = []
  for (let guess = 0; guess < 6; guess++) statuses.push((await login('someone', `guess ${guess}`)).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  const last = await login('someone', 'again')
  assert.ok(Number(last.headers['retry-after']) > 0)
  assert.equal((await login('admin', NEW_PASSWORD)).status, 200)
})

test('odd logins are refusals with a Status', async () => {
  for (const body of [
    '',
    '[]',
    '{"username":1}',
    'x',
    '{"username":"../admin","password":"x"}',
    '{"username":"system:admin"}',
  ]) {
    const answer = await fixture.fetch('POST', '/v1-croft/login', { body })
    assert.ok(answer.status === 400 || answer.status === 401, `${body}: ${answer.status}`)
    assert.equal(answer.json['kind'], 'Status')
  }
})
