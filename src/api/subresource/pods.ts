// What is done to Pods through subresources: binding them to a node, evicting them.
import { ApiError, refuse } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import { type LabelSelectorObject, labelSelectorOf, matchesLabels } from '../../base/labels.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { commitUpdate } from '../resource/commit.ts'
import { deleteOne } from '../resource/delete.ts'
import { timestamp } from '../resource/metadata.ts'
import { trackUpdate } from '../resource/ownership.ts'
import { listObjects } from '../resource/read.ts'
import { conflict, readBefore } from '../resource/update.ts'

const BIND_ATTEMPTS = 6
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const

interface PodShape {
  readonly spec?: { readonly nodeName?: string }
  readonly status?: { readonly phase?: string; readonly conditions?: readonly { readonly type: string }[] }
}

/** Sets the node of a Pod that has none. Works for pods/NAME/binding and for bindings that name their Pod. */
export async function bindPod(work: Work): Promise<Outcome> {
  const target = isObject(work.call.body) ? work.call.body['target'] : undefined
  const node = isObject(target) ? String(target['name'] ?? '') : ''
  const name = work.call.name ?? ''
  if (node === '') throw refuse.badRequest('the binding must name a target node')
  for (let attempt = 0; attempt < BIND_ATTEMPTS; attempt += 1) {
    const before = readBefore(work)
    if (!before) throw refuse.notFound(resourceOf(work.served), name)
    checkBindable(work, before.object, node)
    const next = bound(before.object, node, work.now)
    const committed = await commitUpdate(work, before, trackUpdate(work, before.object, next))
    if (committed) return { is: 'object', code: 201, object: SUCCESS }
  }
  throw conflict(work)
}

function checkBindable(work: Work, pod: KubeObject, node: string): void {
  const { spec } = pod as unknown as PodShape
  const refusal = (why: string) => refuse.conflict(resourceOf(work.served), pod.metadata.name ?? '', why)
  if (pod.metadata.deletionTimestamp)
    throw refusal(`pod ${pod.metadata.name ?? ''} is being deleted, cannot be assigned to a host`)
  if (spec?.nodeName)
    throw refusal(
      `pod ${pod.metadata.name ?? ''} is already assigned to node "${spec.nodeName}", cannot be bound to "${node}"`,
    )
}

function bound(pod: KubeObject, node: string, now: number): KubeObject {
  const { spec, status } = pod as unknown as PodShape
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(now) }
  return {
    ...pod,
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  }
}

interface BudgetShape {
  readonly spec?: { readonly selector?: LabelSelectorObject }
  readonly status?: { readonly disruptionsAllowed?: number }
}

/** Deletes a Pod unless a disruption budget forbids it for now. */
export async function evictPod(work: Work): Promise<Outcome> {
  const { core, call } = work
  const before = readBefore(work)
  if (!before) throw refuse.notFound(resourceOf(work.served), call.name ?? '')
  const { status } = before.object as unknown as PodShape
  const terminal = ['Pending', 'Succeeded', 'Failed'].includes(status?.phase ?? '')
  const budgets = terminal ? [] : budgetsFor(work, before.object)
  if (budgets.length > 1)
    throw refuse.internal('This pod has more than one PodDisruptionBudget, which is not supported.')
  const [budget] = budgets
  if (budget && ((budget as unknown as BudgetShape).status?.disruptionsAllowed ?? 0) <= 0)
    throw new ApiError(
      429,
      'TooManyRequests',
      "Cannot evict pod as it would violate the pod's disruption budget.",
      {
        causes: [
          {
            reason: 'DisruptionBudget',
            field: '',
            message: `The disruption budget ${budget.metadata.name ?? ''} does not allow it now`,
          },
        ],
      },
    )
  const options = isObject(call.body) ? call.body['deleteOptions'] : undefined
  const body = isObject(options) ? options : {}
  const { subresource: _eviction, ...rest } = call
  await deleteOne({ ...work, core, call: { ...rest, verb: 'delete', body } })
  return { is: 'object', code: 201, object: SUCCESS }
}

function budgetsFor({ core, call }: Work, pod: KubeObject): readonly KubeObject[] {
  const served = core.served.find('policy', 'v1', 'poddisruptionbudgets')
  if (!served) return []
  return listObjects(core, served, { namespace: call.namespace }).filter((budget) => {
    const selector = (budget as unknown as BudgetShape).spec?.selector
    return selector !== undefined && matchesLabels(labelSelectorOf(selector), pod.metadata.labels)
  })
}
