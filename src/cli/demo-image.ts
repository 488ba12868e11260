// The demo's own image: built from Debian's packages on first use, kept in the data folder's cache, and given to the
// cluster as image `demo`.
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { CliError, failedError } from './cli-error.ts'
import { EXIT, type World } from './command.ts'
import type { Connection } from './connect.ts'
import { type Image, imageReady } from './image.ts'
import { uploadImage } from './image-create.ts'
import { progressOf } from './progress.ts'

export const DEMO_IMAGE = 'demo'
/** Fetching 60 MB of packages and packing them, on a slow line. Milliseconds. */
const BUILD_TIMEOUT_MS = 20 * 60_000
const IMPORT_TIMEOUT_MS = 5 * 60_000

/** The image in namespace of the connection; built and uploaded where it is not there. */
export async function ensureDemoImage(world: World, connection: Connection): Promise<Image> {
  const { client, namespace } = connection
  const wait = { name: DEMO_IMAGE, namespace, timeoutMs: IMPORT_TIMEOUT_MS }
  const list = await client.list(VirtualMachineImage, {
    namespace,
    fieldSelector: `metadata.name=${DEMO_IMAGE}`,
  })
  const [present] = list.items
  if (present && imageReady(present)) return present
  const path = await demoImageFile(world, connection)
  if (present) {
    // An upload that was cut off can not be taken up again; what is left of it goes.
    await client.delete(VirtualMachineImage, DEMO_IMAGE, { namespace })
    await waitForGone(world, connection)
  }
  return uploadImage(world, connection, { ...wait, path, displayName: DEMO_IMAGE })
}

async function waitForGone(world: World, { client, namespace }: Connection): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const list = await client.list(VirtualMachineImage, {
      namespace,
      fieldSelector: `metadata.name=${DEMO_IMAGE}`,
    })
    if (list.items.length === 0) return
    await world.host.clock.sleep(200)
  }
}

/** The file of the image; `CROFT_DEMO_IMAGE` names one that is there already. */
async function demoImageFile(world: World, { dataFolder }: Connection): Promise<string> {
  const { host, terminal, root } = world
  const given = terminal.env('CROFT_DEMO_IMAGE')
  if (given) return given
  const cache = `${dataFolder ?? `${terminal.env('HOME') ?? '/root'}/.cache/croft`}/cache`
  const path = `${cache}/demo.qcow2`
  if ((await host.files.stat(path)).ok) return path
  const made = await host.files.makeFolder(cache)
  if (!made.ok) throw failedError('The demo image cannot be built.', made.failure)
  terminal.note("Building the demo image from Debian's packages, once (about half a minute).\n")
  const progress = progressOf(world)
  const built = await host.exec.run(
    [
      `${root}/guest/build-demo`,
      ...(terminal.userId === 0 ? ['--install'] : []),
      '--cache',
      `${cache}/packages`,
      `${path}.part`,
    ],
    { timeoutMs: BUILD_TIMEOUT_MS, onLine: (line) => progress.step(line.slice(0, 100)) },
  )
  progress.end()
  if (!built.ok)
    throw new CliError({
      what: 'The demo image cannot be built.',
      why: built.failure.stderr?.trim().split('\n').at(-1) ?? built.failure.message,
      next: "It needs a computer with Debian's package sources. With an image of your own: croft image create NAME --file FILE",
      code: EXIT.failed,
      reason: 'BuildFailed',
    })
  const renamed = await host.files.rename(`${path}.part`, path)
  if (!renamed.ok) throw failedError('The demo image cannot be kept.', renamed.failure)
  return path
}
