// What the agent in the guest tells about it: system, interfaces, users, file systems. The guest's words are data of
// a stranger: every field is checked and cut.
import type { GuestFileSystem, GuestOsInfo, GuestUser } from '../../base/agent-port.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { ok, type Result } from '../../base/result.ts'
import type { GuestInterface, GuestView } from '../plan/machine-view.ts'
import type { GuestAgent } from './guest-agent.ts'

/** A guest must not fill the API with its words. Characters, entries. */
const TEXT_MAX = 256
const ENTRIES_MAX = 256

const OS_FIELDS: Readonly<Record<string, string>> = {
  id: 'id',
  name: 'name',
  'pretty-name': 'prettyName',
  version: 'version',
  'version-id': 'versionId',
  'kernel-release': 'kernelRelease',
  'kernel-version': 'kernelVersion',
  machine: 'machine',
}

/** One look for the status. */
export async function lookAtGuest(agent: GuestAgent): Promise<Result<GuestView>> {
  const interfaces = await agent.execute('guest-network-get-interfaces')
  if (!interfaces.ok) return interfaces
  const os = await agent.execute('guest-get-osinfo')
  return ok({ os: os.ok ? osFields(os.value) : {}, interfaces: listOf(interfaces.value).map(guestInterface) })
}

export async function guestOsInfo(agent: GuestAgent): Promise<Result<GuestOsInfo>> {
  const info = await agent.execute('guest-info')
  if (!info.ok) return info
  const told = isObject(info.value) ? info.value : {}
  const os = await agent.execute('guest-get-osinfo')
  const host = await agent.execute('guest-get-host-name')
  const zone = await agent.execute('guest-get-timezone')
  const frozen = await agent.execute('guest-fsfreeze-status')
  const commands = listOf(told['supported_commands']).filter((one) => one['enabled'] !== false)
  const hostname = host.ok && isObject(host.value) ? text(host.value['host-name']) : ''
  const timezone = zone.ok && isObject(zone.value) ? text(zone.value['zone']) : ''
  return ok({
    guestAgentVersion: text(told['version']),
    supportedCommands: commands.map((one) => text(one['name'])),
    os: os.ok ? osFields(os.value) : {},
    ...(hostname === '' ? {} : { hostname }),
    ...(timezone === '' ? {} : { timezone }),
    ...(frozen.ok ? { fsFreezeStatus: text(frozen.value) } : {}),
  })
}

export async function guestUsers(agent: GuestAgent): Promise<Result<readonly GuestUser[]>> {
  const answer = await agent.execute('guest-get-users')
  if (!answer.ok) return answer
  return ok(
    listOf(answer.value).map((one) => ({
      userName: text(one['user']),
      ...(typeof one['domain'] === 'string' ? { domain: text(one['domain']) } : {}),
      loginTime: Number(one['login-time'] ?? 0),
    })),
  )
}

export async function guestFileSystems(agent: GuestAgent): Promise<Result<readonly GuestFileSystem[]>> {
  const answer = await agent.execute('guest-get-fsinfo')
  if (!answer.ok) return answer
  return ok(
    listOf(answer.value).map((one) => ({
      diskName: text(one['name']),
      mountPoint: text(one['mountpoint']),
      fileSystemType: text(one['type']),
      usedBytes: Number(one['used-bytes'] ?? 0),
      totalBytes: Number(one['total-bytes'] ?? 0),
    })),
  )
}

function osFields(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {}
  const fields = Object.entries(OS_FIELDS).map(([from, to]) => [to, text(value[from])] as const)
  return Object.fromEntries(fields.filter(([, word]) => word !== ''))
}

function guestInterface(value: JsonObject): GuestInterface {
  const addresses = listOf(value['ip-addresses']).map((one) => text(one['ip-address']))
  const mac = value['hardware-address']
  return {
    interfaceName: text(value['name']),
    ...(typeof mac === 'string' ? { mac: text(mac).toLowerCase() } : {}),
    // Link-local addresses reach nobody from outside.
    ips: addresses.filter((one) => /^[0-9a-f.:]+$/i.test(one) && !one.toLowerCase().startsWith('fe80:')),
  }
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES_MAX).filter(isObject) : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, TEXT_MAX) : ''
}
