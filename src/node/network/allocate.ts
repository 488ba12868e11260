// Gives a machine's interface its address: one OverlappingRangeIPReservation each, named by the address, so that its
// creation is the compare-and-swap and two machines never get the same one, on whatever nodes they are.
import { ApiError } from '../../base/errors.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import { OverlappingRangeIPReservation } from '../../kinds/cni/overlapping-range-ip-reservation.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { type AddressRange, inRange, probeOrder } from './address-range.ts'

export const RESERVATION_NAMESPACE = 'kube-system'
/** Label of reservations that Croft made, with the network as value. */
export const NETWORK_LABEL = 'croft.io/network'
/** Whom an address is for, over all its Pods: `namespace/vm/interface`. */
export const HOLDER_ANNOTATION = 'croft.io/address-holder'
export const POD_UID_ANNOTATION = 'croft.io/pod-uid'

/** Races lost one after another; each means that somebody else just got an address. */
const ATTEMPTS_MAX = 256

export interface AddressWish {
  readonly range: AddressRange
  readonly namespace: string
  readonly vmiName: string
  readonly podName: string
  readonly podUid: string
  /** Interface of the VMI. */
  readonly nic: string
}

/** Failures: `AddressesExhausted`, `AddressNotFree`, `ApiUnreachable`. */
export async function allocateAddress(client: Client, wish: AddressWish): Promise<Result<string>> {
  try {
    return await allocate(client, wish)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return failed({
      reason: 'ApiUnreachable',
      message: `no address was reserved: ${error.message}`,
      retry: 'later',
    })
  }
}

async function allocate(client: Client, wish: AddressWish): Promise<Result<string>> {
  const where = { namespace: RESERVATION_NAMESPACE }
  const { items } = await client.list(OverlappingRangeIPReservation, where)
  const taken = new Map(items.map((one) => [one.metadata.name ?? '', one]))
  const holder = holderOf(wish)
  for (const one of items) {
    const { annotations = {}, name = '' } = one.metadata
    if (annotations[HOLDER_ANNOTATION] !== holder || !inRange(wish.range, name)) continue
    if (annotations[POD_UID_ANNOTATION] === wish.podUid) return ok(name)
    // Its own address of before. It is taken over as soon as the Pod of before is through with it.
    const former = await podState(client, one)
    if (former === 'leaving') return failed(notFree(name))
    if (former === 'alive') continue
    await release(client, one)
    taken.delete(name)
    if (await reserve(client, wish, name)) return ok(name)
  }
  let attempts = 0
  for (const address of probeOrder(wish.range, holder)) {
    if (taken.has(address)) continue
    if (await reserve(client, wish, address)) return ok(address)
    if (++attempts >= ATTEMPTS_MAX) break
  }
  return failed({
    reason: 'AddressesExhausted',
    message: `no address of ${wish.range.cidr} is free: stop or remove machines`,
    retry: 'later',
  })
}

function holderOf({ namespace, vmiName, nic }: AddressWish): string {
  return `${namespace}/${vmiName}/${nic}`
}

function notFree(address: string): Failure {
  return {
    reason: 'AddressNotFree',
    message: `address ${address} is still held by the Pod before, which is ending; it is waited for`,
    retry: 'later',
  }
}

async function reserve(client: Client, wish: AddressWish, address: string): Promise<boolean> {
  try {
    await client.create(OverlappingRangeIPReservation, {
      apiVersion: 'whereabouts.cni.cncf.io/v1alpha1',
      kind: 'OverlappingRangeIPReservation',
      metadata: {
        name: address,
        namespace: RESERVATION_NAMESPACE,
        labels: { [NETWORK_LABEL]: 'pod' },
        annotations: { [HOLDER_ANNOTATION]: holderOf(wish), [POD_UID_ANNOTATION]: wish.podUid },
      },
      spec: { podref: `${wish.namespace}/${wish.podName}`, ifname: wish.nic },
    })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return false
    throw error
  }
}

/**
 * Whether the address is still this Pod's; one whose reservation was lost is reserved again. False: somebody else has
 * it. For machines that run on from before.
 */
export async function confirmAddress(client: Client, wish: AddressWish, address: string): Promise<boolean> {
  if (await reserve(client, wish, address)) return true
  const where = { namespace: RESERVATION_NAMESPACE }
  const present = await client.get(OverlappingRangeIPReservation, address, where)
  return present.metadata.annotations?.[POD_UID_ANNOTATION] === wish.podUid
}

async function podState(
  client: Client,
  { spec, metadata }: OverlappingRangeIPReservation,
): Promise<'gone' | 'leaving' | 'alive'> {
  const [namespace = '', name = ''] = spec.podref.split('/')
  try {
    const pod = await client.get(Pod, name, { namespace })
    if (pod.metadata.uid !== metadata.annotations?.[POD_UID_ANNOTATION]) return 'gone'
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return 'gone'
    return pod.metadata.deletionTimestamp === undefined ? 'alive' : 'leaving'
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return 'gone'
    throw error
  }
}

async function release(client: Client, one: OverlappingRangeIPReservation): Promise<void> {
  const { name = '', uid = '' } = one.metadata
  try {
    await client.delete(OverlappingRangeIPReservation, name, { namespace: RESERVATION_NAMESPACE, uid })
  } catch (error) {
    // Released by somebody else, or given to somebody else since.
    if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error
  }
}
