// Sets of field paths, as managedFields hold them (FieldsV1). A path element keeps its FieldsV1 text: `f:name`,
// `k:{"name":"a"}`, `v:"x"` or `i:0`, so that reading and writing a set parses next to nothing.
import { isObject, type Json, type JsonObject, parseJson, printJson } from '../json.ts'
import { setOwn } from '../patch/own.ts'

/** A node stands for one path element below its parent. `own` says that the path ending here is in the set. */
export interface FieldSet {
  readonly own: boolean
  readonly children: ReadonlyMap<string, FieldSet> | undefined
}

/** A set under construction; every FieldSet made here is one, and is not edited once handed out. */
export interface FieldSetDraft extends FieldSet {
  own: boolean
  children: Map<string, FieldSetDraft> | undefined
}

export const emptySet: FieldSet = { own: false, children: undefined }

export function draftSet(): FieldSetDraft {
  return { own: false, children: undefined }
}

/** The node below `set` at the element, made when it is absent. */
export function childOf(set: FieldSetDraft, element: string): FieldSetDraft {
  set.children ??= new Map()
  let child = set.children.get(element)
  if (!child) set.children.set(element, (child = draftSet()))
  return child
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.own && set.children === undefined
}

/** Whether the path is in the set. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) node = node?.children?.get(element)
  return node?.own === true
}

/** A set of paths through fields alone, for instance `[['metadata', 'name']]`. */
export function setOfFields(paths: readonly (readonly string[])[]): FieldSet {
  const set = draftSet()
  for (const path of paths) {
    let node = set
    for (const field of path) node = childOf(node, `f:${field}`)
    node.own = true
  }
  return set
}

function node(own: boolean, children: Map<string, FieldSet> | undefined): FieldSet | undefined {
  if (children?.size === 0) return own ? { own, children: undefined } : undefined
  return own || children ? { own, children } : undefined
}

export function unionSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  if (isEmptySet(a)) return b
  if (!a.children || !b.children) return { own: a.own || b.own, children: a.children ?? b.children }
  const children = new Map<string, FieldSet>(a.children)
  for (const [element, child] of b.children) {
    const mine = children.get(element)
    children.set(element, mine ? unionSets(mine, child) : child)
  }
  return { own: a.own || b.own, children }
}

/** What is in both. */
export function intersectSets(a: FieldSet, b: FieldSet): FieldSet {
  return intersect(a, b) ?? emptySet
}

function intersect(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const own = a.own && b.own
  if (!a.children || !b.children) return own ? { own, children: undefined } : undefined
  const children = new Map<string, FieldSet>()
  const [few, many] = a.children.size <= b.children.size ? [a.children, b.children] : [b.children, a.children]
  for (const [element, child] of few) {
    const other = many.get(element)
    const both = other && intersect(child, other)
    if (both) children.set(element, both)
  }
  return node(own, children)
}

/** What is in `a` and not in `b`; paths below one that is in `b` stay. Gives `a` itself when nothing goes. */
export function subtractSet(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false) ?? emptySet
}

/** As subtractSet, and paths below one that is in `b` go too. */
export function subtractTree(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true) ?? emptySet
}

function subtract(a: FieldSet, b: FieldSet, whole: boolean): FieldSet | undefined {
  if (whole && b.own) return undefined
  const own = a.own && !b.own
  if (!a.children || !b.children) {
    if (own === a.own) return a
    return a.children ? { own, children: a.children } : undefined
  }
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of b.children) {
    const mine = a.children.get(element)
    if (!mine) continue
    const left = subtract(mine, child, whole)
    if (left === mine) continue
    children ??= new Map(a.children)
    if (left) children.set(element, left)
    else children.delete(element)
  }
  if (!children) return own === a.own ? a : { own, children: a.children }
  return node(own, children)
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (a.own !== b.own || a.children?.size !== b.children?.size) return false
  if (!a.children || !b.children) return true
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (!other || !equalSets(child, other)) return false
  }
  return true
}

/** Calls `visit` with every path in the set, in no particular order. The path given is reused: copy it to keep it. */
export function eachPath(set: FieldSet, visit: (path: readonly string[]) => void): void {
  const path: string[] = []
  const walk = (current: FieldSet): void => {
    if (current.own && path.length > 0) visit(path)
    if (!current.children) return
    for (const [element, child] of current.children) {
      path.push(element)
      walk(child)
      path.pop()
    }
  }
  walk(set)
}

/** A path as conflicts show it: `.spec.ports[port=80,protocol="TCP"].name`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('')
}

function elementText(element: string): string {
  const rest = element.slice(2)
  if (element.startsWith('f:')) return `.${rest}`
  if (element.startsWith('v:')) return `[=${rest}]`
  if (element.startsWith('i:')) return `[${rest}]`
  return `[${keyText(rest)}]`
}

/** The keys of a list item as Kubernetes prints them: `port=80,protocol="TCP"`. */
export function keyText(json: string): string {
  const keys = parseJson(json)
  if (!isObject(keys)) return json
  return Object.entries(keys)
    .map(([key, value]) => `${key}=${printJson(value)}`)
    .join(',')
}

/** Parsed sets of FieldsV1 values that are shared between revisions of an object; forgotten with them. */
const parsed = new WeakMap<JsonObject, FieldSet>()

/** Reads FieldsV1. Undefined when it is malformed. The value must not be edited afterwards. */
export function parseFieldsV1(json: JsonObject): FieldSet | undefined {
  const known = parsed.get(json)
  if (known) return known
  const set = draftSet()
  if (!readInto(set, json)) return undefined
  parsed.set(json, set)
  return set
}

function readInto(set: FieldSetDraft, json: JsonObject): boolean {
  for (const key in json) {
    const value = json[key]
    if (!isObject(value)) return false
    if (key === '.') {
      set.own = true
      continue
    }
    const element = readElement(key)
    if (element === undefined) return false
    const child = childOf(set, element)
    let leaf = true
    for (const _ in value) {
      leaf = false
      break
    }
    if (leaf) child.own = true
    else if (!readInto(child, value)) return false
  }
  return true
}

/** The element in its one canonical spelling, so that equal ones are equal texts. */
function readElement(text: string): string | undefined {
  const kind = text.slice(0, 2)
  if (kind === 'f:') return text
  if (kind === 'i:') return /^-?[0-9]+$/.test(text.slice(2)) ? text : undefined
  if (kind !== 'k:' && kind !== 'v:') return undefined
  try {
    const value = parseJson(text.slice(2))
    if (kind === 'v:') return valueElement(value)
    return isObject(value) ? keyElement(value) : undefined
  } catch {
    return undefined
  }
}

/** The element of a list item that is known by its value. */
export function valueElement(value: Json): string {
  return `v:${printJson(value)}`
}

/** The element of a list item that is known by its keys. */
export function keyElement(keys: JsonObject): string {
  const names = Object.keys(keys)
  if (names.length > 1) names.sort()
  const parts = names.map((name) => `${JSON.stringify(name)}:${printJson(keys[name])}`)
  return `k:{${parts.join(',')}}`
}

/** Writes FieldsV1, keys sorted. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const json = encode(set, true)
  parsed.set(json, set)
  return json
}

const LEAF: JsonObject = Object.freeze({})

function encode(set: FieldSet, isRoot: boolean): JsonObject {
  if (!set.children) return isRoot ? {} : LEAF
  const json: Record<string, Json> = {}
  if (set.own && !isRoot) json['.'] = LEAF
  for (const element of [...set.children.keys()].sort()) {
    const child = set.children.get(element)
    if (child) setOwn(json, element, encode(child, false))
  }
  return json
}
