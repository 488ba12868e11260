// Which projects a caller sees: all of them, or those that a role of theirs lies in.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN } from '../../test/api-fixture.ts'
import type { JsonObject } from '../base/json.ts'
import { type GateFixture, startGate } from './gate.fixture.ts'

let fixture: GateFixture
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

before(async () => {
  fixture = await startGate()
  for (const name of ['payments', 'research'])
    await fixture.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as JsonObject)
  await fixture.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'look', namespace: 'payments' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'guest' }],
  } as unknown as JsonObject)
})
after(() => fixture.close())

const ask = (headers: Readonly<Record<string, string>>) =>
  fixture.fetch('GET', '/v1-croft/projects', { headers })

test('an administrator sees every project, a guest those of their roles, nobody none', async () => {
  const all = (await ask(admin)).json as { all: boolean; names: string[] }
  assert.equal(all.all, true)
  assert.ok(all.names.includes('research') && all.names.includes('kube-system'))
  assert.deepEqual((await ask({ ...admin, 'impersonate-user': 'guest' })).json, {
    all: false,
    names: ['payments'],
  })
  assert.deepEqual((await ask({ ...admin, 'impersonate-user': 'stranger' })).json, { all: false, names: [] })
  assert.equal((await ask({})).status, 401)
})
