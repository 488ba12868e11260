// Protobuf bodies of built-in kinds: the envelope `k8s\0`, then runtime.Unknown, then the kind's own message. helm and
// half of kubectl send nothing else. The table of field numbers is loaded with the first such body.
import { refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { MessageDecoder, type MessageTable, malformed, Wire } from './decode.ts'

const MAGIC = [0x6b, 0x38, 0x73, 0x00]
let loading: Promise<MessageDecoder> | undefined

async function load(): Promise<MessageDecoder> {
  const module = await import('./fields.json', { with: { type: 'json' } })
  return new MessageDecoder(module.default as unknown as MessageTable)
}

export async function decodeProtobufBody(bytes: Uint8Array): Promise<JsonObject> {
  if (!MAGIC.every((byte, index) => bytes[index] === byte))
    throw malformed('it does not begin as Kubernetes protobuf does')
  loading ??= load()
  const decoder = await loading
  const { apiVersion, kind, raw } = readEnvelope(bytes.subarray(MAGIC.length))
  const message = messageName(apiVersion, kind)
  if (!decoder.knows(message))
    throw refuse.unsupportedMediaType(
      `${kind} of ${apiVersion} is not read from protobuf; send it as application/json`,
    )
  const object = decoder.decode(message, raw)
  return { apiVersion, kind, ...(isObject(object) ? object : {}) }
}

interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const wire = new Wire(bytes)
  let type = { apiVersion: '', kind: '' }
  let raw = new Uint8Array()
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1) type = readTypeMeta(wire.chunk())
    else if (tag >> 3 === 2) raw = new Uint8Array(wire.chunk())
    else wire.skip(tag & 7)
  }
  return { ...type, raw }
}

function readTypeMeta(bytes: Uint8Array): { readonly apiVersion: string; readonly kind: string } {
  const wire = new Wire(bytes)
  const texts = ['', '', '']
  while (!wire.done) {
    const tag = Number(wire.varint())
    if (tag >> 3 === 1 || tag >> 3 === 2) texts[tag >> 3] = new TextDecoder().decode(wire.chunk())
    else wire.skip(tag & 7)
  }
  return { apiVersion: texts[1] ?? '', kind: texts[2] ?? '' }
}

/** `rbac.authorization.k8s.io/v1` and Role give `rbac.v1.Role`; options of all groups are the same message. */
function messageName(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return 'meta.DeleteOptions'
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `${group.split('.')[0] ?? ''}.${version ?? ''}.${kind}`
}
