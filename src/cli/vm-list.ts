// The machines of a namespace, and one of them whole.
import { since } from '../kinds/cells.ts'
import { Event } from '../kinds/core/event.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { say } from '../words/say.ts'
import { EXIT, type Run, type World } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { type Instance, type Machine, reasonText, stateText } from './machine.ts'
import { type Field, printObjects } from './output.ts'
import { notFoundNear, printOne, shownOf } from './show.ts'

type Runs = ReadonlyMap<string, Instance>

export const vmList: Run = async (call, world) => {
  const { client, namespace } = await connect(call, world)
  const selector = call.text('selector')
  const where = {
    ...(call.on('all-namespaces') ? {} : { namespace }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
  }
  const [machines, runs] = await Promise.all([
    client.list(VirtualMachine, where),
    client.list(VirtualMachineInstance, call.on('all-namespaces') ? {} : { namespace }),
  ])
  const byName: Runs = new Map(runs.items.map((run) => [keyOf(run), run]))
  if (machines.items.length === 0 && !call.text('output')) {
    const { language } = world
    const none = call.on('all-namespaces')
      ? say(language, 'cli.noneAnywhere')
      : say(language, 'cli.none', { namespace })
    world.terminal.note(`${none}\n`)
    return EXIT.done
  }
  const fields = machineFields(world, byName, call.on('all-namespaces'))
  world.terminal.out(printObjects(VirtualMachine, machines.items, fields, shownOf(call, world)))
  return EXIT.done
}

function keyOf({ metadata }: Machine | Instance): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

function machineFields(world: World, runs: Runs, everywhere: boolean): readonly Field<Machine>[] {
  const runOf = (machine: Machine): Instance | undefined => runs.get(keyOf(machine))
  const now = world.host.clock.now()
  return [
    ...(everywhere ? [{ name: 'Namespace', value: (vm: Machine) => vm.metadata.namespace }] : []),
    { name: 'Name', value: (vm) => vm.metadata.name },
    { name: 'State', value: (vm) => stateText(world, vm) },
    { name: 'CPUs', wide: true, value: cpusOf },
    { name: 'Memory', wide: true, value: memoryOf },
    { name: 'Address', value: (vm) => addressesOf(runOf(vm))[0] },
    { name: 'Node', value: (vm) => runOf(vm)?.status?.nodeName },
    { name: 'Strategy', wide: true, value: (vm) => vm.status?.runStrategy ?? vm.spec?.runStrategy },
    { name: 'Age', value: (vm) => since(vm.metadata.creationTimestamp, now) },
  ]
}

export function cpusOf(machine: Machine): number {
  const { cores = 1, sockets = 1, threads = 1 } = machine.spec?.template?.spec?.domain?.cpu ?? {}
  return cores * sockets * threads
}

export function memoryOf(machine: Machine): string | undefined {
  const domain = machine.spec?.template?.spec?.domain
  const memory =
    domain?.memory?.guest ?? domain?.resources?.limits?.['memory'] ?? domain?.resources?.requests?.['memory']
  return memory === undefined ? undefined : String(memory)
}

function addressesOf(run: Instance | undefined): readonly string[] {
  return (run?.status?.interfaces ?? []).flatMap(({ ipAddress, ipAddresses }) =>
    ipAddresses && ipAddresses.length > 0 ? ipAddresses : ipAddress ? [ipAddress] : [],
  )
}

/** Newest events that are shown. */
const EVENTS_SHOWN = 8

export const vmShow: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const machine = await notFoundNear(world, connection, VirtualMachine, name)
  const format = call.text('output')
  if (format !== undefined && format !== 'wide') return printOne(call, world, VirtualMachine, machine)
  const runs = await client.list(VirtualMachineInstance, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  })
  world.terminal.out(await describe(world, connection, { machine, run: runs.items[0] }))
  return EXIT.done
}

async function describe(
  world: World,
  { client, namespace }: Connection,
  { machine, run }: { readonly machine: Machine; readonly run: Instance | undefined },
): Promise<string> {
  const now = world.host.clock.now()
  const name = machine.metadata.name ?? ''
  const spec = machine.spec?.template?.spec
  const os = run?.status?.guestOSInfo as { readonly prettyName?: string } | undefined
  const rows: readonly (readonly [string, string | number | undefined])[] = [
    ['Name', `${namespace}/${name}`],
    ['State', stateText(world, machine)],
    ['Why', reasonText(machine)],
    ['Strategy', machine.spec?.runStrategy],
    ['CPUs', cpusOf(machine)],
    ['Memory', memoryOf(machine)],
    ['Node', run?.status?.nodeName],
    ['Addresses', addressesOf(run).join(', ')],
    ['Guest', os?.prettyName],
    ['Disks', (spec?.volumes ?? []).map((volume) => volumeText(volume)).join(', ')],
    ['Age', since(machine.metadata.creationTimestamp, now)],
  ]
  const events = await client.list(Event, { namespace, fieldSelector: `involvedObject.name=${name}` })
  const recent = events.items
    .toSorted((a, b) => (a.lastTimestamp ?? '').localeCompare(b.lastTimestamp ?? ''))
    .slice(-EVENTS_SHOWN)
  const lines = rows
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([label, value]) => `${`${label}:`.padEnd(11)} ${value}`)
  const eventLines = recent.map(
    ({ lastTimestamp, reason, message }) => `  ${since(lastTimestamp, now).padEnd(5)} ${reason}: ${message}`,
  )
  return `${[...lines, ...(eventLines.length > 0 ? ['Events:', ...eventLines] : [])].join('\n')}\n`
}

function volumeText(volume: { readonly name: string } & Readonly<Record<string, unknown>>): string {
  const claim = volume['persistentVolumeClaim'] as { readonly claimName?: string } | undefined
  const dataVolume = volume['dataVolume'] as { readonly name?: string } | undefined
  const source = claim?.claimName ?? dataVolume?.name
  return source === undefined ? volume.name : `${volume.name} (${source})`
}
