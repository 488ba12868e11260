// Label and field selectors of one call, parsed once and asked for every object.
import type { CallOptions } from '../../base/call.ts'
import {
  demandedValue,
  fieldText,
  matchesFields,
  parseFieldSelector,
  refuseUnsupportedFields,
} from '../../base/field-selector.ts'
import { matchesLabels, parseLabelSelector } from '../../base/labels.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Served } from '../served.ts'

export interface Selection {
  /** True when every object is selected: nothing needs to be parsed. */
  readonly all: boolean
  readonly matches: (object: KubeObject) => boolean
  /** The only name that can match, where the field selector says so. */
  readonly onlyName?: string
}

const EVERYTHING: Selection = { all: true, matches: () => true }

/** Throws 400 for a selector that cannot be read or names a field that the kind does not offer. */
export function readSelection(served: Served, options: CallOptions): Selection {
  const { labelSelector = '', fieldSelector = '' } = options
  if (labelSelector === '' && fieldSelector === '') return EVERYTHING
  const labels = parseLabelSelector(labelSelector)
  const fields = parseFieldSelector(fieldSelector)
  refuseUnsupportedFields(fields, (field) => served.kind.selectableFields.includes(field))
  const onlyName = demandedValue(fields, 'metadata.name')
  return {
    all: labels.requirements.length === 0 && fields.requirements.length === 0,
    matches: (object) =>
      matchesLabels(labels, object.metadata.labels) &&
      matchesFields(fields, (field) => fieldText(object, field)),
    ...(onlyName === undefined ? {} : { onlyName }),
  }
}
