// The table of storage checks: complete, and no test in it that does not exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const CHECKS = 120

test('every check of storage names tests that exist, or what it waits for', () => {
  const rows = readFileSync(join(root, 'docs/longhorn-parity.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| *\d+ *\|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: CHECKS }, (_, index) => index + 1),
  )
  for (const [, number, check = '', where = ''] of rows) {
    const files = [...where.matchAll(/`([^`]+\.test\.ts)`/g)].map((match) => match[1] ?? '')
    assert.ok(files.length > 0 || where.includes('waits'), `${number} ${check}`)
    for (const file of files) assert.ok(existsSync(join(root, file)), `${number} ${check}: ${file}`)
  }
})
