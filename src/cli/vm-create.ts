// `croft vm create`: a machine from an image, and the wait until it runs.
import { ApiError } from '../base/errors.ts'
import { compareQuantity, parseQuantity } from '../base/quantity.ts'
import { Secret } from '../kinds/core/secret.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { KindOf } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { CliError, failedError, usageError } from './cli-error.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { absolute, type Connection, connect } from './connect.ts'
import { DEMO_IMAGE, ensureDemoImage } from './demo-image.ts'
import { imageReady, waitForImage } from './image.ts'
import { isRunning, START_TIMEOUT_MS, timeoutOf, waitForMachine } from './machine.ts'
import {
  cloudInitSecret,
  type MachineWish,
  machineObject,
  secretName,
  userDataFor,
} from './machine-objects.ts'
import { nearest } from './nearest.ts'
import { isDataFormat, nameOf, printData } from './output.ts'
import { readPublicKey } from './public-key.ts'
import { printOne } from './show.ts'

type Image = KindOf<typeof VirtualMachineImage>

/** What a server's image needs; the demo image is small. */
const ORDINARY = { memory: '1Gi', disk: '10Gi', graceSeconds: 120 }
const SMALL = { memory: '256Mi', disk: '1Gi', graceSeconds: 20 }

export const vmCreate: Run = async (call, world) => {
  const connection = await connect(call, world)
  await refuseTaken(connection, call.args[0] ?? '')
  const image = await imageFor(call, world, connection)
  const wish = await wishOf(call, world, connection, image)
  if (call.on('dry-run')) {
    const format = call.text('output')
    world.terminal.out(
      printData(
        { apiVersion: 'v1', kind: 'List', items: [machineObject(wish)] },
        isDataFormat(format) ? format : 'yaml',
      ),
    )
    return EXIT.done
  }
  await createMachine(connection, wish)
  const { name, namespace } = wish
  if (!call.on('no-wait') && !['Halted', 'Manual'].includes(wish.runStrategy))
    await waitForMachine(world, connection, name, {
      what: `${name} runs`,
      timeoutMs: timeoutOf(call, START_TIMEOUT_MS),
      done: isRunning,
      starts: true,
    })
  if (call.text('output') !== undefined)
    return printOne(
      call,
      world,
      VirtualMachine,
      await connection.client.get(VirtualMachine, name, { namespace }),
    )
  world.terminal.out(
    `${nameOf(VirtualMachine, { metadata: { name } } as never)} ${call.on('no-wait') ? 'created' : 'runs'}\n`,
  )
  world.terminal.note(`Open its console: croft vm console ${name}${namespaceFlag(call)}\n`)
  return EXIT.done
}

function namespaceFlag(call: Call): string {
  const given = call.text('namespace')
  return given === undefined ? '' : ` -n ${given}`
}

async function refuseTaken({ client, namespace }: Connection, name: string): Promise<void> {
  const list = await client.list(VirtualMachine, { namespace, fieldSelector: `metadata.name=${name}` })
  if (list.items.length === 0) return
  throw new CliError({
    what: `Machine "${name}" is there already.`,
    next: `Choose another name, or delete it: croft vm delete ${name} -n ${namespace}`,
    code: EXIT.conflict,
    reason: 'AlreadyExists',
  })
}

/** Secret first, so that the machine never waits for it; the machine then owns it. */
export async function createMachine({ client }: Connection, wish: MachineWish): Promise<void> {
  const { namespace } = wish
  // What is wrong with the machine is told in its own words, before anything is made.
  const wanted = machineObject(wish) as KindOf<typeof VirtualMachine>
  await client.create(VirtualMachine, wanted, { namespace, dryRun: true })
  const secret = await client.create(Secret, cloudInitSecret(wish) as KindOf<typeof Secret>, { namespace })
  let machine: KindOf<typeof VirtualMachine>
  try {
    machine = await client.create(VirtualMachine, wanted, { namespace })
  } catch (error) {
    await client.delete(Secret, secretName(wish), { namespace }).catch(() => undefined)
    throw error
  }
  const owner = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    name: wish.name,
    uid: machine.metadata.uid ?? '',
  }
  await client.patch(
    Secret,
    secret.metadata.name ?? '',
    { metadata: { ownerReferences: [owner] } },
    { namespace },
  )
}

async function imageFor(call: Call, world: World, connection: Connection): Promise<Image> {
  const wanted = call.text('image')
  if (wanted === undefined)
    throw usageError(
      '--image is missing: a machine needs something to boot.',
      'croft image list shows what is there; "--image demo" builds a small Linux.',
    )
  const image = await findImage(world, connection, wanted)
  if (imageReady(image)) return image
  const { name = '', namespace = '' } = image.metadata
  return waitForImage(world, connection, { name, namespace, timeoutMs: timeoutOf(call, START_TIMEOUT_MS) })
}

async function findImage(world: World, connection: Connection, wanted: string): Promise<Image> {
  const [namespace, name] = wanted.includes('/')
    ? [wanted.slice(0, wanted.indexOf('/')), wanted.slice(wanted.indexOf('/') + 1)]
    : [connection.namespace, wanted]
  const list = await connection.client.list(VirtualMachineImage, { namespace })
  const fits = list.items.filter((image) => image.metadata.name === name || image.spec.displayName === name)
  const exact = fits.find((image) => image.metadata.name === name) ?? fits[0]
  if (exact) return exact
  if (wanted === DEMO_IMAGE) return ensureDemoImage(world, connection)
  const near = nearest(
    name,
    list.items.flatMap(({ metadata, spec }) => [metadata.name ?? '', spec.displayName]),
  )
  throw new CliError({
    what: `There is no image "${name}" in namespace "${namespace}".`,
    next: near === undefined ? 'croft image list -A' : `Did you mean "${near}"?`,
    code: EXIT.notFound,
    reason: 'NotFound',
  })
}

async function wishOf(call: Call, world: World, connection: Connection, image: Image): Promise<MachineWish> {
  const [name = ''] = call.args
  const usual = image.metadata.name === DEMO_IMAGE ? SMALL : ORDINARY
  if (call.number('replicas') !== undefined && (call.number('replicas') ?? 1) > 1)
    world.terminal.note(
      'The number of copies of a disk made from an image is set by the class of the image.\n',
    )
  const network = call.text('network')
  const { storageClassName } = image.status ?? {}
  return {
    name,
    namespace: connection.namespace,
    suffix: suffixOf(world),
    cpus: call.number('cpus') ?? 1,
    memory: call.text('memory') ?? usual.memory,
    disk: call.text('disk') ?? largerOf(usual.disk, image.status?.virtualSize),
    image: {
      id: `${image.metadata.namespace}/${image.metadata.name}`,
      ...(storageClassName ? { storageClass: storageClassName } : {}),
    },
    ...(network === undefined ? {} : { network }),
    userData: await userDataOf(call, world, name),
    runStrategy: call.text('run-strategy') ?? 'RerunOnFailure',
    graceSeconds: usual.graceSeconds,
  }
}

export function suffixOf({ host }: World): string {
  return [...host.random.bytes(5)].map((byte) => (byte % 36).toString(36)).join('')
}

function largerOf(usual: string, virtualSize: number | bigint | undefined): string {
  const wanted = parseQuantity(usual)
  const needed = parseQuantity(virtualSize ?? 0)
  return wanted && needed && compareQuantity(needed, wanted) > 0 ? String(virtualSize) : usual
}

async function userDataOf(call: Call, world: World, hostname: string): Promise<string> {
  const path = call.text('user-data')
  const sshKeys = await Promise.all(call.list('ssh-key').map((file) => readPublicKey(world, file)))
  if (path === undefined) return userDataFor({ hostname, sshKeys })
  if (sshKeys.length > 0)
    throw usageError('--ssh-key and --user-data exclude each other: write the key into the user data.')
  if (path === '-') return readInput(world)
  const text = await world.host.files.readText(absolute(path, world.terminal.folder))
  if (!text.ok) throw failedError('The user data cannot be read.', text.failure)
  return text.value
}

async function readInput({ terminal }: World): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of terminal.input) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** Whether an error says that an object is there already. */
export function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists'
}
