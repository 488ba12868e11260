// A real guest on the bridge network: gets its address, resolves, reaches out, is reached on published ports, and
// cannot claim what is not its own; all of it with a firewall on the host that drops what is forwarded.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isObject } from '../../base/json.ts'
import { realHost } from '../../host/real/index.ts'
import { cgroupKind } from '../machine/cgroup.ts'
import { gatherHostFacts } from '../machine/host-facts.ts'
import type { Machine } from '../machine/machine.ts'
import { startMachine } from '../machine/runner.ts'
import { planMachine } from '../plan/machine-plan.ts'
import type { NicAttachment } from '../plan/nic.ts'
import type { VmiSpec } from '../plan/part.ts'
import { StartGate } from '../start-gate.ts'
import { BridgeRoom } from './bridge-room.ts'
import { defaultNetworkRoom } from './choose-room.ts'
import {
  hostIn,
  makeMachine,
  makeSite,
  makeWorld,
  type Site,
  shell,
  until,
  type World,
} from './network.fixture.ts'

/** Made by guest/build-demo. */
const IMAGE = process.env['CROFT_DEMO_IMAGE'] ?? join(tmpdir(), 'guest', 'demo.qcow2')
const host = realHost({ log: { level: 'error' } })
const skip = !(await host.exec.find('qemu-system-x86_64'))
  ? 'qemu-system-x86_64 is not installed'
  : existsSync(IMAGE)
    ? false
    : 'the demo image is absent: build it with guest/build-demo and name it in CROFT_DEMO_IMAGE'
/** Emulation on a shared host. */
const BOOT_MS = 180_000
const SPEC: VmiSpec = {
  domain: {
    memory: { guest: '192Mi' },
    devices: {
      interfaces: [{ name: 'default', masquerade: {} }],
      disks: [{ name: 'root', disk: { bus: 'virtio' } }],
    },
  },
  networks: [{ name: 'default', pod: {} }],
  volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }],
}

let site: Site
let world: World
let room: BridgeRoom
let nic: NicAttachment
let machine: Machine
const pids: number[] = []

/** A program of the other side that runs until the end of the test. */
function background(netns: string, command: string): void {
  pids.push(Number(shell(netns, `${command} >/dev/null 2>&1 & echo $!`)))
}

before(async () => {
  if (skip) return
  site = makeSite()
  world = await makeWorld()
  // Programs in the namespace see this as /etc/resolv.conf.
  mkdirSync(`/etc/netns/${site.netns}`, { recursive: true })
  writeFileSync(`/etc/netns/${site.netns}/resolv.conf`, 'nameserver 192.0.2.20\n')
  background(
    site.outside,
    'dnsmasq -k --conf-file=/dev/null --no-hosts --no-resolv --port=53 --address=/croft.example/192.0.2.20 --pid-file',
  )
  background(site.outside, 'socat TCP-LISTEN:7000,fork,reuseaddr EXEC:cat')
  background(site.outside, `socat TCP-LISTEN:7001,fork,reuseaddr 'SYSTEM:echo $SOCAT_PEERADDR'`)
  shell(
    site.netns,
    `echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
     nft 'add table ip filter; add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }
          add chain ip filter INPUT { type filter hook input priority 0; policy drop; }
          add rule ip filter INPUT ct state established,related accept; add rule ip filter INPUT iifname "lo" accept'`,
  )
  const inside = hostIn(site.netns)
  const dataFolder = join(site.folder, 'data')
  await host.files.makeFolder(dataFolder, 0o711)
  const opened = await defaultNetworkRoom(world.options(inside, dataFolder))
  assert.ok(opened.ok && opened.value instanceof BridgeRoom)
  room = opened.value
  const request = await makeMachine(world, 'guest', { 'croft.io/published-ports': '8022:22' })
  const answer = await room.attach(request)
  assert.ok(answer.ok, JSON.stringify(answer))
  nic = { ...answer.value, netns: site.netns }
  await start(request.vmiUid)
})

after(async () => {
  if (skip) return
  await machine?.kill('the test is over')
  for (const pid of pids) spawnSync('kill', ['-9', String(pid)])
  if (existsSync(join(site.folder, 'data/network')))
    spawnSync('kill', [
      '-9',
      String(JSON.parse(shell(site.netns, `cat ${site.folder}/data/network/dnsmasq.json`)).process.pid),
    ])
  world.stop()
  rmSync(`/etc/netns/${site.netns}`, { recursive: true, force: true })
  site.close()
})

async function start(uid: string): Promise<void> {
  const facts = await gatherHostFacts(host, { cacheFolder: site.folder, probeFolder: site.folder })
  assert.ok(facts.ok)
  const disk = join(site.folder, 'root.qcow2')
  copyFileSync(IMAGE, disk)
  const { runAs } = facts.value
  if (runAs) chownSync(disk, runAs.uid, runAs.gid)
  const folder = join(site.folder, uid)
  const planned = planMachine({
    vmi: { namespace: 'default', name: 'guest', uid, annotations: {}, spec: SPEC },
    volumes: [{ name: 'root', backing: { kind: 'file', path: disk, format: 'qcow2' } }],
    networks: [nic],
    facts: facts.value,
    folder,
    socketFolder: `${folder}/q`,
    stateFolder: `${folder}-state`,
    now: Date.now(),
  })
  assert.ok(planned.ok, JSON.stringify(planned))
  const started = await startMachine(
    {
      host,
      facts: facts.value,
      cgroup: await cgroupKind(host),
      starts: new StartGate(2),
      onChange: () => undefined,
    },
    {
      owner: { namespace: 'default', name: 'guest', uid, podName: 'p', podUid: 'p' },
      folder,
      socketFolder: `${folder}/q`,
      plan: planned.plan,
      networks: [nic],
      extraFiles: [],
      limits: {},
    },
  )
  assert.ok(started.ok, JSON.stringify(started))
  machine = started.value
  await until('guest agent', () => machine.agentOpen, BOOT_MS)
}

/** What a shell command in the guest prints. */
async function guest(command: string): Promise<string> {
  const begun = await machine.agent.execute('guest-exec', {
    path: '/bin/sh',
    arg: ['-c', command],
    'capture-output': true,
  })
  assert.ok(begun.ok && isObject(begun.value), JSON.stringify(begun))
  const { pid } = begun.value
  return until(
    command,
    async () => {
      const status = await machine.agent.execute('guest-exec-status', { pid })
      assert.ok(status.ok && isObject(status.value), JSON.stringify(status))
      return (
        status.value['exited'] === true &&
        Buffer.from(String(status.value['out-data'] ?? ''), 'base64').toString()
      )
    },
    60_000,
  )
}

const dropped = (name: string): number =>
  Number(/packets (\d+)/.exec(shell(site.netns, `nft list counter bridge croft ${name}`))?.[1])
const banner = (netns: string, address: string): string =>
  shell(netns, `timeout 20 socat -T 15 - TCP:${address},connect-timeout=5 </dev/null | head -c 7`, 'any')

test('it gets the reserved address, a route, the MTU and a name server that answers', { skip }, async () => {
  const { ip = '' } = nic
  await until('address', async () => (await guest('ip -4 addr show dev eth0')).includes(`${ip}/16`))
  assert.match(await guest('ip route'), /default via 10\.52\.0\.1/)
  assert.match(await guest('ip link show dev eth0'), /mtu 1500/)
  assert.match(await guest('nslookup croft.example'), /192\.0\.2\.20/)
})

test('it reaches another computer, which sees the host, with more than a packet both ways', {
  skip,
}, async () => {
  assert.equal((await guest('nc 192.0.2.20 7001 </dev/null')).trim(), '192.0.2.10')
  const sent = 'head -c 1500000 /dev/zero | nc -w 20 192.0.2.20 7000 | wc -c'
  assert.equal((await guest(sent)).trim(), '1500000')
})

test('it is reached on its published port from everywhere, and on no other from outside', {
  skip,
}, async () => {
  const { ip = '' } = nic
  assert.equal(banner(site.outside, '192.0.2.10:8022'), 'SSH-2.0')
  assert.equal(banner(site.netns, '127.0.0.1:8022'), 'SSH-2.0')
  assert.equal(banner(site.netns, '192.0.2.10:8022'), 'SSH-2.0')
  assert.equal(banner(site.netns, `${ip}:22`), 'SSH-2.0')
  assert.match(await guest('nc -w 10 192.0.2.10 8022 </dev/null | head -c 7'), /SSH-2\.0/)
  shell(site.outside, 'ip route add 10.52.0.0/16 via 192.0.2.10')
  assert.equal(banner(site.outside, `${ip}:22`), '')
})

test('it cannot take an address or a MAC of others, nor speak IPv6, and its own traffic goes on', {
  skip,
}, async () => {
  const ping = (more: string) => guest(`ping -c 2 -W 2 ${more} 192.0.2.20 | grep -c 'bytes from'`)
  assert.equal((await ping('')).trim(), '2')
  const spoofedAddress = dropped('spoofed_address')
  await guest('ip addr add 10.52.200.200/16 dev eth0')
  assert.equal((await ping('-I 10.52.200.200')).trim(), '0')
  assert.ok(dropped('spoofed_address') > spoofedAddress)
  await guest('ip addr del 10.52.200.200/16 dev eth0')
  const spoofedMac = dropped('spoofed_mac')
  await guest('ip link set eth0 address 02:00:00:00:00:99')
  assert.equal((await ping('')).trim(), '0')
  assert.ok(dropped('spoofed_mac') > spoofedMac)
  await guest(`ip link set eth0 address ${nic.mac}`)
  assert.ok(dropped('refused_protocol') > 0, 'its kernel tries IPv6 by itself')
  await until('reached again', async () => (await ping('')).trim() === '2')
  assert.equal((await guest('nc 192.0.2.20 7001 </dev/null')).trim(), '192.0.2.10')
})
