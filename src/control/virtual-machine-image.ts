// Decides one VirtualMachineImage: its backing image, how often a failed import is tried again, and the storage class
// that volumes are made with. The class exists only once the image is verified, so that no volume ever stands on an
// image that failed.
import { formatTime, parseTime } from '../base/time.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { VirtualMachineImage } from '../kinds/harvester/virtual-machine-image.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { Node } from '../kinds/longhorn/node.ts'
import { type ConditionWish, findCondition, withConditions } from './conditions.ts'
import { FILE_REFUSED, LONGHORN_NAMESPACE } from './data-volume.ts'
import { setFinalizers } from './finalizers.ts'

/** On a backing image and a class: `namespace/name` of the image, as Harvester writes it. */
export const IMAGE_ID = 'harvesterhci.io/imageId'
export const IMAGE_FINALIZER = 'wrangler.cattle.io/vm-image-controller'
/** Harvester waits this long between two attempts. */
const RETRY_WAIT_MS = 10_000
const DEFAULT_RETRIES = 3
const MOST_REPLICAS = 3

export interface SeenImage {
  readonly image: VirtualMachineImage
  readonly backing: BackingImage | undefined
  readonly storageClass: StorageClass | undefined
  /** Nodes with disks: no class asks for more replicas than there are places. */
  readonly nodeCount: number
}

export function backingNameFor(image: VirtualMachineImage): string {
  return `vmi-${image.metadata.uid}`
}

export function classNameFor(image: VirtualMachineImage): string {
  return `lh-${image.metadata.uid}`
}

function idOf(image: VirtualMachineImage): string {
  return `${image.metadata.namespace}/${image.metadata.name}`
}

function backingOf(image: VirtualMachineImage): BackingImage {
  const { sourceType, url, checksum } = image.spec ?? {}
  return {
    apiVersion: apiVersionOf(BackingImage),
    kind: BackingImage.kind,
    metadata: {
      name: backingNameFor(image),
      namespace: LONGHORN_NAMESPACE,
      annotations: { [IMAGE_ID]: idOf(image) },
    },
    spec: {
      sourceType: sourceType === 'download' ? 'download' : 'upload',
      sourceParameters: sourceType === 'download' ? { url: url ?? '' } : {},
      ...(checksum ? { checksum } : {}),
    },
  }
}

function classOf({ image, nodeCount }: SeenImage): StorageClass {
  const replicas = String(Math.min(MOST_REPLICAS, Math.max(1, nodeCount)))
  return {
    apiVersion: apiVersionOf(StorageClass),
    kind: StorageClass.kind,
    metadata: { name: classNameFor(image), annotations: { [IMAGE_ID]: idOf(image) } },
    provisioner: 'driver.longhorn.io',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
    parameters: {
      numberOfReplicas: replicas,
      staleReplicaTimeout: '30',
      migratable: 'true',
      ...image.spec?.storageClassParameters,
      backingImage: backingNameFor(image),
    },
  }
}

/** Class and file go with the image, in one request of the user's. */
function decideDeletion({ image, backing, storageClass }: SeenImage): Decision {
  const finalizers = image.metadata.finalizers ?? []
  const actions: Action[] = []
  if (storageClass && !storageClass.metadata.deletionTimestamp)
    actions.push({
      do: 'delete',
      target: { kind: StorageClass, name: storageClass.metadata.name!, uid: storageClass.metadata.uid! },
    })
  if (backing && !backing.metadata.deletionTimestamp)
    actions.push({
      do: 'delete',
      target: {
        kind: BackingImage,
        namespace: LONGHORN_NAMESPACE,
        name: backing.metadata.name!,
        uid: backing.metadata.uid!,
      },
    })
  if (!backing && !storageClass && finalizers.includes(IMAGE_FINALIZER))
    actions.push(
      setFinalizers(
        VirtualMachineImage,
        image,
        finalizers.filter((word) => word !== IMAGE_FINALIZER),
      ),
    )
  return { actions }
}

interface FileFacts {
  readonly disk: string
  readonly state: string
  readonly progress: number
  readonly message: string
  /** When the file came into this state: names one failure, so that it is counted once. */
  readonly since: string
}

function fileFacts(backing: BackingImage | undefined): FileFacts | undefined {
  const files = Object.entries(backing?.status?.diskFileStatusMap ?? {}).map(([disk, file]) => ({
    disk,
    state: file.state ?? '',
    progress: file.progress ?? 0,
    message: file.message ?? '',
    since: file.lastStateTransitionTime ?? '',
  }))
  return (
    files.find((file) => file.state === 'ready') ??
    files.find((file) => !file.state.startsWith('failed')) ??
    files[0]
  )
}

type ImageStatus = NonNullable<VirtualMachineImage['status']>

interface Step {
  readonly actions: readonly Action[]
  readonly status: Partial<ImageStatus>
  readonly conditions: readonly ConditionWish[]
  readonly wakeAt?: number
}

function succeeded(seen: SeenImage): Step {
  const { image, backing, storageClass } = seen
  return {
    actions: storageClass ? [] : [{ do: 'create', kind: StorageClass, object: classOf(seen) }],
    status: {
      progress: 100,
      size: backing?.status?.size ?? 0,
      virtualSize: backing?.status?.virtualSize ?? 0,
      storageClassName: classNameFor(image),
    },
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Imported', status: 'True' },
      { type: 'RetryLimitExceeded', status: 'False' },
    ],
  }
}

/** Every failure is counted once; after the wait the file is set back to pending, and its agent tries anew. */
function failedStep({ image, backing }: SeenImage, file: FileFacts, now: number): Step {
  const counted = image.status?.lastFailedTime === file.since
  const failures = (image.status?.failed ?? 0) + (counted ? 0 : 1)
  const limit = Math.max(1, image.spec?.retry ?? DEFAULT_RETRIES)
  const exhausted = failures >= limit || file.state === FILE_REFUSED
  const retryAt = (parseTime(file.since) ?? now) + RETRY_WAIT_MS
  const retry: readonly Action[] =
    counted && !exhausted && now >= retryAt
      ? [
          {
            do: 'patch',
            target: { kind: BackingImage, namespace: LONGHORN_NAMESPACE, name: backing!.metadata.name! },
            subresource: 'status',
            patch: {
              status: { diskFileStatusMap: { [file.disk]: { state: 'pending', progress: 0, message: '' } } },
            },
          },
        ]
      : []
  const tried = `attempt ${failures} of ${limit}`
  const message = `${file.message} (${tried})`
  return {
    actions: retry,
    status: { failed: failures, lastFailedTime: file.since, progress: 0 },
    conditions: [
      { type: 'Initialized', status: 'False', reason: 'ImportFailed', message },
      { type: 'Imported', status: 'False', reason: 'ImportFailed', message },
      exhausted
        ? {
            type: 'RetryLimitExceeded',
            status: 'True',
            reason: 'RetryLimitExceeded',
            message: `gave up after ${tried}; create the image again to try anew`,
          }
        : { type: 'RetryLimitExceeded', status: 'False' },
    ],
    ...(exhausted || retry.length > 0 ? {} : { wakeAt: retryAt }),
  }
}

function runningStep(seen: SeenImage, file: FileFacts | undefined): Step {
  const upload = seen.image.spec?.sourceType !== 'download'
  const waiting = upload && (file === undefined || file.state === '' || file.state === 'pending')
  return {
    actions: [],
    status: { progress: file?.progress ?? 0 },
    conditions: [
      { type: 'Initialized', status: 'True' },
      {
        type: 'Imported',
        status: 'Unknown',
        reason: waiting ? 'WaitingForUpload' : 'Importing',
        message: waiting ? 'send the file to the upload address of this image' : (file?.message ?? ''),
      },
    ],
  }
}

const SERVED_SOURCES = ['download', 'upload']

function notServed(sourceType: string): Step {
  const message = `source type ${sourceType} is not served yet; use download or upload`
  return {
    actions: [],
    status: {},
    conditions: [
      { type: 'Initialized', status: 'False', reason: 'NotServed', message },
      { type: 'Imported', status: 'False', reason: 'NotServed', message },
    ],
  }
}

function stepFor(seen: SeenImage, now: number): Step {
  const { image, backing } = seen
  const sourceType = image.spec?.sourceType ?? ''
  if (!SERVED_SOURCES.includes(sourceType)) return notServed(sourceType)
  const imported = findCondition(image.status?.conditions, 'Imported')?.status === 'True'
  if (!backing) {
    if (imported)
      return {
        actions: [],
        status: {},
        conditions: [
          {
            type: 'BackingImageMissing',
            status: 'True',
            reason: 'BackingImageMissing',
            message: `backing image ${backingNameFor(image)} was deleted; create the image again`,
          },
        ],
      }
    return {
      ...runningStep(seen, undefined),
      actions: [{ do: 'create', kind: BackingImage, object: backingOf(image) }],
    }
  }
  const file = fileFacts(backing)
  if (file?.state === 'ready') return succeeded(seen)
  return file?.state.startsWith('failed') ? failedStep(seen, file, now) : runningStep(seen, file)
}

export function decideImage(seen: SeenImage, now: number): Decision {
  const { image } = seen
  if (image.metadata.deletionTimestamp) return decideDeletion(seen)
  const finalizers = image.metadata.finalizers ?? []
  if (!finalizers.includes(IMAGE_FINALIZER))
    return { actions: [setFinalizers(VirtualMachineImage, image, [...finalizers, IMAGE_FINALIZER])] }
  const step = stepFor(seen, now)
  const status = {
    ...image.status,
    ...(image.spec?.url ? { appliedUrl: image.spec.url } : {}),
    ...step.status,
    conditions: withConditions(image.status?.conditions, step.conditions, now).map((condition) => ({
      ...condition,
      lastUpdateTime: condition.lastTransitionTime ?? formatTime(now),
    })),
  }
  return {
    actions: step.actions,
    status: status as unknown as NonNullable<Decision['status']>,
    ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }),
  }
}

function imageKeys(object: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
}): readonly string[] {
  const id = object.metadata.annotations?.[IMAGE_ID]
  return id ? [id] : []
}

export const virtualMachineImageDecider: Decider<typeof VirtualMachineImage, SeenImage> = {
  name: 'virtual-machine-image',
  kind: VirtualMachineImage,
  watches: [
    { kind: BackingImage, keys: imageKeys },
    { kind: StorageClass, keys: imageKeys },
    // Only read: a node that comes later changes no class that exists.
    { kind: Node, keys: () => [] },
  ],
  gather: (image, look) => ({
    image,
    backing: look.get(BackingImage, LONGHORN_NAMESPACE, backingNameFor(image)),
    storageClass: look.get(StorageClass, undefined, classNameFor(image)),
    nodeCount: look.list(Node, LONGHORN_NAMESPACE).length,
  }),
  decide: decideImage,
}
