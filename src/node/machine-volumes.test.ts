import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineOwner } from './machine/state.ts'
import { lostMessage, standingVolumes, type VolumeHolder, volumeInUse } from './machine-volumes.ts'
import type { DiskBacking } from './plan/backing.ts'
import type { VmiDisk } from './plan/part.ts'

const exported = (name: string): DiskBacking => ({
  kind: 'nbd',
  children: [{ server: { unix: '/run/r.sock' }, exportName: name }],
})
const standing = standingVolumes(
  [
    { name: 'root', backing: exported('r-1'), longhornVolume: 'pvc-1' },
    { name: 'data', backing: exported('d-1'), longhornVolume: 'pvc-2' },
    { name: 'seed', backing: { kind: 'file', path: '/seed.iso', format: 'raw' } },
  ],
  [],
)

test('only Longhorn volumes are remembered, as they were', () => {
  assert.deepEqual(
    standing.map(({ name, longhornVolume }) => [name, longhornVolume]),
    [
      ['root', 'pvc-1'],
      ['data', 'pvc-2'],
    ],
  )
})

test('the words name the volume for the user and for the administrator', () => {
  assert.match(lostMessage(standing[1]!), /^volume data: the storage of pvc-2 went away/)
})

const owner: MachineOwner = {
  namespace: 'prod',
  name: 'web',
  uid: 'u-1',
  podName: 'virt-launcher-web-1',
  podUid: 'p-1',
}

/** A machine with the one volume pvc-1 behind this disk. */
function holder(disk: Omit<VmiDisk, 'name'>): VolumeHolder {
  const volumes = standingVolumes(
    [{ name: 'root', backing: exported('r-1'), longhornVolume: 'pvc-1' }],
    [{ name: 'root', ...disk }],
  )
  return { owner, volumes }
}

test('a volume that another machine has is waited for, whoever asks for it', () => {
  const plain = holder({ disk: { bus: 'virtio' } })
  const wait = volumeInUse(standing, [plain])
  assert.equal(wait?.reason, 'VolumeInUse')
  assert.match(wait?.message ?? '', /^volume root: the machine prod\/web .* stop that one first/)
  assert.equal(volumeInUse(standing.slice(1), [plain]), undefined)
  assert.equal(volumeInUse(standing, []), undefined)
})

test('one machine has a volume once', () => {
  const [root] = standing
  const twice = volumeInUse([root!, { ...root!, name: 'again' }], [])
  assert.match(twice?.message ?? '', /^volume again: it is the same disk pvc-1 as volume root/)
})

test('a volume is shared by those that say so, or that only read it', () => {
  const plain = holder({ disk: { bus: 'virtio' } })
  const shared = holder({ disk: { bus: 'virtio' }, shareable: true })
  const cdrom = holder({ cdrom: { bus: 'sata' } })
  const among = (mine: VolumeHolder, other: VolumeHolder): boolean => !volumeInUse(mine.volumes, [other])
  assert.deepEqual(
    [
      among(shared, shared),
      among(cdrom, cdrom),
      among(shared, plain),
      among(cdrom, plain),
      among(cdrom, shared),
    ],
    [true, true, false, false, false],
  )
})
