// Other people's firewalls on the same host. A packet must pass every table, so that an accept of ours does not help
// against a drop of theirs: Docker and ufw drop what is forwarded. Where their rules are iptables', the way meant for
// additions is used (DOCKER-USER, else the head of the chain), each rule marked as ours; other people's own nftables
// rules are never edited, but named.
import { isObject, type JsonObject } from '../../base/json.ts'
import { ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { changeRules, readRules, run } from './host-network.ts'
import { ruleEntries } from './ruleset.ts'

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
  let modern = false
  for (const program of await iptablesPrograms(host, task.entries)) {
    modern ||= !program.legacy
    const listed = await run(host, [program.path, '-w', '5', '-S'])
    if (!listed.ok) return listed
    const lines = listed.value.split('\n')
    // nft does not see what the older iptables keeps; that one tells it itself.
    const entries = program.legacy ? entriesOf(lines) : task.entries
    for (const rule of missingRules(lines, { ...task, entries })) {
      const words = ['-I', rule.chain, ...rule.iptables, ...markWords(task.id)]
      const done = await run(host, [program.path, '-w', '5', ...words])
      if (!done.ok) return done
      added += 1
    }
  }
  if (modern) return ok(added)
  const native = await passByNft(host, task)
  return native.ok ? ok(added + native.value) : native
}

/** Rules that `iptables -S` does not show yet. */
export function missingRules(
  lines: readonly string[],
  { id, bridge, entries }: FirewallTask,
): readonly PassRule[] {
  return passRules(entries, bridge).filter((rule) => !lines.some((line) => isLine(line, rule, id)))
}

const markWords = (id: string): readonly string[] => ['-m', 'comment', '--comment', mark(id), '-j', 'ACCEPT']

/** Whether a line of `iptables -S` is that rule of ours. It puts in words of its own (`-m udp`) and quotes. */
function isLine(line: string, { chain, iptables }: PassRule, id: string): boolean {
  const words = line.replaceAll('"', '').split(' ')
  const pairs = iptables.flatMap((word, index) => (index % 2 === 0 ? [`${word} ${iptables[index + 1]}`] : []))
  return (
    words[0] === '-A' &&
    words[1] === chain &&
    words.includes(mark(id)) &&
    words.includes('--dport') === iptables.includes('--dport') &&
    pairs.every((pair) => ` ${words.join(' ')} `.includes(` ${pair} `))
  )
}

/** Chains and jumps of `iptables -S` in the form that nft would show them in. */
export function entriesOf(lines: readonly string[]): readonly JsonObject[] {
  const place = { family: 'ip', table: 'filter' }
  return lines.flatMap((line): readonly JsonObject[] => {
    const [what, name = '', third = '', target = ''] = line.split(' ')
    if (what === '-P')
      return [{ chain: { ...place, name, hook: name.toLowerCase(), policy: third.toLowerCase() } }]
    return what === '-A' && third === '-j'
      ? [{ rule: { ...place, chain: name, expr: [{ jump: { target } }] } }]
      : []
  })
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

interface IptablesProgram {
  readonly path: string
  readonly legacy: boolean
}

async function iptablesPrograms(
  host: Host,
  entries: readonly JsonObject[],
): Promise<readonly IptablesProgram[]> {
  const programs: IptablesProgram[] = []
  const legacy = await host.exec.find('iptables-legacy')
  const tables = legacy ? await run(host, ['cat', '/proc/net/ip_tables_names']) : undefined
  if (legacy && tables?.ok && tables.value.split('\n').includes('filter'))
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
    // A rule that is not there is refused, which is what we want.
    for (const { chain, iptables } of rules)
      await run(host, [program.path, '-w', '5', '-D', chain, ...iptables, ...markWords(task.id)])
  }
  // Read anew: what the program took out is not to be taken out twice.
  const left = await readRules(host)
  if (!left.ok) return left
  const lines = marked(ruleEntries(left.value), task.id).map(
    (rule) => `delete rule ip filter ${rule['chain']} handle ${rule['handle']}`,
  )
  return lines.length === 0 ? ok(undefined) : changeRules(host, lines.join('\n'))
}
