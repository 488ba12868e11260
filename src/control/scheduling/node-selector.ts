// Whether a node fits a Pod's nodeSelector and node affinity, and how much it likes it; the words and edge cases are
// Kubernetes': terms are OR, expressions AND, an empty term matches nothing, a malformed one matches nothing.
import { checkLabelValue, checkQualifiedName } from '../../base/names.ts'

export interface Requirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[] | null
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly Requirement[] | null
  readonly matchFields?: readonly Requirement[] | null
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] | null
}

export interface LabelledNode {
  readonly metadata: {
    readonly name?: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

export interface PreferredTerm {
  readonly weight?: number
  readonly preference?: NodeSelectorTerm
}

interface SelectingPod {
  readonly spec?: {
    readonly nodeSelector?: Readonly<Record<string, string>>
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
        readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredTerm[] | null
      }
    }
  }
}

/** nodeSelector and required node affinity together. */
export function podMatchesNode(pod: SelectingPod, node: LabelledNode): boolean {
  const labels = node.metadata.labels ?? {}
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) {
    if (labels[key] !== value) return false
  }
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

export function matchesNodeSelector(
  selector: NodeSelector | null | undefined,
  node: LabelledNode | null,
): boolean {
  if (node === null) return false
  return (selector?.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node))
}

/** Sum of the weights of the preferred terms that the node matches. */
export function preferenceOf(terms: readonly PreferredTerm[] | null | undefined, node: LabelledNode): number {
  let sum = 0
  for (const { weight = 0, preference } of terms ?? []) {
    if (weight !== 0 && preference !== undefined && matchesTerm(preference, node)) sum += weight
  }
  return sum
}

function matchesTerm(term: NodeSelectorTerm, node: LabelledNode): boolean {
  const expressions = term.matchExpressions ?? []
  const fields = term.matchFields ?? []
  if (expressions.length === 0 && fields.length === 0) return false
  const labels = node.metadata.labels ?? {}
  return (
    expressions.every((requirement) => isValid(requirement) && matchesLabel(requirement, labels)) &&
    fields.every((requirement) => matchesField(requirement, node))
  )
}

/** The one field that can be selected by is the name, with exactly one value. */
function matchesField({ key, operator, values }: Requirement, node: LabelledNode): boolean {
  if (key !== 'metadata.name' || values?.length !== 1) return false
  if (operator === 'In') return node.metadata.name === values[0]
  return operator === 'NotIn' && node.metadata.name !== values[0]
}

function isValid({ key = '', operator, values }: Requirement): boolean {
  if (checkQualifiedName(key).length > 0) return false
  const given = values ?? []
  switch (operator) {
    case 'In':
    case 'NotIn':
      return given.length > 0 && given.every((value) => checkLabelValue(value).length === 0)
    case 'Exists':
    case 'DoesNotExist':
      return given.length === 0
    case 'Gt':
    case 'Lt':
      return given.length === 1 && integerOf(given[0]) !== undefined
    default:
      return false
  }
}

function matchesLabel(requirement: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const { key = '', operator, values } = requirement
  const present = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return present !== undefined && (values ?? []).includes(present)
    case 'NotIn':
      return present === undefined || !(values ?? []).includes(present)
    case 'Exists':
      return present !== undefined
    case 'DoesNotExist':
      return present === undefined
    default: {
      const wanted = integerOf(values?.[0])
      const actual = integerOf(present)
      if (wanted === undefined || actual === undefined) return false
      return operator === 'Gt' ? actual > wanted : actual < wanted
    }
  }
}

/** A 64-bit integer as Go's ParseInt takes it. */
export function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,20}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined
}
