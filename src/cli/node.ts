// The computers of the cluster, in the columns of the kind.
import { Node } from '../kinds/core/node.ts'
import type { Run } from './command.ts'
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
