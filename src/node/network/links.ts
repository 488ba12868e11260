// The bridge and the taps: what must be changed so that the links of the host are as wished, as lines for
// `ip -batch`. Pure. The alias of a link is the mark that it is ours; nothing without it is touched.
import type { Link } from './host-network.ts'

export interface TapWish {
  readonly tap: string
  readonly vmiUid: string
  /** Who may open it. */
  readonly uid: number
}

export interface LinksWish {
  /** Of this installation; part of every mark. */
  readonly id: string
  readonly dataFolder: string
  readonly bridge: string
  readonly bridgeMac: string
  /** Gateway with prefix, for instance `10.52.0.1/16`. */
  readonly address: string
  readonly mtu: number
  readonly taps: readonly TapWish[]
}

/** The kernel keeps 255 bytes of an alias; a path that would be cut is not to be believed. */
const DATA_FOLDER_MAX = 220
export const PREFERRED_BRIDGE = 'vmbr0'
export const PREFERRED_TABLE = 'croft'

/** The mark begins with the installation and ends with its data folder, so that one whose folder is gone is known. */
export function bridgeMark(id: string, dataFolder: string): string {
  return `${bridgePrefix(id)}${encodeURI(dataFolder).slice(0, DATA_FOLDER_MAX)}`
}

function bridgePrefix(id: string): string {
  return `croft:${id}@`
}

/** Installation and data folder of a bridge that Croft made; undefined for all other links. */
export function bridgeOwner(
  link: Link,
): { readonly id: string; readonly dataFolder: string | undefined } | undefined {
  const match = link.kind === 'bridge' ? /^croft:(\w+)@(.*)$/.exec(link.alias) : null
  if (!match) return undefined
  const [, id = '', path = ''] = match
  return { id, dataFolder: path.length < DATA_FOLDER_MAX ? decodeURI(path) : undefined }
}

export function tapMark(id: string, vmiUid: string): string {
  return `croft:${id}:${vmiUid}`
}

/** The bridge that is ours, else the usual name where it is free, else one that nobody else takes. */
export function bridgeName(links: readonly Link[], id: string): string {
  const ours = links.find((link) => bridgeOwner(link)?.id === id)
  if (ours) return ours.name
  return links.some((link) => link.name === PREFERRED_BRIDGE) ? `${PREFERRED_BRIDGE}-${id}` : PREFERRED_BRIDGE
}

export function tapsOf(links: readonly Link[], id: string): readonly Link[] {
  return links.filter((link) => link.alias.startsWith(`croft:${id}:`))
}

/** Nothing for links that are as wished. Taps of ours that nobody wishes are removed. */
export function linkChanges(links: readonly Link[], wish: LinksWish): readonly string[] {
  const wanted = new Set(wish.taps.map((one) => one.tap))
  return [
    ...bridgeChanges(
      links.find((link) => link.name === wish.bridge),
      wish,
    ),
    ...tapsOf(links, wish.id)
      .filter((link) => !wanted.has(link.name))
      .map((link) => `link del dev ${link.name}`),
    ...wish.taps.flatMap((one) =>
      tapChanges(
        links.find((link) => link.name === one.tap),
        one,
        wish,
      ),
    ),
  ]
}

function bridgeChanges(link: Link | undefined, wish: LinksWish): readonly string[] {
  const { bridge, bridgeMac, address, mtu } = wish
  const mark = bridgeMark(wish.id, wish.dataFolder)
  const set: string[] = []
  if (link?.alias !== mark) set.push(`alias ${mark}`)
  if (link?.mac !== bridgeMac) set.push(`address ${bridgeMac}`)
  if (link?.mtu !== mtu) set.push(`mtu ${mtu}`)
  if (!link) set.push('addrgenmode none')
  if (!link?.up) set.push('up')
  return [
    ...(link ? [] : [`link add name ${bridge} alias ${mark} type bridge forward_delay 0 stp_state 0`]),
    ...(set.length === 0 ? [] : [`link set dev ${bridge} ${set.join(' ')}`]),
    ...(link?.addresses ?? []).filter((one) => one !== address).map((one) => `addr del ${one} dev ${bridge}`),
    ...(link?.addresses.includes(address) ? [] : [`addr add ${address} dev ${bridge}`]),
  ]
}

function tapChanges(
  link: Link | undefined,
  { tap, uid, vmiUid }: TapWish,
  wish: LinksWish,
): readonly string[] {
  const alias = tapMark(wish.id, vmiUid)
  const set: string[] = []
  if (link?.alias !== alias) set.push(`alias ${alias}`)
  if (!link) set.push('addrgenmode none')
  if (link?.mtu !== wish.mtu) set.push(`mtu ${wish.mtu}`)
  if (link?.master !== wish.bridge) set.push(`master ${wish.bridge}`)
  if (!link?.up) set.push('up')
  return [
    // The form that QEMU opens: one queue, frames with the header that offloads need.
    ...(link ? [] : [`tuntap add dev ${tap} mode tap user ${uid} vnet_hdr`]),
    ...(set.length === 0 ? [] : [`link set dev ${tap} ${set.join(' ')}`]),
    // A machine reaches its own published port also where the kernel translates on the bridge itself
    // (bridge-nf-call-iptables), and then the way back leads through the port it came from.
    ...(link?.master === wish.bridge && link.hairpin
      ? []
      : [`link set dev ${tap} type bridge_slave hairpin on`]),
  ]
}
