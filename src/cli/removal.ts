// Deleting one object of any kind: asks first on a terminal, waits until it is gone.
import type { Kind } from '../kinds/kind.ts'
import { say } from '../words/say.ts'
import { type Call, EXIT, type World } from './command.ts'
import type { Connection } from './connect.ts'
import { timeoutOf } from './machine.ts'
import { waitFor } from './progress.ts'
import { confirm, notFoundNear } from './show.ts'

/** Finalizers of controllers that are at work anyway. Milliseconds. */
const TIMEOUT_MS = 60_000

export interface Removal {
  readonly kind: Kind
  readonly name: string
  /** What is asked, for instance `Delete volume "data"?`. */
  readonly question: string
  /** What to try when it does not go. */
  readonly next?: string
}

export async function removeOne(
  call: Call,
  world: World,
  connection: Connection,
  { kind, name, question, next }: Removal,
): Promise<number> {
  const { client, namespace } = connection
  const where = kind.scope === 'Cluster' ? {} : { namespace }
  const before = await notFoundNear(world, connection, kind, name)
  if (!(await confirm(call, world, question))) {
    world.terminal.note('Nothing was deleted.\n')
    return EXIT.failed
  }
  await client.delete(kind, name, where)
  const waits = call.command.flags.some((flag) => flag.name === 'no-wait') && !call.on('no-wait')
  if (waits)
    await waitFor(world, {
      client,
      kind,
      name,
      ...where,
      timeoutMs: timeoutOf(call, TIMEOUT_MS),
      what: `${name} is gone`,
      ...(next === undefined ? {} : { next }),
      look: (now) => ({
        done: now === undefined || now.metadata.uid !== before.metadata.uid,
        step: `${name}: ${say(world.language, 'state.vm.Terminating')}`,
      }),
    })
  world.terminal.note(`${say(world.language, 'cli.deleted', { kind: kind.kind, name })}\n`)
  return EXIT.done
}
