import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { HEAD_BYTES, type Recognised, recognise } from './recognise.ts'

function withFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'croft-recognise-'))
  try {
    work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function of(bytes: Uint8Array): Recognised {
  return recognise(bytes.subarray(0, HEAD_BYTES), bytes.length)
}

function qemuImg(folder: string, name: string, args: readonly string[]): Buffer {
  execFileSync('qemu-img', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return readFileSync(join(folder, name))
}

const reasonOf = (answer: Recognised): string => (answer.is === 'refused' ? answer.reason : answer.is)

test("QEMU's own images are known by their bytes", () => {
  withFolder((folder) => {
    const qcow2 = qemuImg(folder, 'a', ['create', '-f', 'qcow2', 'a', '32M'])
    assert.deepEqual(of(qcow2), { is: 'disk', format: 'qcow2', plain: true })
    const old = qemuImg(folder, 'o', ['create', '-f', 'qcow2', '-o', 'compat=0.10', 'o', '32M'])
    assert.deepEqual(of(old), { is: 'disk', format: 'qcow2', plain: false })
    const vmdk = qemuImg(folder, 'v', ['create', '-f', 'vmdk', '-o', 'subformat=streamOptimized', 'v', '32M'])
    assert.deepEqual(of(vmdk), { is: 'disk', format: 'vmdk', plain: false })
    assert.deepEqual(of(new Uint8Array(4096)), { is: 'disk', format: 'raw', plain: false })
  })
})

test('images that name other files are refused before any program opens them', () => {
  withFolder((folder) => {
    qemuImg(folder, 'base', ['create', '-f', 'qcow2', 'base', '32M'])
    const child = qemuImg(folder, 'child', ['create', '-f', 'qcow2', '-b', 'base', '-F', 'qcow2', 'child'])
    assert.equal(reasonOf(of(child)), 'ImageRefersToFiles')
    const split = qemuImg(folder, 'split', [
      'create',
      '-f',
      'qcow2',
      '-o',
      'data_file=data.raw',
      'split',
      '32M',
    ])
    assert.equal(reasonOf(of(split)), 'ImageRefersToFiles')
    const flat = qemuImg(folder, 'flat', [
      'create',
      '-f',
      'vmdk',
      '-o',
      'subformat=monolithicFlat',
      'flat',
      '32M',
    ])
    assert.equal(reasonOf(of(flat)), 'ImageRefersToFiles')
  })
})

test('a header made to eat memory is refused', () => {
  withFolder((folder) => {
    const image = qemuImg(folder, 'a', ['create', '-f', 'qcow2', 'a', '32M'])
    image.writeUInt32BE(0xffffffff, 36)
    const answer = of(image)
    assert.equal(reasonOf(answer), 'ImageDamaged')
    assert.match(answer.is === 'refused' ? answer.message : '', /L1 size too big/)
  })
})

const text = (words: string, length: number): Buffer =>
  Buffer.concat([Buffer.from(words), Buffer.alloc(length)])

test('what people send by mistake is named in plain words', () => {
  const tar = Buffer.alloc(1024)
  tar.write('ustar', 257)
  const rows: readonly (readonly [Buffer, string])[] = [
    [Buffer.alloc(0), 'ImageEmpty'],
    [Buffer.alloc(100), 'ImageTooSmall'],
    [tar, 'ArchiveNotImage'],
    [text('PK\x03\x04', 1000), 'ArchiveNotImage'],
    [text('\n<!DOCTYPE html><html>404', 1000), 'WebPageNotImage'],
    [text('# Disk DescriptorFile\nversion=1', 1000), 'ImageRefersToFiles'],
    [text('conectix', 1000), 'FormatNotServed'],
  ]
  for (const [bytes, reason] of rows) assert.equal(reasonOf(of(bytes)), reason)
})

test('a cut or random header never throws', () => {
  for (let length = 1; length < 600; length += 7) {
    const bytes = Buffer.alloc(length, 0x51)
    bytes.write('QFI\xfb', 0, 'latin1')
    assert.ok(of(bytes))
    bytes.write('KDMV', 0, 'latin1')
    assert.ok(of(bytes))
  }
})
