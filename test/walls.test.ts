// The walls of the house: who imports whom, where effects may happen, how large a file may grow. The rules are data
// in walls.json; this file only reads the sources and compares. It needs no compiler: sources are searched after
// comments and the insides of strings are blanked out.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { blankText } from './blank-text.ts'

interface Walls {
  readonly rooms: Readonly<Record<string, readonly string[] | 'all'>>
  /** Which room may use which npm package. */
  readonly packages: Readonly<Record<string, readonly string[]>>
  /** Inner walls of node/, folder by folder; files directly in node/ may import all of them. */
  readonly node: Readonly<Record<string, readonly string[]>>
  /** Files directly in node/ that its folders share. */
  readonly nodeShared: readonly string[]
  readonly effects: {
    readonly allowed: readonly string[]
    readonly exceptions: Readonly<Record<string, string>>
  }
}

interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly room: string
  readonly text: string
  /** The same length, without comments and with empty strings. */
  readonly code: string
  readonly imports: readonly string[]
}

const root = join(import.meta.dirname, '..')
const walls = JSON.parse(readFileSync(join(root, 'walls.json'), 'utf8')) as Walls

const LINES_MAX = 600
const LINES_WANTED = 400
/** Nothing that is pure comes from Node; these compute and touch nothing. */
const HARMLESS_NODE = new Set(['node:path', 'node:url', 'node:util', 'node:buffer', 'node:string_decoder'])
/** `process` is also a fine name for a variable, so that only what Node's own has is looked for. */
const PROCESS =
  /(?<![.\w])process\.(env|argv|exit|exitCode|on|once|off|pid|std(in|out|err)|kill|cwd|memoryUsage|hrtime|uptime|nextTick|umask|getuid|emitWarning)\b/g
const EFFECTS = [
  /(?<![.\w])(setTimeout|setInterval|setImmediate|fetch|XMLHttpRequest|WebSocket)\s*(?=\()/g,
  /(?<![.\w])(Date\.now|Math\.random|performance\.\w+|crypto\.(randomUUID|getRandomValues)|console\.\w+)/g,
  /(?<![.\w])new Date\(\s*\)/g,
  PROCESS,
]

function sourcesUnder(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => source(`${folder}/${name}`))
}

function source(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const code = blankText(text)
  return {
    path,
    text,
    code,
    imports: importsOf(text, code),
    room: path.split('/').length > 2 ? path.split('/')[1]! : '',
  }
}

/** The words are found in the code, where strings are blank; what stands in the quotes is read from the text. */
function importsOf(text: string, code: string): readonly string[] {
  const found = /(?<![.\w])(?:from|import)\s*\(?\s*(['"])/g
  return [...code.matchAll(found)].map((match) => {
    const start = match.index + match[0].length
    return text.slice(start, text.indexOf(match[1]!, start))
  })
}

const isTest = (path: string): boolean => /\.(test|fixture)\.ts$/.test(path)
const all = sourcesUnder('src')
const product = all.filter(({ path }) => !isTest(path))

/** Path of the imported file from the root, when it is one of ours. */
function targetOf({ path }: Source, name: string): string | undefined {
  return name.startsWith('.') ? normalize(join(dirname(path), name)) : undefined
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function none(violations: readonly string[]): void {
  assert.deepEqual([...new Set(violations)].sort(), [])
}

test('the reader of sources sees code and not text', () => {
  const sample = `import { a } from './a.ts' // from './b.ts'
    const s = "setTimeout(" + \`x \${Date.now()} 'y'\` + /['"]/.test(s) /* fetch( */
    await import('./c.ts'); export * from "./d.ts"; const half = n / 2; const q = '/'`
  const code = blankText(sample)
  assert.equal(code.length, sample.length)
  assert.deepEqual(importsOf(sample, code), ['./a.ts', './c.ts', './d.ts'])
  assert.doesNotMatch(code, /setTimeout|fetch|b\.ts/)
  assert.match(code, /Date\.now\(\)/)
})

test('every folder of src is a room with walls', () => {
  none(
    product
      .filter(({ room }) => room !== '' && !(room in walls.rooms))
      .map(({ room }) => `src/${room} is not in walls.json`),
  )
})

test('rooms import only what walls.json lets them', () => {
  none(
    product.flatMap((from) =>
      from.imports.flatMap((name) => {
        const target = targetOf(from, name)
        const room = target?.startsWith('src/') ? target.split('/')[1]! : undefined
        const allowed = walls.rooms[from.room] ?? []
        if (target === undefined || from.room === '' || allowed === 'all' || room === from.room) return []
        if (room !== undefined && allowed.includes(room))
          return isRealHost(target) ? [`${from.path} -> ${target}`] : []
        return [`${from.path} -> ${target}`]
      }),
    ),
  )
})

/** Only the entries pick the real adapters; everybody else is handed ports. */
function isRealHost(target: string): boolean {
  return target.startsWith('src/host/real/')
}

test('the folders of node/ import only what walls.json lets them', () => {
  const folderOf = (path: string): string => /^src\/node\/([^/]+)\//.exec(path)?.[1] ?? ''
  const inside = product.filter(({ path }) => folderOf(path) !== '')
  none(
    inside.flatMap((from) => {
      const folder = folderOf(from.path)
      const allowed = walls.node[folder]
      if (allowed === undefined) return [`src/node/${folder} is not in walls.json`]
      return from.imports.flatMap((name) => {
        const target = targetOf(from, name)
        if (target === undefined || !target.startsWith('src/node/')) return []
        const other = folderOf(target)
        return other === folder || allowed.includes(other) || walls.nodeShared.includes(target)
          ? []
          : [`${from.path} -> ${target}`]
      })
    }),
  )
})

test('packages are used only in the rooms that may', () => {
  none(
    product.flatMap((from) =>
      from.imports.flatMap((name) => {
        if (name.startsWith('.') || name.startsWith('node:')) return []
        const packageName = name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/')
        return walls.packages[packageName]?.includes(from.room) ? [] : [`${from.path} -> ${name}`]
      }),
    ),
  )
})

test('effects happen only where walls.json lets them', () => {
  const mayAct = (path: string): boolean =>
    walls.effects.allowed.some((folder) => path.startsWith(folder)) || path in walls.effects.exceptions
  const pure = new Set(
    Object.keys(walls.rooms).filter((room) => !rooms(room).includes('host') && room !== 'host'),
  )
  none(
    product
      .filter(({ path }) => !mayAct(path))
      .flatMap((from) => [
        ...from.imports
          .filter((name) => name.startsWith('node:') && (pure.has(from.room) || !HARMLESS_NODE.has(name)))
          .map((name) => `${from.path} -> ${name}`),
        ...EFFECTS.flatMap((effect) =>
          [...from.code.matchAll(effect)].map(
            (match) => `${from.path}:${lineOf(from.code, match.index)} ${match[0]}`,
          ),
        ),
      ]),
  )
})

function rooms(room: string): readonly string[] {
  const allowed = walls.rooms[room] ?? []
  return allowed === 'all' ? ['host'] : allowed
}

test('exceptions name files that are there', () => {
  none(Object.keys(walls.effects.exceptions).filter((path) => !all.some((source) => source.path === path)))
})

test('rooms have no circles', () => {
  const visit = (room: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(room)) return [[...trail, room].join(' -> ')]
    const next = walls.rooms[room] ?? []
    return next === 'all' ? [] : next.flatMap((other) => visit(other, [...trail, room]))
  }
  none(Object.keys(walls.rooms).flatMap((room) => visit(room, [])))
})

test(`files stay below ${LINES_MAX} lines`, (t) => {
  const sized = product.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  for (const { path, lines } of sized.filter(({ lines }) => lines > LINES_WANTED))
    t.diagnostic(`${path} has ${lines} lines, more than the ${LINES_WANTED} wanted`)
  none(sized.filter(({ lines }) => lines > LINES_MAX).map(({ path, lines }) => `${path} has ${lines} lines`))
})

test('every file says first what it is', () => {
  none(product.filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text)).map(({ path }) => path))
})

test('no default exports, no any, no switched-off checks', () => {
  const rules: readonly (readonly [RegExp, 'code' | 'text'])[] = [
    [/^\s*export default\b/gm, 'code'],
    [/(?<=[:<,|&]\s*)any\b(?=\s*[,;)>=|&[\]{}\n])|\bas any\b/g, 'code'],
    [/@ts-(ignore|nocheck|expect-error)|biome-ignore-all/g, 'text'],
  ]
  none(
    product.flatMap((source) =>
      rules.flatMap(([rule, where]) =>
        [...source[where].matchAll(rule)].map(
          (match) => `${source.path}:${lineOf(source.text, match.index)} ${match[0].trim()}`,
        ),
      ),
    ),
  )
})

test('nothing of this machine or of how the work is done stands in the sources', () => {
  none(
    [...all, ...sourcesUnder('bench'), ...sourcesUnder('test')].flatMap(({ path, text }) =>
      [...text.matchAll(/["'`\s(]\/(work|root|home)\/[a-z][^\s"'`]*/g)].map(
        (match) => `${path}: ${match[0].trim()}`,
      ),
    ),
  )
})
