// Decides one BackingImage: on which disks its file must lie, and when it may go. The agents of those disks fetch
// or copy the file and report its state.

import { DataVolume } from '../kinds/cdi/data-volume.ts'
import type { Action, Decider, Decision, Look } from '../kinds/decide.ts'
import { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { Node } from '../kinds/longhorn/node.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { Setting } from '../kinds/longhorn/setting.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { LONGHORN_NAMESPACE, MADE_FOR } from './data-volume.ts'
import { LONGHORN_FINALIZER } from './volume/children.ts'
import { diskFacts } from './volume/disks.ts'
import type { DiskFacts } from './volume/placement.ts'

export interface SeenBackingImage {
  readonly image: BackingImage
  readonly disks: readonly DiskFacts[]
  /** Disks of replicas that stand on this image. */
  readonly replicaDisks: readonly string[]
  /** Volumes that stand on it. */
  readonly users: readonly string[]
  /** Copies that every image has at least, where it says nothing itself. */
  readonly leastCopies: number
  /** It was made for a DataVolume that no longer exists. */
  readonly orphaned: boolean
}

export const BACKING_IMAGE_INDEX = 'backing-image'

export function decideBackingImage(seen: SeenBackingImage, _now: number): Decision {
  const { image } = seen
  const finalizers = image.metadata.finalizers ?? []
  const wanted = Object.keys(image.spec?.diskFileSpecMap ?? {})
  if (image.metadata.deletionTimestamp) return decideDeletion(seen, wanted, finalizers)
  if (!finalizers.includes(LONGHORN_FINALIZER))
    return { actions: [patch(image, { metadata: { finalizers: [...finalizers, LONGHORN_FINALIZER] } })] }
  if (seen.orphaned && seen.users.length === 0) return { actions: [removal(image)] }
  const missing = [...new Set(seen.replicaDisks)].filter((disk) => !wanted.includes(disk))
  const first = wanted.length === 0 && missing.length === 0 ? firstDisk(image, seen.disks) : undefined
  const added = first
    ? [...missing, first.diskUUID]
    : [...missing, ...moreCopies(seen, [...wanted, ...missing])]
  return { actions: added.length === 0 ? [] : [patch(image, { spec: { diskFileSpecMap: entries(added) } })] }
}

/** As many copies as are wanted at least, on nodes of their own where there are such; once the first one is whole. */
function moreCopies(seen: SeenBackingImage, present: readonly string[]): readonly string[] {
  const { image, disks } = seen
  const least = image.spec?.minNumberOfCopies || seen.leastCopies
  const isReady = Object.values(image.status?.diskFileStatusMap ?? {}).some((one) => one.state === 'ready')
  if (!isReady || present.length >= least) return []
  const nodes = new Set(disks.filter((disk) => present.includes(disk.diskUUID)).map((disk) => disk.nodeID))
  const fresh = disks.filter((disk) => !present.includes(disk.diskUUID))
  const apart = firstDisk(
    image,
    fresh.filter((disk) => !nodes.has(disk.nodeID)),
  )
  const next = apart ?? firstDisk(image, fresh)
  return next ? [next.diskUUID] : []
}

/** A file in use stays: the deletion waits, and the reason stands in an event. */
function decideDeletion(
  seen: SeenBackingImage,
  wanted: readonly string[],
  finalizers: readonly string[],
): Decision {
  const { image, users } = seen
  if (users.length > 0) {
    const shown = users.slice(0, 3).join(', ')
    return {
      actions: [
        {
          do: 'note',
          about: { kind: BackingImage, ...refOf(image) },
          type: 'Warning',
          reason: 'ImageInUse',
          message: `The backing image stays until the volumes that stand on it are deleted: ${shown}${users.length > 3 ? ` and ${users.length - 3} more` : ''}`,
        },
      ],
    }
  }
  if (wanted.length > 0) {
    const none = Object.fromEntries(wanted.map((disk) => [disk, null]))
    return { actions: [patch(image, { spec: { diskFileSpecMap: none } })] }
  }
  const leftover = Object.keys(image.status?.diskFileStatusMap ?? {}).length
  if (leftover > 0 || !finalizers.includes(LONGHORN_FINALIZER)) return { actions: [] }
  const rest = finalizers.filter((word) => word !== LONGHORN_FINALIZER)
  return { actions: [patch(image, { metadata: { finalizers: rest } })] }
}

function refOf(image: BackingImage): { readonly namespace: string; readonly name: string } {
  return { namespace: image.metadata.namespace!, name: image.metadata.name! }
}

function removal(image: BackingImage): Action {
  return { do: 'delete', target: { kind: BackingImage, ...refOf(image), uid: image.metadata.uid! } }
}

/** A backing image made for a DataVolume goes when that is gone and no volume stands on it. */
function isOrphaned(image: BackingImage, look: Look): boolean {
  const made = image.metadata.annotations?.[MADE_FOR]
  if (!made) return false
  const [namespace, name, uid] = made.split('/')
  return look.get(DataVolume, namespace, name ?? '')?.metadata.uid !== uid
}

function patch(image: BackingImage, change: Readonly<Record<string, unknown>>): Action {
  return { do: 'patch', target: { kind: BackingImage, ...refOf(image) }, patch: change as never }
}

function entries(disks: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(disks.map((disk) => [disk, {}]))
}

/** The usable disk with the most room that has the wanted tags; ties by UUID, so that the answer is always the same. */
function firstDisk(image: BackingImage, disks: readonly DiskFacts[]): DiskFacts | undefined {
  const { nodeSelector = [], diskSelector = [] } = image.spec ?? {}
  const fit = disks.filter(
    (disk) =>
      disk.usable &&
      nodeSelector.every((tag) => disk.nodeTags.includes(tag)) &&
      diskSelector.every((tag) => disk.diskTags.includes(tag)),
  )
  return [...fit].sort((a, b) =>
    a.availableBytes === b.availableBytes
      ? a.diskUUID < b.diskUUID
        ? -1
        : 1
      : a.availableBytes > b.availableBytes
        ? -1
        : 1,
  )[0]
}

function keyFor(name: string | undefined, namespace: string | undefined): readonly string[] {
  return name && namespace ? [`${namespace}/${name}`] : []
}

export const backingImageDecider: Decider<typeof BackingImage, SeenBackingImage> = {
  name: 'backing-image',
  kind: BackingImage,
  watches: [
    {
      kind: Volume,
      keys: (object) => keyFor((object as Volume).spec?.backingImage, object.metadata.namespace),
    },
    {
      kind: Replica,
      keys: (object) => keyFor((object as Replica).spec?.backingImage, object.metadata.namespace),
    },
    // A disk that becomes usable may be the first one for images that had none.
    {
      kind: DataVolume,
      keys: ({ metadata }) => [`${LONGHORN_NAMESPACE}/dv-${metadata.uid}`],
    },
    { kind: Node, keys: (node, look) => waitingImages(look, node.metadata.namespace) },
    { kind: Setting, keys: () => [] },
  ],
  indexes: [
    {
      kind: Volume,
      name: BACKING_IMAGE_INDEX,
      values: (object) => listOf((object as Volume).spec?.backingImage),
    },
    {
      kind: Replica,
      name: BACKING_IMAGE_INDEX,
      values: (object) => listOf((object as Replica).spec?.backingImage),
    },
  ],
  gather: (image, look) => ({
    image,
    disks: diskFacts(look.list(Node, image.metadata.namespace), look.list(Replica, image.metadata.namespace)),
    replicaDisks: look
      .byIndex(Replica, BACKING_IMAGE_INDEX, image.metadata.name!)
      .filter((replica) => !replica.metadata.deletionTimestamp)
      .flatMap((replica) => listOf(replica.spec?.diskID)),
    leastCopies: leastCopies(look),
    orphaned: isOrphaned(image, look),
    users: look
      .byIndex(Volume, BACKING_IMAGE_INDEX, image.metadata.name!)
      .map((volume) => volume.metadata.name!),
  }),
  decide: decideBackingImage,
}

function leastCopies(look: Look): number {
  const value = look.get(Setting, LONGHORN_NAMESPACE, 'default-min-number-of-backing-image-copies')?.value
  return value !== undefined && /^\d{1,2}$/.test(value) ? Number(value) : 1
}

function listOf(text: string | undefined): readonly string[] {
  return text ? [text] : []
}

function waitingImages(look: Look, namespace: string | undefined): readonly string[] {
  return look
    .list(BackingImage, namespace)
    .filter(
      ({ spec }) =>
        Object.keys(spec?.diskFileSpecMap ?? {}).length < Math.max(1, spec?.minNumberOfCopies ?? 1),
    )
    .flatMap((image) => keyFor(image.metadata.name, image.metadata.namespace))
}
