// Replicas of another host: reached over TLS through its agent, lost, cut off and rebuilt like those at home.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import { host, run } from './rig.fixture.ts'
import { makeWorld } from './world.fixture.ts'

const modes = (engine: Engine): string =>
  Object.entries(engine.status?.replicaModeMap ?? {})
    .map(([name, mode]) => `${name}=${mode}`)
    .sort()
    .join(' ')

test('a volume over two hosts: a replica over there dies and is rebuilt', async (t) => {
  const world = await makeWorld(t, 2, { others: 1 })
  await world.startMachine()
  await world.progress(20)
  const backing = world.room.endpoint('vol')
  assert.ok(backing?.kind === 'nbd' && backing.children.every(({ server }) => 'tlsCreds' in server))
  const remote = backing.children[1]!.server as { readonly port: number }
  // Nobody comes in without a certificate of a node.
  await assert.rejects(
    run('qemu-io', ['-f', 'raw', '-c', 'read 0 512', `nbd://127.0.0.1:${remote.port}/x`], {
      timeout: 10_000,
    }),
  )
  await host.exec.kill(await world.daemon('v-r-1'), 'SIGKILL')
  await world.until('it is lost', (engine) => modes(engine) === 'v-r-0=RW v-r-1=ERR')
  await world.progress(20)
  await world.setMap(['v-r-0'])
  await world.until('it is out', (engine) => modes(engine) === 'v-r-0=RW')
  await world.setMap(['v-r-0', 'v-r-1'])
  await world.until('it is rebuilt', (engine) => modes(engine) === 'v-r-0=RW v-r-1=RW')
  await world.progress(20)
  await world.judge(world.names)
})
