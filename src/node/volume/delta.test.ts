// A file is made equal to its source by the blocks that differ, with the real programs.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyFile, digestOf } from './copy.ts'
import { blocksOf, differences, patchFile } from './delta.ts'
import type { LocalMemberInput } from './member.ts'
import { host, must, until } from './rig.fixture.ts'

const MIB = 1024 * 1024
const FILE = 'volume-head-000.qcow2'

test('neighbours that differ are one place, and a longer source differs at its end', () => {
  const wanted = { sizeBytes: 16 * MIB + 4096, digests: ['a', 'b', 'c', 'd', 'e'] }
  assert.deepEqual(differences(wanted, { sizeBytes: 0, digests: ['a', 'x', 'y', 'd'] }), [
    { at: 4 * MIB, length: 8 * MIB },
    { at: 16 * MIB, length: 4096 },
  ])
  assert.deepEqual(differences(wanted, wanted), [])
})

test('only what differs is fetched, and the file is equal afterwards', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'cd-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const side = async (name: string): Promise<LocalMemberInput> => {
    const folder = join(root, name)
    await mkdir(folder)
    return { host, replica: name, place: { folder } } as unknown as LocalMemberInput
  }
  const [from, to] = [await side('from'), await side('to')]
  const source = randomBytes(33 * MIB)
  source.fill(0, 12 * MIB, 13 * MIB)
  const old = Buffer.from(source.subarray(0, 32 * MIB))
  randomBytes(MIB).copy(old, 12 * MIB)
  randomBytes(512).copy(old, 21 * MIB)
  await writeFile(join(root, 'from', FILE), source)
  await writeFile(join(root, 'to', FILE), old)
  const socket = join(root, 'nbd.sock')
  const path = join(root, 'from', FILE)
  const served = spawn('qemu-nbd', ['-f', 'raw', '-r', '-t', '-e', '8', '-x', 'file', '-k', socket, path])
  t.after(() => served.kill('SIGKILL'))
  await until('the source is served', () => (existsSync(socket) ? true : undefined))
  const child = { server: { unix: socket }, exportName: 'file' }
  const blocks = must(await blocksOf(from, FILE))
  assert.equal(blocks.digests.length, 9)
  assert.equal(differences(blocks, must(await blocksOf(to, FILE))).length, 3)
  const digest = must(await digestOf(from, FILE))
  const asked = await copyFile(to, { file: FILE, source: child, digest, asksBlocks: true })
  assert.equal(!asked.ok && asked.failure.reason, 'BlocksWanted')
  const told: number[] = []
  const order = { file: FILE, source: child, blocks }
  must(await patchFile(to, { ...order, onBytes: (count) => told.push(count) }))
  assert.deepEqual(told, [24 * MIB, 28 * MIB, 32 * MIB])
  assert.ok((await readFile(join(root, 'to', FILE))).equals(source))
  // With nothing in common it is copied whole.
  await writeFile(join(root, 'to', FILE), randomBytes(33 * MIB))
  must(await copyFile(to, { ...order, digest }))
  assert.ok((await readFile(join(root, 'to', FILE))).equals(source))
})
