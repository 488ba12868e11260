import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OverlappingRangeIPReservation } from '../kinds/cni/overlapping-range-ip-reservation.ts'
import { Pod } from '../kinds/core/pod.ts'
import { decideAddress } from './address.ts'

const reservation = (labels: Record<string, string> = { 'croft.io/network': 'pod' }) =>
  ({
    metadata: {
      name: '10.52.0.7',
      namespace: 'kube-system',
      uid: 'r',
      labels,
      annotations: { 'croft.io/pod-uid': 'p' },
    },
    spec: { podref: 'default/launcher', ifname: 'default' },
  }) as unknown as OverlappingRangeIPReservation
const pod = (uid: string, phase: string) =>
  ({ metadata: { name: 'launcher', namespace: 'default', uid }, status: { phase } }) as unknown as Pod
const target = {
  kind: OverlappingRangeIPReservation,
  namespace: 'kube-system',
  name: '10.52.0.7',
  uid: 'r',
}

test('an address is given back when its Pod is gone or has ended, not before', () => {
  const decide = (seen: Pod | undefined) =>
    decideAddress({ reservation: reservation(), pod: seen }, 0).actions
  assert.deepEqual(decide(pod('p', 'Running')), [])
  assert.deepEqual(decide(pod('p', 'Pending')), [])
  assert.deepEqual(decide(pod('p', 'Failed')), [{ do: 'delete', target }])
  assert.deepEqual(decide(pod('p', 'Succeeded')), [{ do: 'delete', target }])
  const absent = [{ kind: Pod, namespace: 'default', name: 'launcher', uid: 'p' }]
  for (const seen of [undefined, pod('another', 'Running')])
    assert.deepEqual(decide(seen), [{ do: 'delete', target, onlyIf: { absent } }])
})

test('reservations of other programs are left alone', () => {
  assert.deepEqual(decideAddress({ reservation: reservation({}), pod: undefined }, 0).actions, [])
})
