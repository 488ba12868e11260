import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Host } from '../host/host.ts'
import { realCertificates } from '../host/real/certificates.ts'
import { realHost } from '../host/real/index.ts'
import { covers, ensureIdentity, renewalTime } from './identity.ts'
import { issueLeaf, LEAF_LIFE_DAYS } from './pki.ts'

const DAY_MS = 24 * 3_600_000
const host: Host = realHost({ log: { level: 'error' } })

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'croft-identity-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function must<T>(result: { ok: true; value: T } | { ok: false; failure: { message: string } }): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

const names = { dnsNames: ['localhost', 'kubernetes.default.svc'], ipAddresses: ['127.0.0.1', '::1'] }

test('an identity is made once, is trusted by its own CA, and keys are readable by root alone', async () => {
  await inFolder(async (folder) => {
    const wish = { host, certificates: realCertificates, folder, names }
    const first = must(await ensureIdentity(wish))
    const again = must(await ensureIdentity(wish))
    assert.deepEqual(again, first)
    const serving = realCertificates.read(first.serving.certificatePem)!
    assert.ok(covers(serving, names.dnsNames, names.ipAddresses))
    assert.ok(
      realCertificates.isTrusted(
        first.admin.certificatePem,
        first.authority.certificatePem,
        host.clock.now(),
      ),
    )
    const admin = realCertificates.read(first.admin.certificatePem)!
    assert.equal(admin.commonName, 'kubernetes-admin')
    assert.deepEqual(admin.organizations, ['system:masters'])
    for (const name of (await readdir(folder)).filter((entry) => entry.endsWith('.key')))
      assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name)
    assert.deepEqual(
      (await readdir(folder)).filter((entry) => entry.startsWith('.')),
      [],
    )
  })
})

test('a certificate is made anew when the host gets an address, and at half of its life', async () => {
  await inFolder(async (folder) => {
    const wish = { host, certificates: realCertificates, folder, names }
    const first = must(await ensureIdentity(wish))
    const moved = must(
      await ensureIdentity({
        ...wish,
        names: { ...names, ipAddresses: [...names.ipAddresses, '192.0.2.7'] },
      }),
    )
    assert.notEqual(moved.serving.certificatePem, first.serving.certificatePem)
    assert.equal(moved.admin.certificatePem, first.admin.certificatePem)
    const later: Host = {
      ...host,
      clock: { ...host.clock, now: () => host.clock.now() + (LEAF_LIFE_DAYS / 2 + 1) * DAY_MS },
    }
    const renewed = must(await ensureIdentity({ ...wish, host: later }))
    assert.notEqual(renewed.admin.certificatePem, first.admin.certificatePem)
    assert.equal(renewed.authority.certificatePem, first.authority.certificatePem)
  })
})

test('names with the signs that openssl treats specially arrive as they are', async () => {
  await inFolder(async (folder) => {
    const { authority } = must(await ensureIdentity({ host, certificates: realCertificates, folder, names }))
    const leaf = must(
      await issueLeaf(host, folder, authority, {
        commonName: 'a $HOME, b;c#d "e"',
        organizations: ['x\\y', 'system:nodes'],
        usage: 'client',
      }),
    )
    const facts = realCertificates.read(leaf.certificatePem)!
    assert.equal(facts.commonName, 'a $HOME, b;c#d "e"')
    assert.deepEqual(facts.organizations, ['x\\y', 'system:nodes'])
    assert.ok(renewalTime(facts) > host.clock.now())
    assert.ok(new X509Certificate(leaf.certificatePem).keyUsage?.includes('1.3.6.1.5.5.7.3.2'))
  })
})
