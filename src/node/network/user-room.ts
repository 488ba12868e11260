// The default network without root: QEMU's own user-mode network (SLIRP), one private network for each machine. The
// guest reaches out; from outside only forwarded ports reach it. A stated fallback: the node says that it is in use.
import { ok } from '../../base/result.ts'
import { sha256 } from '../../base/sha256.ts'
import type { NetworkRoom, NicRequest } from '../ports.ts'

const NETWORK = '10.0.2.0/24'
const HOST_ADDRESS = '10.0.2.2'
const GUEST_ADDRESS = '10.0.2.15'

/** Locally administered, and the same for this interface over every start. */
function stableMac({ vmiUid, name }: NicRequest): string {
  const bytes = sha256(`mac/${vmiUid}/${name}`).slice(0, 6)
  bytes[0] = (bytes[0]! & 0xfc) | 0x02
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':')
}

export function userNetworkRoom(): NetworkRoom {
  return {
    attach: async (request) =>
      ok({
        name: request.name,
        mac: request.mac ?? stableMac(request),
        ip: GUEST_ADDRESS,
        link: {
          kind: 'user',
          cidr: NETWORK,
          hostAddress: HOST_ADDRESS,
          guestAddress: GUEST_ADDRESS,
          forwards: [],
        },
      }),
    // Nothing stands outside QEMU, so there is nothing to take down and nothing to find again.
    detach: async () => ok(undefined),
    attached: async () => [],
    run: async () => undefined,
  }
}
