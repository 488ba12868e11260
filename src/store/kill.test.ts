// kill -9 at any moment loses nothing that was acknowledged: a child writes and tells each answer on a pipe, is killed,
// and the file must hold exactly what it had told, give or take the one write a key that was still on its way.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { seeded } from './laws.test.ts'
import { openSqliteStore } from './sqlite.ts'

const ROUNDS = 100
/** Two files are written at the same time, one a processor of the smallest machine. */
const LANES = 2
const SEED = Number(process.env['CROFT_SEED'] ?? 20_260)

const folder = mkdtempSync(join(tmpdir(), 'croft-kill-'))
after(() => rmSync(folder, { recursive: true }))

/** Each key has one writer, which waits for each answer: `t` tells what it tries, `a` what was acknowledged. */
const CHILD = `
const { writeSync } = await import('node:fs')
const { openSqliteStore } = await import(${JSON.stringify(new URL('./sqlite.ts', import.meta.url).href)})
const [path, round] = process.argv.slice(1)
const opened = openSqliteStore(path)
if (!opened.ok) throw new Error(opened.failure.message)
const store = opened.value
const tell = (line) => writeSync(1, line + '\\n')
let number = 0
async function writer(key) {
  while (true) {
    const current = store.get(key)
    const deletes = current !== undefined && Math.random() < 0.2
    const label = deletes ? 'gone' : round + '.' + (number += 1)
    const value = Buffer.from(label + ' ' + 'x'.repeat(Math.random() ** 3 * 20000) + ' ' + label)
    tell('t ' + key + ' ' + label)
    const expected = current?.revision ?? 0
    const outcome = await store.write(deletes ? { type: 'delete', key, expected } : { type: 'put', key, value, expected })
    if (!outcome.ok) throw new Error('a lone writer lost')
    tell('a ' + key + ' ' + label + ' ' + outcome.revision)
  }
}
async function forget() {
  while (true) {
    await store.compact(store.revision() - 200)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
tell('r ' + store.revision())
await Promise.all([forget(), ...Array.from({ length: 24 }, (_, index) => writer('/k/' + index))])
`

interface State {
  readonly label: string
  readonly revision: number
}
const GONE: State = { label: 'gone', revision: 0 }

/** Runs the child until it is killed at a random moment; gives the whole lines it told. */
async function runAndKill(path: string, round: number, random: () => number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_, signal) => resolve(signal)),
  )
  const kill = (): void => void child.kill('SIGKILL')
  // Now and then it dies while it opens, that is while it repairs what the last death left.
  const early = random() < 0.15
  const delay = random() * 100
  if (early) setTimeout(kill, delay)
  let told = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    if (told === '' && !early) setTimeout(kill, delay)
    told += text
  })
  await new Promise((resolve) => child.stdout.once('close', resolve))
  assert.equal(await gone, 'SIGKILL', 'the child ended by itself')
  return told.split('\n').slice(0, -1)
}

interface Lane {
  readonly path: string
  readonly known: Map<string, State>
  acknowledged: number
  revision: number
}

async function oneRound(lane: Lane, round: number, random: () => number): Promise<void> {
  const tried = new Map<string, string>()
  for (const line of await runAndKill(lane.path, round, random)) {
    const [what, key = '', label = '', revision] = line.split(' ')
    if (what === 'r') assert.ok(Number(key) >= lane.revision, 'revisions went back')
    else if (what === 't') tried.set(key, label)
    else {
      tried.delete(key)
      assert.ok(Number(revision) > (lane.known.get(key)?.revision ?? 0), 'revisions of a key must rise')
      lane.known.set(key, { label, revision: Number(revision) })
      lane.acknowledged += 1
      lane.revision = Math.max(lane.revision, Number(revision))
    }
  }
  await check(lane, tried)
}

async function check(lane: Lane, tried: ReadonlyMap<string, string>): Promise<void> {
  const opened = openSqliteStore(lane.path)
  assert.ok(opened.ok, opened.ok ? '' : opened.failure.message)
  const store = opened.value
  assert.ok(store.revision() >= lane.revision, 'an acknowledged revision is gone')
  for (const key of new Set([...lane.known.keys(), ...tried.keys()])) {
    const known = lane.known.get(key) ?? GONE
    const found = store.get(key)
    const [label = '', , last] =
      found === undefined ? ['gone', '', 'gone'] : Buffer.from(found.value).toString().split(' ')
    assert.equal(last, label, `${key} is half-made`)
    if (label !== known.label)
      assert.equal(label, tried.get(key), `${key}: acknowledged ${known.label}, found ${label}`)
    else if (found !== undefined) assert.equal(found.revision, known.revision, key)
    lane.known.set(key, { label, revision: found?.revision ?? known.revision })
  }
  lane.revision = store.revision()
  checkHistory(store)
  await store.close()
}

/** What the history says must lead to what stands. */
function checkHistory(store: Extract<ReturnType<typeof openSqliteStore>, { ok: true }>['value']): void {
  const standing = new Map(
    store.range('/', { revision: store.compacted() }).entries.map(({ key, revision }) => [key, revision]),
  )
  let before = store.compacted()
  store.watch('/', before, ({ type, key, revision }) => {
    assert.ok(revision > before)
    before = revision
    if (type === 'put') standing.set(key, revision)
    else standing.delete(key)
  })()
  const now = store.range('/').entries.map(({ key, revision }) => [key, revision])
  assert.deepEqual([...standing].sort(), now.sort())
}

test(`${ROUNDS} kills lose nothing that was acknowledged (seed ${SEED})`, async (t) => {
  const lanes = Array.from({ length: LANES }, (_, lane): Lane => {
    return { path: join(folder, `${lane}.db`), known: new Map(), acknowledged: 0, revision: 0 }
  })
  await Promise.all(
    lanes.map(async (lane, number) => {
      const random = seeded(SEED + number)
      for (let round = number; round < ROUNDS; round += LANES) await oneRound(lane, round, random)
    }),
  )
  const acknowledged = lanes.reduce((sum, lane) => sum + lane.acknowledged, 0)
  t.diagnostic(`${acknowledged} acknowledged writes`)
  assert.ok(
    acknowledged > ROUNDS * 10,
    `only ${acknowledged} writes were acknowledged: the test tested little`,
  )
})
