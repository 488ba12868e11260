// CDIConfig: settings of disk import for the whole cluster; cdi.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { cdiConfigSpec, cdiConfigStatus } from './cdi-config-body.ts'

export const CDIConfig = defineKind({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'CDIConfig',
  plural: 'cdiconfigs',
  shortNames: [],
  scope: 'Cluster',
  doc: 'Settings of disk import for the whole cluster; there is one, config.',
  body: () => s.object({ spec: cdiConfigSpec, status: cdiConfigStatus }, undefined, { required: ['spec'] }),
  status: true,
  columns: [],
})
export type CDIConfig = KindOf<typeof CDIConfig>
