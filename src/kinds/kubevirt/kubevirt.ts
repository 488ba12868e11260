// KubeVirt: the object in which the configuration of virtual machines lies; kubevirt.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { kubeVirtSpec, kubeVirtStatus } from './kubevirt-body.ts'

export const KubeVirt = defineKind({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  shortNames: ['kv', 'kvs'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'Configuration of virtual machines for the whole cluster; there is one, kubevirt in harvester-system.',
  body: () => s.object({ spec: kubeVirtSpec, status: kubeVirtStatus }, undefined, { required: ['spec'] }),
  status: true,
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'Phase', type: 'string', description: 'Whether machines can be run.', value: '.status.phase' },
  ],
})
export type KubeVirt = KindOf<typeof KubeVirt>
