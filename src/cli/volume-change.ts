// Volumes by themselves: a claim is what people make, grow and delete; the Longhorn volume follows it.
import { compareQuantity, parseQuantity } from '../base/quantity.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { IMAGE_ID } from '../kinds/harvester/claim-templates.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { KindOf } from '../kinds/kind.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { CliError, usageError } from './cli-error.ts'
import { EXIT, type Run } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { timeoutOf } from './machine.ts'
import { nameOf } from './output.ts'
import { waitFor } from './progress.ts'
import { removeOne } from './removal.ts'
import { notFoundNear, printOne } from './show.ts'

type Claim = KindOf<typeof PersistentVolumeClaim>
const TIMEOUT_MS = 2 * 60_000

export const volumeCreate: Run = async (call, world) => {
  const [name = ''] = call.args
  const size = call.text('size')
  if (size === undefined) throw usageError('--size is missing, for instance --size 10Gi.')
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const image = call.text('image')
  const className =
    image === undefined
      ? await classFor(connection, call.text('class'))
      : await classOfImage(connection, image)
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      ...(image === undefined ? {} : { annotations: { [IMAGE_ID]: idOf(connection, image) } }),
    },
    spec: {
      accessModes: ['ReadWriteMany'],
      volumeMode: 'Block',
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
  }
  const made = await client.create(PersistentVolumeClaim, claim as Claim, { namespace })
  if (!call.on('no-wait') && !(await waitsForMachine(connection, className)))
    await waitFor(world, {
      client,
      kind: PersistentVolumeClaim,
      name,
      namespace,
      timeoutMs: timeoutOf(call, TIMEOUT_MS),
      what: `volume ${name} is there`,
      next: `croft why volume/${name} -n ${namespace}`,
      look: (now) => ({ done: now?.status?.phase === 'Bound', step: `${name}: ${now?.status?.phase ?? ''}` }),
    })
  if (call.text('output') !== undefined)
    return printOne(
      call,
      world,
      PersistentVolumeClaim,
      await client.get(PersistentVolumeClaim, name, { namespace }),
    )
  world.terminal.out(`${nameOf(PersistentVolumeClaim, made)} created\n`)
  return EXIT.done
}

function idOf({ namespace }: Connection, image: string): string {
  return image.includes('/') ? image : `${namespace}/${image}`
}

async function classOfImage(connection: Connection, image: string): Promise<string | undefined> {
  const [namespace = '', name = ''] = idOf(connection, image).split('/')
  const found = await connection.client.get(VirtualMachineImage, name, { namespace })
  return found.status?.storageClassName
}

async function classFor({ client }: Connection, wanted: string | undefined): Promise<string | undefined> {
  if (wanted === undefined) return undefined
  const { items } = await client.list(StorageClass)
  const names = items.map(({ metadata }) => metadata.name ?? '')
  if (names.includes(wanted)) return wanted
  throw new CliError({
    what: `There is no storage class "${wanted}".`,
    next: `There are: ${names.join(', ')}.`,
    code: EXIT.notFound,
    reason: 'NotFound',
  })
}

/** A class that waits for the first machine binds nothing before. */
async function waitsForMachine({ client }: Connection, className: string | undefined): Promise<boolean> {
  const { items } = await client.list(StorageClass)
  const isDefault = ({ metadata }: (typeof items)[number]): boolean =>
    metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  const found = items.find((one) =>
    className === undefined ? isDefault(one) : one.metadata.name === className,
  )
  return found?.volumeBindingMode === 'WaitForFirstConsumer'
}

export const volumeExpand: Run = async (call, world) => {
  const [name = '', size = ''] = call.args
  const wanted = parseQuantity(size)
  if (!wanted || wanted.nano <= 0n) throw usageError(`"${size}" is not a size such as 20Gi.`)
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const claim = await notFoundNear(world, connection, PersistentVolumeClaim, name)
  const present = parseQuantity(String(claim.spec?.resources?.requests?.['storage'] ?? '0'))
  if (present && compareQuantity(wanted, present) < 0)
    throw new CliError({
      what: `Volume "${name}" has ${claim.spec?.resources?.requests?.['storage']}; it can only grow.`,
      code: EXIT.refused,
      reason: 'Shrink',
    })
  await client.patch(
    PersistentVolumeClaim,
    name,
    { spec: { resources: { requests: { storage: size } } } },
    { namespace },
  )
  if (!call.on('no-wait'))
    await waitFor(world, {
      client,
      kind: PersistentVolumeClaim,
      name,
      namespace,
      timeoutMs: timeoutOf(call, TIMEOUT_MS),
      what: `volume ${name} has ${size}`,
      next: `croft why volume/${name} -n ${namespace}`,
      look: (now) => {
        const capacity = parseQuantity(String(now?.status?.capacity?.['storage'] ?? '0'))
        return {
          done: capacity !== undefined && compareQuantity(capacity, wanted) >= 0,
          step: `${name}: ${now?.status?.capacity?.['storage'] ?? ''}`,
        }
      },
    })
  world.terminal.note(`Volume ${name} has ${size}. The guest may have to grow its file system.\n`)
  return EXIT.done
}

export const volumeDelete: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  return removeOne(call, world, connection, {
    kind: PersistentVolumeClaim,
    name,
    question: `Delete volume "${name}" with all that is on it?`,
    next: `croft why volume/${name} -n ${connection.namespace}`,
  })
}
