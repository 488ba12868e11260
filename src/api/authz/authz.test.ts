// RBAC: what rules allow and cover, who may do what through bindings, and that nobody grants more than they hold.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { callAt, startApi } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { memoryStore } from '../../store/memory.ts'
import { Rbac } from './rbac.ts'
import { type Attributes, type PolicyRule, printRule, ruleAllows, uncoveredRules } from './rules.ts'

const TABLES = new URL('../../../../shared/reference/k8s-tables/', import.meta.url)
const RBAC = 'rbac.authorization.k8s.io'

function wanted(more: Partial<Attributes>): Attributes {
  return { verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'a', name: '', ...more }
}

test('a rule allows its verbs, groups, resources, subresources and names', () => {
  const rule: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  assert.ok(ruleAllows(rule, wanted({})))
  assert.ok(!ruleAllows(rule, wanted({ subresource: 'log' })))
  assert.ok(!ruleAllows(rule, wanted({ verb: 'GET' })))
  assert.ok(ruleAllows({ ...rule, resources: ['*/log'] }, wanted({ subresource: 'log' })))
  assert.ok(ruleAllows({ ...rule, resources: ['*'] }, wanted({ subresource: 'log' })))
  assert.ok(!ruleAllows({ ...rule, resourceNames: ['x'] }, wanted({})))
  assert.ok(ruleAllows({ ...rule, resourceNames: ['x'] }, wanted({ name: 'x' })))
  assert.ok(
    ruleAllows({ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, wanted({ path: '/healthz/ping' })),
  )
})

test('rules cover others by wildcards, and names never by less', () => {
  const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  assert.deepEqual(uncoveredRules([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [pods]), [])
  const named = { ...pods, resourceNames: ['x'] }
  assert.equal(uncoveredRules([named], [pods]).length, 1)
  assert.equal(uncoveredRules([pods], [named]).length, 0)
  assert.equal(printRule(pods), '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}')
})

test('the tables of Kubernetes', async (t) => {
  const file = new URL('rbac-escalation.json', TABLES)
  if (!existsSync(file)) return t.skip('shared tables absent')
  const { covers } = JSON.parse(readFileSync(file, 'utf8')) as {
    covers: readonly {
      test: string
      covered: boolean
      ownerRules: PolicyRule[]
      servantRules: PolicyRule[]
    }[]
  }
  for (const one of covers)
    assert.equal(
      uncoveredRules(one.ownerRules ?? [], one.servantRules ?? []).length === 0,
      one.covered,
      one.test,
    )
  const { ruleMatches, authorizer } = JSON.parse(readFileSync(new URL('rbac.json', TABLES), 'utf8')) as {
    ruleMatches: readonly { name: string; allowed: boolean; rule: PolicyRule; request: TableRequest }[]
    authorizer: readonly TableCase[]
  }
  for (const { name, allowed, rule, request } of ruleMatches)
    assert.equal(ruleAllows(rule, attributesOf(request)), allowed, name)
  for (const one of authorizer) await checkCase(one)
})

interface TableRequest extends Attributes {
  readonly apiGroup: string
  readonly isResourceRequest: boolean
  readonly user?: string
  readonly groups?: readonly string[] | null
}
interface TableCase {
  readonly allow: readonly TableRequest[] | null
  readonly deny: readonly TableRequest[] | null
  readonly clusterRoles: readonly KubeObject[] | null
  readonly clusterRoleBindings: readonly KubeObject[] | null
  readonly roles: readonly KubeObject[] | null
  readonly roleBindings: readonly KubeObject[] | null
}

function attributesOf({ apiGroup, isResourceRequest, path, ...rest }: TableRequest): Attributes {
  const { verb, resource, subresource, namespace, name } = rest
  const plain = { verb, group: apiGroup, resource, subresource, namespace, name }
  return isResourceRequest ? plain : { ...plain, path: path ?? '' }
}

async function checkCase(one: TableCase): Promise<void> {
  const store = memoryStore()
  const put = (plural: string, kind: string, objects: readonly KubeObject[] | null) => {
    for (const [index, object] of (objects ?? []).entries()) {
      // Bindings of the table have no names.
      const { namespace, name = `unnamed-${index}` } = object.metadata
      const key = `/registry/rbac.authorization.k8s.io/${plural}/${namespace ? `${namespace}/` : ''}${name}`
      const value = new TextEncoder().encode(JSON.stringify({ ...object, kind }))
      void store.write({ type: 'put', key, value, expected: store.get(key)?.revision ?? 0 })
    }
  }
  put('clusterroles', 'ClusterRole', one.clusterRoles)
  put('clusterrolebindings', 'ClusterRoleBinding', one.clusterRoleBindings)
  put('roles', 'Role', one.roles)
  put('rolebindings', 'RoleBinding', one.roleBindings)
  await store.write({ type: 'put', key: '/x', value: new Uint8Array(), expected: 0 })
  const rbac = new Rbac(store)
  for (const [requests, allowed] of [
    [one.allow, true],
    [one.deny, false],
  ] as const)
    for (const request of requests ?? []) {
      const user = { username: request.user ?? '', groups: request.groups ?? [] }
      assert.equal(rbac.decide(user, attributesOf(request)).allowed, allowed, JSON.stringify(request))
    }
  rbac.close()
}

test('bindings give, and take effect at once; nobody grants more than they hold', async () => {
  const api = await startApi()
  const bob = { username: 'bob', groups: ['system:authenticated'] }
  const list = callAt('list', 'v1/namespaces/default/secrets', { user: bob })
  await assert.rejects(api.api.call(list), { code: 403 })
  const role = (name: string, rules: readonly JsonObject[]) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name, namespace: 'default' },
    rules,
  })
  const binding = (name: string, to: string, user: string) => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace: 'default' },
    subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
    roleRef: { kind: 'Role', name: to, apiGroup: RBAC },
  })
  const read = { apiGroups: [''], resources: ['secrets'], verbs: ['list'] }
  const write = { apiGroups: [RBAC], resources: ['roles', 'rolebindings'], verbs: ['create'] }
  await api.create(role('read', [read, write]))
  await api.create(binding('read', 'read', 'bob'))
  assert.equal((await api.api.call(list)).code, 200)
  await api.create(role('mine', [read]), {}, bob)
  await api.create(binding('mine', 'mine', 'eve'), {}, bob)
  await assert.rejects(api.create(role('more', [{ ...read, verbs: ['delete'] }]), {}, bob), {
    code: 403,
    message:
      /attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["delete"\]\}/,
  })
  await api.create(role('strong', [{ ...read, verbs: ['*'] }]))
  await assert.rejects(api.create(binding('strong', 'strong', 'bob'), {}, bob), { code: 403 })
  await api.call('delete', `${RBAC}/v1/namespaces/default/rolebindings/read`)
  await assert.rejects(api.api.call(list), { code: 403 })
  await api.close()
})

test('a role made of others has their rules', async () => {
  const api = await startApi()
  const label = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
  await api.create({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'more-view', labels: label },
    rules: [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] }],
  })
  for (let turn = 0; ; turn += 1) {
    const view = await api.call('get', `${RBAC}/v1/clusterroles/view`)
    if (JSON.stringify(view).includes('example.com')) break
    assert.ok(turn < 100, 'the rules did not arrive')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await api.close()
})
