// Decides one reserved address: it is given back when the Pod that holds it is gone or has ended. Level driven, so
// that no crash of an agent leaves an address taken.
import { OverlappingRangeIPReservation } from '../kinds/cni/overlapping-range-ip-reservation.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Decider, Decision } from '../kinds/decide.ts'
import { hasEnded } from './scheduling/filter.ts'

/** Reservations of other programs are theirs to give back. */
const NETWORK_LABEL = 'croft.io/network'
const POD_UID_ANNOTATION = 'croft.io/pod-uid'
const BY_POD = 'address-pod'

export interface SeenAddress {
  readonly reservation: OverlappingRangeIPReservation
  readonly pod: Pod | undefined
}

export function decideAddress({ reservation, pod }: SeenAddress, _now: number): Decision {
  const { name = '', namespace = '', uid = '', labels, annotations } = reservation.metadata
  if (labels?.[NETWORK_LABEL] === undefined) return { actions: [] }
  const podUid = annotations?.[POD_UID_ANNOTATION]
  const same = pod !== undefined && (podUid === undefined || pod.metadata.uid === podUid)
  if (same && !hasEnded(pod)) return { actions: [] }
  const [podNamespace = '', podName = ''] = reservation.spec.podref.split('/')
  const target = { kind: OverlappingRangeIPReservation, namespace, name, uid }
  if (same) return { actions: [{ do: 'delete', target }] }
  // The cache may not know a new Pod yet; the API is asked.
  const holder = { kind: Pod, namespace: podNamespace, name: podName, ...(podUid ? { uid: podUid } : {}) }
  return { actions: [{ do: 'delete', target, onlyIf: { absent: [holder] } }] }
}

export const addressDecider: Decider<typeof OverlappingRangeIPReservation, SeenAddress> = {
  name: 'address',
  kind: OverlappingRangeIPReservation,
  indexes: [
    {
      kind: OverlappingRangeIPReservation,
      name: BY_POD,
      values: (object) => [(object as OverlappingRangeIPReservation).spec.podref],
    },
  ],
  watches: [
    {
      kind: Pod,
      keys: ({ metadata }, look) =>
        look
          .byIndex(OverlappingRangeIPReservation, BY_POD, `${metadata.namespace}/${metadata.name}`)
          .map((one) => `${one.metadata.namespace}/${one.metadata.name}`),
    },
  ],
  gather: (reservation, look) => {
    const [namespace = '', name = ''] = reservation.spec.podref.split('/')
    return { reservation, pod: look.get(Pod, namespace, name) }
  },
  decide: decideAddress,
}
