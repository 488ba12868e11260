// Ports of a machine that other computers reach through the host's own addresses: the annotation that asks for them,
// and who gets a port that several want. Pure.

/**
 * On a VirtualMachine or VirtualMachineInstance, `HOSTPORT:GUESTPORT[/tcp|udp]`, separated by commas, for instance
 * `8022:22/tcp,8080:80`. An annotation of the instance goes before that of its VirtualMachine.
 */
export const PUBLISHED_PORTS = 'croft.io/published-ports'

/** More are refused, so that one annotation cannot take all ports of the host. */
const PORTS_MAX = 64

export type Protocol = 'tcp' | 'udp'

export interface PortWish {
  readonly hostPort: number
  readonly guestPort: number
  readonly protocol: Protocol
}

export interface ParsedPorts {
  readonly ports: readonly PortWish[]
  /** What could not be understood, for people. */
  readonly problems: readonly string[]
}

export function parsePublishedPorts(text: string): ParsedPorts {
  const ports: PortWish[] = []
  const problems: string[] = []
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  for (const word of words) {
    const match = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp))?$/i.exec(word)
    const [hostPort, guestPort] = [Number(match?.[1]), Number(match?.[2])]
    if (!match || !isPort(hostPort) || !isPort(guestPort)) {
      problems.push(`"${word}" is not HOSTPORT:GUESTPORT or HOSTPORT:GUESTPORT/udp with ports 1-65535`)
      continue
    }
    const protocol: Protocol = match[3]?.toLowerCase() === 'udp' ? 'udp' : 'tcp'
    if (ports.some((one) => one.hostPort === hostPort && one.protocol === protocol))
      problems.push(`host port ${hostPort}/${protocol} is named twice`)
    else if (ports.length >= PORTS_MAX) problems.push(`"${word}" is one more than the ${PORTS_MAX} allowed`)
    else ports.push({ hostPort, guestPort, protocol })
  }
  return { ports, problems }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535
}

export function portKey({ protocol, hostPort }: Pick<PortWish, 'protocol' | 'hostPort'>): string {
  return `${protocol}/${hostPort}`
}

export interface Publisher {
  readonly vmiUid: string
  /** `namespace/name`, for the other one's message. */
  readonly name: string
  readonly ip: string
  /** Who was here first keeps the port. Milliseconds since 1970. */
  readonly since: number
  readonly text: string
}

export interface GrantedPort extends PortWish {
  readonly ip: string
}

export interface Published {
  readonly granted: readonly GrantedPort[]
  readonly problems: readonly string[]
}

/**
 * Who gets which port of the host. `listening` holds what programs of the host listen on (`tcp/22`): such a port is
 * never taken away from them, unless it was given to a machine before they came (`kept`).
 */
export function assignPorts(
  publishers: readonly Publisher[],
  listening: ReadonlySet<string>,
  kept: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Published> {
  const owners = new Map<string, string>()
  const answers = new Map<string, Published>()
  const order = [...publishers].sort((a, b) => a.since - b.since || (a.vmiUid < b.vmiUid ? -1 : 1))
  for (const { vmiUid, name, ip, text } of order) {
    const parsed = parsePublishedPorts(text)
    const problems = [...parsed.problems]
    const granted: GrantedPort[] = []
    for (const wish of parsed.ports) {
      const key = portKey(wish)
      const owner = owners.get(key)
      const word = `host port ${wish.hostPort}/${wish.protocol}`
      if (owner !== undefined)
        problems.push(`${word} is already published for ${owner}: choose another, or remove it there`)
      else if (listening.has(key) && !kept.has(key))
        problems.push(`${word} is used by a program on this host: choose another`)
      else {
        owners.set(key, name)
        granted.push({ ...wish, ip })
      }
    }
    answers.set(vmiUid, { granted, problems })
  }
  return answers
}

/**
 * `tcp/22` for what listens on the host, from the text of /proc/net/{tcp,tcp6,udp,udp6} one after another. Listeners on
 * `except` alone do not count: there our own name server is, and no published port.
 */
export function listeningPorts(text: string, protocol: Protocol, except?: string): ReadonlySet<string> {
  // TCP_LISTEN is 0A; a bound UDP socket that is not connected is 07.
  const state = protocol === 'tcp' ? '0A' : '07'
  const own = except === undefined ? undefined : kernelHex(except)
  const lines = text.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) /gm)
  return new Set(
    [...lines]
      .filter(([, address, , st]) => st === state && address !== own)
      .map(([, , port = '']) => `${protocol}/${parseInt(port, 16)}`),
  )
}

/** An IPv4 address as those tables write it on little-endian machines. */
function kernelHex(address: string): string {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0').toUpperCase())
  return bytes.reverse().join('')
}
