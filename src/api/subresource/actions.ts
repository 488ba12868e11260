// Subresources and virtual kinds that do something of their own instead of reading or writing the object.
import type { Outcome, Work } from '../core.ts'

export type Action = (work: Work) => Promise<Outcome>

/** Keyed by `<verb> <resource>.<group>/<subresource>`. */
const ACTIONS: Readonly<Record<string, Action>> = {}

export function findAction({ served, call }: Work): Action | undefined {
  const { plural, group } = served.kind
  const tail = call.subresource === undefined ? '' : `/${call.subresource}`
  return ACTIONS[`${call.verb} ${plural}.${group}${tail}`]
}
