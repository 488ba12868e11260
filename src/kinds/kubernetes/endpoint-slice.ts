// EndpointSlices: the addresses behind a Service.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn, someOf } from '../cells.ts'
import { defineKind } from '../define.ts'
import { endpointSliceBody } from './endpoint-slice-body.ts'
import { checkEndpointSlice } from './small-rules.ts'

type Slice = KubeObject & Infer<typeof endpointSliceBody>
const SHOWN = 3

function portsText({ ports }: Slice): string {
  if (!ports || ports.length === 0) return '<unset>'
  return someOf(
    ports.map((one) => (one.port === undefined ? '*' : String(one.port))),
    SHOWN,
  )
}

function endpointsText({ endpoints }: Slice): string {
  const addresses = (endpoints ?? []).flatMap((one) => one.addresses ?? [])
  return addresses.length === 0 ? '<unset>' : someOf(addresses, SHOWN)
}

export const EndpointSlice = defineKind({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  scope: 'Namespaced',
  doc: 'Addresses behind a Service.',
  body: () => endpointSliceBody,
  rules: [checkEndpointSlice],
  columns: [
    nameColumn,
    column<Slice>('AddressType', 'Kind of addresses.', (slice) => slice.addressType ?? ''),
    column<Slice>('Ports', 'Ports.', portsText),
    column<Slice>('Endpoints', 'Addresses.', endpointsText),
    ageColumn,
  ],
})
