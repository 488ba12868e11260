// Pods: what runs on nodes. With Croft a Pod stands for a virtual machine's process.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { podSpec } from './pod/spec.ts'
import { podStatus } from './pod/status.ts'
import { podColumns } from './pod-columns.ts'
import { completePod } from './pod-defaults.ts'
import { checkPod } from './pod-rules.ts'

const OWN = ['get', 'patch', 'update'] as const
const PROXY = ['create', 'delete', 'get', 'patch', 'update'] as const

export const Pod = defineKind({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'A unit of work on one node; with Croft the process of a virtual machine.',
  body: () => s.object({ spec: s.write(podSpec), status: s.write(podStatus) }),
  columns: podColumns,
  mutators: [completePod],
  rules: [checkPod],
  status: true,
  subresources: {
    attach: { verbs: ['create', 'get'], kind: options('PodAttachOptions'), stream: true },
    binding: { verbs: ['create'], kind: options('Binding') },
    ephemeralcontainers: { verbs: OWN },
    eviction: { verbs: ['create'], kind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
    exec: { verbs: ['create', 'get'], kind: options('PodExecOptions'), stream: true },
    log: { verbs: ['get'], stream: true },
    portforward: { verbs: ['create', 'get'], kind: options('PodPortForwardOptions'), stream: true },
    proxy: { verbs: PROXY, kind: options('PodProxyOptions'), stream: true },
    resize: { verbs: OWN },
  },
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
})

function options(kind: string): { readonly group: string; readonly version: string; readonly kind: string } {
  return { group: '', version: 'v1', kind }
}
export type Pod = KindOf<typeof Pod>
