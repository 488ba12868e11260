// YAML bodies, read as kubectl reads them: scalars in the manner of YAML 1.1 without its times and sexagesimals,
// integers exact, keys that stand twice told.
import {
  type CollectionTag,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseDocument,
  type ScalarTag,
} from 'yaml'
import { refuse } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'

export interface ReadYaml {
  readonly value: Json
  /** Complete messages, `line 12: key "volumes" already set in map`. */
  readonly duplicates: readonly string[]
}

/** Aliases may repeat a part of the document; this bounds what a small text can grow to. */
const ALIASES_MAX = 100
const STRANGE_TAGS = new Set(['intTime', 'floatTime', 'timestamp', 'binary', 'omap', 'pairs', 'set'])

export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, {
    version: '1.1',
    intAsBigInt: true,
    uniqueKeys: false,
    merge: false,
    customTags: (tags) => tags.filter((tag) => !isStrange(tag)),
  })
  const [problem] = document.errors
  if (problem)
    throw refuse.badRequest(`error converting YAML to JSON: ${problem.message.split('\n')[0] ?? ''}`)
  const duplicates: string[] = []
  collectDuplicates(document.contents as ParsedNode | null, text, duplicates)
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch (error) {
    throw refuse.badRequest(
      `error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return { value: plainNumbers(value) as Json, duplicates }
}

function isStrange(tag: string | ScalarTag | CollectionTag): boolean {
  if (typeof tag === 'string') return STRANGE_TAGS.has(tag)
  const format = (tag as { readonly format?: string }).format
  return format === 'TIME' || /timestamp|binary|omap|pairs|:set$/.test(tag.tag)
}

function collectDuplicates(node: ParsedNode | null, text: string, found: string[]): void {
  if (isSeq(node)) for (const item of node.items) collectDuplicates(item as ParsedNode, text, found)
  if (!isMap(node)) return
  const seen = new Set<string>()
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (seen.has(name))
      found.push(`line ${lineOf(text, key as ParsedNode)}: key "${name}" already set in map`)
    seen.add(name)
    collectDuplicates(value as ParsedNode | null, text, found)
  }
}

function lineOf(text: string, node: ParsedNode): number {
  const offset = node.range?.[0] ?? 0
  let line = 1
  for (let at = 0; at < offset; at += 1) if (text.charCodeAt(at) === 10) line += 1
  return line
}

/** Integers that a double holds exactly become numbers again. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainNumbers(item)]))
  return value
}
