// The doctor's verdicts on made-up machines, and its facts on this one.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { diagnose, gatherFacts, type HostFacts, installCommand, WANTED } from './doctor.ts'
import { realHost } from './real/index.ts'

const healthy: HostFacts = {
  missing: [],
  qemuVersion: '7.2.22',
  hasApt: true,
  isRoot: true,
  cgroup: 'v2',
  systemd: true,
  kvm: true,
  memoryBytes: 8 * 2 ** 30,
  dataFolder: '/var/lib/croft',
  freeBytes: 100 * 2 ** 30,
  writeFailure: undefined,
  address: { host: '0.0.0.0', port: 6443 },
  listenFailure: undefined,
}

function troubles(facts: Partial<HostFacts>): string[] {
  return diagnose({ ...healthy, ...facts })
    .filter(({ verdict }) => verdict !== 'good')
    .map(({ name, verdict }) => `${verdict} ${name}`)
}

test('a healthy machine is healthy', () => {
  assert.deepEqual(troubles({}), [])
  assert.equal(installCommand(healthy), undefined)
})

test('each lack has its verdict, and every trouble says what to do', () => {
  const reason = (word: string) => ({ reason: word, message: word, retry: 'never' }) as const
  assert.deepEqual(troubles({ missing: ['qemu-img', 'swtpm'] }), ['bad qemu-img', 'poor swtpm'])
  assert.deepEqual(troubles({ qemuVersion: '6.2.0' }), ['bad QEMU version'])
  assert.deepEqual(troubles({ qemuVersion: '10.0.2' }), [])
  assert.deepEqual(troubles({ kvm: false, systemd: false }), ['poor KVM', 'poor systemd'])
  assert.deepEqual(troubles({ isRoot: false, cgroup: 'none' }), ['poor root'])
  assert.deepEqual(troubles({ cgroup: 'none' }), ['poor cgroups'])
  assert.deepEqual(troubles({ freeBytes: 5 * 2 ** 30 }), ['poor disk space'])
  assert.deepEqual(troubles({ freeBytes: 2 ** 20 }), ['bad disk space'])
  assert.deepEqual(troubles({ writeFailure: reason('ReadOnly') }), ['bad data folder'])
  assert.deepEqual(troubles({ listenFailure: reason('AddressInUse') }), ['bad address'])
  const all = diagnose({
    ...healthy,
    missing: WANTED.map(({ program }) => program),
    qemuVersion: '1.0',
    isRoot: false,
    kvm: false,
    freeBytes: undefined,
    memoryBytes: 0,
    listenFailure: reason('PermissionDenied'),
  })
  for (const { name, verdict, fix } of all) if (verdict !== 'good') assert.ok(fix, name)
})

test('one command installs all that is missing', () => {
  const missing = ['qemu-system-x86_64', 'nft', 'swtpm']
  assert.equal(
    installCommand({ ...healthy, missing }),
    'apt-get install -y --no-install-recommends qemu-system-x86 nftables swtpm',
  )
  assert.match(installCommand({ ...healthy, missing, isRoot: false }) ?? '', /^sudo apt-get/)
  assert.match(installCommand({ ...healthy, missing, hasApt: false }) ?? '', /package manager.*swtpm/)
})

test('the facts of this machine, without a trace left', async () => {
  const host = realHost({ log: { level: 'error' } })
  const folder = mkdtempSync(join(tmpdir(), 'croft-doctor-'))
  const taken = await host.net.listenStream({ host: '127.0.0.1', port: 0 }, (stream) => stream.close())
  assert.ok(taken.ok && 'port' in taken.value.address)
  const facts = await gatherFacts(host, {
    dataFolder: join(folder, 'not/there/yet'),
    address: taken.value.address,
  })
  assert.equal(facts.isRoot, process.getuid?.() === 0)
  assert.equal(facts.writeFailure, undefined)
  assert.equal(facts.listenFailure?.reason, 'AddressInUse')
  assert.ok(facts.memoryBytes > 0 && (facts.freeBytes ?? 0) > 0)
  assert.equal(facts.qemuVersion === undefined, facts.missing.includes('qemu-system-x86_64'))
  assert.deepEqual(readdirSync(folder), [])
  await taken.value.close(0)
  const free = await gatherFacts(host, { dataFolder: '/proc/croft', address: taken.value.address })
  assert.equal(free.listenFailure, undefined)
  assert.notEqual(free.writeFailure, undefined)
  rmSync(folder, { recursive: true })
})
