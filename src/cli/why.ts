// `croft why KIND/NAME`: what the explainer says of an object, and what to do. Exit code 1 where something is wrong.
import { isObject } from '../base/json.ts'
import { allKinds } from '../kinds/index.ts'
import type { AnyKind } from '../kinds/kind.ts'
import { usageError } from './cli-error.ts'
import { type Call, EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { printData } from './output.ts'
import { notFoundNear } from './show.ts'

/** Words of people for kinds that have longer names. */
const SHORT: Readonly<Record<string, string>> = {
  vm: 'VirtualMachine',
  vmi: 'VirtualMachineInstance',
  image: 'VirtualMachineImage',
  volume: 'Volume',
  claim: 'PersistentVolumeClaim',
  disk: 'PersistentVolumeClaim',
  node: 'Node',
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
  const path = ['v1-croft', 'why', kind.plural, ...place, name].map(encodeURIComponent).join('/')
  const answer = await connection.ask('GET', `/${path}?language=${world.language}`)
  const format = call.text('output')
  if (format === 'json' || format === 'yaml') world.terminal.out(printData(answer, format))
  else world.terminal.out(textOf(answer))
  return isObject(answer) && answer['well'] === false ? EXIT.failed : EXIT.done
}

/** Every field that has words, in the order in which the explainer gives them. */
function textOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : printData(answer, 'yaml')
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
