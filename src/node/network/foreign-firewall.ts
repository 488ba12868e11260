// Other people's firewalls on the same host. A packet must pass every table, so that an accept of ours does not help
// against a drop of theirs: Docker and ufw drop what is forwarded. Where their rules are iptables', the way meant for
// additions is used (DOCKER-USER, else the head of the chain), each rule marked as ours; other people's own nftables
// rules are never edited, but named.
import { isObject, type JsonObject } from '../../base/json.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { changeRules, run } from './host-network.ts'

/** One rule that lets packets of the bridge through, in the words of both programs. */
interface PassRule {
  readonly chain: string
  readonly nft: string
  readonly iptables: readonly string[]
}

export interface FirewallSight {
  /** Names of foreign chains that drop by default and that we do not edit. */
  readonly obstacles: readonly string[]
}

interface Chain {
  readonly family: string
  readonly table: string
  readonly name: string
  readonly hook: string
  readonly policy: string
}

const mark = (id: string): string => `croft:${id}`

function chainsOf(entries: readonly JsonObject[]): readonly Chain[] {
  return entries.flatMap(({ chain }) =>
    isObject(chain)
      ? [
          {
            family: String(chain['family']),
            table: String(chain['table']),
            name: String(chain['name']),
            hook: String(chain['hook'] ?? ''),
            policy: String(chain['policy'] ?? ''),
          },
        ]
      : [],
  )
}

/** The table that iptables keeps its filter rules in, whichever of its two forms wrote it. */
const isIptables = ({ family, table }: Chain): boolean => family === 'ip' && table === 'filter'

/** Foreign chains at these hooks that drop by default, outside iptables' table. */
export function obstacles(entries: readonly JsonObject[], ownTable: string): readonly string[] {
  return chainsOf(entries)
    .filter(
      (chain) =>
        ['forward', 'input'].includes(chain.hook) &&
        chain.policy === 'drop' &&
        ['ip', 'inet'].includes(chain.family) &&
        chain.table !== ownTable &&
        !isIptables(chain),
    )
    .map(({ family, table, name }) => `${family} ${table} ${name}`)
}

/** Rules that iptables' chains need for machines to be reached and to reach out. */
export function passRules(entries: readonly JsonObject[], bridge: string): readonly PassRule[] {
  const chains = chainsOf(entries).filter(isIptables)
  const rules: PassRule[] = []
  if (chains.some((chain) => chain.hook === 'forward')) {
    const chain = jumpsTo(entries, 'FORWARD', 'DOCKER-USER') ? 'DOCKER-USER' : 'FORWARD'
    rules.push(
      { chain, nft: `iifname "${bridge}"`, iptables: ['-i', bridge] },
      { chain, nft: `oifname "${bridge}"`, iptables: ['-o', bridge] },
    )
  }
  const input = chains.find((chain) => chain.hook === 'input')
  if (input?.policy === 'drop') rules.push(...serverRules(bridge))
  return rules
}

/** Address and name server on the host's side of the bridge. */
function serverRules(bridge: string): readonly PassRule[] {
  return [
    ['udp', 67],
    ['udp', 53],
    ['tcp', 53],
  ].map(([protocol, port]) => ({
    chain: 'INPUT',
    nft: `iifname "${bridge}" ${protocol} dport ${port}`,
    iptables: ['-i', bridge, '-p', String(protocol), '--dport', String(port)],
  }))
}

function rulesIn(entries: readonly JsonObject[], chain: string): readonly JsonObject[] {
  return entries.flatMap(({ rule }) =>
    isObject(rule) && rule['family'] === 'ip' && rule['table'] === 'filter' && rule['chain'] === chain
      ? [rule]
      : [],
  )
}

function jumpsTo(entries: readonly JsonObject[], from: string, to: string): boolean {
  return rulesIn(entries, from).some((rule) => JSON.stringify(rule['expr']).includes(`{"target":"${to}"}`))
}

/** Our rules in iptables' table, as nft shows them. */
function marked(entries: readonly JsonObject[], id: string): readonly JsonObject[] {
  return entries.flatMap(({ rule }) =>
    isObject(rule) && rule['comment'] === mark(id) && rule['table'] === 'filter' ? [rule] : [],
  )
}

export interface FirewallTask {
  readonly id: string
  readonly bridge: string
  /** Of `nft -j list ruleset`. */
  readonly entries: readonly JsonObject[]
}

/** Adds what is missing; the number of rules added. */
export async function passForeignFirewall(host: Host, task: FirewallTask): Promise<Result<number>> {
  let added = 0
  for (const program of await iptablesPrograms(host, task.entries)) {
    const rules = program.legacy
      ? [...passRules(LEGACY_ENTRIES, task.bridge)]
      : passRules(task.entries, task.bridge)
    for (const rule of rules) {
      const words = [
        rule.chain,
        ...rule.iptables,
        '-m',
        'comment',
        '--comment',
        mark(task.id),
        '-j',
        'ACCEPT',
      ]
      const present = await run(host, [program.path, '-w', '5', '-C', ...words])
      if (present.ok) continue
      const done = await run(host, [program.path, '-w', '5', '-I', ...words])
      if (!done.ok) return done
      added += 1
    }
    if (!program.legacy) return ok(added)
  }
  const native = await passByNft(host, task)
  return native.ok ? ok(added + native.value) : native
}

/** Without the program iptables, its table is edited as it would be: the simplest forms, which it can show. */
async function passByNft(host: Host, { entries, bridge, id }: FirewallTask): Promise<Result<number>> {
  const present = marked(entries, id)
  const count = (chain: string): number => present.filter((rule) => rule['chain'] === chain).length
  const wanted = passRules(entries, bridge)
  const missing = wanted.filter(
    ({ chain }) => count(chain) < wanted.filter((one) => one.chain === chain).length,
  )
  if (missing.length === 0) return ok(0)
  const chains = new Set(missing.map(({ chain }) => chain))
  // A chain of which some are gone gets all anew, so that none stands twice.
  const lines = [
    ...present
      .filter((rule) => chains.has(String(rule['chain'])))
      .map((rule) => `delete rule ip filter ${rule['chain']} handle ${rule['handle']}`),
    ...missing.map(
      ({ chain, nft }) => `insert rule ip filter ${chain} ${nft} counter accept comment "${mark(id)}"`,
    ),
  ]
  const changed = await changeRules(host, lines.join('\n'))
  return changed.ok ? ok(missing.length) : changed
}

/** Legacy iptables is invisible to nft; its chains are always there once its table is. */
const LEGACY_ENTRIES: readonly JsonObject[] = [
  { chain: { family: 'ip', table: 'filter', name: 'FORWARD', hook: 'forward', policy: 'accept' } },
]

interface IptablesProgram {
  readonly path: string
  readonly legacy: boolean
}

async function iptablesPrograms(
  host: Host,
  entries: readonly JsonObject[],
): Promise<readonly IptablesProgram[]> {
  const programs: IptablesProgram[] = []
  const legacyTables = await host.files.readText('/proc/net/ip_tables_names')
  const legacy = await host.exec.find('iptables-legacy')
  if (legacy && legacyTables.ok && legacyTables.value.includes('filter'))
    programs.push({ path: legacy, legacy: true })
  const modern = await host.exec.find('iptables-nft')
  if (modern && chainsOf(entries).some(isIptables)) programs.push({ path: modern, legacy: false })
  return programs
}

/** Takes all our rules out again. */
export async function leaveForeignFirewall(host: Host, task: FirewallTask): Promise<Result<void>> {
  for (const program of await iptablesPrograms(host, task.entries)) {
    const rules = [
      ...['DOCKER-USER', 'FORWARD'].flatMap((chain) => [
        { chain, iptables: ['-i', task.bridge] },
        { chain, iptables: ['-o', task.bridge] },
      ]),
      ...serverRules(task.bridge),
    ]
    // A rule that is not there is refused, which is what we want.
    for (const { chain, iptables } of rules)
      await run(host, [
        program.path,
        '-w',
        '5',
        '-D',
        chain,
        ...iptables,
        '-m',
        'comment',
        '--comment',
        mark(task.id),
        '-j',
        'ACCEPT',
      ])
  }
  const lines = marked(task.entries, task.id).map(
    (rule) => `delete rule ip filter ${rule['chain']} handle ${rule['handle']}`,
  )
  return lines.length === 0 ? ok(undefined) : changeRules(host, lines.join('\n'))
}
