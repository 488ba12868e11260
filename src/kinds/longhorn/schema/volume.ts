// Spec and status of a Longhorn Volume.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const volumeSpec = s.object(
  {
    Standby: s.boolean('Follows a volume of another cluster.'),
    accessMode: s.oneOf(['rwo', 'rwop', 'rwx'], 'rwo for one node, rwx for several, rwop for one Pod.'),
    backingImage: s.string('Image that it starts from; never changed.'),
    backupBlockSize: s.oneOf(['2097152', '16777216'], 'Bytes of a block in backups, as text.'),
    backupCompressionMethod: s.oneOf(['none', 'lz4', 'gzip'], 'How backups are compressed.'),
    backupTargetName: s.string('Where backups go.'),
    cloneMode: s.oneOf(['', 'full-copy', 'linked-clone'], 'How it was copied.'),
    dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.'),
    dataLocality: s.oneOf(
      ['disabled', 'best-effort', 'strict-local'],
      'Whether a copy is kept on the node that uses it.',
    ),
    dataSource: s.string('What it was filled from, for instance snap://volume/snapshot.'),
    disableFrontend: s.boolean('Attached without a device, for maintenance.'),
    diskSelector: s.list(s.string(), 'Tags that disks must have.'),
    encrypted: s.boolean('Encrypts what is stored.'),
    freezeFilesystemForSnapshot: s.oneOf(
      ['ignored', 'enabled', 'disabled'],
      'Whether file systems are at rest during a snapshot.',
    ),
    fromBackup: s.string('Backup that it is restored from.'),
    frontend: s.oneOf(['blockdev', 'iscsi', 'nvmf', 'ublk', ''], 'How it shows on its node.'),
    image: s.string('Engine image that it runs with.'),
    lastAttachedBy: s.string('Who attached it last.'),
    migratable: s.boolean('May be held by two nodes while a machine moves; needs rwx.'),
    migrationNodeID: s.string('Node that it moves to.'),
    nodeID: s.string('Node that it is to be attached to; empty for none.'),
    nodeSelector: s.list(s.string(), 'Tags that nodes must have.'),
    numberOfReplicas: s.integer('Copies that are wanted, 1 to 20.'),
    offlineRebuilding: s.oneOf(
      ['ignored', 'disabled', 'enabled'],
      'Whether copies are made anew while it is detached.',
    ),
    rebuildConcurrentSyncLimit: s.integer('Files copied at a time while rebuilding.', {
      minimum: 0,
      maximum: 5,
    }),
    replicaAutoBalance: s.oneOf(
      ['ignored', 'disabled', 'least-effort', 'best-effort'],
      'Whether copies move to spread better.',
    ),
    replicaDiskSoftAntiAffinity: s.oneOf(
      ['ignored', 'enabled', 'disabled'],
      'Whether two copies may lie on one disk.',
    ),
    replicaRebuildingBandwidthLimit: s.integer('Most megabytes a second while rebuilding.', {
      format: 'int64',
      minimum: 0,
    }),
    replicaSoftAntiAffinity: s.oneOf(
      ['ignored', 'enabled', 'disabled'],
      'Whether two copies may lie on one node.',
    ),
    replicaZoneSoftAntiAffinity: s.oneOf(
      ['ignored', 'enabled', 'disabled'],
      'Whether two copies may lie in one zone.',
    ),
    restoreVolumeRecurringJob: s.oneOf(
      ['ignored', 'enabled', 'disabled'],
      'Whether recurring jobs come back with a restore.',
    ),
    revisionCounterDisabled: s.boolean('Counts no writes; always so here.'),
    size: s.string('Bytes, as text; rounded up to 2 MiB and never smaller.'),
    snapshotDataIntegrity: s.oneOf(
      ['ignored', 'disabled', 'enabled', 'fast-check'],
      'Whether snapshots are checked by their sums.',
    ),
    snapshotMaxCount: s.integer('Most snapshots.'),
    snapshotMaxSize: s.string('Most bytes of snapshots, as text; 0 for no bound.'),
    staleReplicaTimeout: s.integer('Minutes until a failed copy is given up.'),
    ublkNumberOfQueue: s.integer('Queues of a ublk device.'),
    ublkQueueDepth: s.integer('Depth of a queue of a ublk device.'),
    unmapMarkSnapChainRemoved: s.oneOf(
      ['ignored', 'disabled', 'enabled'],
      'Whether trimming removes snapshots in its way.',
    ),
  },
  'What the volume is to be.',
)

export const volumeStatus = s.object(
  {
    actualSize: s.integer('Bytes that are really stored.', { format: 'int64' }),
    cloneStatus: s.object(
      {
        attemptCount: s.integer('Attempts so far.'),
        nextAllowedAttemptAt: s.string('When the next attempt is made.'),
        snapshot: s.string('Snapshot that is copied.'),
        sourceVolume: s.string('Volume that is copied.'),
        state: s.string('How far it has come.'),
      },
      'How far copying has come.',
    ),
    conditions: s.list(
      condition,
      'What holds for the volume now; Scheduled says whether every copy has a disk.',
      { nullable: true },
    ),
    currentImage: s.string('Engine image in use.'),
    currentMigrationNodeID: s.string('Second node while it moves.'),
    currentNodeID: s.string('Node that it is attached to.'),
    expansionRequired: s.boolean('Whether it is growing.'),
    frontendDisabled: s.boolean('Whether it is attached without a device.'),
    isStandby: s.boolean('Whether it follows a volume of another cluster.'),
    kubernetesStatus: s.object(
      {
        lastPVCRefAt: s.string('When a claim last used it.'),
        lastPodRefAt: s.string('When a Pod last used it.'),
        namespace: s.string('Namespace of the claim.'),
        pvName: s.string('PersistentVolume.'),
        pvStatus: s.string('Phase of the PersistentVolume.'),
        pvcName: s.string('Claim.'),
        workloadsStatus: s.list(
          s.object({
            podName: s.string('Name of the Pod.'),
            podStatus: s.string('Phase of the Pod.'),
            workloadName: s.string('What the Pod belongs to.'),
            workloadType: s.string('Kind of that.'),
          }),
          'Pods that use it.',
          { nullable: true },
        ),
      },
      'Claim and Pods that use it.',
    ),
    lastBackup: s.string('Name of the last backup.'),
    lastBackupAt: s.string('When that was made.'),
    lastDegradedAt: s.string('When copies were last missing.'),
    ownerID: s.string('Node that looks after it.'),
    remountRequestedAt: s.string('When it was last to be mounted again.'),
    restoreInitiated: s.boolean('Whether restoring has begun.'),
    restoreRequired: s.boolean('Whether there is something to restore.'),
    robustness: s.string('healthy, degraded, faulted or unknown.'),
    shareEndpoint: s.string('Address of its share.'),
    shareState: s.string('How its share is doing.'),
    state: s.string('creating, attaching, attached, detaching, detached or deleting.'),
  },
  'How the volume is doing.',
)
