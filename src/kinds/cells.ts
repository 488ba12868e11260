// What stands in the cells of tables: ages, counts and short forms, as kubectl's users know them.
import { humanDuration } from '../base/duration.ts'
import type { KubeObject } from '../base/object.ts'
import type { Column } from './kind.ts'

/** Time since an RFC 3339 text. */
export function since(time: string | null | undefined, now: number): string {
  if (!time) return '<unknown>'
  const then = Date.parse(time)
  return Number.isNaN(then) ? '<unknown>' : humanDuration(Math.trunc((now - then) / 1000))
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object.',
  value: (object) => object.metadata.name ?? '',
}

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  value: (object, now) => since(object.metadata.creationTimestamp, now),
}

export const createdAtColumn: Column = {
  name: 'Created At',
  type: 'string',
  description: 'When the object was created.',
  value: (object) => object.metadata.creationTimestamp ?? '',
}

/** A column whose value is a function of the object's own type. */
export function column<T extends KubeObject>(
  name: string,
  description: string,
  value: (object: T, now: number) => string | number | boolean | null,
  options: { readonly type?: Column['type']; readonly wide?: boolean } = {},
): Column {
  return {
    name,
    type: options.type ?? 'string',
    description,
    ...(options.wide ? { priority: 1 } : {}),
    value: value as Column['value'],
  }
}

/** At most `most` texts, and how many more there are. */
export function someOf(texts: readonly string[], most: number): string {
  if (texts.length === 0) return '<none>'
  const more = texts.length - most
  return more > 0 ? `${texts.slice(0, most).join(',')} + ${more} more...` : texts.join(',')
}

/** Labels as `a=1,b=2`, sorted. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const names = Object.keys(labels ?? {}).sort()
  return names.length === 0 ? '<none>' : names.map((name) => `${name}=${labels?.[name] ?? ''}`).join(',')
}

const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

/** Access modes as `RWO,ROX`. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return ACCESS_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')
}
