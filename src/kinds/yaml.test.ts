import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../base/errors.ts'
import { parseYaml, parseYamlDocuments, printYaml } from './yaml.ts'

function read(text: string): unknown {
  return parseYaml(text).value
}

test('unquoted words mean what they mean to kubectl, and the reader says so', () => {
  const text =
    'a: on\nb: No\nc: 0777\nd: 0x1f\ne: 1_000\nf: 1e3\ng: 1.10\nh: y\ni: "on"\nj: ~\nk: -5\nl: true\n'
  const document = parseYaml(text)
  assert.deepEqual(document.value, {
    a: true,
    b: false,
    c: 511,
    d: 31,
    e: 1000,
    f: 1000,
    g: 1.1,
    h: true,
    i: 'on',
    j: null,
    k: -5,
    l: true,
  })
  assert.equal(document.warnings.length, 8)
  assert.equal(document.warnings[0], 'line 1: on is read as true; write "on" if the text is meant')
  assert.equal(document.warnings[2], 'line 3: 0777 is read as 511; write "0777" if the text is meant')
})

test('words that only look special stay text', () => {
  for (const word of ['12:30:45', '2026-01-01', 'yEs', '1.2.3', '10Gi', 'null0', '0x', 'e3', '0b12', '<<'])
    assert.deepEqual(read(`a: ${word}`), { a: word })
})

test('integers are exact at any size', () => {
  assert.deepEqual(read('a: 9007199254740993\nb: -12345678901234567890123'), {
    a: 9007199254740993n,
    b: -12345678901234567890123n,
  })
  assert.deepEqual(read('a: 9007199254740991'), { a: 9007199254740991 })
})

test('duplicate keys are found with their paths, the last one counts', () => {
  const document = parseYaml('spec:\n  a: 1\n  list:\n  - x: 1\n    x: 2\n  a: 3\n')
  assert.deepEqual(document.value, { spec: { a: 3, list: [{ x: 2 }] } })
  assert.deepEqual(document.duplicateFields, ['spec.list[0].x', 'spec.a'])
})

test('what is no YAML is refused with its line', () => {
  const cases: Record<string, RegExp> = {
    'a:\n\tb: 1\n': /line 2, column 1: a tab cannot indent; use spaces$/,
    'a:\n  b: 1\n c: 2\n': /line 3, column 1: the indentation/,
    'a: b: c': /line 1, column 4: a second ": " on one line/,
    'a: [1, 2': /line 1/,
    'a: "x': /line 1/,
    'a: @x': /line 1, column 4/,
    'a: *nope': /line 1.*nope/,
    'a: &x [*x]': /line 1, column 8: anchor "x" contains itself/,
    'a: .inf': /\.inf has no place in JSON/,
    'a: !!int x': /the tag !!int does not fit "x"/,
    '? [a]\n: 1': /a key must be a single word/,
    'a: 1\n---\nb: 2': /more than one document/,
    '# nothing': /the document is empty/,
  }
  for (const [text, message] of Object.entries(cases))
    assert.throws(
      () => parseYaml(text),
      (error) => error instanceof ApiError && error.code === 400 && message.test(error.message),
      text,
    )
})

test('a small text cannot fill the memory or the stack', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level++)
    bomb.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
    )
  assert.throws(() => parseYaml(bomb.join('\n')), /more than 1000000 values/)
  assert.throws(() => parseYaml('['.repeat(5000)), ApiError)
  assert.throws(() => parseYaml(`${'['.repeat(300)}${']'.repeat(300)}`), /nested too deeply/)
})

test('documents, anchors, merges, tags, JSON', () => {
  const documents = parseYamlDocuments('---\n# none\n---\na: 1\n---\n\nb: on\n---\n')
  assert.deepEqual(
    documents.map(({ value, line }) => [value, line]),
    [
      [{ a: 1 }, 4],
      [{ b: true }, 7],
    ],
  )
  assert.deepEqual(read('x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3'), { x: { a: 1, b: 2 }, z: { a: 1, b: 3 } })
  assert.deepEqual(read('a: !!str 12\nb: !!binary aGk=\non: 1\n"on": 2\n1: x'), {
    a: '12',
    b: 'hi',
    true: 1,
    on: 2,
    1: 'x',
  })
  assert.deepEqual(read('{"a":\t[1, "2", null], "b": {}}'), { a: [1, '2', null], b: {} })
  assert.deepEqual(read('a: |\n  one\n  two\nb: >\n  one\n  two\n'), { a: 'one\ntwo\n', b: 'one two\n' })
  assert.ok(Object.hasOwn(read('__proto__: {a: 1}') as object, '__proto__'))
})

test('printed as kubectl prints: sorted, quoted where a reader would be misled', () => {
  const text = printYaml({
    kind: 'X',
    b: ['on', '0777', 1n << 60n],
    a: { t: '2026-01-01T00:00:00Z', e: '' },
    u: undefined,
  })
  assert.equal(
    text,
    'a:\n  e: ""\n  t: "2026-01-01T00:00:00Z"\nb:\n- "on"\n- "0777"\n- 1152921504606846976\nkind: X\n',
  )
})

test('whatever is printed reads back as itself, without a warning', () => {
  const words = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'on',
      'y',
      'No',
      '0o17',
      '0777',
      '1_0',
      '~',
      '<<',
      '=',
      '- a',
      'a: b',
      '#',
      '1e3',
      '.5',
      '.inf',
      '\t',
      ' x',
      'x\n\n',
      '12:30',
    ),
  )
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      words,
      fc.integer(),
      fc.bigInt({ min: 1n << 60n, max: 1n << 70n }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(words, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  fc.assert(
    fc.property(values, (value) => {
      const document = parseYaml(printYaml({ value }))
      assert.deepEqual(document.value, { value: normal(value) })
      assert.deepEqual([...document.warnings, ...document.duplicateFields], [])
    }),
    { numRuns: 300 },
  )
})

/** Dictionaries of the generator have no prototype; comparing wants one. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normal(item)]))
}
