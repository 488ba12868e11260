// Engines of several replicas under a machine that writes: losses, rebuilds, our own restart, unclean ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import { host, until } from './rig.fixture.ts'
import { makeWorld } from './world.fixture.ts'

const modes = (engine: Engine): string =>
  Object.entries(engine.status?.replicaModeMap ?? {})
    .map(([name, mode]) => `${name}=${mode}`)
    .sort()
    .join(' ')

test('a replica that dies leaves the set, and is rebuilt when the engine is told to use it again', async (t) => {
  const world = await makeWorld(t, 3)
  await world.startMachine()
  await world.progress(20)
  await host.exec.kill(await world.daemon('v-r-1'), 'SIGKILL')
  await world.until('it is lost', (engine) => modes(engine) === 'v-r-0=RW v-r-1=ERR v-r-2=RW')
  await world.progress(20)
  assert.equal(world.guest?.backing.kind === 'nbd' && world.guest.backing.children.length, 2)
  // What control does with a failed replica: out, and in again.
  await world.setMap(['v-r-0', 'v-r-2'])
  await world.until('it is out', (engine) => modes(engine) === 'v-r-0=RW v-r-2=RW')
  await world.setMap(['v-r-0', 'v-r-1', 'v-r-2'])
  const rebuilt = await world.until(
    'it is rebuilt',
    (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW v-r-2=RW',
  )
  assert.equal(rebuilt.status?.rebuildStatus?.['v-r-1']?.state, 'complete')
  await world.progress(20)
  await world.judge(world.names)
})

test('what happens while Croft is away is found when it is back', async (t) => {
  const world = await makeWorld(t, 3)
  await world.startMachine()
  await world.progress(20)
  const before = (await world.record()).epoch
  await world.restart()
  await world.until('the engine goes on', () => world.room.endpoint('vol') !== undefined)
  assert.equal((await world.record()).epoch, before)
  await world.progress(10)
  await world.close()
  await host.exec.kill(await world.daemon('v-r-2'), 'SIGKILL')
  await world.restart()
  await world.until('the loss is found', (engine) => modes(engine).includes('v-r-2=ERR'))
  await world.progress(20)
  assert.equal(world.guest?.isLost, false)
  await world.judge(['v-r-0', 'v-r-1'])
})

test('all replicas die: the machine is lost, and the next one finds what is there', async (t) => {
  const world = await makeWorld(t, 2)
  await world.startMachine()
  await world.progress(20)
  for (const name of world.names) await host.exec.kill(await world.daemon(name), 'SIGKILL')
  await world.until('the engine tells', (engine) => engine.status?.currentState === 'error')
  assert.equal(world.guest?.isLost, true)
  await world.endMachine('cut')
  await world.want('stopped')
  await world.until('it stops', (engine) => engine.status?.currentState === 'stopped')
  assert.equal((await world.record()).cleanShutdown, false)
  await world.want('running')
  await world.until('all are in step again', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW')
  await world.startMachine()
  await world.progress(20)
  await world.judge(world.names)
})

test('a volume that was closed opens again with all replicas and no comparing', async (t) => {
  const world = await makeWorld(t, 2)
  await world.startMachine()
  await world.progress(20)
  await world.endMachine('closed')
  await world.want('stopped')
  await world.until('it stops', (engine) => engine.status?.currentState === 'stopped')
  assert.equal((await world.record()).cleanShutdown, true)
  await world.want('running')
  await world.until('it runs', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW')
  assert.deepEqual((await world.engine()).status?.rebuildStatus ?? {}, {})
  await world.startMachine()
  await world.progress(20)
  await world.judge(world.names)
})

test('a rebuild goes on after our restart, and begins anew when its target dies', async (t) => {
  const world = await makeWorld(t, 1)
  await world.startMachine()
  await world.progress(20)
  await world.addReplica('v-r-1')
  await world.setMap(['v-r-0', 'v-r-1'])
  await until('it joins', async () => ((await world.record()).operation ? true : undefined))
  await world.restart()
  await world.until('it is rebuilt', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW')
  await world.progress(20)
  await world.addReplica('v-r-2')
  await world.setMap(['v-r-0', 'v-r-1', 'v-r-2'])
  await until('the next one joins', async () => ((await world.record()).operation ? true : undefined))
  await host.exec.kill(await world.daemon('v-r-2'), 'SIGKILL')
  await world.until('it is given up', (engine) => modes(engine).includes('v-r-2=ERR'))
  await world.progress(20)
  await world.setMap(['v-r-0', 'v-r-1'])
  await world.until('it is out', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW')
  await world.setMap(['v-r-0', 'v-r-1', 'v-r-2'])
  await world.until('it is rebuilt', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW v-r-2=RW')
  await world.progress(20)
  await world.judge(['v-r-0', 'v-r-1', 'v-r-2'])
})

test('a replica that hangs is dropped, and a volume without a machine is kept whole too', async (t) => {
  const world = await makeWorld(t, 3)
  await world.until('it runs', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW v-r-2=RW')
  await host.exec.kill(await world.daemon('v-r-0'), 'SIGKILL')
  await world.until('one is lost', (engine) => modes(engine).includes('v-r-0=ERR'))
  await world.startMachine()
  await world.progress(20)
  const hung = await world.daemon('v-r-2')
  await host.exec.kill(hung, 'SIGSTOP')
  await world.until('the hung one is lost', (engine) => modes(engine).includes('v-r-2=ERR'))
  await world.progress(20)
  await host.exec.kill(hung, 'SIGCONT')
  await world.progress(20)
  await world.judge(['v-r-1'])
})
