import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { failed, ok } from '../base/result.ts'
import { realHost } from '../host/real/index.ts'
import { deviceOf, diskStatuses, type Looked, prepareDisk } from './node-disks.ts'

const GIB = 1024 ** 3
const NOW = Date.UTC(2026, 11, 1)

function looked(name: string, more: Partial<Looked> = {}, uuid = `uuid-${name}`): Looked {
  const path = `/disks/${name}`
  return {
    name,
    wish: { path, allowScheduling: true },
    result: ok({ path, uuid, totalBytes: 100 * GIB, freeBytes: 80 * GIB }),
    device: name,
    ...more,
  }
}

type Told = Record<string, Record<string, unknown> | null>
const conditionsOf = (told: Told, name: string): string =>
  ((told[name]?.['conditions'] ?? []) as { type: string; status: string; reason?: string }[])
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .join('; ')

test('a disk is told with its room, and an unchanged one is not told again', () => {
  const told = diskStatuses([looked('a')], {}, NOW) as Told
  assert.equal(told['a']?.['storageMaximum'], 100 * GIB)
  assert.equal(told['a']?.['diskUUID'], 'uuid-a')
  assert.equal(conditionsOf(told, 'a'), 'Ready=True ; Schedulable=True ')
  assert.equal(diskStatuses([looked('a')], told as never, NOW + 60_000), undefined)
})

test('folders of one file system share its room', () => {
  const told = diskStatuses([looked('a', { device: '8:1' }), looked('b', { device: '8:1' })], {}, NOW) as Told
  assert.equal(told['a']?.['storageMaximum'], 50 * GIB)
  assert.equal(told['b']?.['storageAvailable'], 40 * GIB)
})

test('one folder under two names counts once, and the second says why it does not', () => {
  const told = diskStatuses([looked('a'), looked('b', {}, 'uuid-a')], {}, NOW) as Told
  assert.match(conditionsOf(told, 'b'), /Ready=False DiskFilesystemChanged/)
  assert.match(conditionsOf(told, 'a'), /Ready=True/)
})

test('a disk that is away says so and keeps what it said of its size; one that was taken out is forgotten', () => {
  const before = diskStatuses([looked('a'), looked('b')], {}, NOW) as never
  const result = failed({ reason: 'NoDiskInfo', message: 'not mounted', retry: 'later' as const })
  const told = diskStatuses([looked('a', { result })], before, NOW) as Told
  assert.match(conditionsOf(told, 'a'), /Ready=False NoDiskInfo/)
  assert.equal(told['a']?.['storageMaximum'], undefined)
  assert.equal(told['b'], null)
})

test('a folder gets an identity once; without the one it had it is not taken for an empty disk', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'croft-disk-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const host = realHost({ log: { level: 'error', write: () => undefined } })
  const path = join(folder, 'new', 'disk')
  const first = await prepareDisk(host, path)
  assert.ok(first.ok)
  assert.match(await readFile(join(path, 'longhorn-disk.cfg'), 'utf8'), new RegExp(first.value.uuid))
  const again = await prepareDisk(host, path, first.value.uuid)
  assert.ok(again.ok && again.value.uuid === first.value.uuid)
  const other = await prepareDisk(host, path, 'another')
  assert.equal(!other.ok && other.failure.reason, 'DiskFilesystemChanged')
  await rm(join(path, 'longhorn-disk.cfg'))
  const gone = await prepareDisk(host, path, first.value.uuid)
  assert.equal(!gone.ok && gone.failure.reason, 'NoDiskInfo')
})

test('the file system of a path is that of the longest mount point above it', () => {
  const mounts = [
    '22 1 8:1 / / rw - ext4 /dev/sda1 rw',
    '30 22 8:17 / /mnt/data rw - xfs /dev/sdb1 rw',
    '31 30 8:33 / /mnt/data/deep rw - xfs /dev/sdc1 rw',
  ].join('\n')
  assert.equal(deviceOf('/var/lib', mounts), '8:1')
  assert.equal(deviceOf('/mnt/data/x', mounts), '8:17')
  assert.equal(deviceOf('/mnt/database', mounts), '8:1')
  assert.equal(deviceOf('/mnt/data/deep', mounts), '8:33')
})
