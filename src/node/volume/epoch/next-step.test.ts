// The deciders of the data path: transcripts of single decisions, and a model of replicas, engine and guest that
// dies, hangs and comes back at random while the invariants of the record are checked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SeededRandom, seededRandom } from '../../../sim/random.ts'
import { decideLive, decideOpen, MEMBER_START_MS } from './next-step.ts'
import { type EpochRecord, exportName, type MemberReport, type MemberSeen } from './record.ts'
import { decideSwap, type SwapSeen } from './swap-step.ts'

const SIZE = 1024 * 1024

const report = (replica: string, more: Partial<MemberReport> = {}): MemberReport => ({
  replica,
  incarnation: `${replica}1`,
  epoch: 4,
  sizeBytes: SIZE,
  chain: ['head'],
  cleanShutdown: false,
  exports: [],
  ...more,
})

const present = (...reports: readonly MemberReport[]): Map<string, MemberSeen> =>
  new Map(reports.map((one) => [one.replica, { state: 'present', report: one }]))

const record = (names: readonly string[], more: Partial<EpochRecord> = {}): EpochRecord => ({
  epoch: 4,
  engine: { name: 'v-e-0', incarnation: 'x', nodeID: 'n1' },
  inSync: names.map((replica) => ({ replica, incarnation: `${replica}1` })),
  sizeBytes: SIZE,
  cleanShutdown: false,
  ...more,
})

const kept = (step: { readonly step: string }): readonly string[] => {
  assert.equal(step.step, 'commit')
  return (step as unknown as { readonly inSync: readonly { readonly replica: string }[] }).inSync.map(
    (member) => member.replica,
  )
}

test('a new engine after a clean end takes all members that answer, the local one first', () => {
  const clean = record(['a', 'b', 'c'], { cleanShutdown: true })
  const step = decideOpen({
    record: clean,
    seen: present(report('a'), report('b'), report('c')),
    waitedMs: 0,
    local: 'c',
  })
  assert.deepEqual(kept(step), ['c', 'a', 'b'])
})

test('a missing member is waited for, then left out', () => {
  const clean = record(['a', 'b'], { cleanShutdown: true })
  const seen = present(report('a'))
  assert.equal(decideOpen({ record: clean, seen, waitedMs: 0 }).step, 'wait')
  const late = decideOpen({ record: clean, seen, waitedMs: MEMBER_START_MS })
  assert.deepEqual(kept(late), ['a'])
  const none = decideOpen({ record: clean, seen: new Map(), waitedMs: 10 * MEMBER_START_MS })
  assert.equal(none.step, 'wait')
})

test('a replica of another size, or put back to an old state, is never chosen', () => {
  const clean = record(['a', 'b', 'c'], { cleanShutdown: true })
  const seen = present(report('a'), report('b', { sizeBytes: 1 }), report('c', { epoch: 2 }))
  assert.deepEqual(kept(decideOpen({ record: clean, seen, waitedMs: 0 })), ['a'])
  const foreign = present(report('a', { epoch: 9 }))
  assert.equal(decideOpen({ record: clean, seen: foreign, waitedMs: 0 }).step, 'refuse')
})

test('after an unclean end the members are made equal before they count', () => {
  const unclean = record(['a', 'b', 'c'])
  const seen = present(report('a', { incarnation: 'new' }), report('b'), report('c'))
  const step = decideOpen({ record: unclean, seen, waitedMs: 0, local: 'a' })
  assert.deepEqual(step, {
    step: 'equalise',
    authority: 'b',
    others: [
      { replica: 'a', by: 'hashes' },
      { replica: 'c', by: 'windows' },
    ],
  })
  const equal = { authority: 'b', replicas: new Set(['c']) }
  assert.deepEqual(kept(decideOpen({ record: unclean, seen, waitedMs: 0, equal })), ['b', 'c'])
  assert.deepEqual(kept(decideOpen({ record: record(['a']), seen: present(report('a')), waitedMs: 0 })), [
    'a',
  ])
})

test('under a guest only members that never stopped count', () => {
  const three = record(['a', 'b', 'c'])
  const live = (seen: Map<string, MemberSeen>, ...suspects: readonly string[]) =>
    decideLive({ record: three, seen, suspects: new Set(suspects) })
  const all = present(report('a'), report('b'), report('c'))
  assert.equal(live(all).step, 'keep')
  const handOver = { name: 'v-e-0', incarnation: 'y', nodeID: 'n2' }
  const moving = decideLive({ record: { ...three, handOver }, seen: all, suspects: new Set() })
  assert.deepEqual(kept(moving), ['a', 'b', 'c'])
  assert.deepEqual(kept(live(all, 'b')), ['a', 'c'])
  assert.deepEqual(kept(live(all, 'a', 'b', 'c')), ['a', 'b', 'c'])
  assert.deepEqual(kept(live(present(report('a'), report('b', { incarnation: 'new' })))), ['a'])
  assert.equal(live(new Map()).step, 'wait')
  assert.equal(live(present(report('a', { incarnation: 'new' }))).step, 'reset')
})

// --- the model ---

interface Replica {
  readonly name: string
  starts: number
  alive: boolean
  cut: boolean
  epoch: number
  /** The last write that it took, and the last one that would survive its death. */
  held: number
  durable: number
  exports: string[]
}

/** One volume with its guest: writes are numbered, a replica holds all writes up to a number. */
class World {
  readonly dice: SeededRandom
  readonly replicas: Replica[] = ['a', 'b', 'c'].map((name) => ({
    name,
    starts: 1,
    alive: true,
    cut: false,
    epoch: 0,
    held: 0,
    durable: 0,
    exports: [],
  }))
  record: EpochRecord = { epoch: 0, inSync: [], sizeBytes: SIZE, cleanShutdown: true }
  guest: 'off' | 'running' | 'paused' = 'off'
  attached: readonly string[] = []
  acked = 0
  flushed = 0
  engines = 0
  epochsSeen = new Map<number, string>()
  namesSeen = new Set<string>()

  constructor(seed: number) {
    this.dice = seededRandom(seed)
  }

  seen(): Map<string, MemberSeen> {
    return new Map(
      this.replicas.map((one): [string, MemberSeen] => [
        one.name,
        one.alive && !one.cut
          ? {
              state: 'present',
              report: report(one.name, {
                incarnation: `${one.name}${one.starts}`,
                epoch: one.epoch,
                exports: one.exports,
              }),
            }
          : { state: 'absent', why: 'does not answer' },
      ]),
    )
  }

  by(name: string): Replica {
    return this.replicas.find((one) => one.name === name)!
  }

  write(): void {
    if (this.guest !== 'running') return
    const next = this.acked + 1
    let all = true
    for (const name of this.attached) {
      const one = this.replicas.find((replica) => replica.exports.includes(name))
      if (one?.alive && !one.cut) one.held = Math.max(one.held, next)
      else all = false
    }
    if (all) this.acked = next
    else this.guest = 'paused'
  }

  flush(): void {
    if (this.guest !== 'running') return
    const serving = this.attached.map((name) => this.replicas.find((one) => one.exports.includes(name)))
    for (const one of serving) if (one?.alive && !one.cut) one.durable = one.held
    if (serving.every((one) => one?.alive && !one.cut)) this.flushed = this.acked
    else this.guest = 'paused'
  }

  kill(one: Replica): void {
    if (!one.alive) return
    one.alive = false
    one.exports = []
    // Any part of what was not flushed may have reached the disk.
    one.held = one.durable + this.dice.below(one.held - one.durable + 1)
  }

  revive(one: Replica): void {
    one.cut = false
    if (one.alive) return
    one.alive = true
    one.starts++
  }

  commit(inSync: EpochRecord['inSync'], engine: EpochRecord['engine']): void {
    assert.ok(inSync.length > 0, 'V12: the set is never empty')
    if (this.record.inSync.length > 0)
      for (const member of inSync)
        assert.ok(
          this.record.inSync.some((old) => old.replica === member.replica),
          'V6: a member joins by a rebuild alone',
        )
    const epoch = this.record.epoch + 1
    assert.ok(!this.epochsSeen.has(epoch), 'V5: an epoch has one engine and one set')
    this.epochsSeen.set(epoch, engine?.incarnation ?? '')
    this.record = { ...this.record, epoch, inSync, ...(engine ? { engine } : {}), cleanShutdown: false }
  }

  /** Fence and open; may break off in the middle, as an agent that dies does. */
  serve(): boolean {
    for (const member of this.record.inSync) {
      const one = this.by(member.replica)
      if (!one.alive || one.cut || `${one.name}${one.starts}` !== member.incarnation) return false
      if (this.dice.below(20) === 0) return false
      one.epoch = this.record.epoch
      one.exports = [exportName(member, this.record.epoch)]
    }
    return true
  }

  attach(): void {
    const names = this.record.inSync.map((member) => exportName(member, this.record.epoch))
    for (const name of names) {
      assert.ok(!this.namesSeen.has(name), 'V5: a name is never used again')
      this.namesSeen.add(name)
    }
    this.attached = names
  }

  open(): void {
    const input = { record: this.record, seen: this.seen(), waitedMs: this.dice.below(2) * MEMBER_START_MS }
    let step = decideOpen(input)
    if (step.step === 'equalise') {
      const from = this.by(step.authority)
      const equal = new Set<string>()
      for (const { replica } of step.others) {
        if (this.dice.below(4) === 0) continue
        this.by(replica).held = from.held
        this.by(replica).durable = from.held
        equal.add(replica)
      }
      from.durable = from.held
      step = decideOpen({ ...input, equal: { authority: step.authority, replicas: equal } })
    }
    if (step.step !== 'commit') return
    for (const member of step.inSync)
      assert.ok(this.by(member.replica).held >= this.flushed, 'V1: every member holds what was flushed')
    const [first] = step.inSync
    const held = this.by(first!.replica).held
    for (const member of step.inSync)
      assert.equal(this.by(member.replica).held, held, 'V2: members that count are equal')
    this.commit(step.inSync, { name: 'e', incarnation: `i${++this.engines}`, nodeID: 'n1' })
    if (!this.serve()) return
    this.attach()
    // What the new guest finds is what is true from now on.
    this.acked = held
    this.flushed = Math.min(this.flushed, held)
    this.guest = 'running'
  }

  repair(): void {
    const step = decideLive({ record: this.record, seen: this.seen(), suspects: new Set() })
    if (step.step === 'reset') {
      this.guest = 'off'
      return
    }
    if (step.step === 'wait') return
    const names = this.record.inSync.map((member) => exportName(member, this.record.epoch))
    if (step.step === 'keep' && names.every((name) => this.attached.includes(name))) {
      this.guest = 'running'
      return
    }
    if (step.step === 'commit') this.commit(step.inSync, this.record.engine)
    if (this.attached.length > 0 && !this.serve()) return
    for (const member of this.record.inSync)
      assert.ok(this.by(member.replica).held >= this.acked, 'V7: a guest goes on only where nothing is lost')
    this.attach()
    this.guest = 'running'
  }

  act(): void {
    const one = this.replicas[this.dice.below(3)]!
    const what = this.dice.below(20)
    if (what < 8) this.write()
    else if (what < 10) this.flush()
    else if (what === 10) this.kill(one)
    else if (what === 11) one.cut = true
    else if (what < 15) this.revive(one)
    else if (what === 15 && this.guest !== 'off') this.guest = 'off'
    else if (this.guest === 'off') this.open()
    else if (this.guest === 'paused') this.repair()
  }
}

test('no acknowledged write is lost whatever dies, over 2,000 histories', () => {
  let writes = 0
  let commits = 0
  for (let seed = 1; seed <= 2_000; seed++) {
    const world = new World(seed)
    try {
      for (let turn = 0; turn < 150; turn++) world.act()
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    }
    writes += world.acked
    commits += world.record.epoch
  }
  // A model in which nothing happens would prove nothing.
  assert.ok(writes > 20_000 && commits > 5_000, `${writes} writes, ${commits} commits`)
})

test('a swap is carried on from wherever it was cut off', () => {
  const two = record(['a', 'b'], { epoch: 5 })
  const [a, b] = two.inSync.map((member) => exportName(member, 5)) as [string, string]
  const base: SwapSeen = {
    record: two,
    paused: false,
    keepPaused: false,
    exports: new Map([
      ['a', ['a-4-a1']],
      ['b', ['b-4-b1']],
    ]),
    deviceExports: ['a-4-a1', 'b-4-b1', 'c-4-c1'],
    idleExports: [],
  }
  const served = new Map([
    ['a', [a]],
    ['b', [b]],
  ])
  const steps: readonly [Partial<SwapSeen>, string][] = [
    [{}, 'pause'],
    [{ paused: true }, 'serve'],
    [{ paused: true, exports: new Map([...served, ['b', ['b-4-b1', b]]]) }, 'serve'],
    [{ paused: true, exports: served }, 'attach'],
    [{ paused: true, exports: served, deviceExports: [b, a], idleExports: ['a-4-a1'] }, 'continue'],
    [{ exports: served, deviceExports: [a, b], idleExports: ['a-4-a1'] }, 'clean'],
    [{ paused: true, keepPaused: true, exports: served, deviceExports: [a, b] }, 'done'],
    [{ exports: served, deviceExports: [a, b] }, 'done'],
  ]
  for (const [more, step] of steps) assert.equal(decideSwap({ ...base, ...more }).step, step)
})
