// `croft image create`: from a web address or a file of this computer.
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { KindOf } from '../kinds/kind.ts'
import { usageError } from './cli-error.ts'
import { EXIT, type Run, type World } from './command.ts'
import { absolute, type Connection, connect } from './connect.ts'
import { type Image, uploadFile, waitForImage, waitForInitialized } from './image.ts'
import { timeoutOf } from './machine.ts'
import { sizeText } from './output.ts'
import { printOne } from './show.ts'

/** Several gigabytes over a slow line. Milliseconds. */
const IMPORT_TIMEOUT_MS = 60 * 60_000
/** The controllers answer at once; a busy server may take longer. Milliseconds. */
const READY_FOR_FILE_MS = 60_000

export const imageCreate: Run = async (call, world) => {
  const [name = ''] = call.args
  const url = call.text('url')
  const file = call.text('file')
  if ((url === undefined) === (file === undefined))
    throw usageError(
      'Say where the image comes from: either --url URL or --file FILE.',
      'croft help image create',
    )
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw usageError(`--url "${url}" is not an address that begins with http:// or https://.`)
  const connection = await connect(call, world)
  const { namespace } = connection
  const checksum = call.text('checksum')
  const more = {
    displayName: call.text('display-name') ?? name,
    ...(checksum === undefined ? {} : { checksum }),
  }
  const timeoutMs = timeoutOf(call, IMPORT_TIMEOUT_MS)
  if (file !== undefined)
    await uploadImage(world, connection, {
      name,
      namespace,
      path: absolute(file, world.terminal.folder),
      timeoutMs,
      ...more,
    })
  else {
    await createImage(connection, { name, namespace, spec: { ...more, sourceType: 'download', url: url! } })
    if (!call.on('no-wait')) await waitForImage(world, connection, { name, namespace, timeoutMs })
  }
  const image = await connection.client.get(VirtualMachineImage, name, { namespace })
  if (call.text('output') !== undefined) return printOne(call, world, VirtualMachineImage, image)
  const size = image.status?.size
  world.terminal.out(
    `virtualmachineimage.harvesterhci.io/${name} ${call.on('no-wait') ? 'created' : 'ready'}\n`,
  )
  if (size !== undefined)
    world.terminal.note(
      `${sizeText(size)} stored. Make a machine of it: croft vm create NAME --image ${name}\n`,
    )
  return EXIT.done
}

async function createImage(
  { client }: Connection,
  { name, namespace, spec }: { readonly name: string; readonly namespace: string; readonly spec: object },
): Promise<void> {
  const image = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name, namespace },
    spec,
  }
  await client.create(VirtualMachineImage, image as unknown as KindOf<typeof VirtualMachineImage>, {
    namespace,
  })
}

/** Makes the image and sends its content; a failed upload leaves no image behind. */
export async function uploadImage(
  world: World,
  connection: Connection,
  upload: {
    readonly name: string
    readonly namespace: string
    readonly path: string
    readonly displayName: string
    readonly checksum?: string
    readonly timeoutMs: number
  },
): Promise<Image> {
  const { name, namespace, path, displayName, checksum, timeoutMs } = upload
  const stat = await world.host.files.stat(path)
  if (!stat.ok || stat.value.kind !== 'file') throw usageError(`There is no file ${path}.`)
  await createImage(connection, {
    name,
    namespace,
    spec: { displayName, sourceType: 'upload', ...(checksum === undefined ? {} : { checksum }) },
  })
  try {
    await waitForInitialized(world, connection, { name, namespace, timeoutMs: READY_FOR_FILE_MS })
    await uploadFile(world, connection, { name, namespace, path })
    return await waitForImage(world, connection, { name, namespace, timeoutMs })
  } catch (error) {
    await connection.client.delete(VirtualMachineImage, name, { namespace }).catch(() => undefined)
    throw error
  }
}
