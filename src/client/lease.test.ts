import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse } from '../base/errors.ts'
import { FakeApi } from '../sim/fake-api.ts'
import { faultyApi } from '../sim/faulty-api.ts'
import { SimProcess } from '../sim/process.ts'
import { hostOf } from '../sim/test-host.ts'
import { TestLease } from '../sim/test-kinds.ts'
import { World } from '../sim/world.ts'
import { createInProcessClient } from './in-process.ts'
import { holdLease } from './lease.ts'

const DURATION_MS = 10_000

function candidate(world: World, api: FakeApi, name: string, clock = { offsetMs: 0, rate: 1 }) {
  const process = new SimProcess(world, name, clock)
  const link = faultyApi(api, process)
  const end = new AbortController()
  const lease = holdLease({
    client: createInProcessClient({
      api: link.port,
      user: { username: name, groups: [] },
      fieldManager: name,
    }),
    host: hostOf(process),
    kind: TestLease,
    namespace: 'kube-system',
    name: 'leader',
    identity: name,
    durationMs: DURATION_MS,
    renewMs: 2_000,
    signal: end.signal,
  })
  return { process, link, end, lease }
}

test('one holds, the other waits; given back it changes hands at once; killed it changes after the duration', async () => {
  const world = new World(3)
  const api = new FakeApi()
  const a = candidate(world, api, 'a')
  await world.run(1_000)
  const b = candidate(world, api, 'b')
  await world.run(60_000)
  assert.deepEqual([a.lease.holds(), b.lease.holds()], [true, false])
  a.end.abort()
  await world.run(63_000)
  await a.lease.done
  assert.deepEqual([a.lease.holds(), b.lease.holds()], [false, true])
  const c = candidate(world, api, 'c')
  await world.run(70_000)
  assert.equal(c.lease.holds(), false)
  b.process.kill()
  await world.run(75_000)
  assert.equal(c.lease.holds(), false, 'not before the duration is over')
  await world.run(90_000)
  assert.equal(c.lease.holds(), true)
  assert.ok(c.lease.epoch() > b.lease.epoch())
})

test('without the API the holder stops by itself', async () => {
  const world = new World(3)
  const api = new FakeApi()
  const a = candidate(world, api, 'a')
  await world.run(5_000)
  api.refusal = () => refuse.unavailable('away')
  await world.run(5_000 + DURATION_MS)
  assert.equal(a.lease.holds(), false)
})

test('never two holders: 60 seeds of late answers, lost answers, cut links, kills and crooked clocks', async () => {
  let handovers = 0
  for (let seed = 1; seed <= 60; seed += 1) {
    const world = new World(seed)
    const { random } = world
    const api = new FakeApi()
    const all = ['a', 'b', 'c'].map((name) =>
      candidate(world, api, name, {
        offsetMs: random.between(-3_600_000, 3_600_000),
        rate: random.between(0.99, 1.01),
      }),
    )
    for (const one of all)
      one.link.delayMs = () => (random.chance(0.4) ? random.between(0, 2_900) : random.between(0, 50))
    let holder: string | undefined
    while (world.nowMs < 300_000) {
      await world.run(world.nowMs + random.between(50, 500))
      const holders = all
        .filter((one) => one.process.alive && one.lease.holds())
        .map((one) => one.process.name)
      assert.ok(
        holders.length <= 1,
        `seed ${seed} at ${world.nowMs} ms: ${holders.join(' and ')} hold the lease`,
      )
      if (holders[0] !== undefined && holders[0] !== holder) handovers += 1
      holder = holders[0] ?? holder
      for (const one of all) {
        if (random.chance(one.link.cut ? 0.02 : 0.03)) one.link.cut = !one.link.cut
        if (random.chance(0.0005)) one.process.kill()
      }
    }
  }
  assert.ok(handovers > 150, `only ${handovers} changes of holder: the test shows nothing`)
})
