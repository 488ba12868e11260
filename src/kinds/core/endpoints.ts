// Endpoints: the old form of EndpointSlices.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn, someOf } from '../cells.ts'
import { defineKind } from '../define.ts'
import { endpointsBody } from './endpoints-body.ts'
import { checkEndpoints } from './event-rules.ts'

type EndpointsObject = KubeObject & Infer<typeof endpointsBody>
const SHOWN = 3

function endpointsText({ subsets }: EndpointsObject): string {
  const texts = (subsets ?? []).flatMap((subset) => {
    const addresses = (subset.addresses ?? []).map((one) => one.ip ?? '')
    const ports = subset.ports ?? []
    if (ports.length === 0) return addresses
    return ports.flatMap((port) => addresses.map((ip) => hostPort(ip, port.port ?? 0)))
  })
  return someOf(texts, SHOWN)
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

export const Endpoints = defineKind({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  scope: 'Namespaced',
  doc: 'Addresses behind a Service, in the old form.',
  body: () => endpointsBody,
  rules: [checkEndpoints],
  columns: [
    nameColumn,
    column<EndpointsObject>('Endpoints', 'Addresses and ports.', endpointsText),
    ageColumn,
  ],
})
