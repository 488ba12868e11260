// Protobuf bodies against recorded round trips where they lie beside the checkout, and a body written by hand.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { decodeProtobufBody } from './body.ts'

const TABLE = new URL('../../../../shared/reference/k8s-tables/api-roundtrip.json.gz', import.meta.url)

function message(...fields: readonly (readonly [number, Uint8Array | string])[]): Uint8Array {
  return Buffer.concat(
    fields.map(([number, value]) => {
      const bytes = Buffer.from(value)
      assert.ok(bytes.length < 128)
      return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
    }),
  )
}

test('a Secret in protobuf reads as its JSON', async () => {
  const metadata = message([1, 'a'], [11, message([1, 'owner'], [2, 'helm'])])
  const secret = message([1, metadata], [2, message([1, 'release'], [2, 'hi'])], [3, 'helm.sh/release.v1'])
  const body = Buffer.concat([
    Buffer.from([0x6b, 0x38, 0x73, 0]),
    message([1, message([1, 'v1'], [2, 'Secret'])], [2, secret], [3, ''], [4, '']),
  ])
  assert.deepEqual(await decodeProtobufBody(body), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', labels: { owner: 'helm' } },
    data: { release: 'aGk=' },
    type: 'helm.sh/release.v1',
  })
})

test('cut and foreign bodies are refused', async () => {
  await assert.rejects(decodeProtobufBody(Buffer.from('{}')), { code: 400 })
  const cut = Buffer.from([0x6b, 0x38, 0x73, 0, 0x12, 0x7f, 1])
  await assert.rejects(decodeProtobufBody(cut), { code: 400 })
})

test('recorded round trips', async (t) => {
  if (!existsSync(TABLE)) return t.skip('shared tables absent')
  const { cases } = JSON.parse(gunzipSync(readFileSync(TABLE)).toString()) as {
    cases: readonly { name: string; json: unknown; protobuf: string }[]
  }
  const wrong: string[] = []
  let read = 0
  for (const one of cases) {
    try {
      const decoded = await decodeProtobufBody(Buffer.from(one.protobuf, 'base64'))
      read += 1
      assert.deepEqual(decoded, one.json)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 415)
        wrong.push(`${one.name}: ${String(error).slice(0, 500)}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(read > 50, `only ${read} were read`)
})
