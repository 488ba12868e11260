// IPv4 ranges as numbers: which range the machines of this cluster live in, and in which order its addresses are
// tried for a machine. Pure.
import { derivedMac } from '../../base/derived-name.ts'
import { sha256 } from '../../base/sha256.ts'

export interface AddressRange {
  /** For instance `10.52.0.0/16`. */
  readonly cidr: string
  readonly prefix: number
  /** The network's own address as a number. */
  readonly first: number
  readonly size: number
}

/** Ranges tried for the default network, in this order; all private (RFC 1918), away from what others like to take. */
const CANDIDATES: readonly string[] = [
  ...Array.from({ length: 12 }, (_, index) => `10.${52 + index}.0.0/16`),
  ...Array.from({ length: 4 }, (_, index) => `172.${28 + index}.0.0/16`),
  ...Array.from({ length: 16 }, (_, index) => `192.168.${200 + index}.0/24`),
]

/** Undefined when it is no IPv4 address. */
export function addressNumber(text: string): number | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256))
    return undefined
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}

export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

/** `a.b.c.d/n`; a bare address is a range of one. Bits behind the prefix are dropped. Undefined when it is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = '', length = '32'] = text.split('/')
  const number = addressNumber(address)
  const prefix = Number(length)
  if (number === undefined || !/^\d{1,2}$/.test(length) || prefix > 32) return undefined
  const size = 2 ** (32 - prefix)
  const first = Math.floor(number / size) * size
  return { cidr: `${addressText(first)}/${prefix}`, prefix, first, size }
}

export function overlap(a: AddressRange, b: AddressRange): boolean {
  return a.first < b.first + b.size && b.first < a.first + a.size
}

export function inRange(range: AddressRange, address: string): boolean {
  const number = addressNumber(address)
  return number !== undefined && number >= range.first && number < range.first + range.size
}

/** The gateway and name server of the range: its first usable address. */
export function gatewayOf(range: AddressRange): string {
  return addressText(range.first + 1)
}

/** The first candidate that meets none of the ranges in use; undefined when all do. */
export function chooseRange(taken: readonly string[]): AddressRange | undefined {
  const ranges = taken.flatMap((text) => parseRange(text) ?? [])
  return CANDIDATES.flatMap((text) => parseRange(text) ?? []).find(
    (candidate) => !ranges.some((range) => overlap(candidate, range)),
  )
}

/**
 * All addresses for machines, beginning at a place that the key gives: the same key gets the same address as long as
 * it is free. Without the network's address, the gateway and the broadcast address.
 */
export function* probeOrder(range: AddressRange, key: string): Generator<string> {
  const usable = range.size - 3
  if (usable < 1) return
  const start = sha256(key)
    .slice(0, 4)
    .reduce((sum, byte) => (sum * 256 + byte) % usable, 0)
  for (let step = 0; step < usable; step++) yield addressText(range.first + 2 + ((start + step) % usable))
}

/** Locally administered, and the same for this interface of this machine over every start. */
export function stableMac(owner: { readonly namespace: string; readonly name: string }, nic: string): string {
  return derivedMac(`${owner.namespace}/${owner.name}/${nic}`)
}
