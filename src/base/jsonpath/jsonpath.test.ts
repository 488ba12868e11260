import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findJsonPath, readJsonPath, renderJsonPath } from './jsonpath.ts'

const list = {
  kind: 'List',
  items: [
    { name: 'a', tags: { 'k8s.io/role': 'x' }, size: 3, ready: true },
    { name: 'b', tags: {}, size: 5 },
    { name: 'c', tags: { 'k8s.io/role': 'y' }, size: 8, inner: [{ name: 'd' }] },
  ],
}

function render(text: string, allowMissingKeys = false): string {
  const template = readJsonPath(text)
  if (!template.ok) return `read: ${template.failure.message}`
  const rendered = renderJsonPath(template.value, list, { allowMissingKeys })
  return rendered.ok ? rendered.value : `render: ${rendered.failure.message}`
}

test('paths, slices, filters, unions, ranges', () => {
  const cases: Record<string, string> = {
    'kind {.kind}!': 'kind List!',
    '{.items[*].name}': 'a b c',
    '{.items[-1].name} {.items[0:2].name}': 'c a b',
    '{.items[?(@.size>3)].name}': 'b c',
    '{.items[?(@.ready)].name}': 'a',
    '{.items[?(@.name=="b")].size}': '5',
    "{.items[0].tags['k8s\\.io/role']}": 'x',
    '{.items[0].tags.k8s\\.io/role}': 'x',
    "{.items[0]['name','size']}": 'a 3',
    '{range .items[*]}{.name}={.size}{"\\n"}{end}': 'a=3\nb=5\nc=8\n',
    '{..name}': 'a b c d',
    '{.items[0].tags}': '{"k8s.io/role":"x"}',
    '{"}"}': '}',
  }
  for (const [text, wanted] of Object.entries(cases)) assert.equal(render(text), wanted, text)
})

test('faults are told; missing fields may be allowed', () => {
  assert.equal(render('{.nope}'), 'render: nope is not found')
  assert.equal(render('{.nope}', true), '')
  assert.equal(render('{.items[9].name}'), 'render: array index out of bounds: index 9, length 3')
  assert.equal(render('{.kind[0]}'), 'render: string is not array or slice')
  assert.equal(render('{.a'), 'read: unclosed action')
  assert.equal(render('{end}'), 'read: not in range, nothing to end')
  assert.equal(render('{range .items[*]}'), 'read: unclosed range')
  assert.equal(render('{.items[?(@.a=~"x")]}'), 'read: unrecognized filter operator =')
  assert.match(render(`{.items${'[?(@.a'.repeat(80)}`), /^read: /)
  assert.equal(render('{.toString}'), 'render: toString is not found')
})

test('one path for sorting and waiting, braces optional', () => {
  for (const text of ['{.items[0].name}', '.items[0].name', 'items[0].name']) {
    const found = findJsonPath(text, list)
    assert.deepEqual(found.ok && found.value, ['a'])
  }
})
