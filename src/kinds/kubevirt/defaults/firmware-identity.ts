// UUID and serial number that a guest finds in its firmware. They are made once and kept with the machine, so that
// cloud-init and licences see the same machine after every restart.
import { sha256 } from '../../../base/sha256.ts'

/** A UUID that stands for `seed`: the same seed gives the same UUID. Marked as name-based (version 5). */
export function uuidFrom(seed: string): string {
  return uuidOf(sha256(seed).subarray(0, 16))
}

/** UUID and serial number of one machine; both stand for `seed`. */
export function firmwareIdentity(seed: string): { readonly uuid: string; readonly serial: string } {
  const digest = sha256(seed)
  return { uuid: uuidOf(digest.subarray(0, 16)), serial: uuidOf(digest.subarray(16, 32)) }
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte, index) => stamp(byte, index).toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Version and variant bits of RFC 9562. */
function stamp(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x50
  return index === 8 ? (byte & 0x3f) | 0x80 : byte
}
