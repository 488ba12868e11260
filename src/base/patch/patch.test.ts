import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { deepFreeze } from '../freeze.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Schema } from '../schema.ts'
import { jsonPatch } from './json-patch.ts'
import { mergePatch } from './merge-patch.ts'
import { strategicPatch } from './strategic.ts'

function refused(code: number, pattern: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof ApiError &&
    error.code === code &&
    pattern.test(error.message + (error.details?.causes?.map((one) => one.message).join() ?? ''))
}

const live = deepFreeze({ a: { b: [1, 2, { c: 3 }], d: 'x' }, e: { f: 1 } })

test('json patch: operations build a new document and share the rest', () => {
  const result = jsonPatch(live, [
    { op: 'test', path: '/a/d', value: 'x' },
    { op: 'add', path: '/a/b/1', value: 9 },
    { op: 'add', path: '/a/b/-', value: 10 },
    { op: 'replace', path: '/a/b/3/c', value: 4 },
    { op: 'remove', path: '/a/d' },
    { op: 'copy', from: '/a/b', path: '/g' },
    { op: 'move', from: '/a/b/0', path: '/h' },
    { op: 'add', path: '/i~1~0', value: null },
  ]) as JsonObject
  assert.deepEqual(result, {
    a: { b: [9, 2, { c: 4 }, 10] },
    e: { f: 1 },
    g: [1, 9, 2, { c: 4 }, 10],
    h: 1,
    'i/~': null,
  })
  assert.equal(result['e'], live.e)
  assert.equal(live.a.b.length, 3)
})

test('json patch: a copied part and its source change apart', () => {
  const result = jsonPatch({ a: { x: 1 } }, [
    { op: 'add', path: '/a/y', value: 2 },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'add', path: '/a/z', value: 3 },
  ])
  assert.deepEqual(result, { a: { x: 1, y: 2, z: 3 }, b: { x: 1, y: 2 } })
})

test('json patch: what does not fit is 422, what is no patch 400, too much 413', () => {
  const unfit = (operation: JsonObject, pattern = /./) =>
    assert.throws(() => jsonPatch(live, [operation]), refused(422, pattern))
  unfit({ op: 'add', path: '/x/y', value: 1 }, /missing path: \/x\/y/)
  unfit({ op: 'remove', path: '/x' })
  unfit({ op: 'replace', path: '/x', value: 1 })
  unfit({ op: 'test', path: '/a/d', value: 'y' }, /^the server rejected our request.*test failed/)
  unfit({ op: 'add', path: '/a/b/-1', value: 1 })
  unfit({ op: 'add', path: '/a/b/01', value: 1 })
  unfit({ op: 'add', path: '/a/d/x', value: 1 })
  unfit({ op: 'add', path: 'a', value: 1 })
  unfit({ op: 'add', path: '/a' })
  unfit({ op: 'turn', path: '/a' })
  unfit({ op: 'remove', path: '' })
  assert.throws(() => jsonPatch(live, { op: 'add' }), refused(400, /./))
  assert.throws(() => jsonPatch(live, ['x']), refused(400, /./))
  const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/e', value: { f: 1 } }))
  assert.throws(() => jsonPatch(live, many), refused(413, /10000, got 10001/))
  const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/e', path: '/e/x' }))
  assert.throws(
    () => jsonPatch({ e: { f: 'y'.repeat(10_000) } }, doubling),
    refused(422, /copies of more than/),
  )
})

test('patches treat __proto__ as a key like any other', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}')
  const results = [
    mergePatch({ a: 1 }, hostile),
    strategicPatch({ a: 1 }, hostile),
    jsonPatch({ a: 1 }, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as JsonObject,
  ]
  for (const result of results) {
    assert.equal((result as { polluted?: unknown }).polluted, undefined)
    assert.ok(Object.hasOwn(result, '__proto__'))
  }
  assert.throws(() => jsonPatch({}, [{ op: 'test', path: '/toString/length', value: 0 }]), refused(422, /./))
})

test('merge patch: null deletes, lists replace, and no change gives the same object', () => {
  assert.deepEqual(mergePatch(live, { a: { d: null, b: [1] }, n: { x: null, y: 1 } }), {
    a: { b: [1] },
    e: { f: 1 },
    n: { y: 1 },
  })
  assert.equal(mergePatch(live, { a: { d: 'x', b: [1, 2, { c: 3 }] }, zz: null }), live)
  const result: Json = mergePatch(live, { a: { d: 'y' } })
  assert.equal((result as typeof live).e, live.e)
})

const container: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    image: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    ports: {
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
  },
}
const schema: Schema = {
  type: 'object',
  properties: {
    containers: {
      type: 'array',
      items: container,
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' },
    selector: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
}
const pod = deepFreeze({
  containers: [
    { name: 'a', image: 'one', args: ['x'] },
    { name: 'b', image: 'two', ports: [{ containerPort: 80 }] },
  ],
  finalizers: ['x', 'y'],
  strategy: { type: 'RollingUpdate', rollingUpdate: {} },
  selector: { a: 'b' },
  labels: { l: '1' },
})
const patched = (patch: JsonObject) => strategicPatch(pod, patch, schema)

test('strategic: lists merge by their key, others are replaced', () => {
  assert.deepEqual(
    patched({
      containers: [
        { name: 'b', args: ['z'], ports: [{ containerPort: 81 }] },
        { name: 'c', image: null },
      ],
    })['containers'],
    [
      pod.containers[0],
      { name: 'b', image: 'two', ports: [{ containerPort: 80 }, { containerPort: 81 }], args: ['z'] },
      { name: 'c' },
    ],
  )
  assert.deepEqual(patched({ containers: [{ name: 'a', args: ['q'] }] })['containers'], [
    { name: 'a', image: 'one', args: ['q'] },
    pod.containers[1],
  ])
  assert.throws(() => patched({ containers: [{ image: 'x' }] }), refused(422, /declared merge key: name/))
})

test('strategic: directives', () => {
  assert.deepEqual(patched({ containers: [{ name: 'a', $patch: 'delete' }] })['containers'], [
    pod.containers[1],
  ])
  assert.deepEqual(patched({ containers: [{ $patch: 'replace' }, { name: 'z' }] })['containers'], [
    { name: 'z' },
  ])
  assert.deepEqual(
    patched({ $setElementOrder: 1, '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] })[
      'containers'
    ],
    [pod.containers[1], pod.containers[0]],
  )
  assert.deepEqual(patched({ finalizers: ['z', 'x'] })['finalizers'], ['x', 'y', 'z'])
  assert.deepEqual(patched({ '$deleteFromPrimitiveList/finalizers': ['x'] })['finalizers'], ['y'])
  assert.deepEqual(patched({ strategy: { $retainKeys: ['type'], type: 'Recreate' } })['strategy'], {
    type: 'Recreate',
  })
  assert.deepEqual(patched({ labels: { $patch: 'replace', k: '2' } })['labels'], { k: '2' })
  assert.deepEqual(patched({ selector: { c: 'd' } })['selector'], { c: 'd' })
  assert.deepEqual(patched({ labels: null, unknown: { list: [1], $patch: 'replace' } }), {
    containers: pod.containers,
    finalizers: pod.finalizers,
    strategy: pod.strategy,
    selector: pod.selector,
    unknown: { list: [1] },
  })
})

test('strategic: no change gives the same object, malformed directives are 400', () => {
  assert.equal(patched({}), pod)
  assert.equal(patched({ containers: [{ name: 'a', image: 'one' }], finalizers: ['y'], gone: null }), pod)
  assert.throws(() => patched({ labels: { $patch: 'turn' } }), refused(400, /unknown patch type/))
  assert.throws(() => patched({ strategy: { $retainKeys: [], type: 'x' } }), refused(400, /retainKeys list/))
  assert.throws(
    () => patched({ '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] }),
    refused(400, /order in patch list/),
  )
  assert.throws(() => patched({ '$deleteFromPrimitiveList/finalizers': 'x' }), refused(400, /primitive list/))
})
