// YAML at the doors: read as kubectl reads it, so that a file means the same here as there, with duplicate keys
// found, integers exact, and a note for every word that became something else. And printed as kubectl prints it.
import {
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { refuse } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { setOwn } from '../base/patch/own.ts'
import { changedWord, plainScalar } from './yaml-scalar.ts'

/** Values one text may unfold to by its aliases; a small text could otherwise fill the memory. */
const VALUES_MAX = 1_000_000
/** Levels of nesting; no object has so many. */
const DEPTH_MAX = 200

/** One document of a text. Documents without content are left out. */
export interface YamlDocument {
  readonly value: Json
  /** Line on which it begins, counted from 1. */
  readonly line: number
  /** One sentence each, for instance `line 3: on is read as true; write "on" if the text is meant`. */
  readonly warnings: readonly string[]
  /** Paths of keys given more than once; the last one counts. */
  readonly duplicateFields: readonly string[]
}

interface Reading {
  readonly lines: LineCounter
  readonly anchors: ReadonlyMap<string, Node>
  readonly warnings: string[]
  readonly duplicates: string[]
  /** Aliases being unfolded just now: one within itself has no end. */
  readonly open: Set<string>
  count: number
}

/** Reads all documents of a text. Throws ApiError 400 with the line when the text is no YAML. */
export function parseYamlDocuments(text: string): readonly YamlDocument[] {
  const lines = new LineCounter()
  const documents: YamlDocument[] = []
  for (const document of parsed(text, lines)) {
    const [error] = document.errors
    if (error) throw refuseAt(lines, error.pos[0], errorText(error.code, error.message))
    const { contents } = document
    if (!contents || (isScalar(contents) && contents.source === '' && contents.type === 'PLAIN')) continue
    const anchors = new Map<string, Node>()
    visit(document, {
      Node: (_key, node) => {
        const { anchor } = node as { anchor?: string }
        if (anchor !== undefined) anchors.set(anchor, node as Node)
      },
    })
    const reading: Reading = { lines, anchors, warnings: [], duplicates: [], open: new Set(), count: 0 }
    const value = readNode(contents, [], reading)
    const line = lines.linePos(contents.range[0]).line
    documents.push({ value, line, warnings: reading.warnings, duplicateFields: reading.duplicates })
  }
  return documents
}

/** Reads a text that must hold exactly one document. */
export function parseYaml(text: string): YamlDocument {
  const [document, ...others] = parseYamlDocuments(text)
  if (!document) throw refuse.badRequest('error parsing YAML: the document is empty')
  if (others.length > 0) throw refuse.badRequest('error parsing YAML: more than one document')
  return document
}

function parsed(text: string, lineCounter: LineCounter): readonly Document.Parsed<ParsedNode>[] {
  try {
    // With this schema every scalar stays the text it is; what it means is decided here.
    const documents = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      lineCounter,
    })
    return Array.isArray(documents) ? documents : []
  } catch (error) {
    if (error instanceof RangeError) throw refuse.badRequest('error parsing YAML: nested too deeply')
    throw error
  }
}

function refuseAt(lines: LineCounter, offset: number, message: string): Error {
  const { line, col } = lines.linePos(offset)
  return refuse.badRequest(`error parsing YAML: line ${line}, column ${col}: ${message}`)
}

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab cannot indent; use spaces',
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BLOCK_AS_IMPLICIT_KEY: 'a second ": " on one line; quote the value, or begin a new line',
  MISSING_CHAR: 'a quote or bracket is not closed',
}

function errorText(code: string, message: string): string {
  return ERROR_TEXTS[code] ?? `${message[0]?.toLowerCase() ?? ''}${message.slice(1)}`
}

type Path = readonly (string | number)[]

function pathText(path: Path): string {
  let text = ''
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`
  return text
}

function readNode(node: Node | null | undefined, path: Path, reading: Reading): Json {
  if (!node) return null
  const offset = node.range?.[0] ?? 0
  if (++reading.count > VALUES_MAX) throw refuseAt(reading.lines, offset, `more than ${VALUES_MAX} values`)
  if (path.length > DEPTH_MAX) throw refuseAt(reading.lines, offset, 'nested too deeply')
  if (isScalar(node)) return readScalar(node, reading)
  if (isMap(node)) return readMap(node, path, reading)
  if (isSeq(node)) return node.items.map((item, index) => readNode(item as Node, [...path, index], reading))
  if (!isAlias(node)) throw refuseAt(reading.lines, offset, 'a value of an unknown form')
  const target = reading.anchors.get(node.source)
  if (!target) throw refuseAt(reading.lines, offset, `unknown anchor "${node.source}"`)
  if (reading.open.has(node.source))
    throw refuseAt(reading.lines, offset, `anchor "${node.source}" contains itself`)
  reading.open.add(node.source)
  const value = readNode(target, path, reading)
  reading.open.delete(node.source)
  return value
}

const CORE = 'tag:yaml.org,2002:'

function readScalar(node: Scalar, reading: Reading): Json {
  const text = node.source ?? String(node.value)
  const { tag } = node
  const offset = node.range?.[0] ?? 0
  if (tag === `${CORE}str` || tag === '!') return text
  if (tag === `${CORE}binary`) return decodeBase64(text, offset, reading)
  if (tag === undefined && node.type !== 'PLAIN') return text
  const value = plainScalar(text)
  if (value === undefined) throw refuseAt(reading.lines, offset, `${text} has no place in JSON`)
  if (tag !== undefined) return readTagged(tag, value, { text, offset, reading })
  const warning = changedWord(text, value)
  if (warning !== undefined) reading.warnings.push(`line ${reading.lines.linePos(offset).line}: ${warning}`)
  return value
}

interface Place {
  readonly text: string
  readonly offset: number
  readonly reading: Reading
}

function readTagged(tag: string, value: Json, { text, offset, reading }: Place): Json {
  const kind = value === null ? 'null' : typeof value
  const isNumber = kind === 'number' || kind === 'bigint'
  const isInteger = kind === 'bigint' || Number.isInteger(value)
  if (tag === `${CORE}int` && isNumber && isInteger) return value
  if (tag === `${CORE}float` && isNumber) return value
  if (tag === `${CORE}bool` && kind === 'boolean') return value
  if (tag === `${CORE}null` && kind === 'null') return value
  if (tag === `${CORE}timestamp`) return text
  throw refuseAt(reading.lines, offset, `the tag ${tag.replace(CORE, '!!')} does not fit "${text}"`)
}

function decodeBase64(text: string, offset: number, reading: Reading): string {
  const bytes = text.replace(/\s+/g, '')
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(bytes))
    throw refuseAt(reading.lines, offset, '!!binary holds no base64')
  const codes = [...atob(bytes)].map((sign) => sign.charCodeAt(0))
  return new TextDecoder().decode(Uint8Array.from(codes))
}

function readMap(node: YAMLMap, path: Path, reading: Reading): JsonObject {
  const object: Record<string, Json> = {}
  const merged: JsonObject[] = []
  for (const { key, value } of node.items) {
    const name = readKey(key as Node | null, reading)
    if (name === undefined) {
      merged.push(...mergeSources(value as Node | null, path, reading))
      continue
    }
    const place = [...path, name]
    if (Object.hasOwn(object, name)) reading.duplicates.push(pathText(place))
    setOwn(object, name, readNode(value as Node | null, place, reading))
  }
  for (const source of merged)
    for (const key in source) if (!Object.hasOwn(object, key)) setOwn(object, key, source[key])
  return object
}

/** The text of a key: kubectl reads it as any word and prints what it became. Undefined for a merge key. */
function readKey(node: Node | null, reading: Reading): string | undefined {
  if (isScalar(node) && node.type === 'PLAIN' && node.value === '<<' && node.tag === undefined)
    return undefined
  const offset = node?.range?.[0] ?? 0
  if (!isScalar(node) && !isAlias(node)) throw refuseAt(reading.lines, offset, 'a key must be a single word')
  const value = readNode(node, [], reading)
  if (value === null || typeof value === 'object')
    throw refuseAt(reading.lines, offset, 'a key must be a single word')
  return String(value)
}

function mergeSources(node: Node | null, path: Path, reading: Reading): JsonObject[] {
  const value = readNode(node, path, reading)
  const sources = Array.isArray(value) ? value : [value]
  return sources.map((source) => {
    if (typeof source !== 'object' || source === null || Array.isArray(source))
      throw refuseAt(reading.lines, node?.range?.[0] ?? 0, '"<<" merges maps only')
    return source as JsonObject
  })
}

/** Prints a value as kubectl does: keys sorted, lists at the level of their key, misreadable words quoted. */
export function printYaml(value: unknown): string {
  const document = new Document(value, {
    version: '1.1',
    // Without the merge tag: a key that happens to be "<<" is a key.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== `${CORE}merge`),
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  })
  visit(document, {
    Scalar: (_key, node) => {
      const { value: word } = node
      if (typeof word !== 'string') return
      if (word === '<<' || typeof plainScalar(word) !== 'string') node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0, indentSeq: false })
}
