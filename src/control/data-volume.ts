// Decides one DataVolume: the claim of the same name, where its bytes come from, and CDI's phases and conditions
// (kubevirt.io, containerized data importer). A download becomes a Longhorn backing image and a volume over it:
// one import path for images and DataVolumes (docs/decisions/0003-one-import-path.md).
import { parseQuantity, toBigIntBytes } from '../base/quantity.ts'
import { parseTime } from '../base/time.ts'
import { DataVolume } from '../kinds/cdi/data-volume.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { type ConditionWish, withConditions } from './conditions.ts'
import { type CloneSource, cloneSource, clonesOf, sizeOfSource, volumeIsFilled } from './data-volume-clone.ts'
import { controllerRef } from './owner.ts'

export const LONGHORN_NAMESPACE = 'longhorn-system'
/** On a claim: the backing image that its volume stands on. */
export const CLAIM_BACKING_IMAGE = 'croft.io/backing-image'
/** On a backing image: `namespace/name/uid` of the DataVolume that it was made for, which it does not outlive. */
export const MADE_FOR = 'croft.io/made-for-data-volume'
/** A failed import is tried again after so long times the square of the attempt's number. */
const RETRY_STEP_MS = 10_000
const RETRY_MAX_MS = 300_000
/** State of a file whose source cannot become right by itself. */
export const FILE_REFUSED = 'failed-and-cleanup'
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

export interface SeenDataVolume {
  readonly dataVolume: DataVolume
  readonly claim: PersistentVolumeClaim | undefined
  readonly image: BackingImage | undefined
  /** The class that the claim names, or the default one. */
  readonly storageClass: StorageClass | undefined
  /** Size of the claim or snapshot that it is cloned from, where it is known. */
  readonly sourceSize?: string | number | undefined
  /** Whether the volume behind the claim has all of its content; absent while there is no volume. */
  readonly isFilled?: boolean
}

type Source = NonNullable<NonNullable<DataVolume['spec']>['source']>

/** Sources that need what is not there yet, with what to use instead. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  registry: 'container disks are not served; give the disk image an http(s) address and use source.http',
  s3: 'use source.http with a presigned address',
  gcs: 'use source.http with a signed address',
  imageio: 'download the disk and use source.http or an upload',
  vddk: 'convert the disk and use source.http or an upload',
}

export function imageNameFor(dataVolume: DataVolume): string {
  return `dv-${dataVolume.metadata.uid}`
}

function sourceWord(source: Source | undefined): string | undefined {
  return Object.keys(source ?? {})[0]
}

const needsImage = (word: string | undefined): boolean => word === 'http' || word === 'upload'

/** Why this source cannot be taken; undefined when it can. */
function refusalOf(dataVolume: DataVolume): string | undefined {
  const word = sourceWord(dataVolume.spec?.source)
  const from = cloneSource(dataVolume)
  if (from && from.namespace !== dataVolume.metadata.namespace)
    return `its namespace ${from.namespace} is another one: clone it there, or share it as a VirtualMachineImage`
  return word === undefined ? undefined : NOT_SERVED[word]
}

function imageOf(dataVolume: DataVolume): BackingImage {
  const source = dataVolume.spec?.source
  const { namespace, name, uid } = dataVolume.metadata
  return {
    apiVersion: apiVersionOf(BackingImage),
    kind: BackingImage.kind,
    metadata: {
      name: imageNameFor(dataVolume),
      namespace: LONGHORN_NAMESPACE,
      annotations: { [MADE_FOR]: `${namespace}/${name}/${uid}` },
    },
    spec: source?.http
      ? {
          sourceType: 'download',
          sourceParameters: {
            url: source.http.url,
            ...(source.http.checksum ? { checksum: source.http.checksum } : {}),
          },
        }
      : { sourceType: 'upload', sourceParameters: {} },
  }
}

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>

/** What `spec.storage` leaves out is taken from the class, as CDI's storage profiles do. */
function claimSpec(seen: SeenDataVolume): ClaimSpec {
  const { dataVolume, storageClass } = seen
  const { pvc, storage } = dataVolume.spec ?? {}
  const from = cloneSource(dataVolume)
  if (from) return { ...plainSpec(seen), ...cloneFields(seen, from) } as ClaimSpec
  if (pvc) return pvc as ClaimSpec
  const migratable = storageClass?.parameters?.['migratable'] === 'true'
  const { accessModes, volumeMode, ...rest } = storage ?? {}
  return {
    ...(rest as ClaimSpec),
    accessModes: (accessModes ?? [migratable ? 'ReadWriteMany' : 'ReadWriteOnce']) as NonNullable<
      ClaimSpec['accessModes']
    >,
    volumeMode: volumeMode === 'Filesystem' ? 'Filesystem' : 'Block',
  }
}

function plainSpec(seen: SeenDataVolume): ClaimSpec {
  const { source: _source, ...spec } = seen.dataVolume.spec ?? {}
  return claimSpec({ ...seen, dataVolume: { ...seen.dataVolume, spec } as DataVolume })
}

/** A clone that names no size is as large as its source. */
function cloneFields({ dataVolume, sourceSize }: SeenDataVolume, from: CloneSource): object {
  const asked = (dataVolume.spec?.pvc ?? dataVolume.spec?.storage)?.resources?.requests?.['storage']
  const apiGroup = from.kind === 'VolumeSnapshot' ? { apiGroup: 'snapshot.storage.k8s.io' } : {}
  return {
    dataSource: { ...apiGroup, kind: from.kind, name: from.name },
    ...(asked === undefined && sourceSize !== undefined
      ? { resources: { requests: { storage: sourceSize } } }
      : {}),
  }
}

function claimOf(seen: SeenDataVolume): PersistentVolumeClaim {
  const { dataVolume } = seen
  const { labels, annotations, name, namespace } = dataVolume.metadata
  const word = sourceWord(dataVolume.spec?.source)
  return {
    apiVersion: apiVersionOf(PersistentVolumeClaim),
    kind: PersistentVolumeClaim.kind,
    metadata: {
      name: name!,
      namespace: namespace!,
      labels: { ...labels, app: 'containerized-data-importer' },
      annotations: {
        ...annotations,
        ...(needsImage(word) ? { [CLAIM_BACKING_IMAGE]: imageNameFor(dataVolume) } : {}),
      },
      ownerReferences: [controllerRef(DataVolume, dataVolume)],
    },
    spec: claimSpec(seen),
  }
}

interface Progress {
  readonly phase: string
  readonly progress: string
  readonly running: ConditionWish
}

const idle = (phase: string): Progress => ({
  phase,
  progress: 'N/A',
  running: { type: 'Running', status: 'False' },
})

const done = (message: string): Progress => ({
  phase: 'Succeeded',
  progress: '100.0%',
  running: { type: 'Running', status: 'False', reason: 'Completed', message },
})

interface FileState {
  readonly disk: string
  readonly state: string
  /** When the file came into this state. */
  readonly since: string
  readonly progress: number
  readonly message: string
}

/** The furthest of the image's copies speaks for it. */
function fileState(image: BackingImage | undefined): FileState | undefined {
  const files = Object.entries(image?.status?.diskFileStatusMap ?? {}).map(([disk, file]) => ({
    disk,
    state: file.state ?? '',
    since: file.lastStateTransitionTime ?? '',
    progress: file.progress ?? 0,
    message: file.message ?? '',
  }))
  return (
    files.find((file) => file.state === 'ready') ??
    files.find((file) => !file.state.startsWith('failed')) ??
    files[0]
  )
}

interface Retry {
  readonly at: number
  /** Present once the time has come. */
  readonly action?: Action
}

/** A download that may succeed later is set back to pending, and its agent tries anew; uploads wait for a sender. */
function retryOf({ dataVolume, image }: SeenDataVolume, now: number): Retry | undefined {
  const file = fileState(image)
  if (!image || !file || file.state !== 'failed' || !dataVolume.spec?.source?.http) return undefined
  const attempt = (dataVolume.status?.restartCount ?? 0) + 1
  const at = (parseTime(file.since) ?? now) + Math.min(RETRY_STEP_MS * attempt * attempt, RETRY_MAX_MS)
  if (now < at) return { at }
  const pending = { state: 'pending', progress: 0, message: file.message }
  return {
    at,
    action: {
      do: 'patch',
      target: { kind: BackingImage, namespace: LONGHORN_NAMESPACE, name: image.metadata.name! },
      subresource: 'status',
      patch: { status: { diskFileStatusMap: { [file.disk]: pending } } },
    },
  }
}

function tooSmall({ image, claim }: SeenDataVolume): string | undefined {
  const virtual = BigInt(image?.status?.virtualSize ?? 0)
  const asked = parseQuantity(claim?.spec?.resources?.requests?.['storage'] ?? 0)
  const size = asked ? toBigIntBytes(asked) : 0n
  if (virtual <= size) return undefined
  return `virtual image size ${virtual} is larger than the reported available storage ${size}. A larger PVC is required.`
}

function failedTransfer(word: 'http' | 'upload', file: FileState): Progress {
  const running = { type: 'Running', status: 'False', reason: 'Error', message: file.message } as const
  if (word === 'upload') return { phase: 'UploadReady', progress: 'N/A', running }
  if (file.state !== FILE_REFUSED) return { phase: 'ImportInProgress', progress: 'N/A', running }
  const message = `${file.message}; it is not tried again: correct the source and create the DataVolume anew`
  return { phase: 'Failed', progress: 'N/A', running: { ...running, message } }
}

/** Where an import or upload stands; the words are CDI's. */
function transferProgress(seen: SeenDataVolume, word: 'http' | 'upload'): Progress {
  const verb = word === 'http' ? 'Import' : 'Upload'
  const file = fileState(seen.image)
  if (!file || file.state === '' || file.state === 'pending')
    return idle(word === 'http' ? 'ImportScheduled' : 'UploadReady')
  if (file.state.startsWith('failed')) return failedTransfer(word, file)
  if (file.state === 'ready') {
    const problem = tooSmall(seen)
    if (problem === undefined) return done(`${verb} Complete`)
    return {
      phase: 'ImportInProgress',
      progress: '100.0%',
      running: { type: 'Running', status: 'False', reason: 'Error', message: problem },
    }
  }
  return {
    phase: word === 'http' ? 'ImportInProgress' : 'UploadReady',
    progress: `${file.progress.toFixed(2)}%`,
    running: { type: 'Running', status: 'True', reason: 'Pod is running', message: file.message },
  }
}

function progressOf(seen: SeenDataVolume): Progress {
  const word = sourceWord(seen.dataVolume.spec?.source)
  const refused = refusalOf(seen.dataVolume)
  if (refused !== undefined)
    return {
      phase: 'Pending',
      progress: 'N/A',
      running: { type: 'Running', status: 'False', reason: 'Error', message: `source ${word}: ${refused}` },
    }
  const isClone = cloneSource(seen.dataVolume) !== undefined
  if (!seen.claim) return idle('Pending')
  if (seen.claim.status?.phase === 'Lost')
    return {
      phase: 'Failed',
      progress: 'N/A',
      running: {
        type: 'Running',
        status: 'False',
        reason: 'ErrClaimLost',
        message: 'the claim lost its volume',
      },
    }
  if (seen.claim.status?.phase !== 'Bound') {
    const waits = seen.storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
    return idle(waits ? 'WaitForFirstConsumer' : isClone ? 'CloneScheduled' : 'Pending')
  }
  if (isClone)
    return seen.isFilled
      ? done('Clone Complete')
      : {
          phase: 'CSICloneInProgress',
          progress: 'N/A',
          running: { type: 'Running', status: 'True', reason: 'Pod is running', message: 'copying' },
        }
  return word === 'http' || word === 'upload'
    ? transferProgress(seen, word)
    : done('Volume is blank and ready')
}

function boundWish({ claim, dataVolume }: SeenDataVolume): ConditionWish {
  const name = dataVolume.metadata.name
  if (!claim) return { type: 'Bound', status: 'Unknown', reason: 'NotFound', message: 'No PVC found' }
  return claim.status?.phase === 'Bound'
    ? { type: 'Bound', status: 'True', reason: 'Bound', message: `PVC ${name} Bound` }
    : { type: 'Bound', status: 'False', reason: 'Pending', message: `PVC ${name} Pending` }
}

export function decideDataVolume(seen: SeenDataVolume, now: number): Decision {
  const { dataVolume, claim, image } = seen
  // What was filled once stays filled: a later loss of the image is the volume's affair, not a reason to import anew.
  const settled = dataVolume.metadata.deletionTimestamp || dataVolume.status?.phase === 'Succeeded'
  if (settled) return { actions: [] }
  const word = sourceWord(dataVolume.spec?.source)
  // A clone without a size waits for that of its source.
  const from = cloneSource(dataVolume)
  const asked = (dataVolume.spec?.pvc ?? dataVolume.spec?.storage)?.resources?.requests?.['storage']
  const isSized = from === undefined || asked !== undefined || seen.sourceSize !== undefined
  const served = refusalOf(dataVolume) === undefined && isSized
  const actions: readonly Action[] = !served
    ? []
    : [
        ...(needsImage(word) && !image
          ? [{ do: 'create', kind: BackingImage, object: imageOf(dataVolume) } as const]
          : []),
        ...(claim ? [] : [{ do: 'create', kind: PersistentVolumeClaim, object: claimOf(seen) } as const]),
      ]
  const { phase, progress, running } = progressOf(seen)
  const retry = retryOf(seen, now)
  const restarts = (dataVolume.status?.restartCount ?? 0) + (retry?.action ? 1 : 0)
  const ready: ConditionWish =
    phase === 'Succeeded'
      ? { type: 'Ready', status: 'True' }
      : {
          type: 'Ready',
          status: 'False',
          ...(running.status === 'True' ? { reason: 'TransferRunning' } : {}),
        }
  const status = {
    ...dataVolume.status,
    claimName: dataVolume.metadata.name!,
    phase,
    progress,
    restartCount: restarts,
    conditions: withConditions(dataVolume.status?.conditions, [boundWish(seen), ready, running], now),
  }
  return {
    actions: retry?.action ? [...actions, retry.action] : actions,
    status: status as unknown as NonNullable<Decision['status']>,
    ...(retry && !retry.action ? { wakeAt: retry.at } : {}),
  }
}

export const dataVolumeDecider: Decider<typeof DataVolume, SeenDataVolume> = {
  name: 'data-volume',
  step: 2,
  kind: DataVolume,
  watches: [
    {
      kind: PersistentVolumeClaim,
      keys: ({ metadata }, look) => [
        `${metadata.namespace}/${metadata.name}`,
        ...clonesOf(look, 'PersistentVolumeClaim', metadata),
      ],
    },
    { kind: VolumeSnapshot, keys: ({ metadata }, look) => clonesOf(look, 'VolumeSnapshot', metadata) },
    {
      kind: Volume,
      keys: (object, look) => {
        const claim = (object as Volume).spec?.dataSource
          ? look.get(PersistentVolume, undefined, object.metadata.name!)?.spec?.claimRef
          : undefined
        return claim?.name ? [`${claim.namespace}/${claim.name}`] : []
      },
    },
    { kind: PersistentVolume, keys: () => [] },
    {
      kind: BackingImage,
      keys: (object) => {
        const [namespace, name] = (object.metadata.annotations?.[MADE_FOR] ?? '').split('/')
        return namespace && name ? [`${namespace}/${name}`] : []
      },
    },
    // A class that appears, or becomes the default, may be the one that a claim waits for.
    {
      kind: StorageClass,
      keys: (_class, look) =>
        look
          .list(DataVolume)
          .filter((dataVolume) => dataVolume.status?.phase === 'Pending')
          .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    },
  ],
  gather: (dataVolume, look) => {
    const { namespace, name } = dataVolume.metadata
    const claim = look.get(PersistentVolumeClaim, namespace, name!)
    const wanted = dataVolume.spec?.pvc?.storageClassName ?? dataVolume.spec?.storage?.storageClassName
    return {
      dataVolume,
      claim,
      sourceSize: sizeOfSource(dataVolume, look),
      isFilled: volumeIsFilled(claim, look),
      image: look.get(BackingImage, LONGHORN_NAMESPACE, imageNameFor(dataVolume)),
      storageClass: wanted
        ? look.get(StorageClass, undefined, wanted)
        : look.list(StorageClass).find((one) => one.metadata.annotations?.[DEFAULT_CLASS] === 'true'),
    }
  },
  decide: decideDataVolume,
}
