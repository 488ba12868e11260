// The computers of the cluster, in the columns of the kind.
import { Node } from '../kinds/core/node.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { fieldsOf } from './output.ts'
import { notFoundNear, printList, printOne } from './show.ts'

export const nodeList: Run = async (call, world) => {
  const { client } = await connect(call, world)
  const { items } = await client.list(Node)
  return printList(call, world, { kind: Node, items, fields: fieldsOf(Node, world.host.clock.now()) })
}

export const nodeShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  return printOne(call, world, Node, await notFoundNear(world, connection, Node, call.args[0] ?? ''))
}

/** New machines go elsewhere; those that run there stay. */
export const nodeCordon: Run = async (call, world) => schedulable(call, world, false)

export const nodeUncordon: Run = async (call, world) => schedulable(call, world, true)

async function schedulable(call: Call, world: World, takes: boolean): Promise<number> {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Node, name)
  await connection.client.patch(Node, name, { spec: { unschedulable: takes ? null : true } })
  world.terminal.note(
    takes ? `${name} takes machines again.\n` : `${name} takes no new machines. Those that run there stay.\n`,
  )
  return EXIT.done
}
