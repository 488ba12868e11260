// `croft why KIND/NAME`: what the explainer says of an object, and what to do. Exit code 1 where something is wrong.
import { allKinds } from '../kinds/index.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { say } from '../words/say.ts'
import { usageError } from './cli-error.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { isDataFormat, printData } from './output.ts'
import { notFoundNear } from './show.ts'

/** Words of people for kinds that have longer names. */
const SHORT: Readonly<Record<string, string>> = {
  vm: 'VirtualMachine',
  vmi: 'VirtualMachineInstance',
  image: 'VirtualMachineImage',
  volume: 'PersistentVolumeClaim',
  claim: 'PersistentVolumeClaim',
  disk: 'PersistentVolumeClaim',
  node: 'Node',
}
/** What the explainer answers. */
interface Answer {
  readonly healthy: boolean
  readonly waiting: boolean
  readonly cause: string
  readonly effect?: string
  readonly next: string
  readonly about?: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly notes?: readonly string[]
}

/** Where the system's own objects live, so that nobody needs to know. */
const SYSTEM_NAMESPACES: Readonly<Record<string, string>> = { 'longhorn.io': 'longhorn-system' }

export const why: Run = async (call, world) => {
  const { kind, name } = objectOf(call)
  const found = await connect(call, world)
  const namespace = call.text('namespace') ?? SYSTEM_NAMESPACES[kind.group] ?? found.namespace
  const connection = { ...found, namespace }
  await notFoundNear(world, connection, kind, name)
  const place = kind.scope === 'Cluster' ? [] : [namespace]
  const path = ['v1-croft', 'why', kind.singular, ...place, name].map(encodeURIComponent).join('/')
  const answer = (await connection.ask('GET', `/${path}?lang=${world.language}`)) as Answer
  const format = call.text('output')
  if (isDataFormat(format)) world.terminal.out(printData(answer, format))
  else world.terminal.out(textOf(world, answer))
  return answer.healthy || answer.waiting ? EXIT.done : EXIT.failed
}

function textOf({ language }: World, { healthy, cause, effect, next, about, notes }: Answer): string {
  if (healthy) return [cause, ...(notes ?? []), ''].join('\n')
  const where =
    about === undefined ? '' : ` (${about.kind} ${about.namespace ? `${about.namespace}/` : ''}${about.name})`
  const rows: readonly (readonly [string, string | undefined])[] = [
    [say(language, 'why.cause'), `${cause}${where}`],
    [say(language, 'why.effect'), effect],
    [say(language, 'why.next'), next],
  ]
  const lines = rows.flatMap(([name, text]) => (text === undefined ? [] : [`${name}: ${text}`]))
  return [...lines, ...(notes ?? []), ''].join('\n')
}

/** `vm/web` as kind and name; singular, plural and short names all do. */
export function objectOf(call: Call): { readonly kind: AnyKind; readonly name: string } {
  const [text = ''] = call.args
  const slash = text.indexOf('/')
  const [word, name] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)]
  if (word === '' || name === '')
    throw usageError(`"${text}" is not KIND/NAME.`, 'For instance: croft why vm/web')
  const wanted = (SHORT[word.toLowerCase()] ?? word).toLowerCase()
  const fits = (kind: AnyKind): boolean =>
    [kind.kind, kind.plural, kind.singular, ...kind.shortNames].some((one) => one.toLowerCase() === wanted)
  const kind = allKinds.filter(fits).toSorted((a, b) => rank(a) - rank(b))[0]
  if (!kind)
    throw usageError(
      `There is no kind "${word}".`,
      `One of ${Object.keys(SHORT).join(', ')}, or any kind of the API.`,
    )
  return { kind, name }
}

/** Of two kinds with one name the one that people mean. */
function rank(kind: AnyKind): number {
  return kind.group === '' ? 0 : kind.group.includes('k8s.io') ? 2 : 1
}
