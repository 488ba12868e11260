// SHA-256 in plain arithmetic, for names derived from other names. Rooms without effects have no other hash, and a
// name must come out the same on every machine for ever. Meant for short texts; files are hashed by the agent.

const ROUND = constants(64, 3)
const START = constants(8, 2)

/** Fraction bits of the square (2) or cube (3) roots of the first primes, as the standard defines them. */
function constants(count: number, root: 2 | 3): Uint32Array {
  const words = new Uint32Array(count)
  let found = 0
  for (let candidate = 2; found < count; candidate++) {
    if (!isPrime(candidate)) continue
    words[found++] = Number(fractionBits(BigInt(candidate), root))
  }
  return words
}

function isPrime(value: number): boolean {
  for (let divisor = 2; divisor * divisor <= value; divisor++) if (value % divisor === 0) return false
  return true
}

function fractionBits(prime: bigint, root: 2 | 3): bigint {
  const power = BigInt(root)
  const target = prime << (32n * power)
  let low = 0n
  let high = 1n << 64n
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** power <= target) low = middle
    else high = middle
  }
  return low & 0xffff_ffffn
}

function utf8(text: string): Uint8Array {
  const bytes: number[] = []
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    else
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      )
  }
  return Uint8Array.from(bytes)
}

function pad(message: Uint8Array): DataView {
  const length = ((message.length + 9 + 63) >> 6) << 6
  const padded = new Uint8Array(length)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 8, Math.floor(message.length / 0x2000_0000))
  view.setUint32(length - 4, (message.length << 3) >>> 0)
  return view
}

function turn(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits))
}

function schedule(view: DataView, offset: number, words: Uint32Array): void {
  for (let index = 0; index < 16; index++) words[index] = view.getUint32(offset + index * 4)
  for (let index = 16; index < 64; index++) {
    const near = words[index - 2]!
    const far = words[index - 15]!
    const a = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)
    const b = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)
    words[index] = words[index - 16]! + a + words[index - 7]! + b
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let index = 0; index < 64; index++) {
    const one =
      h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[index]! + words[index]!
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let index = 0; index < 8; index++) state[index] = state[index]! + added[index]!
}

/** The 32 bytes of the digest of a text (as UTF-8) or of bytes. */
export function sha256(input: string | Uint8Array): Uint8Array {
  const view = pad(typeof input === 'string' ? utf8(input) : input)
  const state = START.slice()
  const words = new Uint32Array(64)
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    schedule(view, offset, words)
    compress(state, words)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (let index = 0; index < 8; index++) digest.setUint32(index * 4, state[index]!)
  return new Uint8Array(digest.buffer)
}

/** The digest as 64 lower case hexadecimal digits. */
export function sha256Hex(input: string | Uint8Array): string {
  let text = ''
  for (const byte of sha256(input)) text += byte.toString(16).padStart(2, '0')
  return text
}
