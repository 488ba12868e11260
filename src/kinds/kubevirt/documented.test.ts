import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../base/schema.ts'
import { cdiKinds } from '../cdi/index.ts'
import { cniKinds } from '../cni/index.ts'
import { croftKinds } from '../croft/index.ts'
import { harvesterKinds } from '../harvester/index.ts'
import { longhornKinds } from '../longhorn/index.ts'
import { kubevirtKinds } from './index.ts'

const kinds = [...kubevirtKinds, ...cdiKinds, ...harvesterKinds, ...longhornKinds, ...croftKinds, ...cniKinds]

/** Paths without a description, down to the given depth; lists and maps count as their items. */
function silent(schema: Schema, path: string, depth: number): readonly string[] {
  const inner =
    schema.items ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : schema)
  if (depth === 0) return []
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...silent(field, `${path}.${name}`, depth - 1),
  ])
}

test('every kind says what it is, and every field a person meets says what it means', () => {
  for (const kind of kinds) {
    assert.match(kind.doc, /^[A-Z].*[.a-z,]$/, kind.kind)
    const { apiVersion, kind: word, metadata, ...own } = kind.schema.properties ?? {}
    assert.ok(apiVersion && word && metadata)
    for (const [name, schema] of Object.entries(own)) {
      assert.ok(schema.description, `${kind.kind}.${name}`)
      assert.deepEqual(silent(schema, `${kind.kind}.${name}`, 2), [])
    }
  }
})

test('the hardware of a machine is described down to its last switch', () => {
  const machine = kinds.find(({ kind }) => kind === 'VirtualMachine')
  const template = machine?.schema.properties?.['spec']?.properties?.['template']
  assert.ok(template)
  assert.deepEqual(silent(template, 'template', 12), [])
})

test('every column has a description, and names are given once', () => {
  for (const { kind, columns } of kinds) {
    for (const { name, description } of columns) assert.ok(description.length > 3, `${kind} ${name}`)
    assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, kind)
  }
})
