// QEMU's own tools judge the files: sound, of the right size, and showing what stands behind them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type EmptyQcow2, emptyQcow2 } from './qcow2.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'croft-qcow2-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function make(path: string, what: EmptyQcow2): void {
  const { pieces, lengthBytes } = emptyQcow2(what)
  const file = openSync(path, 'wx')
  ftruncateSync(file, lengthBytes)
  for (const { at, bytes } of pieces) writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

const img = (...argv: readonly string[]): string => execFileSync('qemu-img', argv, { encoding: 'utf8' })
const io = (path: string, command: string): string =>
  execFileSync('qemu-io', ['-f', 'qcow2', '-c', command, path], { encoding: 'utf8' })

const MIB = 1024 * 1024
for (const sizeBytes of [512, 10 * MIB, 512 * MIB, 512 * MIB + 512, 5 * 1024 * 1024 * MIB])
  test(`an image of ${sizeBytes} bytes is sound, and stays so when it is written to`, (t) => {
    const path = join(folderFor(t), 'disk')
    make(path, { sizeBytes })
    const info = JSON.parse(img('info', '--output=json', path)) as Record<string, unknown>
    assert.equal(info['format'], 'qcow2')
    assert.equal(info['virtual-size'], sizeBytes)
    assert.match(img('check', '-f', 'qcow2', path), /No errors were found/)
    io(path, `write -P 7 ${sizeBytes - 512} 512`)
    assert.doesNotMatch(io(path, `read -P 7 ${sizeBytes - 512} 512`), /failed/)
    assert.match(img('check', '-f', 'qcow2', path), /No errors were found/)
  })

test('what stands behind shows through, beyond its end there are zeros, and it is never written', (t) => {
  const folder = folderFor(t)
  const [backingPath, path] = [join(folder, 'behind'), join(folder, 'disk')]
  make(backingPath, { sizeBytes: MIB })
  io(backingPath, 'write -P 5 0 64k')
  make(path, { sizeBytes: 2 * MIB, backingPath })
  const info = JSON.parse(img('info', '--output=json', path)) as Record<string, unknown>
  assert.equal(info['backing-filename'], backingPath)
  assert.equal(info['backing-filename-format'], 'qcow2')
  for (const command of ['read -P 5 0 64k', 'read -P 0 1M 1M'])
    assert.doesNotMatch(io(path, command), /failed/)
  io(path, 'write -P 6 0 4k')
  for (const command of ['read -P 6 0 4k', 'read -P 5 4k 4k'])
    assert.doesNotMatch(io(path, command), /failed/)
  assert.doesNotMatch(io(backingPath, 'read -P 5 0 64k'), /failed/)
  assert.match(img('check', '-f', 'qcow2', path), /No errors were found/)
})

test('what QEMU could not open is a bug of the caller', () => {
  assert.throws(() => emptyQcow2({ sizeBytes: 2 ** 52 }), /more than qcow2 can hold/)
  assert.throws(() => emptyQcow2({ sizeBytes: 512, backingPath: `/${'x'.repeat(1023)}` }), /too long/)
})
