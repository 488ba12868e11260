import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import { componentName } from './component-names.ts'
import { httpGetAction } from './core/pod/probes.ts'
import { podSpec } from './core/pod/spec.ts'
import { Pod } from './core/pod.ts'
import { allKinds } from './index.ts'
import { openApiPaths, openApiV2Text, openApiV3Index, openApiV3Text } from './openapi.ts'

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
const parse = (text: string): JsonObject => parseJson(text) as JsonObject

function assertNoLooseEnds(text: string, schemas: unknown): void {
  for (const [, name] of text.matchAll(/"#\/(?:components\/schemas|definitions)\/([^"]+)"/g)) {
    assert.ok(at(schemas, name ?? ''), `dangling reference to ${name}`)
  }
  assert.ok(!text.includes('x-croft'), 'our own marks are not served')
}

test('every group version has a whole document', () => {
  for (const [path, kinds] of openApiPaths(allKinds)) {
    const text = openApiV3Text(kinds, 'v1.35.0')
    const document = parse(text)
    assertNoLooseEnds(text, at(document, 'components', 'schemas'))
    assert.ok(Object.keys(at(document, 'paths') as object).length > 0, path)
  }
})

test('what clients look for in version 3', () => {
  const document = parse(openApiV3Text([Pod], 'v1.35.0'))
  const item = at(document, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}')
  const names = (at(item, 'patch', 'parameters') as { name: string }[]).map((one) => one.name)
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'pretty', 'force'])
  assert.deepEqual(Object.keys(at(item, 'patch', 'requestBody', 'content') as object), [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
    'application/strategic-merge-patch+json',
  ])
  assert.equal(at(item, 'patch', 'x-kubernetes-action'), 'patch')
  assert.deepEqual(at(item, 'patch', 'x-kubernetes-group-version-kind'), {
    group: '',
    kind: 'Pod',
    version: 'v1',
  })
  const pod = at(document, 'components', 'schemas', 'io.k8s.api.core.v1.Pod')
  assert.deepEqual(at(pod, 'x-kubernetes-group-version-kind'), [{ group: '', kind: 'Pod', version: 'v1' }])
  assert.deepEqual(at(pod, 'properties', 'spec', 'allOf'), [
    { $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' },
  ])
  const containers = at(
    document,
    'components',
    'schemas',
    'io.k8s.api.core.v1.PodSpec',
    'properties',
    'containers',
  )
  assert.equal(at(containers, 'x-kubernetes-patch-merge-key'), 'name')
  assert.equal(at(containers, 'x-kubernetes-list-type'), 'map')
})

test('version 2 says nothing that it cannot say', () => {
  const text = openApiV2Text(allKinds, 'v1.35.0')
  const document = parse(text)
  assertNoLooseEnds(text, at(document, 'definitions'))
  for (const word of ['"nullable"', '"oneOf"', '"anyOf"']) {
    // The word may stand as a field of JSONSchemaProps, but never as a keyword with a plain value.
    assert.ok(!text.includes(`${word}:true`) && !text.includes(`${word}:[`), word)
  }
  const operations = Object.values(at(document, 'paths') as object).flatMap((item: JsonObject) =>
    Object.values(item).filter((one) => at(one, 'operationId') !== undefined),
  )
  const ids = operations.map((one) => String(at(one, 'operationId')))
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique')
})

test('names of shared schemas, and the index', () => {
  assert.equal(componentName(podSpec), 'io.k8s.api.core.v1.PodSpec')
  assert.equal(componentName(httpGetAction), 'io.k8s.api.core.v1.HTTPGetAction')
  assert.deepEqual(openApiV3Index(new Map([['api/v1', 'AB']])), {
    paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=AB' } },
  })
})
