// Which addresses an image may be fetched from. A URL is a user's word, and the request is made by this host: without
// a rule it would reach what only this host may reach (loopback, link-local metadata services, the cluster itself).

/** Parses `a.b.c.d`, and IPv4 mapped into IPv6. */
function ipv4(ip: string): readonly number[] | undefined {
  const text = ip.toLowerCase().startsWith('::ffff:') ? ip.slice(7) : ip
  const parts = text.split('.').map(Number)
  return parts.length === 4 && parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)
    ? parts
    : undefined
}

function isOwn(ip: string): boolean {
  const four = ipv4(ip)
  if (four) {
    const [a, b] = four as [number, number]
    return a === 127 || a === 0 || (a === 169 && b === 254) || a >= 224
  }
  const text = ip.toLowerCase()
  return text === '::1' || text === '::' || /^fe[89ab]/.test(text) || text.startsWith('ff')
}

function inNetwork(ip: string, network: string): boolean {
  const [base = '', bits] = network.split('/')
  if (bits === undefined) return ip === base
  const [address, start] = [ipv4(ip), ipv4(base)]
  if (!address || !start) return ip === base
  const number = (parts: readonly number[]): number => parts.reduce((sum, part) => sum * 256 + part, 0)
  const size = 2 ** (32 - Number(bits))
  return Math.floor(number(address) / size) === Math.floor(number(start) / size)
}

/** `allowList` are addresses and networks that an administrator opened; `cluster` are those of the cluster itself. */
export function mayFetchFrom(ip: string, allowList: readonly string[], cluster: readonly string[]): boolean {
  if (allowList.some((network) => inNetwork(ip, network))) return true
  return !isOwn(ip) && !cluster.some((network) => inNetwork(ip, network))
}
