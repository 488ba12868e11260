// The demo guest in real QEMU: cloud-init's disk as the guest reads it, guest agent, console, reboot, shutdown.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../base/json.ts'
import { realHost } from '../../host/real/index.ts'
import { configDisk } from '../plan/config-volume.ts'
import { writeIso } from '../plan/iso9660.ts'
import { planMachine } from '../plan/machine-plan.ts'
import type { VmiSpec } from '../plan/part.ts'
import { StartGate } from '../start-gate.ts'
import { cgroupKind } from './cgroup.ts'
import { guestOsInfo, lookAtGuest } from './guest-info.ts'
import { gatherHostFacts } from './host-facts.ts'
import type { Machine } from './machine.ts'
import { startMachine } from './runner.ts'

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

let root = ''
let machine: Machine

const SPEC: VmiSpec = {
  hostname: 'seeded',
  domain: {
    memory: { guest: '256Mi' },
    devices: {
      interfaces: [],
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'seed', disk: { bus: 'virtio' } },
        { name: 'conf', cdrom: { bus: 'scsi' } },
      ],
    },
  },
  volumes: [
    { name: 'root', persistentVolumeClaim: { claimName: 'root' } },
    {
      name: 'seed',
      cloudInitNoCloud: { userData: `#cloud-config\n#${'x'.repeat(32 * 1024)}\nhostname: seeded\n` },
    },
    { name: 'conf', configMap: { name: 'conf' } },
  ],
}

before(async () => {
  if (skip) return
  root = mkdtempSync(join(tmpdir(), 'croft-guest-'))
  chmodSync(root, 0o711)
  const facts = await gatherHostFacts(host, { cacheFolder: root, probeFolder: root })
  assert.ok(facts.ok)
  const disk = join(root, 'root.qcow2')
  copyFileSync(IMAGE, disk)
  const { runAs } = facts.value
  if (runAs) chownSync(disk, runAs.uid, runAs.gid)
  const uid = '00000000-0000-4000-8000-00000000aaaa'
  const folder = join(root, uid)
  const volumes = [
    { name: 'root', backing: { kind: 'file', path: disk, format: 'qcow2' } as const },
    ...['seed', 'conf'].map((name) => ({
      name,
      backing: { kind: 'file', path: `${folder}/${name}.iso`, format: 'raw' } as const,
    })),
  ]
  const planned = planMachine({
    vmi: { namespace: 'test', name: 'guest', uid, annotations: {}, spec: SPEC },
    volumes,
    networks: [],
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
      owner: { namespace: 'test', name: 'guest', uid, podName: 'p', podUid: 'p' },
      folder,
      socketFolder: `${folder}/q`,
      plan: planned.plan,
      networks: [],
      extraFiles: ['seed', 'conf'].map((name) => ({
        do: 'write',
        path: `${folder}/${name}.iso`,
        content: iso(name),
      })),
      limits: {},
    },
  )
  assert.ok(started.ok, JSON.stringify(started))
  machine = started.value
})

after(async () => {
  await machine?.kill('the test is over')
  if (root !== '') rmSync(root, { recursive: true, force: true })
})

function iso(name: string): Uint8Array {
  const volume = SPEC.volumes?.find((one) => one.name === name)
  assert.ok(volume)
  const answer = configDisk(volume, {
    namespace: 'test',
    name: 'guest',
    uid: 'u',
    labels: {},
    annotations: {},
    uuid: 'u',
    spec: SPEC,
    sources: {
      secret: () => undefined,
      configMap: () => ({ 'A-long.Name_with-CASE.conf': new TextEncoder().encode('the content\n') }),
      serviceAccount: () => undefined,
    },
  })
  assert.ok(answer?.ok)
  const image = writeIso({ ...answer.disk, at: Date.now() })
  assert.ok(image.ok)
  return image.value
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + BOOT_MS
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`)
    await sleep(100)
  }
}

/** What a shell command in the guest prints. */
async function inGuest(command: string): Promise<string> {
  const begun = await machine.agent.execute('guest-exec', {
    path: '/bin/sh',
    arg: ['-c', command],
    'capture-output': true,
  })
  assert.ok(begun.ok && isObject(begun.value), JSON.stringify(begun))
  const { pid } = begun.value as { readonly pid: number }
  let out = ''
  await until(command, async () => {
    const status = await machine.agent.execute('guest-exec-status', { pid })
    assert.ok(status.ok && isObject(status.value))
    out = Buffer.from(String(status.value['out-data'] ?? ''), 'base64').toString()
    return status.value['exited'] === true
  })
  return out
}

test('the guest boots to its login prompt, and a late console client sees how', {
  skip,
  timeout: BOOT_MS,
}, async () => {
  const opened = await machine.serial?.open({ replay: true })
  assert.ok(opened?.ok)
  let said = ''
  for await (const bytes of opened.value.readable) {
    said += new TextDecoder().decode(bytes)
    if (/login: ?$/.test(said)) break
  }
  opened.value.close()
  const late = await machine.serial?.open({ replay: true })
  assert.ok(late?.ok)
  for await (const bytes of late.value.readable) {
    assert.match(new TextDecoder().decode(bytes), /login: ?$/)
    break
  }
  late.value.close()
})

test('two console clients see the same, and what one types reaches the guest', {
  skip,
  timeout: BOOT_MS,
}, async () => {
  const [a, b] = [
    await machine.serial?.open({ replay: false }),
    await machine.serial?.open({ replay: false }),
  ]
  assert.ok(a?.ok && b?.ok)
  await a.value.write(new TextEncoder().encode('nobody-of-that-name\n'))
  for (const stream of [a.value, b.value]) {
    let said = ''
    for await (const bytes of stream.readable) {
      said += new TextDecoder().decode(bytes)
      if (said.includes('nobody-of-that-name')) break
    }
    stream.close()
  }
})

test('the guest agent tells about the guest', { skip, timeout: BOOT_MS }, async () => {
  await until('agent', () => machine.agentOpen)
  const looked = await lookAtGuest(machine.agent)
  assert.ok(looked.ok, JSON.stringify(looked))
  assert.ok(looked.value.interfaces.some((one) => one.interfaceName === 'lo'))
  const info = await guestOsInfo(machine.agent)
  assert.ok(info.ok && info.value.supportedCommands.includes('guest-exec'))
})

test('Linux reads the configuration disks under their true names', { skip, timeout: BOOT_MS }, async () => {
  assert.equal((await inGuest('hostname')).trim(), 'seeded')
  const listing = await inGuest(
    'mkdir -p /mnt/c; mount -t iso9660 -o ro /dev/sr0 /mnt/c 2>&1 && ls /mnt/c && cat /mnt/c/*',
  )
  assert.equal(listing, 'A-long.Name_with-CASE.conf\nthe content\n')
  const seed = await inGuest(
    'mkdir -p /mnt/s; mount -t iso9660 -o ro /dev/vdb /mnt/s; ls /mnt/s; wc -c < /mnt/s/user-data; umount /mnt/s /mnt/c',
  )
  assert.deepEqual(seed.trim().split(/\s+/), ['meta-data', 'user-data', String(15 + 32 * 1024 + 1 + 17)])
})

test('a CD-ROM is taken out while the guest runs', { skip, timeout: BOOT_MS }, async () => {
  const answer = await machine.execute('eject', { id: 'ua-conf', force: true })
  assert.ok(answer.ok, JSON.stringify(answer))
  const blocks = await machine.execute('query-block')
  assert.ok(blocks.ok && Array.isArray(blocks.value))
  const drive = blocks.value.find((one) => isObject(one) && String(one['qdev']).includes('ua-conf'))
  assert.ok(isObject(drive) && drive['inserted'] === undefined)
})

test('a reboot by the power button keeps the same QEMU', { skip, timeout: BOOT_MS }, async () => {
  const before = machine.process
  assert.ok((await machine.powerCycle()).ok)
  await until('agent gone', () => !machine.agentOpen)
  await until('agent back', () => machine.agentOpen)
  assert.deepEqual(machine.process, before)
  assert.equal(machine.life.state === 'alive' && machine.life.run, 'running')
})

test('the guest shuts down when asked, and its end is known as such', {
  skip,
  timeout: BOOT_MS,
}, async () => {
  const before = Date.now()
  await machine.stop(120_000)
  assert.equal(machine.life.state === 'ended' && machine.life.end.reason, 'shutdown')
  assert.ok(Date.now() - before < 110_000)
  const check = spawnSync('qemu-img', ['check', join(root, 'root.qcow2')])
  assert.equal(check.status, 0)
})
