// The Longhorn volume and the PersistentVolume that a claim asks for, from the claim and its class. Pure data.
import { isObject, parseJson } from '../../base/json.ts'
import { formatQuantity, parseQuantity, quantityOf, toBigIntBytes } from '../../base/quantity.ts'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import type { StorageClass } from '../../kinds/kubernetes/storage-class.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { CLAIM_BACKING_IMAGE, LONGHORN_NAMESPACE } from '../data-volume.ts'
import { LONGHORN_FINALIZER } from '../volume/children.ts'

export const LONGHORN_DRIVER = 'driver.longhorn.io'
/** Longhorn's granularity of sizes. Bytes. */
const SIZE_STEP = 2n * 1024n * 1024n
/** Longhorn's smallest volume. Bytes. */
const SIZE_MIN = 10n * 1024n * 1024n
/** Beyond it the record of a volume could not tell sizes apart: JSON's numbers are exact only up to here. Bytes. */
const SIZE_MAX = BigInt(Number.MAX_SAFE_INTEGER)
/** Longhorn's defaults where the class says nothing. */
const REPLICAS_DEFAULT = 3
const STALE_TIMEOUT_DEFAULT_MINUTES = 2880

export function volumeNameOf(claim: PersistentVolumeClaim): string {
  return `pvc-${claim.metadata.uid}`
}

/** Bytes that the claim asks for, rounded up to what Longhorn makes. */
export function wantedBytes(claim: PersistentVolumeClaim): bigint {
  const asked = claim.spec?.resources?.requests?.['storage']
  const quantity = asked === undefined ? undefined : parseQuantity(asked)
  const bytes = quantity === undefined ? 0n : toBigIntBytes(quantity)
  const whole = bytes < SIZE_MIN ? SIZE_MIN : bytes
  return ((whole + SIZE_STEP - 1n) / SIZE_STEP) * SIZE_STEP
}

/** Why no volume can have the size that the claim asks for; undefined when one can. */
export function wrongSize(claim: PersistentVolumeClaim): string | undefined {
  if (wantedBytes(claim) <= SIZE_MAX) return undefined
  const asked = claim.spec?.resources?.requests?.['storage']
  return `the claim asks for ${asked}, and a volume has at most ${bytesText((SIZE_MAX / SIZE_STEP) * SIZE_STEP)}`
}

export function bytesText(bytes: bigint): string {
  return formatQuantity(quantityOf(bytes, 'BinarySI'))
}

/** Name of the image that the volume stands on: the claim's own word before its class's. */
export function backingImageOf(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): string | undefined {
  return claim.metadata.annotations?.[CLAIM_BACKING_IMAGE] ?? storageClass?.parameters?.['backingImage']
}

/** Why these parameters cannot be taken; undefined when they can. */
export function wrongParameter(storageClass: StorageClass): string | undefined {
  const { numberOfReplicas, staleReplicaTimeout } = storageClass.parameters ?? {}
  const replicas = numberOfReplicas === undefined ? REPLICAS_DEFAULT : wholeNumber(numberOfReplicas)
  if (replicas === undefined || replicas < 1 || replicas > 20) {
    return `parameter numberOfReplicas is ${JSON.stringify(numberOfReplicas)}, it must be a number from 1 to 20`
  }
  if (staleReplicaTimeout !== undefined && wholeNumber(staleReplicaTimeout) === undefined) {
    return `parameter staleReplicaTimeout is ${JSON.stringify(staleReplicaTimeout)}, it must be a number of minutes`
  }
  return undefined
}

export function longhornVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): Volume {
  const parameters = storageClass.parameters ?? {}
  const shared = (claim.spec?.accessModes ?? []).includes('ReadWriteMany')
  const image = backingImageOf(claim, storageClass)
  const text = <K extends string>(key: K, value: string | undefined) => (value ? { [key]: value } : {})
  const spec = {
    size: String(wantedBytes(claim)),
    numberOfReplicas: wholeNumber(parameters['numberOfReplicas'] ?? '') ?? REPLICAS_DEFAULT,
    staleReplicaTimeout:
      wholeNumber(parameters['staleReplicaTimeout'] ?? '') ?? STALE_TIMEOUT_DEFAULT_MINUTES,
    accessMode: shared ? 'rwx' : 'rwo',
    // Only a volume that several nodes may open can be moved between them.
    migratable: parameters['migratable'] === 'true' && shared,
    frontend: 'blockdev',
    dataEngine: parameters['dataEngine'] ?? 'v1',
    encrypted: parameters['encrypted'] === 'true',
    ...text('backingImage', image),
    ...text('dataLocality', parameters['dataLocality']),
    ...text('replicaAutoBalance', parameters['replicaAutoBalance']),
    ...text('replicaSoftAntiAffinity', parameters['replicaSoftAntiAffinity']),
    ...text('replicaZoneSoftAntiAffinity', parameters['replicaZoneSoftAntiAffinity']),
    ...text('replicaDiskSoftAntiAffinity', parameters['replicaDiskSoftAntiAffinity']),
    diskSelector: words(parameters['diskSelector']),
    nodeSelector: words(parameters['nodeSelector']),
  }
  return {
    apiVersion: apiVersionOf(Volume),
    kind: Volume.kind,
    metadata: {
      name: volumeNameOf(claim),
      namespace: LONGHORN_NAMESPACE,
      finalizers: [LONGHORN_FINALIZER],
      ...jobLabels(parameters['recurringJobSelector']),
    },
    spec: spec as Volume['spec'],
  } as Volume
}

/** Longhorn's list of jobs and groups of a class, as the labels by which jobs find their volumes. */
function jobLabels(selector: string | undefined): { readonly labels?: Readonly<Record<string, string>> } {
  if (!selector) return {}
  try {
    const parsed = parseJson(selector)
    if (!Array.isArray(parsed)) return {}
    const labels = parsed.flatMap((one) => {
      if (!isObject(one) || typeof one['name'] !== 'string') return []
      const family = one['isGroup'] === true ? 'recurring-job-group' : 'recurring-job'
      return [[`${family}.longhorn.io/${one['name']}`, 'enabled']]
    })
    return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }
  } catch {
    return {}
  }
}

export function persistentVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { namespace = '', name = '', uid = '' } = claim.metadata
  const volumeMode = claim.spec?.volumeMode ?? 'Filesystem'
  return {
    apiVersion: apiVersionOf(PersistentVolume),
    kind: PersistentVolume.kind,
    metadata: {
      name: volumeNameOf(claim),
      annotations: { 'pv.kubernetes.io/provisioned-by': LONGHORN_DRIVER },
    },
    spec: {
      capacity: { storage: bytesText(wantedBytes(claim)) },
      accessModes: claim.spec?.accessModes ?? [],
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      csi: {
        driver: LONGHORN_DRIVER,
        volumeHandle: volumeNameOf(claim),
        ...(volumeMode === 'Filesystem' ? { fsType: storageClass.parameters?.['fsType'] ?? 'ext4' } : {}),
        volumeAttributes: { ...storageClass.parameters },
      },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      volumeMode,
      ...(storageClass.mountOptions ? { mountOptions: storageClass.mountOptions } : {}),
    },
  } as PersistentVolume
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function words(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
