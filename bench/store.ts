// How fast the store is against the disk itself: commits against a plain append + fdatasync of the same bytes, in the
// same run on the same disk; and how long it takes to open. Run: node bench/store.ts [FOLDER]
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'

const OBJECT_BYTES = 4096
const OBJECTS = 5000
const RUN_MS = 2000
const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'croft-bench-'))

function open(path: string): Store {
  const opened = openSqliteStore(path)
  if (!opened.ok) throw new Error(opened.failure.message)
  return opened.value
}

function object(number: number): Uint8Array {
  const text = JSON.stringify({ kind: 'Bench', metadata: { name: `object-${number}` }, spec: {} })
  return Buffer.from(text.padEnd(OBJECT_BYTES, ' '))
}

/** Writes a second that the disk itself can take one by one. */
function rawAppends(): number {
  const file = openSync(join(folder, 'raw'), 'a')
  const began = performance.now()
  let count = 0
  for (; performance.now() - began < RUN_MS; count += 1) {
    writeSync(file, object(count))
    fdatasyncSync(file)
  }
  const rate = (count * 1000) / (performance.now() - began)
  closeSync(file)
  return rate
}

/** Writes a second with so many writers at once, each waiting for its answer before the next. */
async function commits(store: Store, writers: number, name: string): Promise<number> {
  const began = performance.now()
  let count = 0
  const writer = async (number: number): Promise<void> => {
    let expected = 0
    while (performance.now() - began < RUN_MS) {
      const outcome = await store.write({
        type: 'put',
        key: `/${name}/${number}`,
        value: object(count),
        expected,
      })
      if (!outcome.ok) throw new Error('a write lost')
      expected = outcome.revision
      count += 1
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
  return (count * 1000) / (performance.now() - began)
}

async function fill(store: Store): Promise<void> {
  for (let start = 0; start < OBJECTS; start += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        store.write({
          type: 'put',
          key: `/registry/bench/${start + index}`,
          value: object(start + index),
          expected: 0,
        }),
      ),
    )
}

function timed<T>(run: () => T): [T, number] {
  const began = performance.now()
  const value = run()
  return [value, performance.now() - began]
}

const line = (what: string, figure: string): void => console.log(`${what.padEnd(58)}${figure}`)

const filled = open(join(folder, 'filled.db'))
await fill(filled)
await filled.compact(filled.revision())
await filled.close()
const [store, openMs] = timed(() => open(join(folder, 'filled.db')))
line(
  `open with ${OBJECTS} objects of ${OBJECT_BYTES} bytes`,
  `${openMs.toFixed(0)} ms (ours to reach: 150 ms)`,
)
const [page, listMs] = timed(() => store.range('/registry/bench/'))
line(`range over ${page.entries.length} objects`, `${listMs.toFixed(1)} ms`)
const raw = rawAppends()
line('raw append + fdatasync', `${raw.toFixed(0)} /s`)
for (const writers of [1, 32, 256]) {
  const rate = await commits(store, writers, `w${writers}`)
  line(`store, ${writers} writer(s)`, `${rate.toFixed(0)} /s = ${(rate / raw).toFixed(2)} x raw`)
}
const rawAgain = rawAppends()
line('raw append + fdatasync, again', `${rawAgain.toFixed(0)} /s`)
const [, snapshotMs] = timed(() => store.range('/w1/', { revision: store.revision() - 5000 }))
line('range 5000 revisions back', `${snapshotMs.toFixed(1)} ms`)
const compacting = performance.now()
const history = store.revision() - store.compacted()
await store.compact(store.revision())
line(`compaction of ${history} revisions`, `${(performance.now() - compacting).toFixed(0)} ms`)
await store.close()
line('file', `${(statSync(join(folder, 'filled.db')).size / 2 ** 20).toFixed(0)} MiB`)
rmSync(folder, { recursive: true })
