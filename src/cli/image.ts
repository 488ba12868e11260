// Images as commands see them: state, the wait until one is there, the upload of a file.
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import type { KindOf } from '../kinds/kind.ts'
import { say } from '../words/say.ts'
import { CliError, failedError } from './cli-error.ts'
import { EXIT, type World } from './command.ts'
import { type Connection, readAnswer } from './connect.ts'
import { sizeText } from './output.ts'
import { progressOf, waitFor } from './progress.ts'

export type Image = KindOf<typeof VirtualMachineImage>

function condition(image: Image | undefined, type: string) {
  return image?.status?.conditions?.find((one) => one.type === type)
}

export function imageReady(image: Image | undefined): boolean {
  return image?.status?.progress === 100 && condition(image, 'Imported')?.status === 'True'
}

/** Why it will not come by itself any more. */
export function imageFailure(image: Image | undefined): string | undefined {
  const given = condition(image, 'RetryLimitExceeded')
  if (given?.status === 'True') return given.message || condition(image, 'Imported')?.message || 'it failed'
  return undefined
}

export function imageState({ language }: World, image: Image): string {
  if (imageReady(image)) return say(language, 'state.image.ready')
  if (imageFailure(image) !== undefined) return say(language, 'state.image.failed')
  const percent = image.status?.progress ?? 0
  if (image.spec.sourceType === 'upload') return say(language, 'state.image.uploading', { percent })
  if (image.spec.sourceType === 'download') return say(language, 'state.image.downloading', { percent })
  return say(language, 'state.image.pending')
}

export interface ImageWait {
  readonly name: string
  readonly namespace: string
  readonly timeoutMs: number
}

export async function waitForImage(world: World, { client }: Connection, wait: ImageWait): Promise<Image> {
  const image = await waitFor(world, {
    client,
    kind: VirtualMachineImage,
    ...wait,
    what: `image ${wait.name} is there`,
    next: `croft why image/${wait.name} -n ${wait.namespace}`,
    look(now) {
      if (now === undefined)
        throw new CliError({ what: `Image "${wait.name}" was deleted meanwhile.`, code: EXIT.notFound })
      const failure = imageFailure(now)
      if (failure !== undefined)
        throw new CliError({
          what: `Image "${wait.name}" could not be imported.`,
          why: failure,
          next: `Correct it, then delete the image and create it again: croft image delete ${wait.name} -n ${wait.namespace}`,
          code: EXIT.failed,
          reason: 'ImportFailed',
        })
      const message = condition(now, 'Imported')?.message
      return {
        done: imageReady(now),
        step: `${wait.name}: ${imageState(world, now)}${message ? ` (${message})` : ''}`,
      }
    },
  })
  return image!
}

/** An upload may begin once the image knows the node that takes it. */
export async function waitForInitialized(
  world: World,
  { client }: Connection,
  wait: ImageWait,
): Promise<void> {
  await waitFor(world, {
    client,
    kind: VirtualMachineImage,
    ...wait,
    what: `image ${wait.name} takes a file`,
    look: (image) => ({
      done: condition(image, 'Initialized')?.status === 'True',
      step: `${wait.name}: ${say(world.language, 'state.image.pending')}`,
    }),
  })
}

const BOUNDARY = 'croft-image-upload-7d1f3c'
/** Read at a time: large enough for speed, small enough for memory. Bytes. */
const CHUNK_BYTES = 1024 * 1024

/** Harvester's upload: one multipart field `chunk`, size said beforehand. Shows its progress. */
export async function uploadFile(
  world: World,
  connection: Connection,
  upload: { readonly name: string; readonly namespace: string; readonly path: string },
): Promise<void> {
  const stat = await world.host.files.stat(upload.path)
  if (!stat.ok) throw failedError('The file cannot be read.', stat.failure)
  const { sizeBytes } = stat.value
  const encoder = new TextEncoder()
  const fileName = (upload.path.split('/').at(-1) ?? 'image').replaceAll(/["\r\n\\]/g, '_')
  const head = encoder.encode(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="chunk"; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  )
  const tail = encoder.encode(`\r\n--${BOUNDARY}--\r\n`)
  const progress = progressOf(world)
  const body = filePart(world, upload.path, {
    sizeBytes,
    head,
    tail,
    onSent: (sent) =>
      progress.step(
        `${upload.name}: ${say(world.language, 'state.image.uploading', { percent: Math.floor((sent / Math.max(1, sizeBytes)) * 100) })} ${sizeText(sizeBytes)}`,
      ),
  })
  try {
    const answer = await connection.send({
      method: 'POST',
      path: `/v1/harvester/harvesterhci.io.virtualmachineimages/${upload.namespace}/${upload.name}?action=upload&size=${sizeBytes}`,
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': String(head.length + sizeBytes + tail.length),
        'file-size': String(sizeBytes),
      },
      body,
    })
    await readAnswer(answer)
  } finally {
    progress.end()
  }
}

async function* filePart(
  { host }: World,
  path: string,
  part: {
    readonly sizeBytes: number
    readonly head: Uint8Array
    readonly tail: Uint8Array
    readonly onSent: (sent: number) => void
  },
): AsyncGenerator<Uint8Array> {
  yield part.head
  for (let offset = 0; offset < part.sizeBytes; offset += CHUNK_BYTES) {
    part.onSent(offset)
    const chunk = await host.files.readAt(path, offset, Math.min(CHUNK_BYTES, part.sizeBytes - offset))
    if (!chunk.ok) throw failedError('The file cannot be read.', chunk.failure)
    yield chunk.value
  }
  part.onSent(part.sizeBytes)
  yield part.tail
}
