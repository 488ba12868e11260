// The recorded answers of a real kube-apiserver, as far as kinds alone can give them (reading, defaults, rules):
// what admission, allocation and generated names add is left out. The share that agrees must only grow.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { checkMetadata } from '../api/resource/metadata.ts'
import { serve } from '../api/served.ts'
import { deepEqual } from '../base/equality.ts'
import { ApiError, type Cause } from '../base/errors.ts'
import { type JsonObject, parseJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { findByKind } from './index.ts'
import { readObject, validateObject, withDefaults } from './interpreter.ts'
import type { AnyKind, RuleLook } from './kind.ts'

const file = fileURLToPath(
  new URL('../../../shared/reference/k8s-tables/golden-objects.json.gz', import.meta.url),
)
const skip = existsSync(file) ? false : 'shared tables absent'
/** Of 2,121 answers about kinds that are served. */
const AGREEING_MIN = 2100

interface GoldenCase {
  readonly object: JsonObject & { readonly apiVersion: string; readonly kind: string }
  readonly status: number
  readonly response: JsonObject
}
interface Answer {
  readonly code: number
  readonly reason?: string
  readonly fields: readonly string[]
  readonly object?: KubeObject
}

const look: RuleLook = {
  get: () => undefined,
  list: () => [],
  user: { username: 'golden', groups: ['system:masters'] },
  now: 0,
  mayDo: () => true,
}

function answer(kind: AnyKind, body: JsonObject): Answer {
  try {
    const { object, unknown } = readObject(kind, { ...body, metadata: body['metadata'] ?? {} })
    if (unknown.length > 0) return { code: 400, reason: 'BadRequest', fields: [] }
    return judge(kind, complete(kind, object))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, reason: error.reason, fields: [] }
  }
}

function complete(kind: AnyKind, read: KubeObject): KubeObject {
  const { name, generateName } = read.metadata ?? {}
  const generated = generateName ? `${generateName}x` : kind.kind === 'LimitRange' ? 'x' : undefined
  const metadata = {
    ...read.metadata,
    ...(name === undefined && generated !== undefined ? { name: generated } : {}),
    ...(kind.scope === 'Namespaced' ? { namespace: 'golden' } : {}),
  }
  let object = withDefaults(kind, { ...read, metadata })
  for (const mutate of kind.mutators) object = mutate(object, undefined, look)
  return object
}

function judge(kind: AnyKind, object: KubeObject): Answer {
  const causes: Cause[] = [...checkMetadata(serve(kind), object), ...validateObject(kind, object)]
  for (const rule of kind.rules) {
    const { causes: found = [], refuse } = rule(object, undefined, look)
    if (refuse) return { code: refuse.code, reason: refuse.reason, fields: [] }
    causes.push(...found)
  }
  if (causes.length === 0) return { code: 201, fields: [], object }
  return { code: 422, reason: 'Invalid', fields: [...new Set(causes.map((one) => one.field))].sort() }
}

type Loose = Record<string, unknown>
const ADMITTED_TAINT = 'node.kubernetes.io/not-ready'

/** An object without what only a running server adds. */
function comparable(object: unknown, named: boolean): unknown {
  const copy = parseJson(JSON.stringify(object)) as Loose
  const metadata = copy['metadata'] as Loose
  for (const name of [
    'managedFields',
    'uid',
    'creationTimestamp',
    'resourceVersion',
    'generation',
    'namespace',
  ]) {
    delete metadata[name]
  }
  if (!named) delete metadata['name']
  const status = copy['status'] as Loose | undefined
  if (status?.['lastPhaseTransitionTime']) status['lastPhaseTransitionTime'] = 'now'
  for (const one of (status?.['conditions'] ?? []) as Loose[]) {
    if (one['lastTransitionTime']) one['lastTransitionTime'] = 'now'
  }
  const spec = copy['spec'] as Loose | undefined
  if (spec) withoutAdmission(String(copy['kind']), spec)
  return copy
}

function filterList(owner: Loose, name: string, keep: (item: Loose) => boolean): void {
  const list = owner[name] as Loose[] | undefined
  if (!list) return
  const kept = list.filter(keep)
  if (kept.length > 0) owner[name] = kept
  else delete owner[name]
}

function withoutAdmission(kind: string, spec: Loose): void {
  const isToken = (item: Loose): boolean => String(item['name']).startsWith('kube-api-access-')
  if (kind === 'Pod') {
    filterList(spec, 'volumes', (item) => !isToken(item))
    filterList(spec, 'tolerations', (item) => item['tolerationSeconds'] !== 300)
    for (const list of ['containers', 'initContainers']) {
      for (const one of (spec[list] ?? []) as Loose[])
        filterList(one, 'volumeMounts', (item) => !isToken(item))
    }
    if (spec['serviceAccountName'] === 'default') {
      delete spec['serviceAccountName']
      delete spec['serviceAccount']
    }
    delete spec['priority']
    delete spec['preemptionPolicy']
  } else if (kind === 'Node') filterList(spec, 'taints', (item) => item['key'] !== ADMITTED_TAINT)
  else if (kind === 'Service') {
    if (spec['clusterIP'] === '<ip>') {
      delete spec['clusterIP']
      delete spec['clusterIPs']
    }
    if (spec['healthCheckNodePort'] === '<port>') delete spec['healthCheckNodePort']
    for (const port of (spec['ports'] ?? []) as Loose[])
      if (port['nodePort'] === '<port>') delete port['nodePort']
  }
}

function agrees(one: GoldenCase, got: Answer): boolean {
  if (got.code !== one.status) return false
  if (one.status === 201) {
    const { name } = (one.object['metadata'] ?? {}) as { name?: string }
    return deepEqual(comparable(got.object, Boolean(name)), comparable(one.response, Boolean(name)))
  }
  const { reason, details } = one.response as { reason?: string; details?: { causes?: { field: string }[] } }
  const fields = [...new Set((details?.causes ?? []).map((item) => item.field))].sort()
  return got.reason === reason && (one.status !== 422 || deepEqual(fields, got.fields))
}

test('recorded answers of a real server', { skip }, (context) => {
  const text = gunzipSync(readFileSync(file)).toString('utf8')
  const { cases } = parseJson(text) as unknown as { cases: readonly GoldenCase[] }
  const counts = new Map<string, { right: number; all: number }>()
  for (const one of cases) {
    const [group, version] = one.object.apiVersion.includes('/')
      ? (one.object.apiVersion.split('/') as [string, string])
      : ['', one.object.apiVersion]
    const kind = findByKind(group, version, one.object.kind)
    if (!kind) continue
    const count = counts.get(kind.kind) ?? { right: 0, all: 0 }
    counts.set(kind.kind, count)
    count.all += 1
    if (agrees(one, answer(kind, one.object))) count.right += 1
  }
  let right = 0
  for (const [kind, count] of counts) {
    right += count.right
    context.diagnostic(`${kind} ${count.right}/${count.all}`)
  }
  assert.ok(right >= AGREEING_MIN, `${right} agree, ${AGREEING_MIN} did before`)
})
