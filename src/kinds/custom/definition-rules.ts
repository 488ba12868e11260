// What a CustomResourceDefinition must be. Where all versions share their schema, columns and subresources, causes
// name the fields as Kubernetes does, without the version (`spec.validation`, `spec.subresources`).

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkDns1035Label, checkDns1123Subdomain } from '../../base/names.ts'
import type { Schema } from '../../base/schema.ts'
import { isKnownFormat } from '../formats.ts'
import type { Rule } from '../kind.ts'
import { checkConversion } from './conversion-rules.ts'
import type { Definition, DefinitionNames, DefinitionVersion } from './definition.ts'
import { checkStructural } from './structural.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_TYPES_TEXT = `must be one of ${COLUMN_TYPES.join(',')}`
const PATH = /^(\.[A-Za-z0-9_\\'"()@?=&|!<>$/-]+|\[[^\]]+\])+$/
const SELECTABLE_MAX = 8
const APPROVAL = 'api-approved.kubernetes.io'
const APPROVAL_URL = 'see https://github.com/kubernetes/enhancements/pull/1111'

export const checkDefinition: Rule = (next, previous) => {
  if (!next) return {}
  const definition = next as Definition
  const old = previous as Definition | undefined
  const causes = [
    ...checkIdentity(definition, old),
    ...checkVersions(definition),
    ...checkConversion(definition, old),
    ...checkStored(definition),
    ...(old ? checkUnchanged(definition, old) : checkApproval(definition)),
  ]
  return { causes: causes.filter((one) => !old || !wasThere(one, old)), warnings: warningsOf(definition) }
}

/** On update, what was already wrong does not stand in the way. */
function wasThere(one: Cause, old: Definition): boolean {
  if (!/openAPIV3Schema|selectableFields|conversion/.test(one.field)) return false
  const before = [...checkVersions(old), ...checkConversion(old, undefined)]
  // Kubernetes asks only whether the old definition had the same kind of wrong anywhere.
  const last = (field: string): string => field.slice(field.lastIndexOf('.'))
  return before.some((was) => was.reason === one.reason && last(was.field) === last(one.field))
}

function checkIdentity({ metadata, spec }: Definition, old: Definition | undefined): readonly Cause[] {
  const { group = '', names = {}, scope } = spec ?? {}
  const causes: Cause[] = []
  if (!old && metadata.name !== undefined && metadata.name !== `${names.plural ?? ''}.${group}`) {
    causes.push(cause.invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'))
  }
  if (group === '') causes.push(cause.required('spec.group'))
  else {
    const problems = checkDns1123Subdomain(group)
    for (const problem of problems) causes.push(cause.invalid('spec.group', group, problem))
    if (problems.length === 0 && !group.includes('.')) {
      causes.push(cause.invalid('spec.group', group, 'should be a domain with at least one dot'))
    }
  }
  if (!scope) causes.push(cause.required('spec.scope'))
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    causes.push(cause.notSupported('spec.scope', scope, ['Cluster', 'Namespaced']))
  }
  if (spec?.preserveUnknownFields && !old?.spec?.preserveUnknownFields) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
    causes.push(cause.invalid('spec.preserveUnknownFields', true, why))
  }
  return [...causes, ...checkNames(names)]
}

function checkNames(names: DefinitionNames): readonly Cause[] {
  const causes: Cause[] = []
  const label = (field: string, text: string | undefined, mixed: boolean): void => {
    if (!text) {
      causes.push(cause.required(`spec.names.${field}`))
      return
    }
    for (const problem of checkDns1035Label(mixed ? text.toLowerCase() : text)) {
      const words = mixed ? `may have mixed case, but should otherwise match: ${problem}` : problem
      causes.push(cause.invalid(`spec.names.${field}`, text, words))
    }
  }
  label('plural', names.plural, false)
  label('singular', names.singular, false)
  label('kind', names.kind, true)
  label('listKind', names.listKind, true)
  for (const list of ['shortNames', 'categories'] as const) {
    for (const [index, text] of (names[list] ?? []).entries()) {
      for (const problem of checkDns1035Label(text)) {
        causes.push(cause.invalid(`spec.names.${list}[${index}]`, text, problem))
      }
    }
  }
  if (names.kind && names.kind === names.listKind) {
    causes.push(cause.invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'))
  }
  return causes
}

/** Where a part of a version is named: without its version where all versions have the same. */
function placeOf<K extends keyof DefinitionVersion>(
  versions: readonly DefinitionVersion[],
  index: number,
  part: K,
  shared: string,
): { readonly path: string; readonly skip: boolean } {
  const first = versions[0]?.[part]
  if (versions.every((one) => deepEqual(one[part], first))) return { path: `spec.${shared}`, skip: index > 0 }
  return { path: `spec.versions[${index}].${part}`, skip: false }
}

function checkVersions({ spec }: Definition): readonly Cause[] {
  const versions = spec?.versions ?? []
  const causes: Cause[] = []
  if (versions.filter((one) => one.storage).length !== 1) {
    const why = 'must have exactly one version marked as storage version'
    causes.push(cause.invalid('spec.versions', spec?.versions ?? null, why))
  }
  const seen = new Set<string>()
  for (const [index, version] of versions.entries()) {
    const name = version.name ?? ''
    const at = `spec.versions[${index}]`
    if (seen.has(name)) causes.push(cause.invalid('spec.versions', name, 'must contain unique version names'))
    seen.add(name)
    for (const problem of checkDns1035Label(name)) {
      causes.push(cause.invalid(`${at}.name`, name, problem))
      if (index === 0 && name !== '') causes.push(cause.invalid('spec.version', name, problem))
    }
    checkSchema(versions, index, causes)
    checkColumns(versions, index, causes)
    checkScale(versions, index, causes)
    checkSelectable(versions, index, causes)
  }
  return causes
}

function checkSchema(versions: readonly DefinitionVersion[], index: number, causes: Cause[]): void {
  const version = versions[index]
  const schema = version?.schema?.openAPIV3Schema
  if (!schema) {
    causes.push(cause.required(`spec.versions[${index}].schema.openAPIV3Schema`))
    return
  }
  const { path, skip } = placeOf(versions, index, 'schema', 'validation')
  if (skip) return
  const at = `${path}.openAPIV3Schema`
  causes.push(...checkStructural(schema, at))
  if (version.subresources?.status && schema.type !== 'object' && schema.type !== undefined) {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    causes.push(cause.invalid(`${at}.type`, schema.type, why))
  }
}

function checkColumns(versions: readonly DefinitionVersion[], index: number, causes: Cause[]): void {
  const { path, skip } = placeOf(versions, index, 'additionalPrinterColumns', 'additionalPrinterColumns')
  if (skip) return
  for (const [position, column] of (versions[index]?.additionalPrinterColumns ?? []).entries()) {
    const at = `${path}[${position}]`
    if (!column.name) causes.push(cause.required(`${at}.name`))
    if (!column.type) causes.push(cause.required(`${at}.type`, COLUMN_TYPES_TEXT))
    else if (!COLUMN_TYPES.includes(column.type)) {
      causes.push(cause.invalid(`${at}.type`, column.type, COLUMN_TYPES_TEXT))
    }
    checkPath(column.jsonPath, `${at}.JSONPath`, causes)
  }
}

function checkPath(text: string | undefined, field: string, causes: Cause[]): void {
  if (!text) causes.push(cause.required(field))
  else if (!text.startsWith('.'))
    causes.push(cause.invalid(field, text, 'must be a simple json path starting with .'))
}

function checkScale(versions: readonly DefinitionVersion[], index: number, causes: Cause[]): void {
  const { path, skip } = placeOf(versions, index, 'subresources', 'subresources')
  const scale = versions[index]?.subresources?.scale
  if (skip || !scale) return
  const under = (text: string, roots: readonly string[], field: string): void => {
    if (roots.some((root) => text.startsWith(`${root}.`))) return
    const why = `should be a json path under ${roots.length > 1 ? `either ${roots.join(' or ')}` : (roots[0] ?? '')}`
    causes.push(cause.invalid(field, text, why))
  }
  const at = `${path}.scale`
  for (const [name, roots] of [
    ['specReplicasPath', ['.spec']],
    ['statusReplicasPath', ['.status']],
  ] as const) {
    const text = scale[name]
    const before = causes.length
    checkPath(text, `${at}.${name}`, causes)
    if (text && causes.length === before) under(text, roots, `${at}.${name}`)
  }
  if (scale.labelSelectorPath) under(scale.labelSelectorPath, ['.spec', '.status'], `${at}.labelSelectorPath`)
}

function checkSelectable(versions: readonly DefinitionVersion[], index: number, causes: Cause[]): void {
  const fields = versions[index]?.selectableFields ?? []
  if (fields.length > SELECTABLE_MAX) {
    const { path, skip } = placeOf(versions, index, 'selectableFields', 'selectableFields')
    if (!skip) causes.push(cause.tooMany(path, fields.length, SELECTABLE_MAX))
  }
  for (const [position, { jsonPath }] of fields.entries()) {
    const at = `spec.versions[${index}].selectableFields[${position}].jsonPath`
    if (!jsonPath) causes.push(cause.required(at))
    else if (!jsonPath.startsWith('.') || !PATH.test(jsonPath)) {
      causes.push(cause.invalid(at, jsonPath, 'is an invalid path'))
    }
  }
}

function checkStored({ spec, status }: Definition): readonly Cause[] {
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) {
    return [cause.invalid('status.storedVersions', null, 'must have at least one stored version')]
  }
  const names = new Set((spec?.versions ?? []).map((one) => one.name))
  const missing = (spec?.versions ?? [])
    .filter((one) => one.storage && !stored.includes(one.name ?? ''))
    .map((one) =>
      cause.invalid('status.storedVersions', stored, `must have the storage version ${one.name ?? ''}`),
    )
  if (missing.length > 0) return missing
  return stored.flatMap((version, index) => {
    if (names.has(version)) return []
    const why = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
    return [cause.invalid(`status.storedVersions[${index}]`, version, why)]
  })
}

function checkApproval({ metadata, spec }: Definition): readonly Cause[] {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(spec?.group ?? '')) return []
  const field = `metadata.annotations[${APPROVAL}]`
  const approval = metadata.annotations?.[APPROVAL]
  if (!approval) {
    return [
      cause.required(field, `protected groups must have approval annotation "${APPROVAL}", ${APPROVAL_URL}`),
    ]
  }
  if (approval.startsWith('unapproved') || /^[a-z]+:\/\/[^/]+/.test(approval)) return []
  const why = `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${APPROVAL_URL}`
  return [cause.invalid(field, approval, why)]
}

function checkUnchanged({ spec }: Definition, { spec: old, status }: Definition): readonly Cause[] {
  const causes: Cause[] = []
  const fixed = (field: string, value: unknown, before: unknown): void => {
    if (!deepEqual(value, before)) causes.push(cause.invalid(field, value, 'field is immutable'))
  }
  const established = (status?.conditions ?? []).some(
    (one) => one.type === 'Established' && one.status === 'True',
  )
  if (established) {
    fixed('spec.scope', spec?.scope, old?.scope)
    fixed('spec.names.kind', spec?.names?.kind, old?.names?.kind)
  }
  fixed('spec.group', spec?.group, old?.group)
  fixed('spec.names.plural', spec?.names?.plural, old?.names?.plural)
  return causes
}

/** Things that are taken but do not do what one might think. */
function warningsOf({ spec }: Definition): readonly string[] {
  const warnings: string[] = []
  const search = (schema: Schema, path: string): void => {
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      warnings.push(
        `${path}.x-kubernetes-validations: the rule ${JSON.stringify(rule.rule)} is stored but not enforced yet`,
      )
    }
    if (schema.format && schema.type === 'string' && !isKnownFormat(schema.format)) {
      warnings.push(`${path}.format: unrecognized format ${JSON.stringify(schema.format)}`)
    }
    for (const [name, child] of Object.entries(schema.properties ?? {}))
      search(child, `${path}.properties[${name}]`)
    if (schema.items && !Array.isArray(schema.items)) search(schema.items, `${path}.items`)
    if (typeof schema.additionalProperties === 'object')
      search(schema.additionalProperties, `${path}.additionalProperties`)
  }
  for (const [index, version] of (spec?.versions ?? []).entries()) {
    const schema = version.schema?.openAPIV3Schema
    if (schema) search(schema, `spec.versions[${index}].schema.openAPIV3Schema`)
  }
  return [...new Set(warnings)].slice(0, WARNINGS_MAX)
}

/** A definition full of rules must not fill the answer's headers. */
const WARNINGS_MAX = 20
