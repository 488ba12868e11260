// Writing the protobuf wire form, as far as it is needed: texts and nested messages.

const encoder = new TextEncoder()

/** One field of a message: a text or a message already written. */
export type WireField = readonly [number: number, value: string | Uint8Array]

export function writeMessage(fields: readonly WireField[]): Uint8Array {
  const parts = fields.map(([number, value]) => {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value
    return { head: [...varint((number << 3) | 2), ...varint(bytes.length)], bytes }
  })
  const whole = new Uint8Array(parts.reduce((sum, { head, bytes }) => sum + head.length + bytes.length, 0))
  let at = 0
  for (const { head, bytes } of parts) {
    whole.set(head, at)
    whole.set(bytes, at + head.length)
    at += head.length + bytes.length
  }
  return whole
}

function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return [...bytes, rest]
}
