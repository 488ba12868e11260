// APIServices: which group versions are served, and by whom.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { apiServiceSpec, apiServiceStatus } from './api-service-body.ts'
import { checkApiService } from './small-rules.ts'

const body = s.object({ spec: s.write(apiServiceSpec), status: s.write(apiServiceStatus) })
type ApiServiceObject = KubeObject & Infer<typeof body>

function availableText({ status }: ApiServiceObject): string {
  const available = (status?.conditions ?? []).find((one) => one.type === 'Available')
  if (!available) return 'Unknown'
  return available.status === 'True' ? 'True' : `${available.status ?? ''} (${available.reason ?? ''})`
}

export const APIService = defineKind({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  scope: 'Cluster',
  nameRule: 'path-segment', // the core group's is named `v1.`
  doc: 'A group version and who serves it.',
  body: () => body,
  rules: [checkApiService],
  status: true,
  columns: [
    nameColumn,
    column<ApiServiceObject>('Service', 'Who serves it.', ({ spec }) =>
      spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local',
    ),
    column<ApiServiceObject>('Available', 'Whether it answers.', availableText),
    ageColumn,
  ],
})
