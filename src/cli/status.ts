// `croft status`: health of the cluster in one screen. Exit code 1 where something is not well.
import type { KubeObject } from '../base/object.ts'
import { Node } from '../kinds/core/node.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { imageFailure, imageReady } from './image.ts'
import { isDataFormat, printData } from './output.ts'

interface Line {
  readonly name: string
  readonly text: string
  readonly well: boolean
}

export const status: Run = async (call, world) => {
  const connection = await connect(call, world)
  const lines = await linesOf(connection)
  const well = lines.every((line) => line.well)
  const format = call.text('output')
  if (isDataFormat(format))
    world.terminal.out(printData({ server: connection.config.server, well, parts: lines }, format))
  else world.terminal.out(textOf(call, world, connection, lines))
  return well ? EXIT.done : EXIT.failed
}

function textOf(_call: Call, { terminal }: World, { config }: Connection, lines: readonly Line[]): string {
  const colours = terminal.outIsTerminal && !terminal.env('NO_COLOR')
  const paint = (text: string, well: boolean): string =>
    colours ? `\u001b[${well ? 32 : 31}m${text}\u001b[0m` : text
  const rows = [{ name: 'Server', text: config.server, well: true }, ...lines]
  return rows.map(({ name, text, well }) => `${`${name}:`.padEnd(10)} ${paint(text, well)}\n`).join('')
}

async function linesOf({ client, ask }: Connection): Promise<readonly Line[]> {
  const version = (await ask('GET', '/version')) as { readonly gitVersion?: string }
  const [nodes, machines, volumes, images] = await Promise.all([
    client.list(Node),
    client.list(VirtualMachine),
    client.list(Volume),
    client.list(VirtualMachineImage),
  ])
  return [
    { name: 'Version', text: version.gitVersion ?? 'unknown', well: true },
    nodesLine(nodes.items),
    countLine(
      'Machines',
      machines.items.map((vm) => vm.status?.printableStatus ?? 'Unknown'),
      ['CrashLoopBackOff', 'Unknown', 'ErrorUnschedulable', 'ErrorPvcNotFound', 'DataVolumeError'],
    ),
    countLine(
      'Volumes',
      volumes.items.map(({ status }) =>
        status?.state === 'attached' ? (status.robustness ?? 'unknown') : (status?.state ?? 'creating'),
      ),
      ['faulted'],
    ),
    countLine(
      'Images',
      images.items.map((image) =>
        imageReady(image) ? 'ready' : imageFailure(image) ? 'failed' : 'importing',
      ),
      ['failed'],
    ),
  ]
}

function nodesLine(nodes: readonly KubeObject[]): Line {
  const ready = nodes.filter((node) => {
    const { conditions = [] } = (node['status'] ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    }
    return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  })
  return {
    name: 'Nodes',
    text: `${ready.length} of ${nodes.length} ready`,
    well: nodes.length > 0 && ready.length === nodes.length,
  }
}

/** `3: 2 Running, 1 Stopped` */
function countLine(name: string, states: readonly string[], ill: readonly string[]): Line {
  const kinds = [...new Set(states)].sort()
  const parts = kinds.map((kind) => `${states.filter((state) => state === kind).length} ${kind}`)
  return {
    name,
    text: states.length === 0 ? 'none' : `${states.length}: ${parts.join(', ')}`,
    well: !states.some((state) => ill.includes(state)),
  }
}
