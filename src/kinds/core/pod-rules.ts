// What a Pod must be, and the few things of it that may change.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1123Label, checkDns1123Subdomain, checkQualifiedName } from '../../base/names.ts'
import type { Rule } from '../kind.ts'
import {
  checkIp,
  checkLabels,
  checkNodeSelector,
  checkNodeTerm,
  checkSelector,
  checkText,
} from '../rule-checks.ts'
import { checkContainers, checkSeccomp, checkUser } from './container-rules.ts'
import type { PodObject, PodSpec } from './pod-defaults.ts'

export const checkPod: Rule = (next, previous) => {
  if (!next) return {}
  const { spec } = next as PodObject
  const before = (previous as PodObject | undefined)?.spec
  if (!spec) return { causes: [cause.required('spec.containers')] }
  return { causes: before ? checkUpdate(spec, before) : checkPodSpec(spec, 'spec') }
}

/** Everything wrong with the spec of a new Pod. */
export function checkPodSpec(spec: PodSpec, at: string): readonly Cause[] {
  const volumes = spec.volumes ?? []
  return [
    ...checkVolumes(spec, at),
    ...checkContainers(spec, new Set(volumes.map((one) => one.name)), at),
    ...checkSecurity(spec, `${at}.securityContext`),
    ...checkPlacement(spec, at),
    ...checkNames(spec, at),
  ]
}

function checkVolumes(spec: PodSpec, at: string): readonly Cause[] {
  const seen = new Set<string>()
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const field = `${at}.volumes[${index}]`
    const causes: Cause[] = []
    if (volume.name) {
      causes.push(...checkText(`${field}.name`, volume.name, checkDns1123Label))
      if (seen.has(volume.name)) causes.push(cause.duplicate(`${field}.name`, volume.name))
      seen.add(volume.name)
    }
    for (const extra of Object.keys(volume)
      .filter((name) => name !== 'name')
      .slice(1)) {
      causes.push(cause.forbidden(`${field}.${extra}`, 'may not specify more than 1 volume type'))
    }
    return causes
  })
}

function checkSecurity(spec: PodSpec, at: string): readonly Cause[] {
  const {
    runAsUser,
    runAsGroup,
    fsGroup,
    supplementalGroups = [],
    sysctls = [],
    seccompProfile,
  } = spec.securityContext ?? {}
  return [
    ...checkUser(`${at}.runAsUser`, runAsUser),
    ...checkUser(`${at}.runAsGroup`, runAsGroup),
    ...checkUser(`${at}.fsGroup`, fsGroup),
    ...supplementalGroups.flatMap((group, index) => checkUser(`${at}.supplementalGroups[${index}]`, group)),
    ...sysctls.flatMap(({ name = '' }, index) => checkSysctl(name, `${at}.sysctls[${index}].name`)),
    ...checkSeccomp(seccompProfile, `${at}.seccompProfile`),
  ]
}

const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/

function checkSysctl(name: string, field: string): readonly Cause[] {
  if (name === '') return [cause.required(field)]
  if (name.length <= 253 && SYSCTL.test(name)) return []
  const why =
    'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
  return [cause.invalid(field, name, why)]
}

function checkPlacement(spec: PodSpec, at: string): readonly Cause[] {
  const causes: Cause[] = [...checkLabels(`${at}.nodeSelector`, spec.nodeSelector)]
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {}
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const node = `${at}.affinity.nodeAffinity`
  if (required)
    causes.push(...checkNodeSelector(`${node}.requiredDuringSchedulingIgnoredDuringExecution`, required))
  for (const [index, term] of (
    nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  ).entries()) {
    const field = `${node}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
    causes.push(
      ...checkWeight(term.weight, `${field}.weight`),
      ...checkNodeTerm(`${field}.preference`, term.preference ?? {}),
    )
  }
  for (const [name, affinity] of Object.entries({ podAffinity, podAntiAffinity })) {
    const field = `${at}.affinity.${name}`
    for (const [index, term] of (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      causes.push(...checkPodTerm(term, `${field}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`))
    }
    for (const [index, { weight, podAffinityTerm = {} }] of (
      affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      const one = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
      causes.push(
        ...checkWeight(weight, `${one}.weight`),
        ...checkPodTerm(podAffinityTerm as PodTerm, `${one}.podAffinityTerm`),
      )
    }
  }
  for (const [index, toleration] of (spec.tolerations ?? []).entries()) {
    causes.push(...checkToleration(toleration, `${at}.tolerations[${index}]`))
  }
  for (const [index, one] of (spec.topologySpreadConstraints ?? []).entries()) {
    const field = `${at}.topologySpreadConstraints[${index}]`
    if ((one.maxSkew ?? 0) <= 0)
      causes.push(cause.invalid(`${field}.maxSkew`, one.maxSkew ?? 0, 'must be greater than zero'))
    causes.push(...checkSelector(`${field}.labelSelector`, one.labelSelector))
  }
  return causes
}

function checkWeight(weight: number | undefined, field: string): readonly Cause[] {
  const value = weight ?? 0
  return value >= 1 && value <= 100 ? [] : [cause.invalid(field, value, 'must be in the range 1-100')]
}

type PodTerm = NonNullable<
  NonNullable<
    NonNullable<PodSpec['affinity']>['podAffinity']
  >['requiredDuringSchedulingIgnoredDuringExecution']
>[number]

function checkPodTerm(term: PodTerm, at: string): readonly Cause[] {
  return [
    ...checkSelector(`${at}.labelSelector`, term.labelSelector),
    ...(term.topologyKey ? checkText(`${at}.topologyKey`, term.topologyKey, checkQualifiedName) : []),
  ]
}

type Toleration = NonNullable<PodSpec['tolerations']>[number]

function checkToleration(
  { key = '', operator, value = '', effect, tolerationSeconds }: Toleration,
  at: string,
): readonly Cause[] {
  const causes: Cause[] = []
  if (key !== '') causes.push(...checkText(`${at}.key`, key, checkQualifiedName))
  else if (operator !== 'Exists') {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    causes.push(cause.invalid(`${at}.operator`, operator ?? '', why))
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    causes.push(cause.invalid(`${at}.effect`, effect ?? '', why))
  }
  if (operator === 'Exists' && value !== '') {
    causes.push(cause.invalid(`${at}.operator`, operator, "value must be empty when `operator` is 'Exists'"))
  }
  return causes
}

function checkNames(spec: PodSpec, at: string): readonly Cause[] {
  const causes: Cause[] = []
  if (spec.hostname) causes.push(...checkText(`${at}.hostname`, spec.hostname, checkDns1123Label))
  if (spec.subdomain) causes.push(...checkText(`${at}.subdomain`, spec.subdomain, checkDns1123Label))
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const) {
    const text = spec[name]
    if (text) causes.push(...checkText(`${at}.${name}`, text, checkDns1123Subdomain))
  }
  for (const [index, gate] of (spec.readinessGates ?? []).entries()) {
    causes.push(
      ...checkText(
        `${at}.readinessGates[${index}].conditionType`,
        gate.conditionType ?? '',
        checkQualifiedName,
      ),
    )
  }
  for (const [index, alias] of (spec.hostAliases ?? []).entries()) {
    causes.push(...checkIp(`${at}.hostAliases[${index}].ip`, alias.ip))
  }
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    causes.push(
      cause.invalid(`${at}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'),
    )
  }
  return causes
}

const UPDATE_TEXT =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function checkUpdate(spec: PodSpec, before: PodSpec): readonly Cause[] {
  const causes: Cause[] = []
  const { containers = [], tolerations = [], schedulingGates = [] } = spec
  if (containers.length !== (before.containers ?? []).length) {
    return [cause.forbidden('spec.containers', 'pod updates may not add or remove containers')]
  }
  for (const [index, one] of containers.entries()) {
    if (!one.image) causes.push(cause.required(`spec.containers[${index}].image`))
  }
  const kept = new Set((before.schedulingGates ?? []).map((gate) => gate.name))
  if (schedulingGates.some((gate) => !kept.has(gate.name))) {
    causes.push(
      cause.forbidden('spec.schedulingGates', 'only deletion is allowed, but found new scheduling gates'),
    )
  }
  const lost = (before.tolerations ?? []).some((old) => !tolerations.some((one) => sameToleration(one, old)))
  if (lost) {
    const why = 'existing toleration can not be modified except its tolerationSeconds'
    causes.push(cause.forbidden('spec.tolerations', why))
  }
  if (!deepEqual(fixedPart(spec, before), fixedPart(before, before)))
    causes.push(cause.forbidden('spec', UPDATE_TEXT))
  return causes
}

function sameToleration(a: Toleration, b: Toleration): boolean {
  const { tolerationSeconds: _a, ...left } = a
  const { tolerationSeconds: _b, ...right } = b
  return deepEqual(left, right)
}

/** What of a spec may not change. Placement may still be narrowed while gates hold the Pod. */
function fixedPart(spec: PodSpec, before: PodSpec): unknown {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    terminationGracePeriodSeconds: grace,
    nodeSelector,
    affinity,
    ...rest
  } = spec
  const withoutImages = (list: PodSpec['containers'] | undefined): unknown =>
    list?.map(({ image: _image, ...one }) => one)
  const gated = (before.schedulingGates ?? []).length > 0
  const negative = (before.terminationGracePeriodSeconds ?? 0) < 0
  return {
    ...rest,
    containers: withoutImages(rest.containers),
    initContainers: withoutImages(rest.initContainers as PodSpec['containers'] | undefined),
    ...(gated ? {} : { nodeSelector: nodeSelector ?? {}, affinity: affinity ?? {} }),
    ...(negative ? {} : { grace }),
  }
}
