import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../base/errors.ts'
import { boundaryOf, readPart } from './multipart.ts'

/** The body in pieces of `size` bytes, so that every boundary is cut at every place. */
async function* inPieces(body: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

async function read(body: Buffer, size: number, names = ['chunk']): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readPart(inPieces(body, size), 'XX', names)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const part = (name: string, content: string): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`

test('the wanted part comes out whole, however the body is cut', async () => {
  const content = `\r\n--X not the end\r\n--\r\n${'\r\n--X'.repeat(20)}`
  const body = Buffer.from(`${part('other', 'zzz')}${part('chunk', content)}--XX--\r\n`)
  for (const size of [1, 2, 3, 5, 7, 64, 10_000]) assert.equal((await read(body, size)).toString(), content)
  assert.equal((await read(Buffer.from(`${part('chunk', '')}--XX--`), 4)).toString(), '')
})

test('what is no such body is refused', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /breaks off/],
    ['nothing of the kind', /breaks off/],
    ['x'.repeat(20_000), /does not begin with its boundary/],
    [`${part('other', 'x')}--XX--`, /no part named chunk/],
    [part('chunk', 'half').slice(0, -1), /breaks off/],
    [`--XX\r\n${'a'.repeat(40_000)}`, /too long/],
  ]
  for (const [body, words] of cases)
    await assert.rejects(read(Buffer.from(body), 1000), (error) => {
      assert.ok(error instanceof ApiError && error.code === 400)
      assert.match(error.message, words)
      return true
    })
})

test('the boundary is read from the header', () => {
  assert.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc')
  assert.equal(boundaryOf('Multipart/Form-Data; charset=x; boundary="a b"'), 'a b')
  assert.equal(boundaryOf('application/octet-stream'), undefined)
  assert.equal(boundaryOf(undefined), undefined)
  assert.throws(() => boundaryOf('multipart/form-data'), /no boundary/)
})
