// RBAC rules as pure functions: what a rule allows, and whether one set of rules covers another (no escalation).

export interface PolicyRule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Attributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Set for requests that name no resource. */
  readonly path?: string
}

export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!includesOrAll(rule.verbs, wanted.verb)) return false
  if (wanted.path !== undefined) return matchesUrl(rule.nonResourceURLs, wanted.path)
  if (!includesOrAll(rule.apiGroups, wanted.group)) return false
  if (!matchesResource(rule.resources, wanted.resource, wanted.subresource)) return false
  const names = rule.resourceNames
  return !names || names.length === 0 || names.includes(wanted.name)
}

function includesOrAll(list: readonly string[] | undefined, wanted: string): boolean {
  return list?.some((item) => item === '*' || item === wanted) ?? false
}

function matchesResource(
  list: readonly string[] | undefined,
  resource: string,
  subresource: string,
): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return (
    list?.some(
      (item) => item === '*' || item === whole || (subresource !== '' && item === `*/${subresource}`),
    ) ?? false
  )
}

function matchesUrl(list: readonly string[] | undefined, path: string): boolean {
  return (
    list?.some(
      (item) => item === '*' || item === path || (item.endsWith('*') && path.startsWith(item.slice(0, -1))),
    ) ?? false
  )
}

/** Rules of `wanted`, broken into single ones, that no rule of `held` covers. */
export function uncoveredRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((single) => !held.some((owner) => coversSingle(owner, single)))
}

/** One verb with one resource of one group with at most one name, or one verb with one URL. */
function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const singles: PolicyRule[] = []
  for (const verb of rule.verbs ?? []) {
    for (const group of rule.apiGroups ?? [])
      for (const resource of rule.resources ?? [])
        for (const name of rule.resourceNames?.length ? rule.resourceNames : [undefined])
          singles.push({
            verbs: [verb],
            apiGroups: [group],
            resources: [resource],
            ...(name === undefined ? {} : { resourceNames: [name] }),
          })
    for (const url of rule.nonResourceURLs ?? []) singles.push({ verbs: [verb], nonResourceURLs: [url] })
  }
  return singles
}

function coversSingle(owner: PolicyRule, single: PolicyRule): boolean {
  if (!coversAll(owner.verbs, single.verbs)) return false
  if (single.nonResourceURLs) return coversUrls(owner.nonResourceURLs, single.nonResourceURLs)
  if (!coversAll(owner.apiGroups, single.apiGroups)) return false
  if (!coversResources(owner.resources, single.resources)) return false
  const ownerNames = owner.resourceNames ?? []
  if (ownerNames.length === 0) return true
  const names = single.resourceNames ?? []
  return names.length > 0 && names.every((name) => ownerNames.includes(name))
}

function coversAll(owner: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  return (wanted ?? []).every((item) => includesOrAll(owner, item))
}

function coversResources(
  owner: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): boolean {
  return (wanted ?? []).every((item) => {
    const [, subresource] = item.split('/')
    return (
      owner?.some(
        (held) => held === '*' || held === item || (subresource !== undefined && held === `*/${subresource}`),
      ) ?? false
    )
  })
}

function coversUrls(owner: readonly string[] | undefined, wanted: readonly string[]): boolean {
  return wanted.every((url) => matchesUrl(owner, url))
}

/** A rule as Kubernetes prints it in escalation refusals. */
export function printRule(rule: PolicyRule): string {
  const part = (name: string, list: readonly string[] | undefined) =>
    list && list.length > 0 ? [`${name}:[${list.map((item) => `"${item}"`).join(', ')}]`] : []
  return `{${[
    ...part('APIGroups', rule.apiGroups),
    ...part('Resources', rule.resources),
    ...part('ResourceNames', rule.resourceNames),
    ...part('NonResourceURLs', rule.nonResourceURLs),
    ...part('Verbs', rule.verbs),
  ].join(', ')}}`
}
