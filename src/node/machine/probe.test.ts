// The guest that tells whether an accelerator works, run for real under emulation.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { realHost } from '../../host/real/index.ts'
import { hostFactsOrWhyNot } from './host-facts.ts'
import { bootSector, runGuest } from './probe.ts'

const host = realHost({ log: { level: 'error' } })
const qemu = await host.exec.find('qemu-system-x86_64')
const skip = qemu ? false : 'qemu-system-x86_64 is not installed'

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'croft-probe-'))
  chmodSync(folder, 0o711)
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the test guest runs to its end under emulation', { skip }, async () => {
  assert.equal(bootSector().length, 512)
  await inFolder(async (folder) => {
    const ran = await runGuest(host, { qemu: qemu ?? '', folder }, 'tcg')
    // A starved host may need longer than the limit; then the answer is "no", never a hang.
    if (!ran.ok) assert.equal(ran.failure.reason, 'TimedOut')
  })
})

test('the facts of this host are whole, and the second asking comes from the cache', { skip }, async () => {
  await inFolder(async (folder) => {
    const input = { cacheFolder: folder, probeFolder: folder }
    const first = await hostFactsOrWhyNot(host, input)
    assert.ok(first.ok && !first.value.missing)
    assert.match(first.value.qemu.defaultMachineType, /^pc-q35-\d+\.\d+$/)
    assert.ok(first.value.qemu.machineTypes.includes(first.value.qemu.defaultMachineType))
    assert.ok(first.value.qemu.cpuModels.some((model) => model.name === 'qemu64'))
    assert.notEqual(first.value.accelerator.reason, '')
    const before = Date.now()
    assert.deepEqual(await hostFactsOrWhyNot(host, input), first)
    assert.ok(Date.now() - before < 1_000)
  })
})

test('a host without QEMU is told as such, with what to do', async () => {
  const bare = { ...host, exec: { ...host.exec, find: async () => undefined } }
  const facts = await hostFactsOrWhyNot(bare, { cacheFolder: '/nonexistent', probeFolder: '/nonexistent' })
  assert.ok(facts.ok)
  assert.equal(facts.value.missing?.reason, 'QemuMissing')
  assert.match(facts.value.missing?.message ?? '', /apt-get install qemu-system-x86/)
})
