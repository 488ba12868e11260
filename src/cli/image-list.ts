// The images of a namespace, one of them whole, and deleting one.
import { since } from '../kinds/cells.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { say } from '../words/say.ts'
import { EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { type Image, imageState } from './image.ts'
import { timeoutOf } from './machine.ts'
import { type Field, sizeText } from './output.ts'
import { waitFor } from './progress.ts'
import { confirm, notFoundNear, printList, printOne } from './show.ts'

const DELETE_TIMEOUT_MS = 60_000

export const imageList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const everywhere = call.on('all-namespaces')
  const { items } = await client.list(VirtualMachineImage, everywhere ? {} : { namespace })
  const now = world.host.clock.now()
  const fields: readonly Field<Image>[] = [
    ...(everywhere ? [{ name: 'Namespace', value: (image: Image) => image.metadata.namespace }] : []),
    { name: 'Name', value: (image) => image.metadata.name },
    { name: 'Display name', value: (image) => image.spec.displayName },
    { name: 'State', value: (image) => imageState(world, image) },
    { name: 'Size', value: (image) => sizeText(image.status?.size) },
    { name: 'Disk', value: (image) => sizeText(image.status?.virtualSize) },
    { name: 'Class', wide: true, value: (image) => image.status?.storageClassName },
    { name: 'Source', wide: true, value: (image) => image.spec.url || image.spec.sourceType },
    { name: 'Age', value: (image) => since(image.metadata.creationTimestamp, now) },
  ]
  return printList(call, world, { kind: VirtualMachineImage, items, fields })
}

export const imageShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  const image = await notFoundNear(world, connection, VirtualMachineImage, call.args[0] ?? '')
  return printOne(call, world, VirtualMachineImage, image)
}

export const imageDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const image = await notFoundNear(world, connection, VirtualMachineImage, name)
  if (!(await confirm(call, world, `Delete image "${name}"?`))) {
    world.terminal.note('Nothing was deleted.\n')
    return EXIT.failed
  }
  await client.delete(VirtualMachineImage, name, { namespace })
  if (!call.on('no-wait'))
    await waitFor(world, {
      client,
      kind: VirtualMachineImage,
      name,
      namespace,
      timeoutMs: timeoutOf(call, DELETE_TIMEOUT_MS),
      what: `image ${name} is gone`,
      next: `croft why image/${name} -n ${namespace}`,
      look: (now) => ({
        done: now === undefined || now.metadata.uid !== image.metadata.uid,
        step: `${name}: ${say(world.language, 'state.vm.Terminating')}`,
      }),
    })
  world.terminal.note(`${say(world.language, 'cli.deleted', { kind: 'VirtualMachineImage', name })}\n`)
  return EXIT.done
}
