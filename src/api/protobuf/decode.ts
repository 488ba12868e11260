// Reads the protobuf wire form of Kubernetes messages into JSON, driven by a table of field numbers. Zero values are
// kept as they come; which of them mean nothing is for the kind's schema to say.
import { refuse } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import { toBase64 } from '../base64.ts'

export type FieldRow = readonly [number: number, name: string, type: string, mark?: string]
export interface MessageTable {
  /** Messages that stand for a plain list in JSON. */
  readonly lists: readonly string[]
  readonly messages: Readonly<Record<string, readonly FieldRow[]>>
}

type MutableObject = Record<string, Json>
type Fields = ReadonlyMap<number, FieldRow>

const decoder = new TextDecoder('utf-8', { fatal: true })
const MAP = 'map '
/** Depth of nested messages; far beyond any real object. */
const DEPTH_MAX = 64

export function malformed(why: string) {
  return refuse.badRequest(`the protobuf body cannot be read: ${why}`)
}

/** A cursor over bytes in the wire form. */
export class Wire {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw malformed('it ends in the middle of a number')
      this.#at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, value)
    }
    throw malformed('a number is too long')
  }

  chunk(): Uint8Array {
    return this.#take(Number(this.varint()))
  }

  fixed(sizeBytes: 4 | 8): DataView {
    const bytes = this.#take(sizeBytes)
    return new DataView(bytes.buffer, bytes.byteOffset, sizeBytes)
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint()
    else if (wireType === 1) this.fixed(8)
    else if (wireType === 2) this.chunk()
    else if (wireType === 5) this.fixed(4)
    else throw malformed(`wire type ${wireType} is not known`)
  }

  #take(sizeBytes: number): Uint8Array {
    if (!(sizeBytes >= 0) || this.#at + sizeBytes > this.#bytes.length)
      throw malformed('it ends in the middle of a value')
    const taken = this.#bytes.subarray(this.#at, this.#at + sizeBytes)
    this.#at += sizeBytes
    return taken
  }
}

export class MessageDecoder {
  readonly #fields = new Map<string, Fields>()
  readonly #lists: ReadonlySet<string>
  readonly #table: MessageTable

  constructor(table: MessageTable) {
    this.#table = table
    this.#lists = new Set(table.lists)
  }

  knows(message: string): boolean {
    return message in this.#table.messages
  }

  decode(message: string, bytes: Uint8Array, depth = 0): Json {
    if (depth > DEPTH_MAX) throw malformed('messages are nested too deep')
    const special = SPECIAL[message]
    if (special) return special(bytes)
    const object: MutableObject = {}
    const fields = this.#fieldsOf(message)
    const wire = new Wire(bytes)
    while (!wire.done) {
      const tag = Number(wire.varint())
      const field = fields.get(tag >> 3)
      if (field) this.#readField(wire, tag & 7, { field, object, depth })
      else wire.skip(tag & 7)
    }
    return this.#lists.has(message) ? (object['items'] ?? []) : object
  }

  #readField(
    wire: Wire,
    wireType: number,
    { field, object, depth }: { field: FieldRow; object: MutableObject; depth: number },
  ): void {
    const [, name, type, mark] = field
    if (type.startsWith(MAP)) {
      const map = (object[name] ?? {}) as MutableObject
      object[name] = map
      this.#readMapEntry(wire.chunk(), type.slice(MAP.length), map, depth)
      return
    }
    const packed = mark === '*' && wireType === 2 && isNumber(type)
    if (packed) {
      const list = (object[name] ?? []) as Json[]
      object[name] = list
      const inner = new Wire(wire.chunk())
      while (!inner.done) list.push(this.#readValue(inner, type, depth))
      return
    }
    const value = this.#readValue(wire, type, depth)
    if (mark === '*') object[name] = [...((object[name] as Json[] | undefined) ?? []), value]
    else if (mark === '^') Object.assign(object, value)
    else object[name] = value
  }

  #readMapEntry(bytes: Uint8Array, type: string, map: MutableObject, depth: number): void {
    const wire = new Wire(bytes)
    let key = ''
    let value: Json = type === 'string' || type === 'bytes' ? '' : null
    while (!wire.done) {
      const tag = Number(wire.varint())
      if (tag >> 3 === 1) key = textOf(wire.chunk())
      else if (tag >> 3 === 2) value = this.#readValue(wire, type, depth)
      else wire.skip(tag & 7)
    }
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  }

  #readValue(wire: Wire, type: string, depth: number): Json {
    switch (type) {
      case 'string':
        return textOf(wire.chunk())
      case 'bytes':
        return toBase64(wire.chunk())
      case 'bool':
        return wire.varint() !== 0n
      case 'double':
        return wire.fixed(8).getFloat64(0, true)
      case 'float':
        return wire.fixed(4).getFloat32(0, true)
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64':
        return numberOf(wire.varint())
      default:
        return this.decode(type, wire.chunk(), depth + 1)
    }
  }

  #fieldsOf(message: string): Fields {
    const known = this.#fields.get(message)
    if (known) return known
    const rows = this.#table.messages[message]
    if (!rows) throw malformed(`the message ${message} is not known`)
    const fields = new Map(rows.map((row) => [row[0], row]))
    this.#fields.set(message, fields)
    return fields
  }
}

function isNumber(type: string): boolean {
  return type === 'int32' || type === 'int64' || type === 'uint32' || type === 'uint64' || type === 'bool'
}

function numberOf(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed('a text is not UTF-8')
  }
}

/** Messages whose JSON is not an object of their fields. */
const SPECIAL: Readonly<Record<string, (bytes: Uint8Array) => Json>> = {
  'meta.Time': (bytes) => timeOf(bytes, 0),
  'meta.MicroTime': (bytes) => timeOf(bytes, 6),
  'meta.Duration': (bytes) => `${Number(firstNumber(bytes)) / 1e9}s`,
  'api.resource.Quantity': (bytes) => firstText(bytes),
  'util.intstr.IntOrString': intOrStringOf,
  'meta.FieldsV1': (bytes) => JSON.parse(firstText(bytes) || '{}') as Json,
  'runtime.RawExtension': (bytes) => JSON.parse(firstText(bytes) || 'null') as Json,
}

/** RFC 3339, or null for no time. */
function timeOf(bytes: Uint8Array, decimals: number): Json {
  const wire = new Wire(bytes)
  let seconds: bigint | undefined
  let nanos = 0n
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1) seconds = wire.varint()
    else if (tag >> 3 === 2) nanos = wire.varint()
    else wire.skip(tag & 7)
  }
  if (seconds === undefined) return null
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  if (decimals === 0) return `${text}Z`
  return `${text}.${String(nanos).padStart(9, '0').slice(0, decimals)}Z`
}

function intOrStringOf(bytes: Uint8Array): Json {
  const wire = new Wire(bytes)
  let isText = false
  let number = 0n
  let text = ''
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1) isText = wire.varint() === 1n
    else if (tag >> 3 === 2) number = wire.varint()
    else if (tag >> 3 === 3) text = textOf(wire.chunk())
    else wire.skip(tag & 7)
  }
  return isText ? text : numberOf(number)
}

function firstText(bytes: Uint8Array): string {
  const wire = new Wire(bytes)
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1) return textOf(wire.chunk())
    wire.skip(tag & 7)
  }
  return ''
}

function firstNumber(bytes: Uint8Array): bigint {
  const wire = new Wire(bytes)
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1) return wire.varint()
    wire.skip(tag & 7)
  }
  return 0n
}
