// Upload of an image file: Harvester's path with a multipart body (field `chunk` or `file`), or the bare file as the
// body of PUT or POST. The bytes go straight to the agent of the node whose disk waits for them.
import { ApiError, refuse } from '../../base/errors.ts'
import type { Failure } from '../../base/result.ts'
import type { HttpRequest, HttpResponse } from '../../host/host.ts'
import { VirtualMachineImage } from '../../kinds/harvester/virtual-machine-image.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Node } from '../../kinds/longhorn/node.ts'
import type { Place } from '../actions/machine-actions.ts'
import { answerJson } from '../answers.ts'
import { type Ask, absentAsUndefined, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { requireMay } from '../rights.ts'
import { boundaryOf, readPart } from './multipart.ts'

const FIELDS = ['chunk', 'file']
const NAMESPACE = 'longhorn-system'
const IMAGE = { group: 'harvesterhci.io', resource: 'virtualmachineimages' } as const
/** The control plane chooses a disk within moments; longer means that it has none. */
const WAIT_MS = 30_000
const LOOK_EVERY_MS = 200

export async function answerUpload(
  deps: GateDeps,
  { request, user, info }: Ask,
  place: Place,
): Promise<HttpResponse> {
  await requireMay(deps, user, { verb: 'update', ...IMAGE, ...place })
  const boundary = boundaryOf(request.headers['content-type'])
  const sizeBytes = sizeOf(request, info.query, boundary !== undefined)
  const image = await readImage(deps, place)
  const backingImage = `vmi-${image.metadata.uid}`
  const nodeName = await waitForNode(deps, request, backingImage)
  const broken: { error?: unknown } = {}
  const body = boundary === undefined ? request.body : readPart(request.body, boundary, FIELDS)
  const received = await agentOf(deps).uploads.receive({
    nodeName,
    backingImage,
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    body: remembering(body, broken),
  })
  if (received.ok) return answerJson(200, {})
  // What the sender did wrong says more than that the stream broke.
  if (broken.error instanceof ApiError) throw broken.error
  throw refusalOf(place, received.failure)
}

/** `size` of the query and `File-Size` tell the file's own length; Content-Length does so only without multipart. */
function sizeOf(request: HttpRequest, query: URLSearchParams, multipart: boolean): number | undefined {
  const told = query.get('size') ?? request.headers['file-size']
  const text = told ?? (multipart ? undefined : request.headers['content-length'])
  if (text === undefined || text === '') return undefined
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size) || size === 0)
    throw refuse.badRequest(`size must be the number of bytes of the file, not "${text}"`)
  return size
}

async function readImage(deps: GateDeps, { namespace, name }: Place): Promise<VirtualMachineImage> {
  const image = await absentAsUndefined(gateClient(deps).get(VirtualMachineImage, name, { namespace }))
  if (!image) throw refuse.notFound(IMAGE, name)
  const { sourceType } = image.spec ?? {}
  if (sourceType !== 'upload')
    throw refuse.badRequest(
      `image "${name}" has the source type "${sourceType}" and takes no file: make one with the source type "upload"`,
    )
  return image
}

/** Name of the node with the disk that was chosen for the file. */
async function waitForNode(deps: GateDeps, request: HttpRequest, backingImage: string): Promise<string> {
  const { clock } = deps.host
  const deadline = clock.monotonic() + WAIT_MS
  while (true) {
    const node = await chosenNode(deps, backingImage)
    if (node !== undefined) return node
    if (request.signal.aborted) throw refuse.badRequest('the sender went away')
    if (clock.monotonic() > deadline)
      throw refuse.unavailable(
        `no disk was chosen for the image within ${WAIT_MS / 1000} s: look whether a node is ready and its disk has room, then send the file again`,
        10,
      )
    await clock.sleep(LOOK_EVERY_MS, request.signal).catch(() => undefined)
  }
}

async function chosenNode(deps: GateDeps, backingImage: string): Promise<string | undefined> {
  const client = gateClient(deps)
  const backing = await absentAsUndefined(client.get(BackingImage, backingImage, { namespace: NAMESPACE }))
  const [disk] = Object.keys(backing?.spec?.diskFileSpecMap ?? {})
  // Pending says that the agent has seen its task.
  if (disk === undefined || backing?.status?.diskFileStatusMap?.[disk] === undefined) return undefined
  const nodes = await client.list(Node, { namespace: NAMESPACE })
  return nodes.items.find(({ status }) =>
    Object.values(status?.diskStatus ?? {}).some((one) => one.diskUUID === disk),
  )?.metadata.name
}

async function* remembering(
  body: AsyncIterable<Uint8Array>,
  broken: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    broken.error = error
    throw error
  }
}

function refusalOf({ name }: Place, { reason, message }: Failure): ApiError {
  switch (reason) {
    case 'ImageUnknown':
    case 'NodeUnknown':
      return refuse.unavailable(message, 5)
    case 'ImageNotWaiting':
      return refuse.conflict(IMAGE, name, message)
    case 'NoSpace':
      return refuse.insufficientStorage(message)
    case 'UploadBroken':
    case 'UploadShort':
      return refuse.badRequest(message)
    default:
      return refuse.badRequest(`the file is no usable image (${reason}): ${message}`)
  }
}
