// When a write counts: only after the disk has it, group after group, while the main thread goes on. The disk's word
// comes late here, or never.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { done, put, remove } from './laws.test.ts'
import { openSqliteStore } from './sqlite.ts'
import { ACCEPTED, type Store, StoreClosedError } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-commit-'))
after(() => rmSync(folder, { recursive: true }))

interface SlowDisk {
  readonly store: Store
  readonly path: string
  /** Syncs that wait for their end. */
  readonly waiting: { readonly end: () => void; readonly fail: (error: Error) => void }[]
}

function slowDisk(name: string): SlowDisk {
  const waiting: SlowDisk['waiting'] = []
  const path = join(folder, `${name}.db`)
  const opened = openSqliteStore(path, () => new Promise((end, fail) => waiting.push({ end, fail })))
  assert.ok(opened.ok)
  return { store: opened.value, path, waiting }
}

async function syncing({ waiting }: SlowDisk): Promise<void> {
  while (waiting.length === 0) await turn()
}

async function endSync(disk: SlowDisk): Promise<void> {
  await syncing(disk)
  disk.waiting.shift()?.end()
  await turn()
}

test('no answer and no event before the disk has it; what comes meanwhile is the next group', async () => {
  const disk = slowDisk('group')
  const { store } = disk
  const told: number[] = []
  store.watch('/', 0, ({ revision }) => told.push(revision))
  const answered: string[] = []
  const note = (name: string) => (): void => void answered.push(name)
  const first = put(store, '/a', '1', 0).then(note('first'))
  await syncing(disk)
  // Seen by who reads the latest, and the ground of the next comparison; but no durable revision yet.
  assert.equal(store.get('/a')?.revision, 1)
  assert.equal(store.revision(), 0)
  assert.deepEqual(store.range('/').entries, [])
  assert.equal(store.range('/', { revision: ACCEPTED }).entries.length, 1)
  const second = put(store, '/a', '2', 1).then(note('second'))
  const third = put(store, '/b', '1', 0).then(note('third'))
  const settled = store.settled(2).then(note('settled'))
  assert.equal((await put(store, '/a', 'late', 1)).ok, false)
  for (let round = 0; round < 20; round += 1) await turn()
  assert.equal(disk.waiting.length, 1, 'one group at a time')
  assert.deepEqual([answered, told], [[], []])
  await endSync(disk)
  await first
  assert.deepEqual([answered, told, store.revision()], [['first'], [1], 1])
  await endSync(disk)
  await Promise.all([second, third, settled])
  assert.deepEqual(answered.toSorted(), ['first', 'second', 'settled', 'third'])
  assert.deepEqual([told, store.revision()], [[1, 2, 3], 3])
  await store.close()
})

test('a disk that fails takes back what it had not, and ends the store', async () => {
  const disk = slowDisk('fails')
  const { store } = disk
  const kept = put(store, '/a', '1', 0)
  await endSync(disk)
  await done(kept)
  const outcomes = [put(store, '/a', '2', 1), remove(store, '/a', 2)]
  await syncing(disk)
  outcomes.push(put(store, '/b', '1', 0))
  disk.waiting.shift()?.fail(Object.assign(new Error('i/o error'), { code: 'EIO' }))
  for (const outcome of outcomes) await assert.rejects(outcome, /i\/o error/)
  assert.equal(store.get('/a')?.revision, 1)
  assert.equal(store.get('/b'), undefined)
  await assert.rejects(put(store, '/c', '1', 0), /i\/o error/)
  await assert.rejects(store.settled(3), /i\/o error/)
  await store.close()
})

test('history may be forgotten and old values read while a group is on its way', async () => {
  const disk = slowDisk('forgets')
  const { store } = disk
  for (let revision = 0; revision < 4; revision += 1) {
    const written = put(store, '/a', `v${revision}`, revision)
    await endSync(disk)
    await done(written)
  }
  const last = put(store, '/a', 'v4', 4)
  await syncing(disk)
  await store.compact(2)
  const [entry] = store.range('/', { revision: 3 }).entries
  assert.equal(Buffer.from(entry?.value ?? []).toString(), 'v2')
  await endSync(disk)
  assert.equal(await done(last), 5)
  await store.close()
})

test('closing waits for both groups, takes no more, and all is there afterwards', async () => {
  const disk = slowDisk('closes')
  const { store, path } = disk
  const first = put(store, '/a', '1', 0)
  await syncing(disk)
  const second = put(store, '/b', '1', 0)
  let closed = false
  const closing = store.close().then(() => (closed = true))
  await assert.rejects(put(store, '/c', '1', 0), StoreClosedError)
  await endSync(disk)
  await first
  assert.equal(closed, false)
  await endSync(disk)
  await Promise.all([second, closing, store.close()])
  const again = openSqliteStore(path)
  assert.ok(again.ok)
  assert.equal(again.value.count('/'), 2)
  await again.value.close()
})
