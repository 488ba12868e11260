// Causes worded as KubeVirt words them: the message is the whole sentence, without the value in front of it.
import type { Cause, CauseReason } from '../../../base/errors.ts'

function plain(reason: CauseReason): (field: string, message: string) => Cause {
  return (field, message) => ({ reason, field, message })
}

export const invalid = plain('FieldValueInvalid')
export const required = plain('FieldValueRequired')
export const notSupported = plain('FieldValueNotSupported')
export const duplicate = plain('FieldValueDuplicate')
export const notFound = plain('FieldValueNotFound')

/** The names in `names` that are set in `object`; null counts as unset. */
export function present<T extends object>(object: T | undefined, names: readonly (keyof T)[]): (keyof T)[] {
  return object === undefined
    ? []
    : names.filter((name) => object[name] !== undefined && object[name] !== null)
}
