// What a command prints for the next program or for eyes: aligned columns on a terminal, tab-separated values into
// a pipe, JSON, YAML and names. Pure.

import { type Json, printJson } from '../base/json.ts'
import { readJsonPath, renderJsonPath } from '../base/jsonpath/jsonpath.ts'
import type { KubeObject } from '../base/object.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { columnsOf, rowOf } from '../kinds/table.ts'
import { printYaml } from '../kinds/yaml.ts'
import { usageError } from './cli-error.ts'

/** The choices of `-o`; the last one stands for all that begin with `jsonpath=`. */
export const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath=EXPR'] as const
export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name' | `jsonpath=${string}`
/** The forms that hold everything. */
export type DataFormat = Exclude<Format, 'table' | 'wide' | 'name'>

export function isDataFormat(format: string | undefined): format is DataFormat {
  return format === 'json' || format === 'yaml' || format?.startsWith('jsonpath=') === true
}

/** A column of our own, where those of the kind are made for other eyes. */
export interface Field<T> {
  readonly name: string
  readonly wide?: boolean
  readonly value: (object: T) => string | number | undefined
}

export interface Shown {
  readonly format: Format | undefined
  readonly forEyes: boolean
  readonly now: number
}

export function fieldsOf(kind: AnyKind, now: number): readonly Field<KubeObject>[] {
  return columnsOf(kind).map(({ name, priority }, index) => ({
    name,
    ...(priority > 0 ? { wide: true } : {}),
    value: (object) => String(rowOf(kind, object, now)[index] ?? ''),
  }))
}

/** One object, or a list of them as one `List` for json and yaml. */
export function printObjects<T extends KubeObject>(
  kind: AnyKind,
  objects: readonly T[],
  fields: readonly Field<T>[],
  shown: Shown,
): string {
  const { format } = shown
  if (isDataFormat(format)) return printData({ apiVersion: 'v1', kind: 'List', items: objects }, format)
  if (format === 'name') return objects.map((object) => `${nameOf(kind, object)}\n`).join('')
  const columns = fields.filter(({ wide }) => !wide || format === 'wide')
  const rows = objects.map((object) => columns.map(({ value }) => String(value(object) ?? '')))
  return printTable(
    columns.map(({ name }) => name.toUpperCase()),
    rows,
    // Who asks for the table by its name wants it whole, in a pipe, too.
    shown.forEyes || format === 'table',
  )
}

export function printData(value: unknown, format: DataFormat): string {
  if (format !== 'json' && format !== 'yaml') return printPath(value, format.slice('jsonpath='.length))
  return format === 'yaml' ? printYaml(value) : `${printJson(value, 2)}\n`
}

/** kubectl's jsonpath: braces may be left out around a single path. What is missing prints as nothing. */
function printPath(value: unknown, text: string): string {
  const template = readJsonPath(text.includes('{') ? text : `{${text.startsWith('.') ? text : `.${text}`}}`)
  if (!template.ok)
    throw usageError(
      `-o jsonpath: ${template.failure.message}.`,
      "For instance: -o jsonpath='{.metadata.name}'",
    )
  const rendered = renderJsonPath(template.value, value as Json, { allowMissingKeys: true })
  if (!rendered.ok) throw usageError(`-o jsonpath: ${rendered.failure.message}.`)
  return `${rendered.value}\n`
}

/** `virtualmachine.kubevirt.io/web`, as kubectl's `-o name`. */
export function nameOf(kind: AnyKind, object: KubeObject): string {
  return `${kind.singular}${kind.group === '' ? '' : `.${kind.group}`}/${object.metadata.name ?? ''}`
}

/** Without eyes on it a table has no header and a tab between its cells. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  forEyes: boolean,
): string {
  if (!forEyes) return rows.map((row) => `${row.map(oneCell).join('\t')}\n`).join('')
  const all = [header, ...rows]
  const widths = header.map((_, index) => Math.max(...all.map((row) => widthOf(row[index] ?? ''))))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, index) => padded(cell === '' ? '-' : cell, widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** Chinese characters take two places on a terminal. */
export function widthOf(text: string): number {
  return [...text].reduce(
    (sum, character) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1),
    0,
  )
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

function oneCell(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ')
}

/** Bytes for people: `1.5 GiB`. */
export function sizeText(bytes: number | bigint | undefined): string {
  if (bytes === undefined) return ''
  let value = Number(bytes)
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`
}
