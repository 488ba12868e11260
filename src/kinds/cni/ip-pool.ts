// IPPool: the addresses of a range that are in use, in one object; whereabouts.cni.cncf.io/v1alpha1. Croft itself
// gives out addresses by one object each (OverlappingRangeIPReservation); this kind is served for tools.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'

const allocation = s.object(
  {
    id: s.string('Sandbox that has the address.'),
    podref: s.string('Pod that has the address, as namespace/name.'),
    ifname: s.string('Interface of the Pod that has the address.'),
  },
  'One address in use.',
  { required: ['id', 'podref'] },
)

export const IPPool = defineKind({
  group: 'whereabouts.cni.cncf.io',
  version: 'v1alpha1',
  kind: 'IPPool',
  plural: 'ippools',
  scope: 'Namespaced',
  doc: 'The addresses of a range that are in use.',
  body: () =>
    s.object({
      spec: s.object(
        {
          range: s.string('The range in CIDR form.'),
          allocations: s.map(
            allocation,
            'Addresses in use; the key is the distance from the start of the range.',
          ),
        },
        'The range and what is taken of it.',
        { required: ['allocations', 'range'] },
      ),
    }),
})
export type IPPool = KindOf<typeof IPPool>
