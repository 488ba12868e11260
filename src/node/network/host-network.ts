// The programs through which the network of the host is read and changed: ip, nft, and /proc. Every call has a
// timeout; what they print is read as JSON.
import { isObject, type Json, type JsonObject, parseJson } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'

/** Far above what any of them needs, also on a busy host; a hanging one must not hold the agent up. */
export const COMMAND_TIMEOUT_MS = 15_000

export async function run(host: Host, argv: readonly string[], stdin?: string): Promise<Result<string>> {
  const ran = await host.exec.run(argv, {
    timeoutMs: COMMAND_TIMEOUT_MS,
    ...(stdin === undefined ? {} : { stdin }),
  })
  return ran.ok ? ok(ran.value.stdout) : ran
}

async function runJson(host: Host, argv: readonly string[]): Promise<Result<Json>> {
  const ran = await run(host, argv)
  if (!ran.ok) return ran
  try {
    return ok(parseJson(ran.value.trim() === '' ? '[]' : ran.value))
  } catch {
    return failed({
      reason: 'CommandFailed',
      message: `${argv[0]} did not print JSON`,
      retry: 'later',
      command: argv.join(' '),
    })
  }
}

export interface Link {
  readonly name: string
  readonly alias: string
  /** `bridge`, `tun`, ... or empty for a plain device. */
  readonly kind: string
  readonly master: string
  readonly up: boolean
  /** Somebody is on the other end: for a tap, a program that has it open. */
  readonly carrier: boolean
  /** As a port of a bridge: sends frames back to where they came from. */
  readonly hairpin: boolean
  readonly mtu: number
  readonly mac: string
  /** IPv4 with prefix, for instance `10.52.0.1/16`. */
  readonly addresses: readonly string[]
}

export async function readLinks(host: Host): Promise<Result<readonly Link[]>> {
  const answer = await runJson(host, ['ip', '-d', '-j', 'addr', 'show'])
  return answer.ok ? ok(objects(answer.value).map(linkOf)) : answer
}

function linkOf(object: JsonObject): Link {
  const info = isObject(object['linkinfo']) ? object['linkinfo'] : {}
  const slave = isObject(info['info_slave_data']) ? info['info_slave_data'] : {}
  const flags = Array.isArray(object['flags']) ? object['flags'] : []
  return {
    name: String(object['ifname'] ?? ''),
    alias: String(object['ifalias'] ?? ''),
    kind: String(info['info_kind'] ?? ''),
    master: String(object['master'] ?? ''),
    up: flags.includes('UP'),
    carrier: flags.includes('LOWER_UP'),
    hairpin: slave['hairpin'] === true,
    mtu: Number(object['mtu'] ?? 0),
    mac: String(object['address'] ?? ''),
    addresses: objects(object['addr_info'] ?? [])
      .filter((one) => one['family'] === 'inet')
      .map((one) => `${String(one['local'])}/${String(one['prefixlen'])}`),
  }
}

export interface Route {
  /** CIDR; `default` is `0.0.0.0/0`. */
  readonly to: string
  readonly device: string
}

export async function readRoutes(host: Host): Promise<Result<readonly Route[]>> {
  const answer = await runJson(host, ['ip', '-4', '-j', 'route', 'show', 'table', 'all'])
  if (!answer.ok) return answer
  return ok(
    objects(answer.value)
      .filter((one) => !['local', 'broadcast', 'multicast'].includes(String(one['type'] ?? '')))
      .map((one) => ({
        to: one['dst'] === 'default' ? '0.0.0.0/0' : String(one['dst'] ?? ''),
        device: String(one['dev'] ?? ''),
      })),
  )
}

/** One `ip -batch`: stops at the first line that fails. */
export async function changeLinks(host: Host, lines: readonly string[]): Promise<Result<void>> {
  if (lines.length === 0) return ok(undefined)
  const ran = await run(host, ['ip', '-batch', '-'], `${lines.join('\n')}\n`)
  return ran.ok ? ok(undefined) : ran
}

export async function readRules(host: Host): Promise<Result<Json>> {
  return runJson(host, ['nft', '-j', 'list', 'ruleset'])
}

/** All lines or none. */
export async function changeRules(host: Host, text: string): Promise<Result<void>> {
  const ran = await run(host, ['nft', '-f', '-'], `${text}\n`)
  return ran.ok ? ok(undefined) : ran
}

/** Writes `1` where something else stands; the kernel's settings are read first, so that nothing is written in vain. */
export async function switchOn(host: Host, paths: readonly string[]): Promise<Result<readonly string[]>> {
  const script = 'for f; do [ "$(cat "$f")" = 1 ] || { echo 1 >"$f" && echo "$f"; } || exit 1; done'
  const ran = await run(host, ['sh', '-c', script, 'sh', ...paths])
  return ran.ok ? ok(ran.value.split('\n').filter((line) => line !== '')) : ran
}

function objects(value: Json): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
