import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, createDeflate, createInflate } from 'node:zlib'
import { ApiError } from '../../base/errors.ts'
import { realInflater } from '../../host/real/inflater.ts'
import {
  dataFrame,
  pingFrame,
  readFrames,
  replyWriter,
  resetFrame,
  SPDY_DICTIONARY,
  type SpdyFrame,
} from './spdy-frames.ts'

/** What a client packs its headers with: one stream for the whole conversation, flushed after each block. */
function packer(): (headers: Record<string, string>) => Promise<Buffer> {
  const deflate = createDeflate({ dictionary: Buffer.from(SPDY_DICTIONARY) })
  let out: Buffer[] = []
  deflate.on('data', (bytes: Buffer) => out.push(bytes))
  return (headers) =>
    new Promise((resolve) => {
      out = []
      const text = (value: string): Buffer => Buffer.concat([number(value.length), Buffer.from(value)])
      const entries = Object.entries(headers)
      deflate.write(Buffer.concat([number(entries.length), ...entries.flat().map(text)]))
      deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(out)))
    })
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function control(type: number, body: Buffer): Buffer {
  const head = Buffer.from([0x80, 3, 0, type, 0, 0, 0, 0])
  head.writeUIntBE(body.length, 5, 3)
  return Buffer.concat([head, body])
}

async function read(bytes: Buffer, size: number): Promise<readonly SpdyFrame[]> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const frames: SpdyFrame[] = []
  for await (const frame of readFrames(pieces(), realInflater(SPDY_DICTIONARY))) frames.push(frame)
  return frames
}

test('the dictionary is that of the draft', () => assert.equal(SPDY_DICTIONARY.length, 1423))

test('a conversation is read however it is cut', async () => {
  const pack = packer()
  const open = async (stream: number, streamtype: string) =>
    control(
      1,
      Buffer.concat([number(stream), number(0), Buffer.alloc(2), await pack({ streamtype, Port: '22' })]),
    )
  const bytes = Buffer.concat([
    await open(1, 'error'),
    await open(3, 'data'),
    dataFrame(3, Buffer.from('abc')),
    dataFrame(1, Buffer.alloc(0), true),
    pingFrame(7),
    resetFrame(3, 5),
    control(4, Buffer.alloc(4)),
    control(7, Buffer.alloc(8)),
  ])
  for (const size of [1, 7, 100_000]) {
    const frames = await read(bytes, size)
    assert.deepEqual(
      frames.map(({ type }) => type),
      ['open', 'open', 'data', 'data', 'ping', 'reset', 'other', 'goaway'],
    )
    const [, second, data, end] = frames
    assert.ok(second?.type === 'open' && data?.type === 'data' && end?.type === 'data')
    assert.deepEqual(
      [...second.headers],
      [
        ['streamtype', 'data'],
        ['port', '22'],
      ],
    )
    assert.deepEqual([data.stream, Buffer.from(data.bytes).toString(), data.last], [3, 'abc', false])
    assert.deepEqual([end.stream, end.last], [1, true])
  }
})

test('replies are one zlib stream of empty header blocks', async () => {
  const reply = replyWriter()
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
  const unpacked: Buffer[] = []
  inflate.on('data', (bytes: Buffer) => unpacked.push(bytes))
  for (const stream of [1, 3, 5]) {
    const frame = Buffer.from(reply(stream))
    assert.equal(frame.readUInt32BE(8), stream)
    inflate.write(frame.subarray(12))
  }
  await new Promise<void>((resolve) => inflate.flush(constants.Z_SYNC_FLUSH, () => resolve()))
  assert.equal(Buffer.concat(unpacked).toString('hex'), '00'.repeat(12))
})

test('what is no SPDY is refused', async () => {
  for (const [bytes, words] of [
    [Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]), /version 2/],
    [Buffer.from([0x00, 0, 0, 1, 0, 0xff, 0xff, 0xff]), /too long/],
    [control(1, Buffer.alloc(2)), /too short/],
    [control(6, Buffer.alloc(1)), /too short/],
  ] as const)
    await assert.rejects(read(bytes, 100), (error) => {
      assert.ok(error instanceof ApiError && error.code === 400)
      assert.match(error.message, words)
      return true
    })
})
