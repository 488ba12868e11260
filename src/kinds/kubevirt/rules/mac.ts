// MAC addresses: how they may be written, and that no two machines of one network have the same.

export type MacWrong = 'form' | 'zero' | 'multicast' | 'reserved'

/** Six octets in lower case with colons, the form in which addresses are compared. Undefined when it is none. */
export function normalMac(text: string): string | undefined {
  const colons = /^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/.test(text)
  const dashes = /^[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5}$/.test(text)
  return colons || dashes ? text.toLowerCase().replaceAll('-', ':') : undefined
}

/** What is wrong with a MAC address for a guest; undefined when nothing is. */
export function macWrong(text: string): MacWrong | undefined {
  const mac = normalMac(text)
  if (mac === undefined) return 'form'
  if (mac === '00:00:00:00:00:00') return 'zero'
  // KubeVirt's bridge inside a masquerading Pod has this one.
  if (mac === '02:00:00:00:00:00') return 'reserved'
  return Number.parseInt(mac.slice(0, 2), 16) & 1 ? 'multicast' : undefined
}
