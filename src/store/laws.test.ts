// The laws of every store, as tests: whoever implements Store calls `storeLaws` with a way to make and reopen one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ACCEPTED,
  CompactedError,
  type Revision,
  type Store,
  StoreClosedError,
  type StoredEntry,
  type StoreEvent,
  type WriteOutcome,
} from './store.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** Closes and opens it again on the same content; absent where content does not outlive the store. */
  readonly reopen?: () => Promise<Store>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array | undefined): string =>
  value === undefined ? '(none)' : Buffer.from(value).toString()

export function put(store: Store, key: string, value: string, expected: Revision): Promise<WriteOutcome> {
  return store.write({ type: 'put', key, value: bytes(value), expected })
}

export function remove(store: Store, key: string, expected: Revision): Promise<WriteOutcome> {
  return store.write({ type: 'delete', key, expected })
}

/** A write that must succeed; gives its revision. */
export async function done(outcome: Promise<WriteOutcome>): Promise<Revision> {
  const seen = await outcome
  assert.ok(seen.ok, 'the write lost')
  return seen.revision
}

async function set(store: Store, key: string, value: string): Promise<Revision> {
  return done(put(store, key, value, store.get(key)?.revision ?? 0))
}

function listing(entries: readonly StoredEntry[]): string {
  return entries.map(({ key, value, revision }) => `${key}=${text(value)}@${revision}`).join(' ')
}

function eventText({ type, key, revision, value, previous }: StoreEvent): string {
  const before =
    previous === undefined
      ? ''
      : ` was ${text(previous.value)}@${previous.revision}/${previous.createRevision}`
  return `${revision} ${type} ${key}${value === undefined ? '' : `=${text(value)}`}${before}`
}

type Make = () => Promise<StoreUnderTest>

export function storeLaws(name: string, make: Make): void {
  const law = (title: string, run: (under: StoreUnderTest) => Promise<void>): void => {
    test(`${name}: ${title}`, async () => {
      const under = await make()
      try {
        await run(under)
      } finally {
        await under.store.close()
      }
    })
  }
  writingLaws(law)
  readingLaws(law)
  watchingLaws(law)
  forgettingLaws(law)
  reopeningLaws(law)
  modelLaw(law)
}

type Law = (title: string, run: (under: StoreUnderTest) => Promise<void>) => void

function writingLaws(law: Law): void {
  law('revisions start at 1 and rise over all keys', async ({ store }) => {
    assert.equal(store.revision(), 0)
    assert.equal(await done(put(store, '/a', '1', 0)), 1)
    assert.equal(await done(put(store, '/b', '1', 0)), 2)
    assert.equal(await done(put(store, '/a', '2', 1)), 3)
    assert.equal(store.revision(), 3)
    assert.deepEqual(
      { ...store.get('/a'), value: '' },
      { key: '/a', value: '', revision: 3, createRevision: 1 },
    )
  })

  law('a write with another expected revision loses and is told what stands', async ({ store }) => {
    await done(put(store, '/a', '1', 0))
    for (const outcome of [
      put(store, '/a', 'x', 0),
      put(store, '/a', 'x', 7),
      remove(store, '/a', 0),
      remove(store, '/a', 7),
    ]) {
      const seen = await outcome
      assert.equal(seen.ok, false)
      assert.equal(text((seen as { current?: StoredEntry }).current?.value), '1')
    }
    for (const outcome of [put(store, '/b', 'x', 3), remove(store, '/b', 3), remove(store, '/b', 0)])
      assert.deepEqual(await outcome, { ok: false, current: undefined })
    assert.equal(store.revision(), 1)
  })

  law('of racing writers in one turn exactly one wins', async ({ store }) => {
    const first = await done(put(store, '/a', '0', 0))
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => put(store, '/a', `w${index}`, first)),
    )
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok),
      [true, ...Array.from({ length: 49 }, () => false)],
    )
    assert.equal(text(store.get('/a')?.value), 'w0')
    assert.equal(store.revision(), 2)
  })

  law('a chain of writes in one turn goes through in order', async ({ store }) => {
    const outcomes = await Promise.all([
      put(store, '/a', '1', 0),
      put(store, '/a', '2', 1),
      remove(store, '/a', 2),
      put(store, '/a', '3', 0),
    ])
    assert.deepEqual(
      outcomes,
      [1, 2, 3, 4].map((revision) => ({ ok: true, revision })),
    )
    assert.equal(store.get('/a')?.createRevision, 4)
  })

  law(
    'an accepted write is seen by get at once, by range and watchers when it is durable',
    async ({ store }) => {
      const events: string[] = []
      store.watch('/', 0, (event) => events.push(eventText(event)))
      const outcome = put(store, '/a', '1', 0)
      assert.equal(text(store.get('/a')?.value), '1')
      assert.deepEqual([store.revision(), store.range('/').entries.length, events.length], [0, 0, 0])
      const accepted = store.range('/', { revision: ACCEPTED })
      assert.deepEqual([accepted.entries.length, accepted.revision, accepted.remaining], [1, 1, 0])
      await outcome
      assert.deepEqual([store.revision(), store.range('/').entries.length, events.length], [1, 1, 1])
    },
  )

  law(
    'a writer keeps no hold on the store through its buffer, nor large buffers through small values',
    async ({ store }) => {
      const large = new Uint8Array(1024 * 1024).fill(65)
      await done(store.write({ type: 'put', key: '/a', value: large.subarray(10, 14), expected: 0 }))
      assert.equal(text(store.get('/a')?.value), 'AAAA')
      assert.ok((store.get('/a')?.value.buffer.byteLength ?? 0) < 1000)
    },
  )

  law('empty and binary values come back as they are', async ({ store }) => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index)
    await done(store.write({ type: 'put', key: '/all', value: all, expected: 0 }))
    await done(store.write({ type: 'put', key: '/none', value: new Uint8Array(0), expected: 0 }))
    assert.deepEqual([...(store.get('/all')?.value ?? [])], [...all])
    assert.equal(store.get('/none')?.value.byteLength, 0)
  })

  law('after closing everything is refused', async ({ store }) => {
    const last = put(store, '/a', '1', 0)
    await store.close()
    assert.equal((await last).ok, true)
    await assert.rejects(put(store, '/b', '1', 0), StoreClosedError)
  })
}

function readingLaws(law: Law): void {
  law('settled answers when what get showed is durable', async ({ store }) => {
    const writing = put(store, '/a', '1', 0)
    const shown = store.get('/a')?.revision ?? 0
    assert.ok(shown > 0)
    await store.settled(shown)
    assert.ok(store.revision() >= shown)
    assert.equal(await done(writing), shown)
    await store.settled(shown)
  })
  law('range gives the keys with the prefix in order', async ({ store }) => {
    for (const key of ['/b/2', '/a/x', '/b/10', '/b', '/c/1', '/b/1']) await set(store, key, 'v')
    assert.equal(listing(store.range('/b/').entries), '/b/1=v@6 /b/10=v@3 /b/2=v@1')
    assert.equal(store.range('/b/').revision, 6)
    assert.equal(store.count('/b/'), 3)
    assert.equal(store.count('/b'), 4)
    assert.equal(store.count('/d'), 0)
  })

  law('the order is that of bytes', async ({ store }) => {
    const keys = [
      '/a-b',
      '/a.b',
      '/a/b',
      '/aZ',
      '/a_',
      '/ab',
      '/aé',
      '/a\uFFFD',
      '/a\u{1F600}',
      '/a\u{10FFFF}',
    ]
    for (const key of keys.toReversed()) await set(store, key, 'v')
    assert.deepEqual(
      store.range('/').entries.map(({ key }) => key),
      keys,
    )
    assert.deepEqual(
      keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      keys,
    )
    for (const [index, after] of keys.entries())
      assert.deepEqual(
        store.range('/', { after }).entries.map(({ key }) => key),
        keys.slice(index + 1),
      )
  })

  law('pages of a snapshot are whole whatever is written meanwhile', async ({ store }) => {
    for (let index = 0; index < 20; index += 1)
      await set(store, `/k/${String(index).padStart(2, '0')}`, 'old')
    const whole = listing(store.range('/k/').entries)
    const first = store.range('/k/', { limit: 7 })
    assert.equal(first.remaining, 13)
    const pages = [first]
    for (let page = first; page.remaining > 0; ) {
      const after = page.entries.at(-1)?.key ?? ''
      await set(store, `/k/${after.slice(-2)}x`, 'new')
      await done(
        remove(store, '/k/19', store.get('/k/19')?.revision ?? 0).catch(() => ({ ok: true, revision: 0 })),
      ).catch(() => 0)
      await set(store, '/k/15', 'new')
      page = store.range('/k/', { limit: 7, after, revision: first.revision })
      pages.push(page)
    }
    assert.deepEqual(
      pages.map(({ remaining }) => remaining),
      [13, 6, 0],
    )
    assert.equal(listing(pages.flatMap(({ entries }) => entries)), whole)
  })

  law('any kept revision can be read as it was', async ({ store }) => {
    const seen = new Map<Revision, string>()
    for (let round = 0; round < 40; round += 1) {
      const key = `/s/${round % 7}`
      if (round % 5 === 4 && store.get(key)) await done(remove(store, key, store.get(key)?.revision ?? 0))
      else await set(store, key, `v${round}`)
      seen.set(store.revision(), listing(store.range('/s/').entries))
    }
    for (const [revision, then] of seen) assert.equal(listing(store.range('/s/', { revision }).entries), then)
  })

  law('a limit of zero and a prefix without keys are answered, too', async ({ store }) => {
    await set(store, '/a/1', 'v')
    assert.deepEqual(store.range('/a/', { limit: 0 }), { entries: [], revision: 1, remaining: 1 })
    assert.deepEqual(store.range('/none/'), { entries: [], revision: 1, remaining: 0 })
    assert.deepEqual(store.range('/a/', { after: '/a/1', limit: 5 }), {
      entries: [],
      revision: 1,
      remaining: 0,
    })
  })
}

function watchingLaws(law: Law): void {
  law(
    'a watch from any revision tells each later event once, in order, with what was before',
    async ({ store }) => {
      await set(store, '/w/a', '1')
      await set(store, '/w/b', '1')
      await set(store, '/other', '1')
      await set(store, '/w/a', '2')
      await done(remove(store, '/w/b', 2))
      await set(store, '/w/b', '3')
      const all = [
        '1 put /w/a=1',
        '2 put /w/b=1',
        '4 put /w/a=2 was 1@1/1',
        '5 delete /w/b was 1@2/2',
        '6 put /w/b=3',
        '7 put /w/a=4 was 2@4/1',
      ]
      const told = new Map<Revision, string[]>()
      for (let after = 0; after <= 7; after += 1) {
        const events: string[] = []
        store.watch('/w/', after, (event) => events.push(eventText(event)))
        told.set(after, events)
      }
      await set(store, '/w/a', '4')
      for (const [after, events] of told)
        assert.deepEqual(
          events,
          all.filter((event) => Number(event.split(' ')[0]) > after),
          `after ${after}`,
        )
    },
  )

  law(
    'a watch that ended hears nothing more, one that joins during an event hears it once',
    async ({ store }) => {
      const [ended, inner]: [string[], string[]] = [[], []]
      const end = store.watch('/', 0, (event) => ended.push(eventText(event)))
      await set(store, '/a', '1')
      end()
      end()
      let joined = false
      store.watch('/', 1, () => {
        if (!joined) store.watch('/', 0, (event) => inner.push(eventText(event)))
        joined = true
      })
      await Promise.all([put(store, '/b', '1', 0), put(store, '/c', '1', 0)])
      await set(store, '/d', '1')
      assert.deepEqual(ended, ['1 put /a=1'])
      assert.deepEqual(inner, ['1 put /a=1', '2 put /b=1', '3 put /c=1', '4 put /d=1'])
    },
  )

  law('a listener may write and may end its own watch', async ({ store }) => {
    const events: string[] = []
    const finished = new Promise<void>((resolve) => {
      const end = store.watch('/', 0, (event) => {
        events.push(eventText(event))
        if (event.key === '/a') void put(store, '/b', 'more', 0)
        else {
          end()
          resolve()
        }
      })
    })
    await set(store, '/a', '1')
    await finished
    await set(store, '/c', '1')
    assert.deepEqual(events, ['1 put /a=1', '2 put /b=more'])
  })

  law('a watch from the future waits for it', async ({ store }) => {
    const events: string[] = []
    store.watch('/', 2, (event) => events.push(eventText(event)))
    for (const key of ['/a', '/b', '/c']) await set(store, key, '1')
    assert.deepEqual(events, ['3 put /c=1'])
  })
}

function forgettingLaws(law: Law): void {
  law('what is compacted can be read no more, the latest entries stay', async ({ store }) => {
    for (let round = 1; round <= 600; round += 1) await set(store, `/k/${round % 3}`, `v${round}`)
    await done(remove(store, '/k/0', 600))
    const then = listing(store.range('/k/', { revision: 590 }).entries)
    await store.compact(590)
    assert.equal(store.compacted(), 590)
    assert.equal(listing(store.range('/k/', { revision: 590 }).entries), then)
    assert.equal(listing(store.range('/k/').entries), '/k/1=v598@598 /k/2=v599@599')
    assert.throws(
      () => store.range('/k/', { revision: 589 }),
      (error) => error instanceof CompactedError && error.oldest === 590,
    )
    assert.throws(() => store.watch('/k/', 589, () => undefined), CompactedError)
    const events: Revision[] = []
    store.watch('/k/', 590, ({ revision }) => events.push(revision))
    assert.deepEqual(
      events,
      Array.from({ length: 11 }, (_, index) => 591 + index),
    )
    await store.compact(100)
    assert.equal(store.compacted(), 590)
    await store.compact(10_000)
    assert.equal(store.compacted(), 601)
    assert.equal(store.range('/k/', { revision: 601 }).entries.length, 2)
    assert.equal(await set(store, '/k/0', 'again'), 602)
  })

  law('writing goes on while it compacts', async ({ store }) => {
    for (let round = 0; round < 2000; round += 1) void put(store, `/k/${round}`, 'v', 0)
    await set(store, '/k/x', 'v')
    const compacting = Promise.all([store.compact(2000), store.compact(1500)])
    const during = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put(store, `/n/${index}`, 'v', 0)),
    )
    assert.ok(during.every(({ ok }) => ok))
    await compacting
    assert.equal(store.compacted(), 2000)
    assert.equal(store.count('/'), 2021)
  })
}

function reopeningLaws(law: Law): void {
  law('content, revisions and history outlive the store', async ({ store, reopen }) => {
    if (reopen === undefined) return
    for (let round = 1; round <= 20; round += 1) await set(store, `/k/${round % 4}`, `v${round}`)
    await done(remove(store, '/k/0', 20))
    await store.compact(10)
    const [now, then] = [
      listing(store.range('/').entries),
      listing(store.range('/', { revision: 15 }).entries),
    ]
    const again = await reopen()
    assert.deepEqual([again.revision(), again.compacted()], [21, 10])
    assert.equal(listing(again.range('/').entries), now)
    assert.equal(listing(again.range('/', { revision: 15 }).entries), then)
    const events: Revision[] = []
    again.watch('/', 12, ({ revision }) => events.push(revision))
    assert.deepEqual(events, [13, 14, 15, 16, 17, 18, 19, 20, 21])
    assert.throws(() => again.watch('/', 9, () => undefined), CompactedError)
    await again.compact(21)
    await again.close()
  })

  law(
    'a revision is never given twice, even when all of its traces were compacted',
    async ({ store, reopen }) => {
      if (reopen === undefined) return
      await set(store, '/a', '1')
      await done(remove(store, '/a', 1))
      await store.compact(2)
      const again = await reopen()
      assert.equal(await set(again, '/a', '1'), 3)
      await again.close()
    },
  )
}

/** Numbers in [0, 1) from a seed, the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random histories against the simplest thing that could be right: a list of full copies. */
function modelLaw(law: Law): void {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    law(`a random history agrees with the model (seed ${seed})`, async ({ store, reopen }) => {
      let current = store
      const random = seeded(seed)
      const pick = (count: number): number => Math.floor(random() * count)
      const copies: Map<string, string>[] = [new Map()]
      const events: string[] = []
      const heard: string[] = []
      const listen = (after: Revision): void =>
        void current.watch('/', after, (event) => heard.push(eventText(event)))
      listen(0)
      for (let step = 0; step < 400; step += 1) {
        const choice = random()
        if (choice < 0.8)
          await Promise.all(
            Array.from({ length: 1 + pick(4) }, () => modelWrite(current, copies, events, pick)),
          )
        else if (choice < 0.9) checkSnapshot(current, copies, pick)
        else if (choice < 0.95)
          await current.compact(current.compacted() + pick(current.revision() - current.compacted() + 1))
        else if (reopen !== undefined) {
          current = await reopen()
          listen(current.revision())
        }
      }
      assert.deepEqual(heard, events)
      checkSnapshot(current, copies, () => 0)
      await current.close()
    })
  }
}

async function modelWrite(
  store: Store,
  copies: Map<string, string>[],
  events: string[],
  pick: (count: number) => number,
): Promise<void> {
  const key = `/${'abc'[pick(3)]}/${pick(12)}`
  const before = store.get(key)
  const stale = pick(8) === 0
  const expected = (before?.revision ?? 0) + (stale ? 1 : 0)
  const deletes = pick(3) === 0
  const value = 'x'.repeat(pick(50)) + pick(1000)
  const outcome = deletes ? remove(store, key, expected) : put(store, key, value, expected)
  if (stale || (deletes && before === undefined)) return assert.equal((await outcome).ok, false)
  // The revision is fixed when write returns, so that the model moves on before anything is awaited.
  const copy = new Map(copies.at(-1))
  if (deletes) copy.delete(key)
  else copy.set(key, value)
  const revision = copies.push(copy) - 1
  const was =
    before === undefined ? '' : ` was ${text(before.value)}@${before.revision}/${before.createRevision}`
  events.push(deletes ? `${revision} delete ${key}${was}` : `${revision} put ${key}=${value}${was}`)
  assert.deepEqual(await outcome, { ok: true, revision })
}

function checkSnapshot(
  store: Store,
  copies: readonly Map<string, string>[],
  pick: (count: number) => number,
): void {
  const revision = store.compacted() + pick(store.revision() - store.compacted() + 1)
  const prefix = ['/', '/a/', '/b/1'][pick(3)] as string
  const limit = 1 + pick(5)
  const expected = [...(copies[revision] ?? [])]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  let after: string | undefined
  for (let start = 0; ; start += limit) {
    const page = store.range(prefix, { revision, limit, ...(after === undefined ? {} : { after }) })
    assert.deepEqual(
      page.entries.map(({ key, value }) => [key, text(value)]),
      expected.slice(start, start + limit),
    )
    assert.equal(page.remaining, Math.max(expected.length - start - limit, 0))
    if (page.remaining === 0) break
    after = page.entries.at(-1)?.key
  }
}
