// Rules and defaults face whatever a schema lets through: they answer, and never break.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json, JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Schema } from '../../base/schema.ts'
import { cdiKinds } from '../cdi/index.ts'
import { cniKinds } from '../cni/index.ts'
import { croftKinds } from '../croft/index.ts'
import { harvesterKinds } from '../harvester/index.ts'
import { judge, judgeDelete, lookOver } from '../judge.ts'
import { longhornKinds } from '../longhorn/index.ts'
import { kubevirtKinds } from './index.ts'

const TEXTS = [
  '',
  'a',
  'A_b',
  'default/a',
  '-1',
  '0',
  '1Gi',
  '10',
  '02:00:5e:10:00:01',
  'http://a/b',
  'Always',
  '🙂',
  '[]',
]
const NUMBERS: readonly Json[] = [0, 1, -1, 2, 512, 65536, 2 ** 31, 2n ** 70n]

/** The same seed gives the same objects, so that a failure can be looked at again. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function value(schema: Schema, pick: (below: number) => number, density: number): Json {
  if (schema.enum) return schema.enum[pick(schema.enum.length)] ?? null
  if (schema.type === 'boolean') return pick(2) === 0
  if (schema.type === 'integer' || schema.type === 'number') return NUMBERS[pick(NUMBERS.length)] ?? 0
  if (schema.type === 'array')
    return Array.from({ length: pick(4) }, () => value(schema.items ?? {}, pick, density))
  if (schema.type === 'object') return object(schema, pick, density)
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string'])
    return [...TEXTS, 3, 2.5, { odd: true }, null][pick(TEXTS.length + 4)] ?? null
  return TEXTS[pick(TEXTS.length)] ?? ''
}

function object(schema: Schema, pick: (below: number) => number, density: number): JsonObject {
  const { additionalProperties, properties = {}, required = [] } = schema
  if (typeof additionalProperties === 'object')
    return Object.fromEntries(
      ['a', 'memory', 'cpu', 'storage']
        .slice(0, pick(5))
        .map((key) => [key, value(additionalProperties, pick, density)]),
    )
  const names = Object.keys(properties).filter((name) => required.includes(name) || pick(100) < density)
  return Object.fromEntries(names.map((name) => [name, value(properties[name] ?? {}, pick, density)]))
}

test('no object that has the right shape breaks a rule or a default', () => {
  let judged = 0
  for (const kind of [
    ...kubevirtKinds,
    ...cdiKinds,
    ...harvesterKinds,
    ...longhornKinds,
    ...croftKinds,
    ...cniKinds,
  ]) {
    const head = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind }
    const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = kind.schema.properties ?? {}
    let previous: KubeObject | undefined
    for (let seed = 1; seed <= 60; seed++) {
      const pick = chance(seed)
      const own = object({ properties, required: kind.schema.required ?? [] }, pick, 15 + (seed % 5) * 15)
      const metadata = { name: `n-${seed}`, ...(kind.scope === 'Namespaced' ? { namespace: 'default' } : {}) }
      const look = lookOver(previous ? [previous] : [], { username: 'alice' })
      try {
        const first = judge(kind, { ...head, metadata, ...own }, look)
        judge(kind, { ...head, metadata, ...own }, look, previous)
        judgeDelete(kind, first.object, look)
        if (first.causes.length === 0) {
          judged++
          // What defaults once wrote, they leave alone afterwards.
          const again = judge(kind, first.object as unknown as JsonObject, look, first.object)
          assert.deepEqual(again.object, first.object)
          previous = first.object
        }
      } catch (error) {
        throw new Error(`${kind.kind}, seed ${seed}`, { cause: error })
      }
    }
  }
  assert.ok(judged > 100, `${judged} objects were taken`)
})
