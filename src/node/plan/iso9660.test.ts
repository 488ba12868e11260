import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeIso } from './iso9660.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 6)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function image(files: readonly { path: string; content: Uint8Array }[], label = 'cidata'): Uint8Array {
  const answer = writeIso({ label, files, at })
  assert.ok(answer.ok)
  return answer.value
}

function withFile(content: Uint8Array, use: (path: string, folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'iso-'))
  try {
    const path = join(folder, 'image.iso')
    writeFileSync(path, content)
    use(path, folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const missing = spawnSync('xorriso', ['-version']).error ? 'xorriso is not installed' : false

test('an image has its descriptors where a reader looks for them', () => {
  const made = image([{ path: 'user-data', content: bytes('x') }])
  const text = (from: number, to: number): string => new TextDecoder().decode(made.subarray(from, to))
  assert.equal(text(16 * 2048 + 1, 16 * 2048 + 6), 'CD001')
  assert.equal(text(16 * 2048 + 40, 16 * 2048 + 72).trim(), 'cidata')
  assert.deepEqual(
    [16, 17, 18].map((sector) => made[sector * 2048]),
    [1, 2, 255],
  )
  assert.equal(made.length % 2048, 0)
  // busybox looks at the first 0x11000 bytes and takes a shorter device for an empty drive.
  assert.ok(made.length >= 0x11000)
})

test('the same files give the same bytes', () => {
  const files = [{ path: 'a/b', content: bytes('1') }]
  assert.deepEqual(image(files), image(files))
})

test('xorriso reads back what was written, under its true names', { skip: missing }, () => {
  const big = new Uint8Array(32 * 1024 + 7).map((_, index) => index * 31)
  const files = [
    { path: 'meta-data', content: bytes('{}') },
    { path: 'user-data', content: big },
    { path: 'network-config', content: new Uint8Array() },
    { path: 'openstack/latest/meta_data.json', content: bytes('{"a":1}') },
    { path: `${'n'.repeat(124)}.txt`, content: bytes('long') },
    { path: `${'n'.repeat(123)}.txt2`, content: bytes('long2') },
    { path: 'Ümläut.XML', content: bytes('u') },
    ...Array.from({ length: 60 }, (_, index) => ({
      path: `many/file-number-${index}.conf`,
      content: bytes(`${index}`),
    })),
  ]
  withFile(image(files), (path, folder) => {
    const out = join(folder, 'out')
    const run = spawnSync('xorriso', ['-osirrox', 'on', '-indev', path, '-extract', '/', out], {
      encoding: 'utf8',
    })
    assert.equal(run.status, 0, run.stderr)
    for (const file of files)
      assert.deepEqual(new Uint8Array(readFileSync(join(out, file.path))), file.content, file.path)
  })
})

test('the Joliet tree holds the long names for Windows', { skip: missing }, () => {
  withFile(image([{ path: 'Autounattend.xml', content: bytes('<x/>') }], 'unattendCD'), (path, folder) => {
    const out = join(folder, 'out')
    const run = spawnSync(
      'xorriso',
      ['-osirrox', 'on', '-read_fs', 'norock', '-indev', path, '-extract', '/', out],
      { encoding: 'utf8' },
    )
    assert.equal(run.status, 0, run.stderr)
    assert.equal(readFileSync(join(out, 'Autounattend.xml'), 'utf8'), '<x/>')
    assert.match(run.stderr, /Volume id *: 'unattendCD'/)
  })
})

test('a name that cannot be put on the image is refused, not changed', () => {
  for (const [path, reason] of [
    ['x'.repeat(129), 'NameTooLong'],
    ['a//b', 'NameInvalid'],
    ['../etc/passwd', 'NameInvalid'],
  ] as const) {
    const answer = writeIso({ label: 'x', files: [{ path, content: bytes('') }], at })
    assert.ok(!answer.ok)
    assert.equal(answer.failure.reason, reason)
  }
})
