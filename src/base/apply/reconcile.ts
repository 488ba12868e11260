// Sets of fields brought into line with a schema.
import type { Schema } from '../schema.ts'
import type { FieldSet } from './fieldset.ts'
import { declares, fieldSchema } from './shape.ts'

/** The schema below a path element. */
function schemaBelow(schema: Schema | undefined, element: string): Schema | undefined {
  return element.startsWith('f:') ? fieldSchema(schema, element.slice(2)) : schema?.items
}

/** The set, with the fields that the schema names on the way to each path as members. */
export function withNamedFields(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (!set.children || !schema) return set
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of set.children) {
    let next = withNamedFields(child, schemaBelow(schema, element))
    if (!next.own && element.startsWith('f:') && declares(schema, element.slice(2)))
      next = { own: true, children: next.children }
    if (next === child) continue
    children ??= new Map(set.children)
    children.set(element, next)
  }
  return children ? { own: set.own, children } : set
}

/** Sets known to fit a schema; looked at once, though they are met again on every write. */
const fitting = new WeakMap<FieldSet, Schema>()

/** The set, with paths below a list or map that merges as a whole replaced by that list or map. */
export function collapseAtomic(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (!schema || fitting.get(set) === schema) return set
  const collapsed = collapse(set, schema)
  fitting.set(collapsed, schema)
  return collapsed
}

function collapse(set: FieldSet, schema: Schema | undefined): FieldSet {
  if (!set.children || !schema) return set
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of set.children) {
    if (!child.children) continue
    const below = schemaBelow(schema, element)
    const next = isAtomic(below) ? { own: true, children: undefined } : collapse(child, below)
    if (next === child) continue
    children ??= new Map(set.children)
    children.set(element, next)
  }
  return children ? { own: set.own, children } : set
}

function isAtomic(schema: Schema | undefined): boolean {
  if (!schema) return false
  if (schema['x-kubernetes-map-type'] === 'atomic') return true
  const list = schema['x-kubernetes-list-type']
  return schema.type === 'array' && list !== 'map' && list !== 'set'
}
