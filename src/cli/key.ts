// Public SSH keys that can be put into machines.
import { since } from '../kinds/cells.ts'
import { KeyPair } from '../kinds/harvester/key-pair.ts'
import { usageError } from './cli-error.ts'
import { EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { nameOf } from './output.ts'
import { readPublicKey } from './public-key.ts'
import { removeOne } from './removal.ts'
import { notFoundNear, printList, printOne } from './show.ts'

export const keyList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const everywhere = call.on('all-namespaces')
  const { items } = await client.list(KeyPair, everywhere ? {} : { namespace })
  const now = world.host.clock.now()
  return printList(call, world, {
    kind: KeyPair,
    items,
    fields: [
      ...(everywhere ? [{ name: 'Namespace', value: (key: KeyPair) => key.metadata.namespace }] : []),
      { name: 'Name', value: (key) => key.metadata.name },
      { name: 'Type', value: (key) => key.spec.publicKey.split(' ')[0] },
      { name: 'Fingerprint', value: (key) => key.status?.fingerPrint },
      { name: 'Age', value: (key) => since(key.metadata.creationTimestamp, now) },
    ],
  })
}

export const keyAdd: Run = async (call, world) => {
  const [name = ''] = call.args
  const file = call.text('file')
  if (file === undefined)
    throw usageError('--file is missing: the public key, for instance ~/.ssh/id_ed25519.pub.')
  const publicKey = await readPublicKey(world, file)
  const { client, namespace } = await connect(call, world)
  const made = await client.create(
    KeyPair,
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'KeyPair',
      metadata: { name, namespace },
      spec: { publicKey },
    } as KeyPair,
    { namespace },
  )
  world.terminal.out(`${nameOf(KeyPair, made)} created\n`)
  return EXIT.done
}

export const keyShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  return printOne(call, world, KeyPair, await notFoundNear(world, connection, KeyPair, call.args[0] ?? ''))
}

export const keyDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const question = `Delete key "${name}"? Machines that have it keep it.`
  return removeOne(call, world, connection, { kind: KeyPair, name, question })
}
