// QEMU's own network: forwarded ports stay the same over restarts, and two machines never get the same one.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { realHost } from '../../host/real/index.ts'
import type { NetworkRoom, NicRequest } from '../ports.ts'
import { makeMachine, makeWorld, type World } from './network.fixture.ts'
import { userNetworkRoom } from './user-room.ts'

const host = realHost({ log: { level: 'error' } })
let world: World
let folder = ''

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'croft-user-'))
  world = await makeWorld()
})
after(() => {
  world.stop()
  rmSync(folder, { recursive: true, force: true })
})

const open = (): NetworkRoom => userNetworkRoom({ host, client: world.client, folder, why: 'no root' })

/** One that no program of this machine has at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function attach(room: NetworkRoom, request: NicRequest) {
  const answer = await room.attach(request)
  assert.ok(answer.ok, JSON.stringify(answer))
  const { link, reach } = answer.value
  assert.ok(link.kind === 'user')
  return { reach, forwards: link.forwards, answer: answer.value }
}

test('SSH and the ports of the interface are forwarded from the host itself, the same after a restart', async () => {
  const room = open()
  assert.deepEqual(room.state?.(), {
    kind: 'user',
    ready: true,
    reason: 'UserNetworking',
    message: 'no root',
  })
  const port = await freePort()
  const request: NicRequest = {
    ...(await makeMachine(world, 'ports', { 'croft.io/published-ports': `${port}:80` })),
    ports: [
      { port: 443, protocol: 'TCP' },
      { port: 53, protocol: 'UDP' },
      { port: 22, protocol: 'TCP' },
    ],
  }
  const first = await attach(room, request)
  assert.deepEqual(
    first.forwards.map(({ protocol, hostAddress, guestPort }) => `${protocol} ${hostAddress} ${guestPort}`),
    ['tcp  80', 'tcp 127.0.0.1 22', 'tcp 127.0.0.1 443', 'udp 127.0.0.1 53'],
  )
  assert.equal(first.reach?.host, '127.0.0.1')
  assert.equal(first.reach?.ports?.[80], port)
  assert.ok(first.reach?.ports?.[22])
  assert.equal(first.reach?.ports?.[53], undefined)
  const later = open()
  assert.deepEqual(await later.attached(), [request.vmiUid])
  assert.deepEqual((await attach(later, request)).answer, first.answer)
  // A port that a program took meanwhile is replaced.
  const taken = first.reach?.ports?.[443] ?? 0
  const server = createServer().listen(taken, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const moved = await attach(open(), request)
  assert.notEqual(moved.reach?.ports?.[443], taken)
  assert.equal(moved.reach?.ports?.[22], first.reach?.ports?.[22])
  server.close()
  await later.detach(request.vmiUid)
  assert.deepEqual(await later.attached(), [])
})

test('machines that start at once get different ports, and a published one belongs to the first', async () => {
  const room = open()
  const many = await Promise.all(Array.from({ length: 8 }, (_, index) => makeMachine(world, `user-${index}`)))
  const all = await Promise.all(many.map((request) => attach(room, request)))
  assert.equal(new Set(all.map(({ reach }) => reach?.ports?.[22])).size, many.length)
  const publish = { 'croft.io/published-ports': `${await freePort()}:80` }
  await attach(room, await makeMachine(world, 'a', publish))
  const second = await room.attach(await makeMachine(world, 'b', publish))
  assert.match(!second.ok ? second.failure.message : '', /\/tcp is in use/)
  const low = await room.attach(await makeMachine(world, 'c', { 'croft.io/published-ports': '80:80' }))
  assert.match(!low.ok ? low.failure.message : '', /needs root/)
})

test('other networks are refused', async () => {
  const answer = await open().attach({
    ...(await makeMachine(world, 'vlan')),
    network: { multus: 'default/v' },
  })
  assert.equal(!answer.ok && answer.failure.reason, 'NetworkUnsupported')
})
