// Small checks that the rules of many kinds are made of. Each gives causes for one field, in Kubernetes' words.

import { deepEqual } from '../base/equality.ts'
import { type Cause, cause } from '../base/errors.ts'
import { checkLabelValue, checkPortName, checkQualifiedName } from '../base/names.ts'
import { isIpv4, isIpv6 } from './formats.ts'

export type Check = (text: string) => readonly string[]

/** A text that must pass a check of base/names. */
export function checkText(field: string, text: string, check: Check): readonly Cause[] {
  return check(text).map((problem) => cause.invalid(field, text, problem))
}

/** As checkText, but an absent or empty text is a missing one. */
export function checkRequiredText(field: string, text: string | undefined, check: Check): readonly Cause[] {
  return text ? checkText(field, text, check) : [cause.required(field)]
}

export function checkImmutable(field: string, value: unknown, before: unknown): readonly Cause[] {
  return deepEqual(value, before) ? [] : [cause.invalid(field, value ?? null, 'field is immutable')]
}

const PORT_MAX = 65_535

export function checkPort(field: string, port: number | undefined): readonly Cause[] {
  return checkRange(field, port ?? 0, 1, PORT_MAX)
}

export function checkRange(
  field: string,
  value: number | bigint,
  low: number,
  high: number,
): readonly Cause[] {
  return value >= low && value <= high
    ? []
    : [cause.invalid(field, value, `must be between ${low} and ${high}, inclusive`)]
}

export function checkNotNegative(field: string, value: number | bigint | undefined): readonly Cause[] {
  return value === undefined || value >= 0
    ? []
    : [cause.invalid(field, value, 'must be greater than or equal to 0')]
}

/** A port by number or by name. */
export function checkPortOrName(field: string, port: string | number | undefined): readonly Cause[] {
  return typeof port === 'string' ? checkText(field, port, checkPortName) : checkPort(field, port)
}

export function checkIp(field: string, address: string | undefined): readonly Cause[] {
  const text = address ?? ''
  if (isIpv4(text) || isIpv6(text)) return []
  return [cause.invalid(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
}

/** Keys and values of labels, all told at the field that holds them. */
export function checkLabels(
  field: string,
  labels: Readonly<Record<string, string>> | undefined,
): readonly Cause[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...checkText(field, key, checkQualifiedName),
    ...checkText(field, value, checkLabelValue),
  ])
}

export interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly Requirement[]
}
interface Requirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

export function checkSelector(field: string, selector: Selector | undefined): readonly Cause[] {
  return [
    ...checkLabels(`${field}.matchLabels`, selector?.matchLabels),
    ...(selector?.matchExpressions ?? []).flatMap((one, index) =>
      checkRequirement(`${field}.matchExpressions[${index}]`, one),
    ),
  ]
}

function checkRequirement(
  field: string,
  { key = '', operator = '', values = [] }: Requirement,
): readonly Cause[] {
  const causes: Cause[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      causes.push(cause.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      causes.push(
        cause.forbidden(
          `${field}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      )
    }
  } else causes.push(cause.invalid(`${field}.operator`, operator, 'not a valid selector operator'))
  causes.push(...checkText(`${field}.key`, key, checkQualifiedName))
  for (const [index, value] of values.entries()) {
    causes.push(...checkText(`${field}.values[${index}]`, value, checkLabelValue))
  }
  return causes
}

interface NodeTerm {
  readonly matchExpressions?: readonly Requirement[]
  readonly matchFields?: readonly Requirement[]
}

/** Terms that choose nodes; beside the operators of labels they know Gt and Lt. */
export function checkNodeSelector(
  field: string,
  selector: { readonly nodeSelectorTerms?: readonly NodeTerm[] } | undefined,
): readonly Cause[] {
  const terms = selector?.nodeSelectorTerms ?? []
  if (terms.length === 0) {
    return [cause.required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term')]
  }
  return terms.flatMap((term, index) => checkNodeTerm(`${field}.nodeSelectorTerms[${index}]`, term))
}

export function checkNodeTerm(field: string, term: NodeTerm): readonly Cause[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((one, index) => {
      const at = `${field}.matchExpressions[${index}]`
      if (one.operator !== 'Gt' && one.operator !== 'Lt') return checkRequirement(at, one)
      const single = one.values?.length === 1
      const why = "must be specified single value when `operator` is 'Lt' or 'Gt'"
      return [
        ...(single ? [] : [cause.required(`${at}.values`, why)]),
        ...checkText(`${at}.key`, one.key ?? '', checkQualifiedName),
      ]
    }),
    ...(term.matchFields ?? []).flatMap((one, index) =>
      checkFieldTerm(`${field}.matchFields[${index}]`, one),
    ),
  ]
}

function checkFieldTerm(
  field: string,
  { key = '', operator = '', values = [] }: Requirement,
): readonly Cause[] {
  const causes: Cause[] = []
  if (operator !== 'In' && operator !== 'NotIn') {
    causes.push(cause.invalid(`${field}.operator`, operator, 'not a valid selector operator'))
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    causes.push(cause.required(`${field}.values`, why))
  }
  if (key !== 'metadata.name')
    causes.push(cause.invalid(`${field}.key`, key, 'not a valid field selector key'))
  return causes
}
