// The bridge network in a network namespace, with real ip, nft and dnsmasq and the real API server.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ok } from '../../base/result.ts'
import { createInformers } from '../../client/informer.ts'
import { addressDecider } from '../../control/address.ts'
import { OverlappingRangeIPReservation } from '../../kinds/cni/overlapping-range-ip-reservation.ts'
import { ConfigMap } from '../../kinds/core/config-map.ts'
import { Event } from '../../kinds/core/event.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { decider, runLoop } from '../../loop/run-loop.ts'
import type { NetworkRoom } from '../ports.ts'
import { BridgeRoom } from './bridge-room.ts'
import { defaultNetworkRoom } from './choose-room.ts'
import {
  hostIn,
  makeMachine,
  makeSite,
  makeWorld,
  NODE,
  type Site,
  shell,
  until,
  type World,
} from './network.fixture.ts'
import { removeNetwork } from './remove.ts'

let site: Site
let world: World
const reservations = { namespace: 'kube-system' }

before(async () => {
  site = makeSite()
  world = await makeWorld()
})

after(() => {
  world.stop()
  site.close()
})

async function open(folder = 'data', api = world): Promise<BridgeRoom> {
  const host = hostIn(site.netns)
  const dataFolder = join(site.folder, folder)
  await host.files.makeFolder(dataFolder, 0o711)
  const room = await defaultNetworkRoom(api.options(host, dataFolder))
  assert.ok(room.ok, JSON.stringify(room))
  assert.ok(room.value instanceof BridgeRoom, JSON.stringify(room.value.state?.()))
  return room.value
}

async function attached(room: NetworkRoom, request: Parameters<NetworkRoom['attach']>[0]) {
  const answer = await room.attach(request)
  assert.ok(answer.ok, JSON.stringify(answer))
  const { ip = '', link, mac, reach } = answer.value
  assert.ok(link.kind === 'tap')
  assert.deepEqual(reach, { host: ip })
  return { ip, tap: link.ifname, mac, answer: answer.value }
}

const links = (): string => shell(site.netns, 'ip -br link')
const rules = (): string => shell(site.netns, 'nft list ruleset')
const dnsmasqPid = (): number =>
  JSON.parse(readFileSync(join(site.folder, 'data/network/dnsmasq.json'), 'utf8')).process.pid

test('the network is made, adopted by the next start, and repaired when somebody breaks it', async () => {
  const room = await open()
  assert.deepEqual(room.state().kind, 'bridge')
  assert.match(shell(site.netns, 'ip -br addr show dev vmbr0'), /10\.52\.0\.1\/16/)
  const record = await world.client.get(ConfigMap, 'croft-network', reservations)
  assert.equal(record.data?.['cidr'], '10.52.0.0/16')
  assert.equal(shell(site.netns, 'cat /proc/sys/net/ipv4/ip_forward').trim(), '1')
  const pid = dnsmasqPid()
  const first = await makeMachine(world, 'first')
  const nic = await attached(room, first)
  assert.ok(nic.tap.length <= 15)
  assert.match(links(), new RegExp(`${nic.tap} `))
  const again = await open()
  assert.equal(dnsmasqPid(), pid)
  assert.deepEqual(await again.attached(), [first.vmiUid])
  assert.deepEqual((await attached(again, first)).answer, nic.answer)
  const whole = rules()
  shell(
    site.netns,
    `nft flush chain inet croft forward; nft delete element bridge croft macs '{ "${nic.tap}" . ${nic.mac} }'
     ip link del ${nic.tap}; ip addr flush dev vmbr0; kill -9 ${pid}; echo 0 >/proc/sys/net/ipv4/ip_forward`,
  )
  assert.deepEqual(await again.converge('whole'), ok(undefined))
  assert.equal(rules(), whole)
  assert.match(links(), new RegExp(`${nic.tap} `))
  assert.match(shell(site.netns, 'ip -br addr show dev vmbr0'), /10\.52\.0\.1\/16/)
  assert.notEqual(dnsmasqPid(), pid)
  assert.equal(shell(site.netns, 'cat /proc/sys/net/ipv4/ip_forward').trim(), '1')
  // A tap that nobody knows is swept, somebody else's is left alone.
  shell(site.netns, 'ip tuntap add dev theirs mode tap; ip link set theirs master vmbr0')
  assert.deepEqual(await again.detach(first.vmiUid), ok(undefined))
  assert.doesNotMatch(links(), new RegExp(nic.tap))
  assert.doesNotMatch(rules(), new RegExp(nic.tap))
  assert.match(links(), /theirs/)
  assert.equal(readFileSync(join(site.folder, 'data/network/dhcp-hosts'), 'utf8'), '')
  shell(site.netns, 'ip link del theirs')
})

test('a machine keeps its address over its Pods, and two machines never share one', async () => {
  const room = await open()
  const many = await Promise.all(
    Array.from({ length: 12 }, (_, index) => makeMachine(world, `many-${index}`)),
  )
  const nics = await Promise.all(many.map((request) => attached(room, request)))
  assert.equal(new Set(nics.map(({ ip }) => ip)).size, nics.length)
  assert.equal(new Set(nics.map(({ mac }) => mac)).size, nics.length)
  for (const request of many) await room.detach(request.vmiUid)
  let request = await makeMachine(world, 'steady')
  const { ip } = await attached(room, request)
  for (let round = 0; round < 10; round++) {
    await room.detach(request.vmiUid)
    await world.client.delete(Pod, request.podName, { namespace: 'default', graceSeconds: 0 })
    await world.client.delete(VirtualMachineInstance, 'steady', { namespace: 'default' })
    request = await makeMachine(world, 'steady')
    assert.equal((await attached(room, request)).ip, ip)
  }
  const held = await world.client.get(OverlappingRangeIPReservation, ip, reservations)
  assert.equal(held.spec.podref, `default/${request.podName}`)
  // A reservation that the API lost is written again.
  await world.client.delete(OverlappingRangeIPReservation, ip, reservations)
  await room.converge('whole')
  await world.client.get(OverlappingRangeIPReservation, ip, reservations)
  await room.detach(request.vmiUid)
})

test('an address that goes to another MAC is not kept from it by the DHCP server', async () => {
  const room = await open()
  const pid = dnsmasqPid()
  const request = await makeMachine(world, 'renewed')
  const { ip } = await attached(room, { ...request, mac: '02:00:00:00:00:01' })
  assert.equal(dnsmasqPid(), pid)
  await room.detach(request.vmiUid)
  assert.equal(dnsmasqPid(), pid)
  assert.equal((await attached(room, { ...request, mac: '02:00:00:00:00:02' })).ip, ip)
  // The server before holds the address for the MAC that leased it, whatever its reservations say.
  assert.notEqual(dnsmasqPid(), pid)
  assert.equal(
    readFileSync(join(site.folder, 'data/network/dhcp-hosts'), 'utf8'),
    `02:00:00:00:00:02,${ip}\n`,
  )
  await room.detach(request.vmiUid)
})

test('an address is given back when its Pod goes, also while no agent runs', async () => {
  const room = await open()
  const request = await makeMachine(world, 'leaky')
  const { ip } = await attached(room, request)
  const stop = new AbortController()
  const host = hostIn(site.netns)
  const informers = createInformers(world.client, host, { signal: stop.signal })
  const loop = runLoop({
    client: world.client,
    host,
    informers,
    deciders: [decider(addressDecider)],
    signal: stop.signal,
    eventKind: Event,
  })
  const held = async () =>
    (await world.client.list(OverlappingRangeIPReservation, reservations)).items.some(
      (one) => one.metadata.name === ip,
    )
  await until('the caches know it', () => informers.look.list(OverlappingRangeIPReservation).length > 0)
  assert.ok(await held())
  await world.client.delete(Pod, request.podName, { namespace: 'default', graceSeconds: 0 })
  await until('given back', async () => !(await held()))
  stop.abort()
  await loop.done
  await room.detach(request.vmiUid)
})

test('what it cannot give is refused with the way out', async () => {
  const room = await open()
  const request = await makeMachine(world, 'refused')
  const multus = await room.attach({ ...request, network: { multus: 'default/vlan1' } })
  assert.equal(!multus.ok && multus.failure.reason, 'NetworkUnsupported')
  const other = await room.attach({ ...request, binding: 'other' })
  assert.equal(!other.ok && other.failure.reason, 'InterfaceBindingUnsupported')
  const { mac } = await attached(room, request)
  const twin = await room.attach({ ...(await makeMachine(world, 'twin')), mac })
  assert.equal(!twin.ok && twin.failure.reason, 'MacInUse')
  await room.detach(request.vmiUid)
})

test('published ports: the first one keeps a port, the other is told; programs of the host keep theirs', async () => {
  const room = await open()
  const stop = new AbortController()
  world.informers.start(VirtualMachineInstance, { labelSelector: `kubevirt.io/nodeName=${NODE}` })
  const running = room.run(stop.signal)
  const conditionOf = async (name: string) => {
    const vmi = await world.client.get(VirtualMachineInstance, name, { namespace: 'default' })
    return vmi.status?.conditions?.find((one) => one.type === 'croft.io/PortsPublished')
  }
  const listener = shell(site.netns, 'socat TCP-LISTEN:8443,fork /dev/null >/dev/null 2>&1 & echo $!').trim()
  try {
    const one = await makeMachine(world, 'one', { 'croft.io/published-ports': '8022:22/tcp, 53:53/udp' })
    const { ip } = await attached(room, one)
    await until('published', async () => (await conditionOf('one'))?.status === 'True')
    assert.match(rules(), new RegExp(`8022 : ${ip} \\. 22`))
    assert.match(rules(), new RegExp(`53 : ${ip} \\. 53`))
    const two = await makeMachine(world, 'two', { 'croft.io/published-ports': '8022:22,8443:443,8080:80,x' })
    await attached(room, two)
    const told = await until('told', () => conditionOf('two'))
    assert.equal(told.reason, 'HostPortUnavailable')
    assert.match(told.message ?? '', /8022\/tcp is already published for default\/one/)
    assert.match(told.message ?? '', /8443\/tcp is used by a program/)
    assert.match(told.message ?? '', /"x" is not HOSTPORT:GUESTPORT/)
    assert.match(told.message ?? '', /host port 8080\/tcp to 80/)
    await room.detach(one.vmiUid)
    await until('freed port', async () =>
      (await conditionOf('two'))?.message?.includes('host port 8022/tcp to 22'),
    )
    await world.client.patch(
      VirtualMachineInstance,
      'two',
      { metadata: { annotations: { 'croft.io/published-ports': null } } },
      { namespace: 'default' },
    )
    await until('unpublished', async () => (await conditionOf('two')) === undefined)
    assert.doesNotMatch(rules(), /8080/)
    await room.detach(two.vmiUid)
  } finally {
    process.kill(Number(listener), 'SIGKILL')
    stop.abort()
    await running
  }
})

test("beside Docker's and other people's rules: accepted where that is meant to be, told where it is not", async () => {
  shell(
    site.netns,
    `nft -f - <<'N'
add table ip filter
add chain ip filter INPUT { type filter hook input priority 0; policy drop; }
add chain ip filter DOCKER-USER
add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }
flush table ip filter
add rule ip filter INPUT iifname "lo" counter accept
add rule ip filter FORWARD counter jump DOCKER-USER
add rule ip filter DOCKER-USER counter return
add table inet theirs
add chain inet theirs mine { type filter hook forward priority 5; policy drop; }
N`,
  )
  const theirs = shell(site.netns, 'nft list table inet theirs')
  const room = await open()
  assert.match(room.state().message, /"inet theirs mine" drops by default/)
  assert.equal(room.state().reason, 'BridgeObstructed')
  assert.equal(shell(site.netns, 'nft list table inet theirs'), theirs)
  const user = shell(site.netns, 'nft list chain ip filter DOCKER-USER')
  assert.match(user, /iifname "vmbr0" counter packets 0 bytes 0 accept comment "croft:/)
  assert.match(user, /oifname "vmbr0" counter packets 0 bytes 0 accept[\s\S]*return/)
  const input = shell(site.netns, 'nft list chain ip filter INPUT')
  for (const port of ['udp dport 67', 'udp dport 53', 'tcp dport 53']) assert.match(input, new RegExp(port))
  const before = rules()
  await room.converge('whole')
  assert.equal(rules(), before)
  shell(site.netns, 'nft flush chain ip filter DOCKER-USER')
  await room.converge('whole')
  assert.match(shell(site.netns, 'nft list chain ip filter DOCKER-USER'), /iifname "vmbr0"/)
})

test('a bridge and a range of somebody else stay theirs, and another installation finds its own', async () => {
  const otherWorld = await makeWorld()
  const other = await open('other', otherWorld)
  assert.match(other.state().message, /10\.53\.0\.0\/16/)
  const brief = links()
  assert.match(brief, /^vmbr0-\w{8} /m)
  assert.match(brief, /^vmbr0 /m)
  assert.match(rules(), /table inet croft_\w{8}/)
  assert.deepEqual(
    await removeNetwork(hostIn(site.netns), { dataFolder: join(site.folder, 'other') }),
    ok(undefined),
  )
  assert.doesNotMatch(links(), /vmbr0-/)
  assert.doesNotMatch(rules(), /croft_/)
  assert.match(links(), /^vmbr0 /m)
  assert.equal(existsSync(join(site.folder, 'other/network')), false)
  otherWorld.stop()
})

test('what an installation left whose data folder was deleted is taken away by the next start of another', async () => {
  const lostWorld = await makeWorld()
  const lost = await open('lost', lostWorld)
  await attached(lost, await makeMachine(lostWorld, 'lost'))
  lostWorld.stop()
  assert.match(links(), /vmbr0-/)
  rmSync(join(site.folder, 'lost'), { recursive: true })
  const room = await open()
  assert.doesNotMatch(links(), /vmbr0-/)
  assert.doesNotMatch(rules(), /croft_/)
  assert.equal(room.state().ready, true)
})

test('removing the network leaves the host as it was', async () => {
  const room = await open()
  const request = await makeMachine(world, 'last')
  await attached(room, request)
  const pid = dnsmasqPid()
  assert.deepEqual(
    await removeNetwork(hostIn(site.netns), { dataFolder: join(site.folder, 'data') }),
    ok(undefined),
  )
  assert.doesNotMatch(links(), /vm/)
  assert.doesNotMatch(rules(), /croft|vmbr0/)
  assert.match(rules(), /DOCKER-USER/)
  await until(
    'dnsmasq gone',
    () => !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '),
  )
})
