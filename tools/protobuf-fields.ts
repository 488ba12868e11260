// Makes src/api/protobuf/fields.json: the protobuf field numbers of the built-in kinds, from a table of all messages.
// Usage: node tools/protobuf-fields.ts PATH-OF-proto-fields.json > src/api/protobuf/fields.json
import { readFileSync } from 'node:fs'

type Row = readonly [number: number, name: string, type: string, mark: string]
interface Source {
  readonly messages: Readonly<Record<string, readonly Row[]>>
  readonly namedLists: readonly string[]
}

/** Groups and versions whose kinds are served; all that their messages refer to comes along. */
const ROOTS = [
  'apps.v1',
  'authentication.v1',
  'authorization.v1',
  'autoscaling.v1',
  'batch.v1',
  'certificates.v1',
  'coordination.v1',
  'core.v1',
  'discovery.v1',
  'events.v1',
  'networking.v1',
  'policy.v1',
  'rbac.v1',
  'scheduling.v1',
  'storage.v1',
]
const META = 'k8s.io.apimachinery.pkg.apis.meta.v1'
const SCALARS = new Set(['string', 'bool', 'bytes', 'int32', 'int64', 'uint32', 'uint64', 'double', 'float'])

const source = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Source
const lists = new Set(source.namedLists)
const wanted = new Map<string, readonly unknown[]>()
const queue = Object.keys(source.messages).filter(isRoot)

function isRoot(name: string): boolean {
  if (name === `${META}.DeleteOptions`) return true
  const own = ROOTS.some((root) => name.startsWith(`k8s.io.api.${root}.`))
  return own && !name.endsWith('List')
}

/** Full name of a type that a message of `owner` refers to. */
function resolve(type: string, owner: string): string {
  if (type in source.messages) return type
  return `${owner.slice(0, owner.lastIndexOf('.'))}.${type}`
}

function short(name: string): string {
  return name
    .replace('k8s.io.apimachinery.pkg.apis.meta.v1.', 'meta.')
    .replace(
      /^k8s\.io\.(api|apimachinery\.pkg|apiextensions-apiserver\.pkg\.apis|kube-aggregator\.pkg\.apis)\./,
      '',
    )
}

function typeText(type: string, owner: string): string {
  const map = /^map<(\w+),\s*(.+)>$/.exec(type)
  if (map) return `map ${typeText(map[2] ?? '', owner)}`
  if (SCALARS.has(type)) return type
  const full = resolve(type, owner)
  if (!(full in source.messages)) throw new Error(`${owner} refers to unknown ${type}`)
  queue.push(full)
  return short(full)
}

for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
  if (wanted.has(short(name))) continue
  const owner = name
  wanted.set(
    short(name),
    (source.messages[name] ?? []).map(([number, field, type, mark]) => {
      const text = typeText(type, owner)
      return mark === '' ? [number, field, text] : [number, field, text, mark]
    }),
  )
}

const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))
const lines = sorted.map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`)
const listed = [...lists].map(short).filter((name) => wanted.has(name))
process.stdout.write(`{"lists":${JSON.stringify(listed)},\n"messages":{\n${lines.join(',\n')}\n}}\n`)
