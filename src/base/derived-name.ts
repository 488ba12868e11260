// Names made from other names: the same input gives the same name for ever, and the result never outgrows what a
// label (63) or an object name (253) may hold.
import { assert } from './assert.ts'
import { LABEL_VALUE_MAX, OBJECT_NAME_MAX } from './limits.ts'
import { sha256 } from './sha256.ts'

/** No vowels and no look-alikes, so that a hash spells no word and survives being read aloud. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
/** Characters of hash that stand for the part that was cut off. */
const CUT_HASH_LENGTH = 8

/** `length` characters (at most 32) that stand for the text. */
export function shortHash(text: string, length: number): string {
  assert(length >= 1 && length <= 32, 'shortHash gives 1 to 32 characters')
  const base = BigInt(ALPHABET.length)
  let rest = 0n
  for (const byte of sha256(text)) rest = (rest << 8n) | BigInt(byte)
  let hash = ''
  for (let index = 0; index < length; index++) {
    hash += ALPHABET[Number(rest % base)]
    rest /= base
  }
  return hash
}

/** The text itself when it fits, else its beginning and a hash of all of it. */
export function boundedName(text: string, max: number = OBJECT_NAME_MAX): string {
  if (text.length <= max) return text
  return `${cut(text, max - CUT_HASH_LENGTH - 1)}-${shortHash(text, CUT_HASH_LENGTH)}`
}

/** `base-suffix`, with the base cut and hashed when both together are too long; the suffix is kept whole. */
export function derivedName(base: string, suffix: string, max: number = OBJECT_NAME_MAX): string {
  assert(suffix.length + CUT_HASH_LENGTH + 3 <= max, 'the suffix of a derived name leaves room for its base')
  return `${boundedName(base, max - suffix.length - 1)}-${suffix}`
}

/**
 * `base-hash`, where the hash stands for `identity` (a UID, or a text that tells two equal bases apart). Fits into a
 * label unless told otherwise.
 */
export function hashedName(
  base: string,
  identity: string,
  { length = 5, max = LABEL_VALUE_MAX }: { readonly length?: number; readonly max?: number } = {},
): string {
  return derivedName(base, shortHash(identity, length), max)
}

/** A locally administered unicast MAC address, lower case with colons, that stands for the text. */
export function derivedMac(text: string): string {
  const bytes = sha256(`mac/${text}`).slice(0, 6)
  bytes[0] = (bytes[0]! & 0xfc) | 0x02
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':')
}

/** A cut must not end in a sign that a name may not end in. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[^a-zA-Z0-9]+$/, '')
}
