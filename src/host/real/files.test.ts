// Files of the real host on a real folder.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Result } from '../../base/result.ts'
import { realFiles as files } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-files-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? '' : result.failure.message)
  return result.value
}

function reason(result: Result<unknown>): string {
  return result.ok ? 'no failure' : result.failure.reason
}

test('writeDurable replaces whole, with the mode asked for whatever the umask, and leaves no temporary file', async () => {
  const before = process.umask(0o077)
  try {
    value(await files.writeDurable(at('a'), 'first', 0o644))
  } finally {
    process.umask(before)
  }
  assert.equal(value(await files.stat(at('a'))).mode, 0o644)
  value(await files.writeDurable(at('a'), new TextEncoder().encode('second')))
  assert.equal(value(await files.readText(at('a'))), 'second')
  assert.equal(value(await files.stat(at('a'))).mode, 0o600)
  assert.deepEqual(value(await files.list(folder)), ['a'])
})

test('writeDurable into a missing folder fails with a reason and changes nothing', async () => {
  assert.equal(reason(await files.writeDurable(at('missing/file'), 'x')), 'NotFound')
})

test('failures carry a reason that says what is wrong', async () => {
  assert.equal(reason(await files.read(at('absent'))), 'NotFound')
  assert.equal(reason(await files.read(folder)), 'IsAFolder')
  value(await files.writeDurable(at('there'), 'x'))
  assert.equal(reason(await files.open(at('there'), 'create-new')), 'AlreadyExists')
  assert.equal(reason(await files.list(at('there'))), 'NotAFolder')
  assert.equal(reason(await files.read(`/${'n'.repeat(300)}`)), 'NameTooLong')
  const full = value(await files.open('/dev/full', 'write'))
  const refused = await full.write(new Uint8Array(8192))
  await full.close()
  assert.equal(reason(refused), 'NoSpace')
})

test('an open file appends, writes at a place, is cut and synced', async () => {
  const log = value(await files.open(at('log'), 'append'))
  value(await log.write(new TextEncoder().encode('one')))
  value(await log.write(new TextEncoder().encode('two')))
  value(await log.sync())
  await log.close()
  const disk = value(await files.open(at('log'), 'write'))
  value(await disk.write(new TextEncoder().encode('T'), 3))
  value(await disk.truncate(4))
  await disk.close()
  assert.equal(value(await files.readText(at('log'))), 'oneT')
  assert.equal(Buffer.from(value(await files.readAt(at('log'), 2, 100))).toString(), 'eT')
})

test('stat tells sparse from full and kinds apart', async () => {
  const sparse = value(await files.open(at('sparse'), 'write'))
  value(await sparse.truncate(10 * 1024 * 1024))
  await sparse.close()
  const seen = value(await files.stat(at('sparse')))
  assert.equal(seen.sizeBytes, 10 * 1024 * 1024)
  assert.ok(seen.allocatedBytes < 1024 * 1024)
  symlinkSync('sparse', at('link'))
  const server = createServer().listen(at('socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  const kinds = await Promise.all(['sparse', 'link', 'socket', '.'].map((name) => files.stat(at(name))))
  server.close()
  assert.deepEqual(
    kinds.map((kind) => value(kind).kind),
    ['file', 'link', 'socket', 'folder'],
  )
})

test('removing what is not there is no failure; folders go whole', async () => {
  value(await files.makeFolder(at('x/y/z')))
  value(await files.remove(at('x')))
  value(await files.remove(at('x')))
  assert.equal(reason(await files.stat(at('x'))), 'NotFound')
  const space = value(await files.space(folder))
  assert.ok(space.freeBytes > 0 && space.freeBytes <= space.totalBytes)
})
