// The guest's disks: what it sees of a volume.

import { s } from '../../build.ts'
import { featureState } from './features.ts'

export const customBlockSize = s.object(
  {
    discardGranularity: s.integer('Bytes that are discarded together; a multiple of logical.'),
    logical: s.integer('Bytes of a logical block; a power of two from 512 to 2 MiB.'),
    physical: s.integer('Bytes of a physical block; not less than logical.'),
  },
  'Block sizes that the guest sees.',
)

export const blockSize = s.object(
  {
    custom: s.doc(customBlockSize, 'Sizes to show.'),
    matchVolume: s.doc(featureState, 'Shows the sizes of the volume.'),
  },
  'Sizes of blocks that the guest sees.',
)

export const diskTarget = s.object(
  {
    bus: s.string('virtio, sata, scsi or usb.'),
    pciAddress: s.string('PCI address in the guest, for instance 0000:81:01.0; only on virtio.'),
    readonly: s.boolean('Refuses writes of the guest.'),
  },
  'A disk that can be written.',
)

export const cdRomTarget = s.object(
  {
    bus: s.string('sata, scsi or usb.'),
    readonly: s.boolean('Always true for a drive.'),
    tray: s.string('open or closed.'),
  },
  'A CD-ROM drive; without a volume its tray is empty.',
)

export const lunTarget = s.object(
  {
    bus: s.string('scsi or sata.'),
    readonly: s.boolean('Refuses writes of the guest.'),
    reservation: s.boolean('Allows persistent reservations.'),
  },
  'A disk whose SCSI commands go through to the storage.',
)

export const disk = s.object(
  {
    blockSize: s.doc(blockSize, 'Sizes of blocks that the guest sees.'),
    bootOrder: s.integer('Place in the boot order, from 1; shared with interfaces and never given twice.'),
    cache: s.string('none, writethrough or writeback.'),
    cdrom: s.doc(cdRomTarget, 'Makes it a CD-ROM drive.'),
    changedBlockTracking: s.boolean('Remembers changed blocks for incremental backups.'),
    dedicatedIOThread: s.boolean('Gives the disk a thread of its own; only on virtio.'),
    disk: s.doc(diskTarget, 'Makes it a plain disk; so it is when nothing is said.'),
    errorPolicy: s.string('What happens on a failed read or write: stop, ignore, report or enospace.'),
    io: s.string('native or threads.'),
    lun: s.doc(lunTarget, 'Hands SCSI commands through.'),
    name: s.string('Name of the volume that the disk shows.'),
    serial: s.string('Serial number that the guest sees.'),
    shareable: s.boolean('Several machines may use the volume at once.'),
    tag: s.string('Word by which the guest finds the disk in its metadata.'),
  },
  'What the guest sees of one volume.',
  { required: ['name'] },
)
