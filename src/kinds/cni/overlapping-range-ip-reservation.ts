// OverlappingRangeIPReservation: one address in use. Its name is the address, so creating it is the allocation and
// AlreadyExists means that the address is taken; the form is whereabouts' whereabouts.cni.cncf.io/v1alpha1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf, Rule } from '../kind.ts'

const PODREF = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/

/** An address belongs to the Pod that took it, until it is given back by deleting the object. */
const holderRule: Rule = (next, previous) => {
  if (!next) return {}
  const holder = (next['spec'] as { readonly podref: string }).podref
  const field = 'spec.podref'
  if (!PODREF.test(holder))
    return {
      causes: [
        { reason: 'FieldValueInvalid', field, message: 'spec.podref must be namespace/name of a Pod' },
      ],
    }
  const before = (previous?.['spec'] as { readonly podref: string } | undefined)?.podref
  return before === undefined || before === holder
    ? {}
    : {
        causes: [
          {
            reason: 'FieldValueForbidden',
            field,
            message: `the address belongs to Pod ${before}; it is not handed over`,
          },
        ],
      }
}

export const OverlappingRangeIPReservation = defineKind({
  group: 'whereabouts.cni.cncf.io',
  version: 'v1alpha1',
  kind: 'OverlappingRangeIPReservation',
  plural: 'overlappingrangeipreservations',
  scope: 'Namespaced',
  rules: [holderRule],
  doc: 'One address that is in use; the name of the object is the address.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            podref: s.string('Pod that has the address, as namespace/name.'),
            ifname: s.string('Interface of the Pod that has the address.'),
            containerid: s.string('Sandbox of the Pod; no longer used by newer writers.'),
          },
          'Who has the address.',
          { required: ['podref'] },
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
})
export type OverlappingRangeIPReservation = KindOf<typeof OverlappingRangeIPReservation>
