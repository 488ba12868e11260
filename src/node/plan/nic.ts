// How a network interface of a machine is wired on the host, as the network room prepared it.

export interface HostForward {
  readonly protocol: 'tcp' | 'udp'
  /** Address on the host; empty means all. */
  readonly hostAddress: string
  readonly hostPort: number
  readonly guestPort: number
}

/** What the network room hands over for one interface. */
export interface NicAttachment {
  /** Name of the interface in the VMI. */
  readonly name: string
  /** Lower case with colons. */
  readonly mac: string
  /** Address the guest gets (by DHCP); absent where nobody knows it. */
  readonly ip?: string
  /** Further addresses, for instance IPv6. */
  readonly ips?: readonly string[]
  readonly mtu?: number
  /** Address and way under which the host reaches TCP ports of the guest; absent: not reachable from here. */
  readonly reach?: { readonly host: string; readonly ports?: Readonly<Record<number, number>> }
  readonly link:
    | { readonly kind: 'tap'; readonly ifname: string; readonly vhost?: boolean; readonly queues?: number }
    | {
        readonly kind: 'user'
        /** Network of QEMU's own NAT, for instance `10.0.2.0/24`. */
        readonly cidr: string
        readonly hostAddress: string
        readonly guestAddress: string
        readonly forwards: readonly HostForward[]
      }
  /** Name under /run/netns that QEMU is started in. */
  readonly netns?: string
}
