// Cluster roles that are made of others: their rules are the union of those whose labels they select.
import { deepEqual } from '../../base/equality.ts'
import type { JsonObject } from '../../base/json.ts'
import { type LabelSelectorObject, labelSelectorOf, matchesLabels } from '../../base/labels.ts'
import type { KubeObject } from '../../base/object.ts'
import type { PolicyRule } from '../authz/rules.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, isRaced } from '../internal.ts'
import { listObjects } from '../resource/read.ts'
import { startWorker, type Worker } from './worker.ts'

const PREFIX = '/registry/rbac.authorization.k8s.io/clusterroles/'

interface RoleShape extends KubeObject {
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] }
}

export function aggregateRoles(core: Core): Worker {
  const worker = startWorker(core, 'role aggregation', () => aggregateAll(core))
  const stop = core.store.watch(PREFIX, core.store.revision(), () => worker.add('all'))
  worker.add('all')
  return {
    add: worker.add,
    close: () => {
      stop()
      worker.close()
    },
  }
}

async function aggregateAll(core: Core): Promise<undefined> {
  const served = core.served.find('rbac.authorization.k8s.io', 'v1', 'clusterroles')
  if (!served) return undefined
  const roles = listObjects(core, served) as readonly RoleShape[]
  for (const role of roles) {
    const selectors = role.aggregationRule?.clusterRoleSelectors
    if (!selectors) continue
    const rules = aggregated(roles, role, selectors)
    if (deepEqual(rules, role.rules ?? [])) continue
    const call = callFor('patch', { served, name: role.metadata.name }, { rules } as unknown as JsonObject)
    try {
      // The change comes back as an event, so roles made of this one follow.
      await callSelf(core, { ...call, patchType: 'merge' })
    } catch (error) {
      if (!isRaced(error)) throw error
    }
  }
  return undefined
}

function aggregated(
  roles: readonly RoleShape[],
  into: RoleShape,
  selectors: readonly LabelSelectorObject[],
): readonly PolicyRule[] {
  const rules: PolicyRule[] = []
  for (const selector of selectors) {
    const parsed = labelSelectorOf(selector)
    for (const role of roles) {
      if (role.metadata.name === into.metadata.name || !matchesLabels(parsed, role.metadata.labels)) continue
      for (const rule of role.rules ?? []) if (!rules.some((had) => deepEqual(had, rule))) rules.push(rule)
    }
  }
  return rules
}
