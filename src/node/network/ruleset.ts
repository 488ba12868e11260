// The rules of the default network as one nft batch, made from what should be; and a fingerprint of what the kernel
// holds, to see whether somebody changed it. Pure.
//
// Two tables of our own: `inet` for forwarding, masquerade and published ports, `bridge` against machines that claim
// addresses that are not theirs. Nothing else in the host's firewall is touched here.
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { GrantedPort } from './published-ports.ts'

export interface GuardedTap {
  readonly tap: string
  readonly mac: string
  readonly ip: string
}

export interface Ruleset {
  readonly table: string
  readonly bridge: string
  readonly cidr: string
  /** The machines' name server is here, whatever ports are published. */
  readonly gateway: string
  /** Whose tables these are: an empty chain `owner_<id>` is the mark. */
  readonly id: string
  readonly taps: readonly GuardedTap[]
  readonly ports: readonly GrantedPort[]
}

export function ownerChain(id: string): string {
  return `owner_${id}`
}

/** One atomic transaction; counters survive it. */
export function rulesetText(rules: Ruleset): string {
  return [...inetLines(rules), ...bridgeLines(rules)].join('\n')
}

function inetLines({ table, bridge, cidr, gateway, id, ports }: Ruleset): readonly string[] {
  const t = `inet ${table}`
  const br = `"${bridge}"`
  const map = (protocol: string): string => `${protocol}_ports`
  const elements = (protocol: string): readonly string[] => {
    const list = ports.filter((one) => one.protocol === protocol)
    const texts = list.map(({ hostPort, ip, guestPort }) => `${hostPort} : ${ip} . ${guestPort}`)
    return texts.length === 0 ? [] : [`add element ${t} ${map(protocol)} { ${texts.join(', ')} }`]
  }
  const dnat = (chain: string): readonly string[] =>
    ['tcp', 'udp'].map(
      (protocol) =>
        `add rule ${t} ${chain} fib daddr type local ip daddr != ${gateway} dnat ip to ${protocol} dport map @${map(protocol)}`,
    )
  return [
    `add table ${t}`,
    `add chain ${t} ${ownerChain(id)}`,
    ...['tcp', 'udp'].map(
      (protocol) => `add map ${t} ${map(protocol)} { type inet_service : ipv4_addr . inet_service; }`,
    ),
    `add chain ${t} guard { type filter hook prerouting priority -300; policy accept; }`,
    `add chain ${t} forward { type filter hook forward priority 0; policy accept; }`,
    `add chain ${t} publish { type nat hook prerouting priority -100; policy accept; }`,
    `add chain ${t} publish_local { type nat hook output priority -100; policy accept; }`,
    `add chain ${t} outbound { type nat hook postrouting priority 100; policy accept; }`,
    `flush table ${t}`,
    `flush map ${t} tcp_ports`,
    `flush map ${t} udp_ports`,
    // The bridge takes packets of 127.0.0.0/8 for published ports to work from the host itself; guests send none.
    `add rule ${t} guard iifname ${br} ip daddr 127.0.0.0/8 drop`,
    `add rule ${t} guard iifname ${br} ip saddr 127.0.0.0/8 drop`,
    `add rule ${t} forward iifname ${br} accept`,
    `add rule ${t} forward oifname ${br} ct state established,related accept`,
    `add rule ${t} forward oifname ${br} ct status dnat accept`,
    `add rule ${t} forward oifname ${br} drop`,
    ...dnat('publish'),
    ...dnat('publish_local'),
    `add rule ${t} outbound ip saddr 127.0.0.0/8 oifname ${br} masquerade`,
    // A machine that reaches a machine through the host's address must get its answer by the same way.
    `add rule ${t} outbound ip saddr ${cidr} oifname ${br} ct status dnat masquerade`,
    `add rule ${t} outbound ip saddr ${cidr} ip daddr != ${cidr} ip daddr != 224.0.0.0/4 masquerade`,
    ...elements('tcp'),
    ...elements('udp'),
  ]
}

export const SPOOF_COUNTERS = ['spoofed_mac', 'spoofed_address', 'refused_protocol', 'rogue_dhcp'] as const

function bridgeLines({ table, id, taps }: Ruleset): readonly string[] {
  const t = `bridge ${table}`
  const rule = (text: string): string => `add rule ${t} guard ${text}`
  const elements = (set: string, of: (tap: GuardedTap) => string): readonly string[] =>
    taps.length === 0 ? [] : [`add element ${t} ${set} { ${taps.map(of).join(', ')} }`]
  return [
    `add table ${t}`,
    `add chain ${t} ${ownerChain(id)}`,
    ...SPOOF_COUNTERS.map((name) => `add counter ${t} ${name}`),
    `add set ${t} taps { type ifname; }`,
    `add set ${t} macs { type ifname . ether_addr; }`,
    `add set ${t} addresses { type ifname . ipv4_addr; }`,
    `add chain ${t} guard { type filter hook prerouting priority -300; policy accept; }`,
    `add chain ${t} reflection { type filter hook postrouting priority 0; policy accept; }`,
    `flush table ${t}`,
    ...['taps', 'macs', 'addresses'].map((set) => `flush set ${t} ${set}`),
    rule('iifname != @taps accept'),
    rule('iifname . ether saddr != @macs counter name spoofed_mac drop'),
    rule('ether type arp iifname . arp saddr ether != @macs counter name spoofed_mac drop'),
    // The question whether an address is free names none as its own (RFC 5227).
    rule('ether type arp arp saddr ip 0.0.0.0 accept'),
    rule('ether type arp iifname . arp saddr ip != @addresses counter name spoofed_address drop'),
    rule('ether type arp accept'),
    rule('ether type ip ip saddr 0.0.0.0 udp sport 68 udp dport 67 accept'),
    rule('ether type ip iifname . ip saddr != @addresses counter name spoofed_address drop'),
    rule('ether type ip udp sport 67 udp dport 68 counter name rogue_dhcp drop'),
    rule('ether type ip accept'),
    // IPv6 (no addresses of it are given out), VLAN tags and all the rest.
    rule('counter name refused_protocol drop'),
    // Taps send back (see links.ts), which nobody expects of his own broadcasts.
    `add rule ${t} reflection ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00 oifname . ether saddr @macs drop`,
    ...elements('taps', ({ tap }) => `"${tap}"`),
    ...elements('macs', ({ tap, mac }) => `"${tap}" . ${mac}`),
    ...elements('addresses', ({ tap, ip }) => `"${tap}" . ${ip}`),
  ]
}

/** Removes both tables; a missing one is none's fault. */
export function removalText(table: string): string {
  return ['inet', 'bridge']
    .flatMap((family) => [`add table ${family} ${table}`, `delete table ${family} ${table}`])
    .join('\n')
}

/** The entries of `nft -j list ruleset`. */
export function ruleEntries(answer: Json): readonly JsonObject[] {
  const list = isObject(answer) ? answer['nftables'] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Tables of that name with the mark of that owner, or without any chain of an owner. */
export function tableIsOurs(entries: readonly JsonObject[], table: string, id: string): boolean {
  const here = (object: JsonObject): boolean => object['table'] === table || object['name'] === table
  const tables = entries.flatMap((entry) => (isObject(entry['table']) ? [entry['table']] : [])).filter(here)
  if (tables.length === 0) return true
  return entries.some(({ chain }) => isObject(chain) && here(chain) && chain['name'] === ownerChain(id))
}

/** What the kernel holds of our tables, without what changes by itself. Equal texts mean untouched tables. */
export function fingerprint(entries: readonly JsonObject[], table: string): string {
  return entries
    .flatMap((entry) => Object.entries(entry))
    .flatMap(([type, value]) => {
      if (!isObject(value)) return []
      if (value['table'] !== table && !(type === 'table' && value['name'] === table)) return []
      const { handle: _handle, packets: _packets, bytes: _bytes, elem, ...rest } = value
      const elements = Array.isArray(elem) ? elem.map((one) => JSON.stringify(one)).sort() : []
      return [JSON.stringify([type, rest, elements])]
    })
    .join('\n')
}
