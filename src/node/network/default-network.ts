// The default network of this host, held as it should be: bridge, taps, rules, DHCP. Level driven: each pass compares
// what is wished with what the host really has and changes only what differs and carries our mark.
import { shortHash } from '../../base/derived-name.ts'
import type { JsonObject } from '../../base/json.ts'
import { ok, type Result } from '../../base/result.ts'
import { sha256 } from '../../base/sha256.ts'
import type { Host } from '../../host/host.ts'
import { type AddressRange, addressText, gatewayOf, overlap, parseRange } from './address-range.ts'
import { ensureDnsmasq } from './dnsmasq.ts'
import { obstacles, passForeignFirewall } from './foreign-firewall.ts'
import {
  changeLinks,
  changeRules,
  type Link,
  readLinks,
  readRoutes,
  readRules,
  switchOn,
} from './host-network.ts'
import { bridgeName, linkChanges, PREFERRED_BRIDGE, PREFERRED_TABLE } from './links.ts'
import type { GrantedPort } from './published-ports.ts'
import type { AttachedNic } from './records.ts'
import { fingerprint, removalText, ruleEntries, rulesetText, tableIsOurs } from './ruleset.ts'

/** What the guest's frames may be long where the way out allows it: everybody's default. Bytes. */
const MTU_MAX = 1500
/** IPv4's own minimum for hosts, below which a device's word is not believed. Bytes. */
const MTU_MIN = 576
export const TUN = '/dev/net/tun'

export interface NetworkWish {
  readonly nics: readonly AttachedNic[]
  readonly ports: readonly GrantedPort[]
}

/** Names and numbers of this network on this host. */
export interface NetworkFacts {
  readonly bridge: string
  readonly table: string
  readonly mtu: number
  /** What stands in the way and is not ours to change; for people. */
  readonly warnings: readonly string[]
}

interface Sight {
  readonly facts: NetworkFacts
  readonly entries: readonly JsonObject[]
  readonly links: readonly Link[]
}

/** The part of each mark that tells one installation on a host from another: it belongs to the data folder. */
export function installationId(dataFolder: string): string {
  return shortHash(`network/${dataFolder}`, 8)
}

export function networkFolder(dataFolder: string): string {
  return `${dataFolder}/network`
}

export interface DefaultNetworkOptions {
  readonly host: Host
  readonly dataFolder: string
  readonly range: AddressRange
}

export class DefaultNetwork {
  readonly #options: DefaultNetworkOptions & { readonly id: string; readonly folder: string }
  #facts: NetworkFacts | undefined
  /** The text that was applied last and what the kernel showed of it; unknown after a quick pass. */
  #applied: { readonly text: string; readonly seen: string | undefined } | undefined

  constructor(options: DefaultNetworkOptions) {
    const { dataFolder } = options
    this.#options = { ...options, id: installationId(dataFolder), folder: networkFolder(dataFolder) }
  }

  get facts(): NetworkFacts | undefined {
    return this.#facts
  }

  get range(): AddressRange {
    return this.#options.range
  }

  /**
   * Brings the host to what is wished. `quick` trusts what the last whole pass saw of the rules and of other people's
   * firewalls: for a machine that waits. The answer names what was repaired.
   */
  async converge(wish: NetworkWish, how: 'quick' | 'whole'): Promise<Result<readonly string[]>> {
    const known = how === 'quick' ? this.#facts : undefined
    return known ? this.#quick(wish, known) : this.#whole(wish)
  }

  /** For a machine that waits: the rules are trusted to be as they were left, what is independent goes side by side. */
  async #quick(wish: NetworkWish, facts: NetworkFacts): Promise<Result<readonly string[]>> {
    const [way, server] = await Promise.all([
      (async () => {
        // Rules before taps: a tap is never there without its guard.
        const rules = await this.#rules(wish, facts)
        if (!rules.ok) return rules
        const links = await readLinks(this.#options.host)
        return links.ok ? this.#links(wish, facts, links.value) : links
      })(),
      this.#server(wish, facts),
    ])
    if (!way.ok) return way
    return server.ok ? ok([...way.value, ...server.value]) : server
  }

  async #whole(wish: NetworkWish): Promise<Result<readonly string[]>> {
    const seen = await this.#look()
    if (!seen.ok) return seen
    const { facts, entries, links } = seen.value
    const repaired: string[] = []
    const steps = [
      () => this.#rules(wish, facts, entries),
      () => this.#links(wish, facts, links),
      () => this.#settings(facts),
      () => this.#foreign(facts, entries),
      () => this.#server(wish, facts),
    ]
    for (const step of steps) {
      const done = await step()
      if (!done.ok) return done
      repaired.push(...done.value)
    }
    return ok(repaired)
  }

  async #look(): Promise<Result<Sight>> {
    const { host, id, range } = this.#options
    const links = await readLinks(host)
    if (!links.ok) return links
    const routes = await readRoutes(host)
    if (!routes.ok) return routes
    const rules = await readRules(host)
    if (!rules.ok) return rules
    const bridge = bridgeName(links.value, id)
    const entries = ruleEntries(rules.value)
    const free = bridge === PREFERRED_BRIDGE && tableIsOurs(entries, PREFERRED_TABLE, id)
    const table = free ? PREFERRED_TABLE : `${PREFERRED_TABLE}_${id}`
    const clashes = routes.value.filter(({ to, device }) => {
      const other = parseRange(to)
      return device !== bridge && other !== undefined && other.prefix > 0 && overlap(other, range)
    })
    const uplink = routes.value.find(({ to }) => to === '0.0.0.0/0')?.device
    const mtu = links.value.find((link) => link.name === uplink)?.mtu ?? MTU_MAX
    this.#facts = {
      bridge,
      table,
      mtu: mtu < MTU_MIN ? MTU_MAX : Math.min(MTU_MAX, mtu),
      warnings: [
        ...clashes.map(
          ({ to, device }) =>
            `the route to ${to} over ${device} meets the machines' range ${range.cidr}: addresses in both cannot be reached`,
        ),
        ...obstacles(entries, table).map(
          (chain) =>
            `the firewall chain "${chain}" drops by default and is not Croft's to change: let packets from and to ${bridge} pass there`,
        ),
      ],
    }
    return ok({ facts: this.#facts, entries, links: links.value })
  }

  /** `entries`: what the kernel holds; left out, the last text is trusted to be there. */
  async #rules(
    wish: NetworkWish,
    facts: NetworkFacts,
    entries?: readonly JsonObject[],
  ): Promise<Result<readonly string[]>> {
    const { host, id, range } = this.#options
    const { bridge, table } = facts
    const text = rulesetText({
      id,
      bridge,
      table,
      cidr: range.cidr,
      gateway: gatewayOf(range),
      taps: wish.nics,
      ports: wish.ports,
    })
    const before = this.#applied
    const intact = entries === undefined || fingerprint(entries, table) === before?.seen
    if (before?.text === text && intact) return ok([])
    let changed = await changeRules(host, text)
    if (!changed.ok) {
      // Tables of another version of Croft may have sets of other types: they are made anew, in one go as well.
      changed = await changeRules(host, `${removalText(table)}\n${text}`)
      if (!changed.ok) return changed
    }
    const seen = entries ? await this.#seen(table) : ok(undefined)
    if (!seen.ok) return seen
    this.#applied = { text, seen: seen.value }
    const foreign = before !== undefined && before.text === text && before.seen !== undefined
    return ok(foreign || before === undefined ? [`the rules of table ${table}`] : [])
  }

  async #seen(table: string): Promise<Result<string>> {
    const rules = await readRules(this.#options.host)
    return rules.ok ? ok(fingerprint(ruleEntries(rules.value), table)) : rules
  }

  async #links(
    wish: NetworkWish,
    { bridge, mtu }: NetworkFacts,
    links: readonly Link[],
  ): Promise<Result<readonly string[]>> {
    const { host, id, range, dataFolder } = this.#options
    const changes = linkChanges(links, {
      id,
      dataFolder,
      bridge,
      bridgeMac: bridgeMac(id),
      address: `${gatewayOf(range)}/${range.prefix}`,
      mtu,
      taps: wish.nics,
    })
    const changed = await changeLinks(host, changes)
    if (!changed.ok) return changed
    return ok(changes)
  }

  async #settings({ bridge }: NetworkFacts): Promise<Result<readonly string[]>> {
    const { host } = this.#options
    const tun = await openTun(host)
    if (!tun.ok) return tun
    const settings = ['/proc/sys/net/ipv4/ip_forward', `/proc/sys/net/ipv4/conf/${bridge}/route_localnet`]
    const switched = await switchOn(host, settings)
    if (!switched.ok) return switched
    return ok([...tun.value, ...switched.value.map((path) => `${path} = 1`)])
  }

  async #foreign(
    { bridge }: NetworkFacts,
    entries: readonly JsonObject[],
  ): Promise<Result<readonly string[]>> {
    const { host, id } = this.#options
    const passed = await passForeignFirewall(host, { id, bridge, entries })
    if (!passed.ok) return passed
    return ok(passed.value === 0 ? [] : [`${passed.value} accept rules in iptables' table`])
  }

  async #server(wish: NetworkWish, { bridge, mtu }: NetworkFacts): Promise<Result<readonly string[]>> {
    const { host, folder, range } = this.#options
    const served = await ensureDnsmasq(host, {
      folder,
      bridge,
      gateway: gatewayOf(range),
      network: addressText(range.first),
      netmask: addressText(2 ** 32 - range.size),
      mtu,
      reservations: wish.nics,
    })
    if (!served.ok) return served
    return ok(served.value === 'started' ? ['dnsmasq'] : [])
  }
}

/** Locally administered and stable, so that guests keep their gateway's address in mind over our restarts. */
function bridgeMac(id: string): string {
  const tail = [...sha256(`bridge/${id}`).slice(0, 4)].map((byte) => byte.toString(16).padStart(2, '0'))
  return ['0a', '52', ...tail].join(':')
}

/** Machines run as a user of their own. The device is open to all on every distribution; not in some containers. */
async function openTun({ files }: Host): Promise<Result<readonly string[]>> {
  const stat = await files.stat(TUN)
  if (!stat.ok) return stat
  if ((stat.value.mode & 0o006) === 0o006) return ok([])
  const opened = await files.chmod(TUN, 0o666)
  return opened.ok ? ok([`${TUN} is open to machines`]) : opened
}
