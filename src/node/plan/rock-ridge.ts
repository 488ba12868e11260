// Rock Ridge: what Linux reads beside the plain records of ISO 9660 (IEEE P1281 and P1282).
import { both32, viewOf } from './iso-numbers.ts'

function suspEntry(signature: string, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + body.length)
  bytes[0] = signature.charCodeAt(0)
  bytes[1] = signature.charCodeAt(1)
  bytes[2] = bytes.length
  bytes[3] = 1
  bytes.set(body, 4)
  return bytes
}

/** SP: this image speaks SUSP. */
export const sharing = (): Uint8Array => suspEntry('SP', Uint8Array.of(0xbe, 0xef, 0))

/** ER: the extension is Rock Ridge; without it Linux takes the Joliet names. */
export function extension(): Uint8Array {
  const id = new TextEncoder().encode('RRIP_1991A')
  return suspEntry('ER', Uint8Array.of(id.length, 0, 0, 1, ...id))
}

/** PX: mode, links, user and group. */
export function attributes(folder: boolean): Uint8Array {
  const body = new Uint8Array(32)
  const view = viewOf(body)
  both32(view, 0, folder ? 0o040555 : 0o100444)
  both32(view, 8, folder ? 2 : 1)
  return suspEntry('PX', body)
}

/** NM: the true name. */
export function alternateName(name: string): Uint8Array {
  return suspEntry('NM', Uint8Array.of(0, ...new TextEncoder().encode(name)))
}
