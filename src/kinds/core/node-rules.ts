// What a Node must be. Taints are blamed under metadata, as Kubernetes does.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkLabelValue, checkQualifiedName } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Rule } from '../kind.ts'
import { checkText } from '../rule-checks.ts'
import type { nodeSpec } from './node-body.ts'

type NodeObject = KubeObject & { readonly spec?: Infer<typeof nodeSpec> }
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export const checkNode: Rule = (next, previous) => {
  if (!next) return {}
  const { spec } = next as NodeObject
  const before = (previous as NodeObject | undefined)?.spec
  const causes: Cause[] = []
  const seen = new Set<string>()
  for (const [index, { key = '', value = '', effect }] of (spec?.taints ?? []).entries()) {
    const at = `metadata.taints[${index}]`
    causes.push(...checkText(`${at}.key`, key, checkQualifiedName))
    causes.push(...checkText(`${at}.value`, value, checkLabelValue))
    if (!effect) causes.push(cause.required(`${at}.effect`))
    else if (!EFFECTS.includes(effect)) causes.push(cause.notSupported(`${at}.effect`, effect, EFFECTS))
    const same = `${key}:${effect ?? ''}`
    if (seen.has(same)) causes.push(cause.duplicate(at, { key, effect }))
    seen.add(same)
  }
  if (before?.podCIDRs?.length && !deepEqual(before.podCIDRs, spec?.podCIDRs)) {
    causes.push(
      cause.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'),
    )
  }
  if (before?.providerID && before.providerID !== spec?.providerID) {
    causes.push(
      cause.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'),
    )
  }
  return { causes }
}
