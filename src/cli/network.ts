// The networks that machines can be connected to.
import { isObject, parseJson } from '../base/json.ts'
import { since } from '../kinds/cells.ts'
import { NetworkAttachmentDefinition } from '../kinds/cni/network-attachment-definition.ts'
import type { KindOf } from '../kinds/kind.ts'
import type { Run } from './command.ts'
import { connect } from './connect.ts'
import { removeOne } from './removal.ts'
import { notFoundNear, printList, printOne } from './show.ts'

type Network = KindOf<typeof NetworkAttachmentDefinition>

export const networkList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const everywhere = call.on('all-namespaces')
  const { items } = await client.list(NetworkAttachmentDefinition, everywhere ? {} : { namespace })
  const now = world.host.clock.now()
  if (items.length === 0 && call.text('output') === undefined)
    world.terminal.note('Every machine can use the default network; beside it there is:\n')
  return printList(call, world, {
    kind: NetworkAttachmentDefinition,
    items,
    fields: [
      ...(everywhere ? [{ name: 'Namespace', value: (one: Network) => one.metadata.namespace }] : []),
      { name: 'Name', value: (one) => one.metadata.name },
      { name: 'Type', value: (one) => String(configOf(one)['type'] ?? '') },
      { name: 'Bridge', value: (one) => String(configOf(one)['bridge'] ?? '') },
      { name: 'VLAN', value: (one) => String(configOf(one)['vlan'] ?? '') },
      { name: 'Age', value: (one) => since(one.metadata.creationTimestamp, now) },
    ],
  })
}

function configOf({ spec }: Network): Readonly<Record<string, unknown>> {
  try {
    const config = parseJson(String(spec?.config ?? '{}'))
    return isObject(config) ? config : {}
  } catch {
    return {}
  }
}

export const networkShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  const kind = NetworkAttachmentDefinition
  return printOne(call, world, kind, await notFoundNear(world, connection, kind, call.args[0] ?? ''))
}

export const networkDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const question = `Delete network "${name}"?`
  return removeOne(call, world, connection, { kind: NetworkAttachmentDefinition, name, question })
}
