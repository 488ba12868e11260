// The cables of a sandbox: a bridge of its own on this computer, a namespace and a cable for each node, and the faults
// on the way. Everything carries the sandbox's id; nothing else of this computer is touched. Idempotent.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { overlap, parseRange } from '../../node/network/address-range.ts'
import { addressOf, gateAddress, names, rangeOf, type SandboxNode, type SandboxNote } from './note.ts'

const TIMEOUT_MS = 20_000
const SUBNETS = 256

function ip(host: Host, ...args: readonly string[]): Promise<Result<unknown>> {
  return host.exec.run(['ip', ...args], { timeoutMs: TIMEOUT_MS })
}

async function all(steps: readonly (() => Promise<Result<unknown>>)[]): Promise<Result<void>> {
  for (const step of steps) {
    const done = await step()
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** Third part of a subnet that meets no route of this computer; begins at one that the id gives. */
export async function freeSubnet(host: Host, id: string): Promise<Result<number>> {
  const routes = await host.exec.run(['ip', '-j', 'route', 'show', 'table', 'all'], { timeoutMs: TIMEOUT_MS })
  if (!routes.ok) return routes
  const taken = [...routes.value.stdout.matchAll(/"dst":"([\d./]+)"/g)].flatMap(
    ([, text = '']) => parseRange(text) ?? [],
  )
  const first = Number.parseInt(id.slice(0, 2), 16)
  for (let step = 0; step < SUBNETS; step += 1) {
    const subnet = (first + step) % SUBNETS
    const range = parseRange(rangeOf(subnet))
    if (range && !taken.some((one) => one.prefix > 8 && overlap(one, range))) return ok(subnet)
  }
  return failed({
    reason: 'NoSubnet',
    message: 'every subnet of 10.231.0.0/16 has a route here',
    retry: 'later',
  })
}

async function hasLink(host: Host, name: string): Promise<boolean> {
  return (await ip(host, 'link', 'show', 'dev', name)).ok
}

export async function makeBridge(host: Host, note: SandboxNote): Promise<Result<void>> {
  const bridge = names.bridge(note)
  const present = await hasLink(host, bridge)
  return all([
    async () =>
      present
        ? ok(undefined)
        : ip(host, 'link', 'add', 'name', bridge, 'type', 'bridge', 'forward_delay', '0'),
    () => ip(host, 'addr', 'replace', `${gateAddress(note)}/24`, 'dev', bridge),
    () => ip(host, 'link', 'set', bridge, 'up'),
  ])
}

export async function hasNamespace(host: Host, note: SandboxNote, node: SandboxNode): Promise<boolean> {
  return (await host.files.stat(`/run/netns/${names.namespace(note, node)}`)).ok
}

/** A namespace without its cable is what a crash left; it is made anew. */
export async function makeNode(host: Host, note: SandboxNote, node: SandboxNode): Promise<Result<void>> {
  const namespace = names.namespace(note, node)
  const cable = names.cable(note, node)
  const whole = (await hasNamespace(host, note, node)) && (await hasLink(host, cable))
  if (whole) return ok(undefined)
  const cleared = await removeNode(host, note, node)
  if (!cleared.ok) return cleared
  const inside =
    (...args: readonly string[]) =>
    () =>
      ip(host, '-n', namespace, ...args)
  return all([
    () => ip(host, 'netns', 'add', namespace),
    () => ip(host, 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace),
    inside('link', 'set', 'lo', 'up'),
    inside('addr', 'add', `${addressOf(note, node.index)}/24`, 'dev', 'eth0'),
    inside('link', 'set', 'eth0', 'up'),
    inside('route', 'add', 'default', 'via', gateAddress(note)),
    () => ip(host, 'link', 'set', cable, 'master', names.bridge(note), 'up'),
  ])
}

/** The cable goes with it. */
export async function removeNode(host: Host, note: SandboxNote, node: SandboxNode): Promise<Result<void>> {
  const cable = names.cable(note, node)
  if (await hasLink(host, cable)) {
    const gone = await ip(host, 'link', 'del', 'dev', cable)
    if (!gone.ok) return gone
  }
  if (!(await hasNamespace(host, note, node))) return ok(undefined)
  const gone = await ip(host, 'netns', 'del', names.namespace(note, node))
  return gone.ok ? ok(undefined) : gone
}

export async function unplug(host: Host, note: SandboxNote, node: SandboxNode): Promise<Result<void>> {
  const cable = names.cable(note, node)
  if (!(await hasLink(host, cable))) return ok(undefined)
  const down = await ip(host, 'link', 'set', cable, 'down')
  return down.ok ? ok(undefined) : down
}

export async function removeBridge(host: Host, note: SandboxNote): Promise<Result<void>> {
  const bridge = names.bridge(note)
  if (!(await hasLink(host, bridge))) return ok(undefined)
  const gone = await ip(host, 'link', 'del', 'dev', bridge)
  return gone.ok ? ok(undefined) : gone
}

// --- cuts ---

/** Makes the rules of the bridge those of the note, in one step. */
export async function applyCuts(host: Host, note: SandboxNote): Promise<Result<void>> {
  const table = names.table(note)
  const indexOf = (name: string): number => note.nodes.find((one) => one.name === name)?.index ?? 0
  const drops = note.faults
    .filter(({ cut }) => cut === true)
    .flatMap(({ from, to }) => {
      const [source, target] = [addressOf(note, indexOf(from)), addressOf(note, indexOf(to))]
      return [
        `ip saddr ${source} ip daddr ${target} counter drop`,
        `arp saddr ip ${source} arp daddr ip ${target} counter drop`,
      ]
    })
  const rules = [
    `table bridge ${table}`,
    `delete table bridge ${table}`,
    ...(drops.length === 0
      ? []
      : [
          `table bridge ${table} {`,
          '  chain forward {',
          '    type filter hook forward priority -10; policy accept;',
          ...drops.map((rule) => `    ${rule}`),
          '  }',
          '}',
        ]),
  ].join('\n')
  const done = await host.exec.run(['nft', '-f', '-'], { timeoutMs: TIMEOUT_MS, stdin: `${rules}\n` })
  return done.ok ? ok(undefined) : done
}
