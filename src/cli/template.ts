// Blueprints of machines: a template is a name, what it says lies in its versions.
import { since } from '../kinds/cells.ts'
import { VirtualMachineTemplate } from '../kinds/harvester/virtual-machine-template.ts'
import { VirtualMachineTemplateVersion } from '../kinds/harvester/virtual-machine-template-version.ts'
import type { KindOf } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { usageError } from './cli-error.ts'
import { EXIT, type Run } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { nameOf } from './output.ts'
import { removeOne } from './removal.ts'
import { notFoundNear, printList, printOne } from './show.ts'
import { isTaken } from './vm-create.ts'

type Template = KindOf<typeof VirtualMachineTemplate>
type Version = KindOf<typeof VirtualMachineTemplateVersion>

export const templateList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const everywhere = call.on('all-namespaces')
  const { items } = await client.list(VirtualMachineTemplate, everywhere ? {} : { namespace })
  const now = world.host.clock.now()
  return printList(call, world, {
    kind: VirtualMachineTemplate,
    items,
    fields: [
      ...(everywhere ? [{ name: 'Namespace', value: (one: Template) => one.metadata.namespace }] : []),
      { name: 'Name', value: (one) => one.metadata.name },
      { name: 'Version', value: (one) => one.spec?.defaultVersionId?.split('/')[1] },
      { name: 'Description', value: (one) => one.spec?.description },
      { name: 'Age', value: (one) => since(one.metadata.creationTimestamp, now) },
    ],
  })
}

/** The default version, which says what a machine of it will be. */
export const templateShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  const template = await notFoundNear(world, connection, VirtualMachineTemplate, call.args[0] ?? '')
  const [namespace = '', name = ''] = (template.spec?.defaultVersionId ?? '').split('/')
  if (name === '') return printOne(call, world, VirtualMachineTemplate, template)
  const version = await connection.client.get(VirtualMachineTemplateVersion, name, { namespace })
  return printOne(call, world, VirtualMachineTemplateVersion, version)
}

export const templateCreate: Run = async (call, world) => {
  const [name = ''] = call.args
  const from = call.text('from-vm')
  if (from === undefined) throw usageError('--from-vm is missing: the machine whose form it takes.')
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const machine = await notFoundNear(world, connection, VirtualMachine, from)
  const isNew = await ensureTemplate(connection, name, call.text('description') ?? `As machine ${from}`)
  const { annotations, labels } = machine.metadata
  const version = await client.create(
    VirtualMachineTemplateVersion,
    {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineTemplateVersion',
      metadata: { generateName: `${name}-`, namespace },
      spec: {
        templateId: `${namespace}/${name}`,
        ...(call.text('description') === undefined ? {} : { description: call.text('description') }),
        vm: {
          metadata: { ...(annotations ? { annotations } : {}), ...(labels ? { labels } : {}) },
          spec: machine.spec,
        },
      },
    } as unknown as Version,
    { namespace },
  )
  const versionName = version.metadata.name ?? ''
  if (isNew || call.on('default'))
    await client.patch(
      VirtualMachineTemplate,
      name,
      { spec: { defaultVersionId: `${namespace}/${versionName}` } },
      { namespace },
    )
  world.terminal.out(
    `${nameOf(VirtualMachineTemplate, { metadata: { name } } as never)} ${isNew ? 'created' : 'changed'}\n`,
  )
  world.terminal.note(`Its new version is ${versionName}.\n`)
  return EXIT.done
}

async function ensureTemplate({ client, namespace }: Connection, name: string, description: string) {
  try {
    await client.create(
      VirtualMachineTemplate,
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineTemplate',
        metadata: { name, namespace },
        spec: { description },
      } as Template,
      { namespace },
    )
    return true
  } catch (error) {
    if (!isTaken(error)) throw error
    return false
  }
}

export const templateDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  return removeOne(call, world, connection, {
    kind: VirtualMachineTemplate,
    name,
    question: `Delete template "${name}" with all its versions?`,
  })
}
