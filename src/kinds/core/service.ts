// Services: one address for a set of Pods.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, labelText, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { serviceSpec, serviceStatus } from './service-body.ts'
import { completeService } from './service-defaults.ts'
import { checkService } from './service-rules.ts'

const body = s.object({ spec: s.write(serviceSpec), status: s.write(serviceStatus) })
type ServiceObject = KubeObject & Infer<typeof body>

function externalText({ spec, status }: ServiceObject): string {
  const own = spec?.externalIPs ?? []
  if (spec?.type === 'ExternalName') return spec.externalName ?? ''
  if (spec?.type !== 'LoadBalancer') return own.length > 0 ? own.join(',') : '<none>'
  const given = (status?.loadBalancer?.ingress ?? []).map((one) => one.ip || one.hostname || '')
  const all = [...new Set(given)].sort().concat(own)
  return all.length > 0 ? all.join(',') : '<pending>'
}

function portsText({ spec }: ServiceObject): string {
  const ports = (spec?.ports ?? []).map((port) =>
    port.nodePort
      ? `${port.port ?? 0}:${port.nodePort}/${port.protocol ?? ''}`
      : `${port.port ?? 0}/${port.protocol ?? ''}`,
  )
  return ports.length > 0 ? ports.join(',') : '<none>'
}

export const Service = defineKind({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'One address for a set of Pods.',
  body: () => body,
  mutators: [completeService],
  rules: [checkService],
  status: true,
  subresources: {
    proxy: {
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      kind: { group: '', version: 'v1', kind: 'ServiceProxyOptions' },
      stream: true,
    },
  },
  nameRule: 'dns-label',
  selectableFields: ['spec.clusterIP', 'spec.type'],
  columns: [
    nameColumn,
    column<ServiceObject>('Type', 'How the Service is reached.', (one) => one.spec?.type ?? ''),
    column<ServiceObject>(
      'Cluster-IP',
      'Address inside the cluster.',
      (one) => one.spec?.clusterIPs?.[0] || one.spec?.clusterIP || '<none>',
    ),
    column<ServiceObject>('External-IP', 'Addresses outside.', externalText),
    column<ServiceObject>('Port(s)', 'Ports.', portsText),
    ageColumn,
    column<ServiceObject>(
      'Selector',
      'Labels of the Pods behind it.',
      (one) => labelText(one.spec?.selector),
      {
        wide: true,
      },
    ),
  ],
})
