// The default network without root: QEMU's own user-mode network (SLIRP), one private network for each machine. The
// guest reaches out; from outside only forwarded ports reach it: SSH and the ports of the interface from the host
// itself, published ports from everywhere. A stated fallback: the node says that it is in use and why.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Host } from '../../host/host.ts'
import type { HostForward, NicAttachment } from '../plan/nic.ts'
import type { NetworkRoom, NicRequest } from '../ports.ts'
import { stableMac } from './address-range.ts'
import { run } from './host-network.ts'
import { listeningPorts, type Protocol, parsePublishedPorts } from './published-ports.ts'
import { askPublishedText } from './published-text.ts'
import { refusal } from './requests.ts'
import { readUserRecord, removeUserRecord, userRecords, writeUserRecord } from './user-records.ts'

const NETWORK = '10.0.2.0/24'
const HOST_ADDRESS = '10.0.2.2'
const GUEST_ADDRESS = '10.0.2.15'
const LOOPBACK = '127.0.0.1'
const SSH = 22
/** Below it only root may listen. */
const UNPRIVILEGED = 1024
/** Where free ports of the host are looked for: below what the kernel gives to outgoing connections. */
const PORTS_FROM = 20_000
const PORTS_COUNT = 12_000

export interface UserRoomOptions {
  readonly host: Host
  readonly client: Client
  readonly folder: string
  /** Why it is not the bridge; for the node's condition. */
  readonly why: string
}

export function userNetworkRoom(options: UserRoomOptions): NetworkRoom {
  const { host, folder, why } = options
  // One after another, so that two machines do not choose the same free port.
  let turn: Promise<unknown> = Promise.resolve()
  const given = new Map<string, readonly HostForward[]>()
  return {
    attach: (request) => {
      const answer = turn.then(() => attach(options, request, given))
      turn = answer.catch(() => undefined)
      return answer
    },
    detach: (vmiUid) => {
      given.delete(vmiUid)
      return removeUserRecord(host.files, folder, vmiUid)
    },
    attached: () => userRecords(host.files, folder),
    run: async () => undefined,
    state: () => ({ kind: 'user', ready: true, reason: 'UserNetworking', message: why }),
  }
}

async function attach(
  { host, client, folder }: UserRoomOptions,
  request: NicRequest,
  given: Map<string, readonly HostForward[]>,
): Promise<Result<NicAttachment>> {
  const refused = refusal(request)
  if (refused) return failed(refused)
  const record = await readUserRecord(host.files, folder, request.vmiUid)
  const used = await portsInUse(host)
  for (const [uid, list] of given)
    if (uid !== request.vmiUid) for (const { protocol, hostPort } of list) used.add(`${protocol}/${hostPort}`)
  const published = await publishedForwards(client, request, used)
  if (!published.ok) return published
  const before = record?.forwards[request.name] ?? []
  const forwards = [...published.value]
  for (const { protocol, guestPort } of loopbackPorts(request)) {
    const kept = before.find(
      (one) =>
        one.hostAddress === LOOPBACK &&
        one.protocol === protocol &&
        one.guestPort === guestPort &&
        !used.has(`${protocol}/${one.hostPort}`),
    )
    const hostPort = kept?.hostPort ?? freePort(host, protocol, used)
    if (hostPort === undefined)
      return failed({
        reason: 'HostPortUnavailable',
        message: `no ${protocol} port of this host is free between ${PORTS_FROM} and ${PORTS_FROM + PORTS_COUNT}`,
        retry: 'later',
      })
    used.add(`${protocol}/${hostPort}`)
    forwards.push({ protocol, hostAddress: LOOPBACK, hostPort, guestPort })
  }
  given.set(request.vmiUid, [...(given.get(request.vmiUid) ?? []), ...forwards])
  const written = await writeUserRecord(host.files, folder, {
    version: 1,
    vmiUid: request.vmiUid,
    forwards: { ...record?.forwards, [request.name]: forwards },
  })
  if (!written.ok) return written
  return ok(attachmentOf(request, forwards))
}

function attachmentOf(request: NicRequest, forwards: readonly HostForward[]): NicAttachment {
  const owner = { namespace: request.podNamespace, name: request.vmiName }
  const ports = forwards.filter(({ protocol }) => protocol === 'tcp')
  return {
    name: request.name,
    mac: request.mac ?? stableMac(owner, request.name),
    ip: GUEST_ADDRESS,
    reach: {
      host: LOOPBACK,
      ports: Object.fromEntries(ports.map(({ guestPort, hostPort }) => [guestPort, hostPort])),
    },
    link: {
      kind: 'user',
      cidr: NETWORK,
      hostAddress: HOST_ADDRESS,
      guestAddress: GUEST_ADDRESS,
      forwards,
    },
  }
}

/** SSH always, then the ports of the interface. */
function loopbackPorts({
  ports,
}: NicRequest): readonly { readonly protocol: Protocol; readonly guestPort: number }[] {
  const wished = ports.map(({ port, protocol }) => ({
    protocol: protocol === 'UDP' ? ('udp' as const) : ('tcp' as const),
    guestPort: port,
  }))
  const ssh = { protocol: 'tcp' as const, guestPort: SSH }
  return [ssh, ...wished.filter(({ protocol, guestPort }) => protocol === 'udp' || guestPort !== SSH)]
}

async function publishedForwards(
  client: Client,
  request: NicRequest,
  used: Set<string>,
): Promise<Result<readonly HostForward[]>> {
  if (request.index !== 0) return ok([])
  const text = await askPublishedText(client, request.podNamespace, request.vmiName)
  const { ports, problems } = parsePublishedPorts(text)
  const found = [
    ...problems,
    ...ports
      .filter(({ hostPort }) => hostPort < UNPRIVILEGED)
      .map(({ hostPort }) => `host port ${hostPort} needs root: choose one from ${UNPRIVILEGED} on`),
    ...ports
      .filter(({ protocol, hostPort }) => used.has(`${protocol}/${hostPort}`))
      .map(({ protocol, hostPort }) => `host port ${hostPort}/${protocol} is in use: choose another`),
  ]
  if (found.length > 0)
    return failed({
      reason: 'HostPortUnavailable',
      message: `its published ports cannot be had: ${found.join('; ')}`,
      retry: 'later',
    })
  for (const { protocol, hostPort } of ports) used.add(`${protocol}/${hostPort}`)
  return ok(
    ports.map(({ protocol, hostPort, guestPort }) => ({ protocol, hostAddress: '', hostPort, guestPort })),
  )
}

async function portsInUse(host: Host): Promise<Set<string>> {
  const used = new Set<string>()
  for (const protocol of ['tcp', 'udp'] as const) {
    const text = await run(host, ['cat', `/proc/net/${protocol}`, `/proc/net/${protocol}6`])
    if (text.ok) for (const port of listeningPorts(text.value, protocol)) used.add(port)
  }
  return used
}

function freePort({ random }: Host, protocol: Protocol, used: ReadonlySet<string>): number | undefined {
  const start = Math.floor(random.float() * PORTS_COUNT)
  for (let step = 0; step < PORTS_COUNT; step++) {
    const port = PORTS_FROM + ((start + step) % PORTS_COUNT)
    if (!used.has(`${protocol}/${port}`)) return port
  }
  return undefined
}
