// MD5 in plain arithmetic, only for the fingerprints of SSH keys, which people compare with those of other tools.
// Nothing is protected by it.

const SHIFTS: readonly (readonly number[])[] = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
]
const SINES = Array.from(
  { length: 64 },
  (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32) >>> 0,
)

/** The 16 bytes of the digest. */
export function md5(message: Uint8Array): Uint8Array {
  const padded = pad(message)
  let state: readonly [number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  for (let offset = 0; offset < padded.byteLength; offset += 64) state = block(padded, offset, state)
  const digest = new DataView(new ArrayBuffer(16))
  state.forEach((word, index) => {
    digest.setUint32(index * 4, word, true)
  })
  return new Uint8Array(digest.buffer)
}

function pad(message: Uint8Array): DataView {
  const padded = new Uint8Array(((message.length + 8) >> 6) * 64 + 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, (message.length * 8) >>> 0, true)
  view.setUint32(padded.length - 4, Math.floor(message.length / 2 ** 29), true)
  return view
}

type State = readonly [number, number, number, number]

function block(data: DataView, offset: number, start: State): State {
  let [a, b, c, d] = start
  for (let step = 0; step < 64; step++) {
    const round = step >> 4
    const [mix, word] = mixed(round, step, b, c, d)
    const sum = (a + mix + (SINES[step] ?? 0) + data.getUint32(offset + word * 4, true)) >>> 0
    const shift = SHIFTS[round]?.[step & 3] ?? 0
    const turned = ((sum << shift) | (sum >>> (32 - shift))) >>> 0
    ;[a, d, c, b] = [d, c, b, (b + turned) >>> 0]
  }
  return [(start[0] + a) >>> 0, (start[1] + b) >>> 0, (start[2] + c) >>> 0, (start[3] + d) >>> 0]
}

function mixed(round: number, step: number, b: number, c: number, d: number): readonly [number, number] {
  if (round === 0) return [(b & c) | (~b & d), step]
  if (round === 1) return [(d & b) | (~d & c), (5 * step + 1) & 15]
  return round === 2 ? [b ^ c ^ d, (3 * step + 5) & 15] : [c ^ (b | ~d), (7 * step) & 15]
}
