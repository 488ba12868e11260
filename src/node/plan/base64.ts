// Base64 without effects, strict: text that is not base64 gives undefined, never other bytes.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...ALPHABET].map((letter, index) => [letter, index]))

/** Line breaks and spaces are allowed between the letters, padding may be left out. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/\s/g, '')
  const letters = plain.replace(/={0,2}$/, '')
  if (letters.length % 4 === 1 || (plain.length !== letters.length && plain.length % 4 !== 0))
    return undefined
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4))
  let bits = 0
  let held = 0
  let at = 0
  for (const letter of letters) {
    const value = VALUES.get(letter)
    if (value === undefined) return undefined
    bits = ((bits << 6) | value) & 0xffffff
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at] = (bits >> held) & 0xff
      at += 1
    }
  }
  return bytes
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET[(group >> shift) & 63])
    const given = Math.min(3, bytes.length - index)
    text += letters.slice(0, given + 1).join('') + '='.repeat(3 - given)
  }
  return text
}
