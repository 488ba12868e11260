// The table of cases: complete where the cases are present, and no test in it that does not exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const rows = readFileSync(join(root, 'docs/cases.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [a-z]+-\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('every row names tests that exist, or what it waits for', () => {
  for (const [, name = '', where = ''] of rows) {
    const files = [...where.matchAll(/`([^`]+\.test\.ts)`/g)].map((match) => match[1] ?? '')
    assert.ok(files.length > 0 || where.includes('waits for'), name)
    for (const file of files) assert.ok(existsSync(join(root, file)), `${name}: ${file}`)
  }
  assert.equal(new Set(rows.map(([, name]) => name)).size, rows.length)
})

test('every case has its row', (t) => {
  const index = new URL('../../shared/cases/index.json', import.meta.url)
  if (!existsSync(index)) return t.skip('the shared cases are absent')
  const cases = JSON.parse(readFileSync(index, 'utf8')) as readonly { readonly folder: string }[]
  assert.deepEqual(
    rows.map(([, name]) => name),
    cases.map(({ folder }) => folder),
  )
})
