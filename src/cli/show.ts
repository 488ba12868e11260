// What lists and single objects have in common: the form that was asked for, a helpful "not found".
import { ApiError } from '../base/errors.ts'
import type { KubeObject } from '../base/object.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { say } from '../words/say.ts'
import { CliError } from './cli-error.ts'
import { type Call, EXIT, type World } from './command.ts'
import type { Connection } from './connect.ts'
import { nearest } from './nearest.ts'
import {
  type Field,
  type Format,
  fieldsOf,
  isDataFormat,
  nameOf,
  printData,
  printObjects,
  type Shown,
} from './output.ts'

export function shownOf(call: Call, { terminal, host }: World): Shown {
  return {
    format: call.text('output') as Format | undefined,
    forEyes: terminal.outIsTerminal,
    now: host.clock.now(),
  }
}

/** The object; when there is none, the error says so and names the nearest. */
export async function notFoundNear<K extends Kind>(
  { language }: World,
  { client, namespace }: Connection,
  kind: K,
  name: string,
): Promise<KindOf<K>> {
  const where = kind.scope === 'Cluster' ? {} : { namespace }
  try {
    return await client.get(kind, name, where)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error
    const names = await client.list(kind, where).then(
      ({ items }) => items.map((item: KubeObject) => item.metadata.name ?? ''),
      () => [],
    )
    const near = nearest(name, names)
    throw new CliError({
      what:
        kind.scope === 'Cluster'
          ? `There is no ${kind.kind} "${name}".`
          : say(language, 'cli.notFound', { kind: kind.kind, name, namespace }),
      ...(near === undefined ? {} : { next: say(language, 'cli.didYouMean', { suggestion: `"${near}"` }) }),
      code: EXIT.notFound,
      reason: 'NotFound',
    })
  }
}

export function printList<T extends KubeObject>(
  call: Call,
  world: World,
  list: { readonly kind: Kind; readonly items: readonly T[]; readonly fields: readonly Field<T>[] },
): number {
  if (list.items.length === 0 && !call.text('output'))
    world.terminal.note(`${say(world.language, 'cli.noneAnywhere')}\n`)
  else world.terminal.out(printObjects(list.kind, list.items, list.fields, shownOf(call, world)))
  return EXIT.done
}

/** YAML for eyes, too: nothing is left out. */
export function printOne(call: Call, world: World, kind: Kind, object: KubeObject): number {
  const { terminal, host } = world
  const format = call.text('output') as Format | undefined
  if (format === 'name') terminal.out(`${nameOf(kind, object)}\n`)
  else if (format === 'table' || format === 'wide')
    terminal.out(printObjects(kind, [object], fieldsOf(kind, host.clock.now()), shownOf(call, world)))
  else {
    const { managedFields: _, ...metadata } = object.metadata
    terminal.out(printData({ ...object, metadata }, isDataFormat(format) ? format : 'yaml'))
  }
  return EXIT.done
}

/** Asks on a terminal; a script that says nothing means yes, as with kubectl. */
export async function confirm(call: Call, { terminal }: World, question: string): Promise<boolean> {
  if (call.on('yes') || !terminal.inIsTerminal) return true
  terminal.note(`${question} [y/N] `)
  for await (const chunk of terminal.input) {
    return /^\s*y(es)?\s*$/i.test(new TextDecoder().decode(chunk))
  }
  return false
}
