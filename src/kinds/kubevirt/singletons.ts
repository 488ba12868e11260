// The objects by which clients recognise a cluster that can run machines: KubeVirt, CDI, its configuration and the
// profile of the storage class. Made at the first start, kept as an administrator changes them.
import type { KubeObject } from '../../base/object.ts'
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from './defaults/lookup.ts'

/** Version that clients compare theirs with; `virtctl` warns when the minor number differs. */
export const KUBEVIRT_VERSION = 'v1.7.4'
export const CDI_VERSION = 'v1.63.1'
const REGISTRY = 'croft'

/** A capability that is always there is listed, because clients look for it by this name. */
const FEATURE_GATES: readonly string[] = [
  'LiveMigration',
  'HotplugVolumes',
  'DeclarativeHotplugVolumes',
  'Snapshot',
  'VMExport',
  'VMPersistentState',
  'HostDevices',
  'GPU',
  'CPUManager',
  'ExpandDisks',
]

interface Where {
  /** RFC 3339 in UTC; conditions carry it. */
  readonly now: string
  readonly architecture: string
  /** Where images are uploaded to, for instance `https://10.0.0.5:6443`. */
  readonly uploadUrl: string
}

/** Objects with their status; the status is written through `/status` after the object is made. */
export function kubevirtObjects({ now, architecture, uploadUrl }: Where): readonly KubeObject[] {
  return [
    kubevirtObject(now, architecture),
    cdiObject(now),
    cdiConfigObject(uploadUrl),
    storageProfileFor('harvester-longhorn', true),
  ]
}

function condition(type: string, status: 'True' | 'False', now: string): Readonly<Record<string, string>> {
  return {
    type,
    status,
    reason: type === 'Available' ? 'AllComponentsReady' : 'NothingUnderWay',
    message: type === 'Available' ? 'All parts run.' : 'Nothing is under way.',
    lastTransitionTime: now,
  }
}

function kubevirtObject(now: string, architecture: string): KubeObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: KUBEVIRT_NAME, namespace: KUBEVIRT_NAMESPACE },
    spec: {
      configuration: {
        developerConfiguration: { featureGates: FEATURE_GATES },
        evictionStrategy: 'LiveMigrateIfPossible',
        vmRolloutStrategy: 'LiveUpdate',
      },
    },
    status: {
      phase: 'Deployed',
      defaultArchitecture: architecture,
      operatorVersion: KUBEVIRT_VERSION,
      observedKubeVirtVersion: KUBEVIRT_VERSION,
      observedKubeVirtRegistry: REGISTRY,
      targetKubeVirtVersion: KUBEVIRT_VERSION,
      targetKubeVirtRegistry: REGISTRY,
      outdatedVirtualMachineInstanceWorkloads: 0,
      conditions: [
        condition('Available', 'True', now),
        {
          ...condition('Created', 'True', now),
          reason: 'AllResourcesCreated',
          message: 'Everything is there.',
        },
        condition('Progressing', 'False', now),
        condition('Degraded', 'False', now),
      ],
    },
  }
}

function cdiObject(now: string): KubeObject {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDI',
    metadata: { name: 'cdi' },
    spec: { config: { featureGates: ['HonorWaitForFirstConsumer'] } },
    status: {
      phase: 'Deployed',
      operatorVersion: CDI_VERSION,
      observedVersion: CDI_VERSION,
      targetVersion: CDI_VERSION,
      conditions: [
        condition('Available', 'True', now),
        condition('Progressing', 'False', now),
        condition('Degraded', 'False', now),
      ],
    },
  }
}

function cdiConfigObject(uploadUrl: string): KubeObject {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'CDIConfig',
    metadata: { name: 'config' },
    spec: { featureGates: ['HonorWaitForFirstConsumer'] },
    status: {
      uploadProxyURL: uploadUrl,
      filesystemOverhead: { global: '0.06' },
      scratchSpaceStorageClass: 'harvester-longhorn',
      preallocation: false,
    },
  }
}

/** What a class of Longhorn's driver can do; `migratable` is its parameter of that name. */
export function storageProfileFor(storageClass: string, migratable: boolean): KubeObject {
  const block = (accessMode: string): Readonly<Record<string, unknown>> => ({
    accessModes: [accessMode],
    volumeMode: 'Block',
  })
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name: storageClass },
    spec: {},
    status: {
      storageClass,
      provisioner: 'driver.longhorn.io',
      claimPropertySets: migratable
        ? [block('ReadWriteMany'), block('ReadWriteOnce')]
        : [block('ReadWriteOnce')],
      cloneStrategy: 'csi-clone',
    },
  }
}
