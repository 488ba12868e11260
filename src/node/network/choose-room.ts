// Which default network this host gets: the bridge where Croft is root and the host can do it, else QEMU's own. What
// was chosen and why is logged and stands on the Node.
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { NetworkRoom } from '../ports.ts'
import { type BridgeRoomOptions, bridgeNetworkRoom } from './bridge-room.ts'
import { DefaultNetwork, installationId, networkFolder, TUN } from './default-network.ts'
import { recordedRange } from './range-record.ts'
import { readNics } from './records.ts'
import { removeNetwork, removeOrphans } from './remove.ts'
import { userNetworkRoom } from './user-room.ts'

const PROGRAMS: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nft: 'nftables',
  dnsmasq: 'dnsmasq-base',
}
const ID_TIMEOUT_MS = 5_000

export interface ChooseOptions extends Omit<BridgeRoomOptions, 'folder' | 'network'> {
  readonly dataFolder: string
}

/** Failures are those of the data folder alone: some network there always is. */
export async function defaultNetworkRoom(options: ChooseOptions): Promise<Result<NetworkRoom>> {
  const { host, client, dataFolder } = options
  const folder = networkFolder(dataFolder)
  // dnsmasq reads its reservations in it as nobody.
  const made = await host.files.makeFolder(folder, 0o711)
  if (!made.ok) return made
  const bridge = await tryBridge(options, folder)
  if (bridge.ok) return bridge
  const why = `QEMU's own network, each machine for itself and reached by forwarded ports only: ${bridge.failure.message}`
  host.log.warn('the default network is not the bridge', { why: bridge.failure.message })
  return ok(userNetworkRoom({ host, client, folder, why }))
}

async function tryBridge(options: ChooseOptions, folder: string): Promise<Result<NetworkRoom>> {
  const { host, client, dataFolder } = options
  const able = await canBridge(host)
  if (!able.ok) return able
  const id = installationId(dataFolder)
  const orphans = await removeOrphans(host, id)
  // They are in nobody's way; the next start tries again.
  if (!orphans.ok) host.log.warn('networks without an owner are left', { why: orphans.failure.message })
  else if (orphans.value.length > 0)
    host.log.info('removed networks whose data folder is gone', { dataFolders: orphans.value })
  const range = await recordedRange({ host, client, id })
  if (!range.ok) return range
  const network = new DefaultNetwork({ host, dataFolder, range: range.value })
  const room = await bridgeNetworkRoom({ ...options, folder, network })
  if (!room.ok) return room
  const done = await room.value.converge('whole')
  const nics = await readNics(host.files, folder)
  // Machines that stand on the bridge keep it: what is wrong is told on the Node and tried again.
  if (!done.ok && nics.ok && nics.value.length === 0) {
    // Nothing half-made stays behind.
    const removed = await removeNetwork(host, { dataFolder })
    if (!removed.ok) host.log.warn('a part of the bridge network is left', { why: removed.failure.message })
    const made = await host.files.makeFolder(folder, 0o711)
    return made.ok ? done : made
  }
  host.log.info('the default network is a bridge of this host', {
    bridge: network.facts?.bridge,
    range: range.value.cidr,
  })
  return room
}

async function canBridge(host: Host): Promise<Result<void>> {
  const no = (message: string): { readonly ok: false; readonly failure: Failure } =>
    failed({ reason: 'BridgeUnavailable', message, retry: 'later' })
  const who = await host.exec.run(['id', '-u'], { timeoutMs: ID_TIMEOUT_MS })
  if (!who.ok || who.value.stdout.trim() !== '0')
    return no('Croft does not run as root; run it as root for the bridge')
  for (const [program, debianPackage] of Object.entries(PROGRAMS))
    if ((await host.exec.find(program)) === undefined)
      return no(`${program} is not installed: apt-get install ${debianPackage}`)
  if (!(await host.files.stat(TUN)).ok) return no(`${TUN} is not there: load the kernel module tun`)
  return ok(undefined)
}
