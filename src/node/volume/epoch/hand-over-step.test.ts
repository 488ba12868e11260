// The hand-over of a volume: its order as a transcript, and a model in which whoever carries it out dies at any step,
// commits arrive late, machines die and members lose exports, while the rules of who may write are checked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SeededRandom, seededRandom } from '../../../sim/random.ts'
import {
  decideHandOver,
  type HandOverSeen,
  type HandOverStep,
  preparedName,
  type SourceState,
  type TargetState,
} from './hand-over-step.ts'
import { type EpochRecord, exportName } from './record.ts'

const SOURCE = { name: 'v-e-0', incarnation: 'src', nodeID: 'n1' }
const TARGET = { name: 'v-e-0', incarnation: 'dst', nodeID: 'n2' }
const MEMBERS = ['a', 'b'].map((replica) => ({ replica, incarnation: `${replica}1` }))
const RECORD: EpochRecord = {
  epoch: 4,
  engine: SOURCE,
  inSync: MEMBERS,
  sizeBytes: 4096,
  cleanShutdown: false,
}

const prepared = MEMBERS.map((one) => preparedName(one, 4, TARGET))
const served = MEMBERS.map((one) => exportName(one, 4))

function seen(more: {
  readonly record?: EpochRecord
  readonly source?: SourceState
  readonly target?: TargetState
  readonly open?: boolean
  readonly cancelled?: boolean
}): HandOverSeen {
  const exports = MEMBERS.map(({ replica }, index): [string, readonly string[]] => [
    replica,
    more.open ? [served[index]!, prepared[index]!] : [served[index]!],
  ])
  return {
    record: more.record ?? RECORD,
    source: { engine: SOURCE, state: more.source ?? 'running' },
    target: { engine: TARGET, state: more.target ?? 'absent' },
    exports: new Map(exports),
    cancelled: more.cancelled ?? false,
  }
}

const moving: EpochRecord = { ...RECORD, handOver: TARGET }
const moved: EpochRecord = { ...RECORD, epoch: 5, engine: TARGET }

test('a hand-over from its intent to its end, and each way back', () => {
  const steps: readonly [Parameters<typeof seen>[0], HandOverStep['step']][] = [
    [{}, 'intend'],
    [{ record: moving }, 'prepare'],
    [{ record: moving, open: true }, 'receive'],
    [{ record: moving, open: true, target: 'waiting' }, 'move'],
    [{ record: moving, open: true, target: 'received' }, 'move'],
    [{ record: moving, open: true, target: 'waiting', source: 'stopped' }, 'move'],
    [{ record: moving, open: true, target: 'received', source: 'stopped' }, 'commit'],
    [{ record: moved, target: 'received', source: 'stopped' }, 'swap'],
    [{ record: moved, target: 'running', source: 'stopped' }, 'end-source'],
    [{ record: moved, target: 'running', source: 'gone' }, 'done'],
    // Undone before the commit: the target first, then the record, then the source.
    [{ record: moving, open: true, target: 'received', source: 'stopped', cancelled: true }, 'end-target'],
    [{ record: moving, open: true, target: 'gone', source: 'stopped' }, 'withdraw'],
    [{ record: RECORD, target: 'gone', source: 'stopped', cancelled: true }, 'resume'],
    // A member lost what was prepared: the target stands on less than the set.
    [{ record: moving, open: false, target: 'received', source: 'stopped' }, 'end-target'],
    // The guest died with its machine.
    [{ record: moving, open: true, target: 'received', source: 'gone' }, 'end-target'],
    [{ record: moving, open: true, target: 'gone', source: 'gone' }, 'withdraw'],
    [{ record: RECORD, target: 'gone', source: 'gone' }, 'reopen'],
    [{ record: moved, target: 'gone', source: 'stopped' }, 'end-source'],
    [{ record: moved, target: 'gone', source: 'gone' }, 'reopen'],
    [{ record: { ...RECORD, engine: { ...SOURCE, incarnation: 'other' } } }, 'give-up'],
  ]
  for (const [more, step] of steps) assert.equal(decideHandOver(seen(more)).step, step, JSON.stringify(more))
})

test('the names of prepared exports are those of no epoch', () => {
  for (const member of MEMBERS)
    for (let epoch = 1; epoch < 10; epoch++)
      for (let other = 1; other < 10; other++)
        assert.notEqual(preparedName(member, epoch, TARGET), exportName(member, other))
})

/** The guest's writes are counted: who runs must have seen all of them. */
class Move {
  readonly dice: SeededRandom
  record: EpochRecord = RECORD
  source: SourceState = 'running'
  target: TargetState = 'absent'
  cancelled = false
  open = new Map(MEMBERS.map((one, index) => [one.replica, new Set([served[index]!])]))
  /** Writes by the guest, and how many the memory that went over knows of. */
  writes = 0
  carried = -1
  late: (() => void)[] = []
  ended = ''

  constructor(seed: number) {
    this.dice = seededRandom(seed, 'move')
  }

  seen(): HandOverSeen {
    return {
      record: this.record,
      source: { engine: SOURCE, state: this.source },
      target: { engine: TARGET, state: this.target },
      exports: new Map([...this.open].map(([name, exports]) => [name, [...exports]])),
      cancelled: this.cancelled,
    }
  }

  /** Compare-and-swap; the answer, or the whole request, may come late. */
  commit(next: EpochRecord): void {
    const before = this.record
    const act = (): void => {
      if (this.record !== before) return
      assert.ok(
        next.epoch === before.epoch || next.epoch === before.epoch + 1,
        'V5: epochs follow one another',
      )
      this.record = next
    }
    if (this.dice.chance(0.25)) this.late.push(act)
    else act()
  }

  serve(): void {
    for (const member of this.record.inSync)
      this.open.set(member.replica, new Set([exportName(member, this.record.epoch)]))
  }

  act(step: HandOverStep): void {
    switch (step.step) {
      case 'intend':
      case 'commit':
      case 'withdraw':
        this.commit(step.record)
        return
      case 'prepare':
        for (const member of MEMBERS)
          if (step.replicas.includes(member.replica) && this.dice.chance(0.8))
            this.open.get(member.replica)!.add(preparedName(member, this.record.epoch, TARGET))
        return
      case 'receive':
        this.target = 'waiting'
        return
      case 'move':
        this.source = 'stopped'
        this.carried = this.writes
        this.target = 'received'
        return
      case 'swap':
        this.serve()
        assert.equal(this.carried, this.writes, 'V2: the guest goes on with what its disk does not know')
        if (this.target === 'received') this.target = 'running'
        return
      case 'end-source':
        this.source = 'gone'
        return
      case 'end-target':
        this.target = 'gone'
        return
      case 'resume':
        assert.equal(
          this.record.handOver,
          undefined,
          'M1: the source goes on while the target may be committed',
        )
        this.serve()
        if (this.source === 'stopped') this.source = 'running'
        return
      default:
        this.ended = step.step
    }
  }

  /** Whoever runs writes, if its exports are open. */
  write(): void {
    const can = (names: readonly string[]): boolean =>
      MEMBERS.every((one, index) => this.open.get(one.replica)!.has(names[index]!))
    const sourceNames = MEMBERS.map((one) =>
      exportName(one, this.record.engine === SOURCE ? this.record.epoch : 4),
    )
    const bySource = this.source === 'running' && can(sourceNames)
    const byTarget =
      this.target === 'running' && can(MEMBERS.map((one) => exportName(one, this.record.epoch)))
    assert.ok(!(bySource && byTarget), 'M1: both machines are able to write')
    if (bySource)
      assert.notEqual(this.record.engine, TARGET, 'V3: the source writes in the epoch of the target')
    if (bySource || byTarget) this.writes += 1
  }

  fault(): void {
    const what = this.dice.below(30)
    if (what === 0) this.source = 'gone'
    else if (what === 1 && this.target !== 'absent') this.target = 'gone'
    else if (what === 2) this.cancelled = true
    else if (what === 3) this.open.get('a')!.delete(prepared[0]!)
    else if (what < 8) this.late.shift()?.()
  }
}

test('whatever dies at whatever step: one owner, and no write that its guest does not know, over 5,000 moves', () => {
  const ends = new Map<string, number>()
  for (let seed = 1; seed <= 5_000; seed++) {
    const move = new Move(seed)
    try {
      for (let turn = 0; turn < 80 && move.ended === ''; turn++) {
        move.write()
        if (seed % 4 > 0) move.fault()
        move.act(decideHandOver(move.seen()))
      }
      while (move.late.length > 0) move.late.shift()!()
      const owner = move.record.engine === TARGET ? move.target : move.source
      if (move.ended === 'done') assert.equal(owner, 'running', 'M3: the owner on record runs')
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    }
    assert.notEqual(
      move.ended,
      '',
      `seed ${seed} came to no end: ${JSON.stringify(move.record)} ${move.source} ${move.target} next ${decideHandOver(move.seen()).step}`,
    )
    const end = `${move.ended} ${move.record.engine?.incarnation}`
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  assert.ok(
    (ends.get('done dst') ?? 0) > 1_000 && (ends.get('done src') ?? 0) > 100,
    JSON.stringify([...ends]),
  )
})
