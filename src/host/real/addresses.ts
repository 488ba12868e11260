// Names and addresses of this host, as its certificates and its Node must carry them.
import { hostname, networkInterfaces } from 'node:os'

export interface LocalNames {
  readonly hostname: string
  /** Addresses that other hosts may reach, without loopback and link-local ones. */
  readonly addresses: readonly string[]
}

/** Interfaces that come and go with guests and containers say nothing of where this host is reached. */
const PRIVATE_INTERFACES = /^(vmbr|tap|veth|docker|br-|virbr|cni|vxlan|csb[0-9a-f]{6})/

export function localNames(): LocalNames {
  const addresses = Object.entries(networkInterfaces())
    .filter(([name]) => !PRIVATE_INTERFACES.test(name))
    .flatMap(([, entries]) => entries ?? [])
    .filter(
      (entry) =>
        !entry.internal && !entry.address.startsWith('fe80:') && !entry.address.startsWith('169.254.'),
    )
    .map((entry) => entry.address)
  return { hostname: hostname().toLowerCase(), addresses }
}
