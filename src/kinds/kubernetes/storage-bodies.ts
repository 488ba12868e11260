// Bodies of the storage kinds.
import { s } from '../build.ts'
import { persistentVolumeSpec } from '../core/persistent-volume-body.ts'
import { topologySelectorTerm } from '../core/topology.ts'

export const storageClassBody = s.object(
  {
    provisioner: s.write(s.string('Driver that makes the volumes.')),
    parameters: s.map(s.string(), 'Settings for the driver.'),
    reclaimPolicy: s.keep(
      s.oneOf(['Delete', 'Retain'], 'What happens to a volume when its claim goes.', { default: 'Delete' }),
    ),
    mountOptions: s.list(s.string(), 'Options for mounting.'),
    allowVolumeExpansion: s.keep(s.boolean('Whether volumes may grow.')),
    volumeBindingMode: s.keep(
      s.oneOf(
        ['Immediate', 'WaitForFirstConsumer'],
        'Whether volumes are made at once or for their first Pod.',
        { default: 'Immediate' },
      ),
    ),
    allowedTopologies: s.list(topologySelectorTerm, 'Where volumes may be made.'),
  },
  undefined,
  { required: ['provisioner'] },
)

export const tokenRequest = s.object(
  {
    audience: s.write(s.string()),
    expirationSeconds: s.keep(s.int64()),
  },
  undefined,
  { required: ['audience'] },
)

export const csiDriverSpec = s.object(
  {
    attachRequired: s.keep(s.boolean('Volumes are attached before they are mounted.', { default: true })),
    podInfoOnMount: s.keep(s.boolean('The driver is told about the Pod.', { default: false })),
    volumeLifecycleModes: s.set(s.string(), 'Lives that volumes of this driver can have.', {
      default: ['Persistent'],
    }),
    storageCapacity: s.keep(s.boolean('The scheduler looks at the free capacity.', { default: false })),
    fsGroupPolicy: s.keep(
      s.oneOf(['File', 'None', 'ReadWriteOnceWithFSType'], 'How the group of files is set.', {
        default: 'ReadWriteOnceWithFSType',
      }),
    ),
    tokenRequests: s.list(tokenRequest, 'Tokens that the driver gets.'),
    requiresRepublish: s.keep(s.boolean('Volumes are published again and again.', { default: false })),
    seLinuxMount: s.keep(s.boolean('Volumes can be mounted with a SELinux context.', { default: false })),
    nodeAllocatableUpdatePeriodSeconds: s.keep(
      s.int64('Seconds between updates of the number of volumes of a node.'),
    ),
    serviceAccountTokenInSecrets: s.keep(s.boolean('Tokens are passed as secrets.')),
    preventPodSchedulingIfMissing: s.keep(s.boolean('Pods wait for the driver.')),
  },
  'Wanted state of a CSIDriver.',
)

export const volumeNodeResources = s.object({
  count: s.keep(s.integer()),
})

export const csiNodeDriver = s.object(
  {
    name: s.write(s.string()),
    nodeID: s.write(s.string()),
    topologyKeys: s.write(s.list(s.string())),
    allocatable: volumeNodeResources,
  },
  undefined,
  { required: ['name', 'nodeID'] },
)

export const csiNodeSpec = s.object(
  {
    drivers: s.write(
      s.keyedList(csiNodeDriver, ['name'], 'Drivers present on the node.', {
        patchMergeKey: 'name',
        patchStrategy: 'merge',
      }),
    ),
  },
  'Drivers of one node.',
)

export const volumeAttachmentSource = s.object({
  persistentVolumeName: s.keep(s.string()),
  inlineVolumeSpec: persistentVolumeSpec,
})

export const volumeAttachmentSpec = s.object(
  {
    attacher: s.write(s.string('Driver that attaches the volume.')),
    source: s.write(s.doc(volumeAttachmentSource, 'Volume to attach.')),
    nodeName: s.write(s.string('Node to attach to.')),
  },
  'Wanted state of a VolumeAttachment.',
)

export const volumeError = s.object({
  time: s.time(),
  message: s.string(),
  errorCode: s.keep(s.integer()),
})

export const volumeAttachmentStatus = s.object(
  {
    attached: s.write(s.boolean('The volume is attached.')),
    attachmentMetadata: s.map(s.string(), 'What the driver tells about it.'),
    attachError: s.doc(volumeError, 'Last failure to attach.'),
    detachError: s.doc(volumeError, 'Last failure to detach.'),
  },
  'Observed state of a VolumeAttachment.',
)
