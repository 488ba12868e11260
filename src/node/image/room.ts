// The image room of the agent: fetches, receives and keeps the backing images of this node's disks, and tells their
// state. One attempt a time: after a failure the file stays failed until the control plane sets it back to pending.

import { aborted } from '../../base/aborted.ts'
import type { AgentUploads } from '../../base/agent-port.ts'
import { keyOf } from '../../base/object.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import { formatTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { Informers } from '../../client/informer.ts'
import type { Host } from '../../host/host.ts'
import { Setting } from '../../kinds/harvester/setting.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Node } from '../../kinds/longhorn/node.ts'
import { DONE, keyedWork, RETRY, type WorkAnswer } from '../keyed-work.ts'
import type { RunAs } from '../plan/facts.ts'
import type { ImageRoom } from '../ports.ts'
import { checkSum } from './check-sum.ts'
import {
  copyImage,
  type ImagePeers,
  type ImageRef,
  isComing,
  nodeWithImage,
  type SentImage,
  sendImage,
} from './copy.ts'
import { download } from './download.ts'
import { mayFetchFrom } from './image-address.ts'
import { BACKING_FILE, backingImageFolder } from './layout.ts'
import { type NormalisedImage, normalise } from './normalise.ts'
import { receive } from './receive.ts'

/** Imports under way at one time: more only share the same disk and line. */
const CONCURRENCY = 2
/** Progress is written at most this often. */
const PROGRESS_MS = 1_000
/** Addresses and networks, separated by commas, that images may be fetched from although they are this host's own. */
export const ALLOW_LIST_SETTING = 'image-source-allow-list'

export interface ImageRoomOptions {
  readonly host: Host
  readonly client: Client
  readonly informers: Informers
  readonly nodeName: string
  readonly runAs?: RunAs
  /** Networks of the cluster itself, never fetched from. */
  readonly clusterNetworks: readonly string[]
  /** The way to images of other nodes; absent: each is fetched from its source. */
  readonly peers?: ImagePeers
}

interface FileReport {
  readonly state: string
  readonly progress: number
  readonly message: string
}

interface Place {
  readonly diskId: string
  readonly folder: string
}

export interface LocalImageRoom extends ImageRoom {
  readonly uploads: AgentUploads
  /** A finished image of this node, for a node that wants it. */
  send(image: ImageRef, signal: AbortSignal): Promise<Result<SentImage>>
}

const NAMESPACE = 'longhorn-system'
/** A whole image from disk to disk of one host. */
const COPY_TIMEOUT_MS = 2 * 3600_000

/** Longhorn's field holds SHA-512 alone; a DataVolume may name another algorithm, which its parameters carry. */
function wantedSum(image: BackingImage): string | undefined {
  return image.spec?.checksum || image.spec?.sourceParameters?.['checksum']
}

export function imageRoom(options: ImageRoomOptions): LocalImageRoom {
  const { host, client, informers, nodeName } = options
  const { look } = informers
  const stop = new AbortController()
  /** Work that is under way, so that a deletion can cut it. */
  const underWay = new Map<string, AbortController>()

  /** The disks of this node that the image is wanted on, or lies on; the first gets it from outside. */
  const placesOf = (image: BackingImage): readonly Place[] => {
    const disks = Object.values(look.get(Node, NAMESPACE, nodeName)?.status?.diskStatus ?? {})
    const known = [
      ...Object.keys(image.spec?.diskFileSpecMap ?? {}),
      ...Object.keys(image.status?.diskFileStatusMap ?? {}),
    ]
    return disks.flatMap((disk) =>
      disk.diskUUID && disk.diskPath && known.includes(disk.diskUUID)
        ? [
            {
              diskId: disk.diskUUID,
              folder: backingImageFolder(disk.diskPath, image.metadata.name!, image.metadata.uid!),
            },
          ]
        : [],
    )
  }
  const stateAt = (image: BackingImage, { diskId }: Place): string =>
    image.status?.diskFileStatusMap?.[diskId]?.state ?? ''
  /** One that has the image already comes first: the others are filled from it. */
  const placeOf = (image: BackingImage): Place | undefined => {
    const places = placesOf(image)
    return places.find((place) => stateAt(image, place) === 'ready') ?? places[0]
  }

  const report = async (
    image: BackingImage,
    place: Place,
    file: FileReport,
    more: object = {},
  ): Promise<void> => {
    const status = {
      ...more,
      diskFileStatusMap: {
        [place.diskId]: { ...file, lastStateTransitionTime: formatTime(host.clock.now()) },
      },
    }
    await client.patch(BackingImage, image.metadata.name!, { status } as never, {
      namespace: NAMESPACE,
      subresource: 'status',
    })
  }

  const fail = async (image: BackingImage, place: Place, failure: Failure): Promise<WorkAnswer> => {
    host.log.warn('image import failed', {
      image: image.metadata.name,
      reason: failure.reason,
      message: failure.message,
    })
    await clean(place, failure.retry === 'later')
    const state = failure.retry === 'never' ? 'failed-and-cleanup' : 'failed'
    await report(image, place, { state, progress: 0, message: failure.message })
    return DONE
  }

  /** What was downloaded stays for the next attempt only where the connection broke. */
  const clean = async (place: Place, keepPart: boolean): Promise<void> => {
    if (!keepPart) await host.files.remove(place.folder)
    for (const name of ['source', 'unwrapped-0', 'unwrapped-1', 'converted'])
      await host.files.remove(`${place.folder}/${name}`)
  }

  /** Writes the state of a long step now and then, without holding the step up. */
  const progressTeller = (
    image: BackingImage,
    place: Place,
  ): ((message: string, percent: number) => void) => {
    let told = 0
    return (message, percent) => {
      const now = host.clock.monotonic()
      if (now - told < PROGRESS_MS) return
      told = now
      const progress = Math.max(0, Math.min(99, Math.floor(percent)))
      void report(image, place, { state: 'in-progress', progress, message }).catch(() => undefined)
    }
  }

  const finish = async (
    image: BackingImage,
    place: Place,
    sizeBytes: number,
    signal: AbortSignal,
  ): Promise<Result<NormalisedImage & { readonly checksum: string }>> => {
    const part = `${place.folder}/part`
    const sum = await checkSum(host, part, wantedSum(image), signal)
    if (!sum.ok) {
      // What has the wrong sum is worth nothing for the next attempt.
      await host.files.remove(part)
      return sum
    }
    await host.files.remove(`${place.folder}/download.json`)
    const renamed = await host.files.rename(part, `${place.folder}/source`)
    if (!renamed.ok) return renamed
    const tell = progressTeller(image, place)
    const done = await normalise({
      host,
      source: `${place.folder}/source`,
      folder: place.folder,
      target: `${place.folder}/${BACKING_FILE}`,
      runAs: options.runAs,
      signal,
      onStage: (stage) => tell(`${stage} (${sizeBytes} bytes came)`, 99),
    })
    return done.ok ? ok({ ...done.value, checksum: sum.value }) : done
  }

  const succeed = async (
    image: BackingImage,
    place: Place,
    done: NormalisedImage & { readonly checksum: string },
  ): Promise<void> => {
    const record = {
      uuid: image.metadata.uid,
      sha512: done.checksum,
      sizeBytes: done.sizeBytes,
      virtualSize: Number(done.virtualSize),
    }
    await host.files.writeDurable(`${place.folder}/backing.cfg`, JSON.stringify(record))
    await report(
      image,
      place,
      { state: 'ready', progress: 100, message: '' },
      {
        uuid: image.metadata.uid,
        checksum: done.checksum,
        size: done.sizeBytes,
        realSize: done.sizeBytes,
        virtualSize: Number(done.virtualSize),
      },
    )
  }

  const fetchImage = async (image: BackingImage, place: Place, signal: AbortSignal): Promise<WorkAnswer> => {
    const made = await makeFolder(place.folder)
    if (!made.ok) return fail(image, place, made.failure)
    await report(image, place, { state: 'in-progress', progress: 0, message: 'connecting' })
    const tell = progressTeller(image, place)
    const allowed = (look.get(Setting, undefined, ALLOW_LIST_SETTING)?.value ?? '')
      .split(',')
      .map((one) => one.trim())
    const got = await download(host, {
      url: image.spec?.sourceParameters?.['url'] ?? '',
      partPath: `${place.folder}/part`,
      notePath: `${place.folder}/download.json`,
      signal,
      allowAddress: (ip) => mayFetchFrom(ip, allowed, options.clusterNetworks),
      onProgress: (done, total) =>
        tell(
          total === undefined ? `${done} bytes` : `${done} of ${total} bytes`,
          total ? (done / total) * 99 : 0,
        ),
    })
    if (signal.aborted) return DONE
    if (!got.ok) return fail(image, place, got.failure)
    const done = await finish(image, place, got.value.sizeBytes, signal)
    if (signal.aborted) return DONE
    if (!done.ok) return fail(image, place, done.failure)
    await succeed(image, place, done.value)
    return DONE
  }

  /** From a node that has it. Its copy is whole and checked, so what is told of the image stays as it is. */
  const copyFrom = async (
    from: string,
    image: BackingImage,
    place: Place,
    signal: AbortSignal,
  ): Promise<WorkAnswer> => {
    const { name = '', uid = '' } = image.metadata
    const made = await makeFolder(place.folder)
    if (!made.ok) return fail(image, place, made.failure)
    await report(image, place, { state: 'in-progress', progress: 0, message: `copying from ${from}` })
    const tell = progressTeller(image, place)
    const copied = await copyImage({
      host,
      peers: options.peers!,
      from,
      image: { name, uid },
      folder: place.folder,
      runAs: options.runAs,
      signal,
      onProgress: (done, total) => tell(`${done} of ${total} bytes from ${from}`, (done / total) * 99),
    })
    if (signal.aborted) return DONE
    if (!copied.ok) {
      host.log.warn('an image was not copied', { image: name, from, why: copied.failure.message })
      await clean(place, false)
      await report(image, place, { state: 'pending', progress: 0, message: copied.failure.message })
      return RETRY
    }
    const { checksum, size, virtualSize } = image.status ?? {}
    const record = { uuid: uid, sha512: checksum, sizeBytes: Number(size), virtualSize: Number(virtualSize) }
    await host.files.writeDurable(`${place.folder}/backing.cfg`, JSON.stringify(record))
    await report(image, place, { state: 'ready', progress: 100, message: '' })
    return DONE
  }

  /**
   * The record is written last. What is told of the image can be older than that: the word that it is ready may be on
   * its way, have been overtaken by one of progress, or never have been said because the power went.
   */
  const isWhole = async (image: BackingImage, place: Place): Promise<boolean> => {
    if (image.status?.size === undefined || !(await host.files.stat(`${place.folder}/${BACKING_FILE}`)).ok)
      return false
    const record = await host.files.readText(`${place.folder}/backing.cfg`)
    return record.ok && record.value.includes(`"uuid":${JSON.stringify(image.metadata.uid)}`)
  }

  /** The folders above let the unprivileged programs pass; the image's own belongs to it. */
  const makeFolder = async (folder: string): Promise<Result<void>> => {
    const above = await host.files.makeFolder(folder.slice(0, folder.lastIndexOf('/')), 0o711)
    if (!above.ok) return above
    const made = await host.files.makeFolder(folder, 0o711)
    return made.ok && options.runAs ? host.files.chown(folder, options.runAs.uid, options.runAs.gid) : made
  }

  /** To another disk of this host: the same file where the file system allows it, else a copy. */
  const copyWithin = async (image: BackingImage, from: Place, to: Place): Promise<WorkAnswer> => {
    const made = await makeFolder(to.folder)
    if (!made.ok) return fail(image, to, made.failure)
    for (const name of [BACKING_FILE, 'backing.cfg']) {
      const [source, target] = [`${from.folder}/${name}`, `${to.folder}/${name}`]
      await host.files.remove(target)
      const linked = await host.files.link(source, target)
      if (linked.ok) continue
      const copied = await host.exec.run(['cp', '--sparse=always', '--preserve=all', '--', source, target], {
        timeoutMs: COPY_TIMEOUT_MS,
      })
      if (!copied.ok) return fail(image, to, copied.failure)
    }
    await report(image, to, { state: 'ready', progress: 100, message: '' })
    return DONE
  }

  /** The disks beside the first one. */
  const reconcileOthers = async (image: BackingImage, first: Place): Promise<WorkAnswer> => {
    for (const place of placesOf(image).filter((one) => one.diskId !== first.diskId)) {
      const state = stateAt(image, place)
      const wanted = place.diskId in (image.spec?.diskFileSpecMap ?? {})
      if (wanted && state !== 'ready' && stateAt(image, first) === 'ready') {
        const answer = await copyWithin(image, first, place)
        if (answer !== DONE) return answer
      }
      if (!wanted && state !== '') {
        const answer = await removeImage(image, place)
        if (answer !== DONE) return answer
      }
    }
    return DONE
  }

  const removeImage = async (image: BackingImage, place: Place): Promise<WorkAnswer> => {
    underWay.get(image.metadata.uid!)?.abort()
    const removed = await host.files.remove(place.folder)
    if (!removed.ok) return RETRY
    await client.patch(
      BackingImage,
      image.metadata.name!,
      { status: { diskFileStatusMap: { [place.diskId]: null } } } as never,
      {
        namespace: NAMESPACE,
        subresource: 'status',
      },
    )
    return DONE
  }

  const underControl = async (
    image: BackingImage,
    run: (signal: AbortSignal) => Promise<WorkAnswer>,
  ): Promise<WorkAnswer> => {
    const uid = image.metadata.uid!
    if (underWay.has(uid)) return DONE
    const abort = new AbortController()
    const onStop = (): void => abort.abort()
    stop.signal.addEventListener('abort', onStop, { once: true })
    underWay.set(uid, abort)
    try {
      return await run(abort.signal)
    } finally {
      underWay.delete(uid)
      stop.signal.removeEventListener('abort', onStop)
    }
  }

  const reconcile = async (key: string): Promise<WorkAnswer> => {
    const [namespace, name] = key.split('/')
    const image = look.get(BackingImage, namespace, name!)
    const place = image && placeOf(image)
    if (!image || !place) return DONE
    const wanted = place.diskId in (image.spec?.diskFileSpecMap ?? {})
    const state = stateAt(image, place)
    if (!wanted && state === 'ready' && placesOf(image).length > 1) {
      // Others may still be filled from it; it goes when none is waiting.
      const others = await reconcileOthers(image, place)
      if (others !== DONE) return others
    }
    if (!wanted) return state === '' && !underWay.has(image.metadata.uid!) ? DONE : removeImage(image, place)
    if (state === 'ready') return reconcileOthers(image, place)
    if (state.startsWith('failed')) return DONE
    if (await isWhole(image, place)) {
      await report(image, place, { state: 'ready', progress: 100, message: '' })
      return DONE
    }
    const from = options.peers && nodeWithImage(image, look.list(Node, NAMESPACE), nodeName)
    if (from !== undefined) return underControl(image, (signal) => copyFrom(from, image, place, signal))
    if (options.peers && state === '' && isComing(image, place.diskId)) {
      await report(image, place, {
        state: 'pending',
        progress: 0,
        message: 'waiting for the copy of another disk',
      })
      return DONE
    }
    if (options.peers && isComing(image, place.diskId)) return DONE
    if (image.spec?.sourceType === 'download')
      return underControl(image, (signal) => fetchImage(image, place, signal))
    if (state === '')
      await report(image, place, { state: 'pending', progress: 0, message: 'waiting for the upload' })
    // An upload that our restart cut can't be gone on with: its sender is gone.
    if (state === 'in-progress' && !underWay.has(image.metadata.uid!))
      return fail(image, place, {
        reason: 'UploadBroken',
        message: 'the upload was cut off; send the file again',
        retry: 'later',
      })
    return DONE
  }

  const uploads: AgentUploads = {
    receive: async (request) => {
      const image = look.get(BackingImage, NAMESPACE, request.backingImage)
      const place = image && placeOf(image)
      if (!image || !place)
        return failed({
          reason: 'ImageUnknown',
          message: `no backing image ${request.backingImage} waits on this node`,
          retry: 'later',
        })
      const state = image.status?.diskFileStatusMap?.[place.diskId]?.state ?? ''
      if (state === 'ready' || underWay.has(image.metadata.uid!))
        return failed({
          reason: 'ImageNotWaiting',
          message: `backing image ${request.backingImage} is ${state || 'busy'} and takes no upload`,
          retry: 'never',
        })
      let outcome: Result<void> = ok(undefined)
      await underControl(image, async (signal) => {
        outcome = await takeUpload(image, place, request, signal)
        return DONE
      })
      return outcome
    },
  }

  const takeUpload = async (
    image: BackingImage,
    place: Place,
    request: Parameters<AgentUploads['receive']>[0],
    signal: AbortSignal,
  ): Promise<Result<void>> => {
    const made = await makeFolder(place.folder)
    if (!made.ok) return made
    await report(image, place, { state: 'in-progress', progress: 0, message: 'receiving' })
    const tell = progressTeller(image, place)
    const got = await receive(host, `${place.folder}/part`, request, (done) =>
      tell(`${done} bytes`, request.sizeBytes ? (done / request.sizeBytes) * 99 : 0),
    )
    const done = got.ok ? await finish(image, place, got.value, signal) : got
    if (!done.ok) {
      await fail(image, place, done.failure)
      return done
    }
    await succeed(image, place, done.value)
    return ok(undefined)
  }

  const work = keyedWork({
    host,
    signal: stop.signal,
    name: 'image',
    concurrency: CONCURRENCY,
    work: reconcile,
  })
  return {
    uploads,
    async send({ name, uid }, signal) {
      const image = look.get(BackingImage, NAMESPACE, name)
      const place = image && image.metadata.uid === uid ? placeOf(image) : undefined
      const ready = place && image?.status?.diskFileStatusMap?.[place.diskId]?.state === 'ready'
      if (place && ready) return sendImage(host, place.folder, signal)
      return failed({
        reason: 'ImageUnknown',
        message: `${nodeName} has not got image ${name}`,
        retry: 'later',
      })
    },
    run: async (signal) => {
      for (const kind of [BackingImage, Node, Setting]) informers.start(kind)
      await informers.synced([BackingImage, Node, Setting])
      const leave = [
        informers.subscribe(BackingImage, ({ object, type }) => {
          const image = object as BackingImage
          const place = placeOf(image)
          const unwanted =
            type === 'DELETED' ||
            (place !== undefined && !(place.diskId in (image.spec?.diskFileSpecMap ?? {})))
          if (unwanted) underWay.get(image.metadata.uid!)?.abort()
          work.add(keyOf(object))
        }),
        informers.subscribe(Node, () => {
          for (const image of look.list(BackingImage)) work.add(keyOf(image))
        }),
      ]
      await aborted(signal)
      for (const unsubscribe of leave) unsubscribe()
      stop.abort()
      await work.idle()
    },
  }
}
