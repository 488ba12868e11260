// Public SSH keys as they stand in an authorized_keys file: what a line must be, and its fingerprint.
import { md5 } from './md5.ts'

const KEY_TYPES: readonly string[] = [
  'ssh-ed25519',
  'ssh-rsa',
  'ssh-dss',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
]
/** Least bytes of a key of any type: the type's name, its length, and a key that is not a stub. */
const KEY_MIN_BYTES = 40

export interface PublicKey {
  readonly type: string
  /** Sixteen pairs of hexadecimal digits with colons, the older form that Harvester shows. */
  readonly fingerprint: string
}
export type KeyReading =
  | { readonly ok: true; readonly key: PublicKey }
  | { readonly ok: false; readonly why: string }

/** Reads one key. The answer never repeats the text: it may be somebody's private key. */
export function readPublicKey(text: string): KeyReading {
  const line = text.trim()
  if (line === '') return no('is empty; paste the one line of your .pub file')
  if (/PRIVATE KEY/.test(line)) return no('is a private key; give the public one, the line of your .pub file')
  if (/[\r\n]/.test(line)) return no('has more than one line; make one KeyPair for each key')
  const words = splitWords(line)
  const at = words.findIndex((word) => KEY_TYPES.includes(word))
  // Before the type there may be one word of options.
  if (at < 0 || at > 1) return no(`does not begin with a key type such as ${KEY_TYPES[0]} or ssh-rsa`)
  const type = words[at] ?? ''
  const bytes = decode(words[at + 1] ?? '')
  if (!bytes || bytes.length < KEY_MIN_BYTES || typeInside(bytes) !== type)
    return no(`has no whole ${type} key after its type`)
  const hex = Array.from(md5(bytes), (byte) => byte.toString(16).padStart(2, '0'))
  return { ok: true, key: { type, fingerprint: hex.join(':') } }
}

function no(why: string): KeyReading {
  return { ok: false, why }
}

/** Blanks inside double quotes do not part words: options may quote commands. */
function splitWords(line: string): readonly string[] {
  return line.match(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g) ?? []
}

function decode(base64: string): Uint8Array | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
}

/** A key begins with the length and the name of its type. */
function typeInside(bytes: Uint8Array): string | undefined {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  if (length > 64 || length + 4 > bytes.length) return undefined
  return String.fromCharCode(...bytes.subarray(4, 4 + length))
}
