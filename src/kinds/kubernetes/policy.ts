// PodDisruptionBudgets and Evictions: how many Pods may be away at a time.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { evictionBody, podDisruptionBudgetSpec, podDisruptionBudgetStatus } from './policy-bodies.ts'
import { checkBudget } from './small-rules.ts'

const body = s.object({ spec: s.write(podDisruptionBudgetSpec), status: s.write(podDisruptionBudgetStatus) })
type Budget = KubeObject & Infer<typeof body>

export const PodDisruptionBudget = defineKind({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  scope: 'Namespaced',
  doc: 'How many Pods of a set may be away at a time.',
  body: () => body,
  rules: [checkBudget],
  status: true,
  columns: [
    nameColumn,
    column<Budget>('Min Available', 'Pods that must stay.', ({ spec }) =>
      String(spec?.minAvailable ?? 'N/A'),
    ),
    column<Budget>('Max Unavailable', 'Pods that may be away.', ({ spec }) =>
      String(spec?.maxUnavailable ?? 'N/A'),
    ),
    column<Budget>(
      'Allowed Disruptions',
      'Evictions allowed now.',
      ({ status }) => status?.disruptionsAllowed ?? 0,
      {
        type: 'integer',
      },
    ),
    ageColumn,
  ],
})

/** Spoken by the subresource `pods/eviction`; not a resource of its own, so not in the registry. */
export const Eviction = defineKind({
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  plural: 'evictions',
  scope: 'Namespaced',
  doc: 'Asks a Pod to leave, if its budgets allow.',
  body: () => evictionBody,
  verbs: ['create'],
  virtual: true,
})
