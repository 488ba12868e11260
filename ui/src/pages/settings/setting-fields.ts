// How single settings are edited: as a choice, as fields of the JSON object that their value is, or as text.
import { isObject } from '../../../../src/base/json.ts'
import { readJson } from '../../../../src/kinds/harvester/setting-values.ts'
import { settingNamed } from '../../../../src/kinds/harvester/settings.ts'
import type { Setting } from '../kit/places.ts'

export type FieldType = 'text' | 'number' | 'boolean' | 'secret' | 'long'

/** Fields of the settings whose values are JSON objects of a fixed form. */
const OBJECTS: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  'overcommit-config': { cpu: 'number', memory: 'number', storage: 'number' },
  'http-proxy': { httpProxy: 'text', httpsProxy: 'text', noProxy: 'text' },
  'vm-force-reset-policy': { enable: 'boolean', period: 'number', vmMigrationTimeout: 'number' },
  'cluster-registration-url': { url: 'text', insecureSkipTLSVerify: 'boolean' },
  'backup-target': {
    type: 'text',
    endpoint: 'text',
    bucketName: 'text',
    bucketRegion: 'text',
    accessKeyId: 'text',
    secretAccessKey: 'secret',
    virtualHostedStyle: 'boolean',
  },
  'ssl-certificates': { ca: 'long', publicCertificate: 'long', privateKey: 'long' },
}

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'log-level': ['info', 'debug', 'trace'],
  'ui-source': ['auto', 'external', 'bundled'],
  'upgrade-checker-enabled': ['true', 'false'],
}

/** Settings whose values hold keys: they are not shown in lists. */
const HIDDEN = new Set(['backup-target', 'ssl-certificates'])

export type Editor =
  | { readonly is: 'choice'; readonly options: readonly string[] }
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, FieldType>> }
  | { readonly is: 'json' }
  | { readonly is: 'long' }
  | { readonly is: 'text' }

export function editorOf(name: string, value: string): Editor {
  const options = CHOICES[name]
  if (options) return { is: 'choice', options }
  const fields = OBJECTS[name]
  const read = value === '' ? {} : readJson(value)
  // A field that is not known here must not be lost: such a value is edited whole.
  if (fields && isObject(read) && Object.keys(read).every((field) => Object.hasOwn(fields, field)))
    return { is: 'object', fields }
  if (fields || /^\s*[{[]/.test(value) || name === 'ntp-servers') return { is: 'json' }
  return { is: name === 'additional-ca' ? 'long' : 'text' }
}

/** Texts of the fields; absent ones are empty. */
export function partsOf(value: string): Readonly<Record<string, string>> {
  const read = value === '' ? {} : readJson(value)
  if (!isObject(read)) return {}
  return Object.fromEntries(Object.entries(read).map(([name, part]) => [name, String(part ?? '')]))
}

/** The value that the fields come to; empty fields are left out. */
export function jsonOf(
  fields: Readonly<Record<string, FieldType>>,
  parts: Readonly<Record<string, string>>,
): string {
  const object = Object.entries(fields).flatMap(([name, type]): readonly [string, unknown][] => {
    const text = parts[name] ?? ''
    if (type === 'boolean') return text === '' ? [] : [[name, text === 'true']]
    if (text === '') return []
    const number = Number(text)
    return [[name, type === 'number' && Number.isFinite(number) ? number : text]]
  })
  return object.length === 0 ? '' : JSON.stringify(Object.fromEntries(object))
}

export function inForce({ value, default: initial }: Setting): string {
  return value || initial || ''
}

export function isChanged({ value, default: initial }: Setting): boolean {
  return (value ?? '') !== '' && value !== initial
}

export function isHidden({ metadata }: Setting): boolean {
  return HIDDEN.has(metadata.name ?? '')
}

/** What is wrong with a value, as the server would say it. */
export function wrongWith(name: string, value: string): string | undefined {
  if (value === '') return undefined
  const wrong = settingNamed(name)?.check(value)
  return wrong && `value of setting ${name} ${wrong}`
}

export function isReadOnly(name: string): boolean {
  return settingNamed(name)?.readOnly === true
}
