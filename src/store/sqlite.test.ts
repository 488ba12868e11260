// The SQLite store obeys the laws; and what only a file can suffer: two owners, damage, newer versions, a full disk.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { Failure } from '../base/result.ts'
import { done, put, remove, storeLaws } from './laws.test.ts'
import { openSqliteStore } from './sqlite.ts'
import { type Store, StoreFullError } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-store-'))
after(() => rmSync(folder, { recursive: true }))
let stores = 0
const freshPath = (): string => join(folder, `${(stores += 1)}.db`)

function open(path: string): Store {
  const opened = openSqliteStore(path)
  assert.ok(opened.ok, opened.ok ? '' : opened.failure.message)
  return opened.value
}

function failureOf(path: string): Failure {
  const opened = openSqliteStore(path)
  assert.ok(!opened.ok, 'it opened')
  return opened.failure
}

storeLaws('sqlite', async () => {
  const path = freshPath()
  let store = open(path)
  const reopen = async (): Promise<Store> => {
    await store.close()
    return (store = open(path))
  }
  return { store, reopen }
})

test('the file is for its owner only', async () => {
  const path = freshPath()
  const store = open(path)
  await done(put(store, '/a', '1', 0))
  for (const name of [path, `${path}-wal`, `${path}-reserve`, `${path}-holder`])
    assert.equal(statSync(name).mode & 0o777, 0o600, name)
  await store.close()
})

test('a second process is refused and told who holds it', async (t) => {
  const path = freshPath()
  const script = `
    const { openSqliteStore } = await import(${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)})
    console.log(openSqliteStore(${JSON.stringify(path)}).ok)
    setInterval(() => undefined, 1000)`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => other.kill('SIGKILL'))
  assert.equal(String((await other.stdout.take(1).toArray())[0]), 'true\n')
  const refused = failureOf(path)
  assert.equal(refused.reason, 'StoreInUse')
  assert.match(refused.message, new RegExp(`process ${other.pid} since 2.*node`))
  const gone = new Promise((resolve) => other.once('exit', resolve))
  other.kill('SIGKILL')
  await gone
  await open(path).close()
  const own = open(path)
  assert.equal(failureOf(path).reason, 'StoreInUse')
  await own.close()
})

test('a newer schema, a foreign database and no database are refused', async () => {
  const newer = freshPath()
  await open(newer).close()
  const database = new DatabaseSync(newer)
  database.exec('PRAGMA user_version = 99')
  database.close()
  assert.equal(failureOf(newer).reason, 'StoreTooNew')
  const foreign = freshPath()
  const other = new DatabaseSync(foreign)
  other.exec('CREATE TABLE a (b)')
  other.close()
  assert.equal(failureOf(foreign).reason, 'StoreDamaged')
  const garbage = freshPath()
  writeFileSync(garbage, 'not a database at all. '.repeat(500))
  assert.equal(failureOf(garbage).reason, 'StoreDamaged')
  assert.equal(failureOf(join(folder, 'no/such/folder.db')).reason, 'StoreUnreadable')
})

test('bytes that changed on the disk are found when it is opened', async () => {
  const path = freshPath()
  const store = open(path)
  for (let index = 0; index < 50; index += 1)
    await done(put(store, `/k/${index}`, `needle ${index} `.repeat(200), 0))
  await store.close()
  const content = readFileSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, 'NEEDLE', content.indexOf('needle 25 '))
  const refused = failureOf(path)
  assert.equal(refused.reason, 'StoreDamaged')
  assert.match(refused.message, /\/k\/25 .*restore/)
})

test('space of forgotten history goes back to the disk', async () => {
  const path = freshPath()
  const store = open(path)
  const value = 'v'.repeat(50_000)
  for (let round = 0; round < 1000; round += 1) await done(put(store, '/a', value, round))
  await store.compact(900)
  for (let round = 1000; round < 1200; round += 1) await done(put(store, `/b/${round}`, '', 0))
  for (let revision = 901; revision <= 1200; revision += 4) await store.compact(revision)
  await store.close()
  assert.ok(statSync(path).size < 25 * 2 ** 20, `the file is ${statSync(path).size} bytes long`)
  await open(path).close()
})

test('a missing piece of history is found when it is opened', async () => {
  const path = freshPath()
  const store = open(path)
  for (let round = 0; round < 5; round += 1) await done(put(store, '/a', `v${round}`, round))
  await store.close()
  const database = new DatabaseSync(path)
  database.exec('DELETE FROM log WHERE revision = 3')
  database.close()
  assert.match(failureOf(path).message, /revision 3 of \/a is missing/)
})

test('on a full disk deletes work, creates are refused, and it goes on once there is room', async (t) => {
  const mount = join(folder, 'small')
  mkdirSync(mount)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'croft-test', mount], { stdio: 'pipe' })
  } catch (error) {
    return t.skip(`cannot mount a small disk here: ${String(error).split('\n')[0]}`)
  }
  t.after(() => execFileSync('umount', ['-l', mount]))
  const path = join(mount, 'state.db')
  const store = open(path)
  const value = 'v'.repeat(20_000)
  for (let index = 0; index < 300; index += 1) await done(put(store, `/k/${index}`, value, 0))
  const file = openSync(join(mount, 'other-program'), 'w')
  assert.throws(() => {
    while (true) writeSync(file, Buffer.alloc(64 * 1024))
  }, /ENOSPC/)
  let written = 300
  await assert.rejects(async () => {
    for (; written < 2000; written += 1) await done(put(store, `/k/${written}`, value, 0))
  }, StoreFullError)
  assert.equal(store.get(`/k/${written}`), undefined, 'a refused write is not seen')
  assert.equal(store.count('/k/'), written)
  await assert.rejects(put(store, '/new', 'small', 0), StoreFullError)
  const first = store.get('/k/0')?.revision ?? 0
  await done(put(store, '/k/0', `${value} and a deletion mark`, first))
  for (let index = 1; index < written; index += 1)
    await done(remove(store, `/k/${index}`, store.get(`/k/${index}`)?.revision ?? 0))
  await store.compact(store.revision())
  rmSync(join(mount, 'other-program'))
  execFileSync('truncate', ['-s', '0', `/proc/self/fd/3`], { stdio: ['ignore', 'ignore', 'ignore', file] })
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await done(put(store, '/new', value, 0))
  await store.close()
  const again = open(path)
  assert.equal(again.count('/'), 2)
  await again.close()
})
