// Growth of a live volume: all members grow in one pause, the set commits the new size, and the guest's device tells
// its new capacity. Quorum itself cannot be resized, so the device is told through a passing connection to one member.
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { changeVolume, type LiveVolume } from './change-epoch.ts'
import { nbdOptions } from './copy.ts'
import { fenceExports } from './daemon.ts'
import { type EngineQemu, seeDisk, setDrive } from './engine-qemu.ts'
import type { EpochRecord } from './epoch/record.ts'
import { headNode, metaOf } from './freeze.ts'
import type { LocalMemberInput } from './member.ts'
import { writeMeta } from './meta.ts'
import { type SwapFailure, serveAll, type Under } from './swap.ts'

/** Passing node; it exists only within a pause. */
const RESIZE_NODE = 'resize'

/** The head of one replica grows. All engines are cut first: QEMU resizes nothing that is exported. Idempotent. */
export async function resizeReplica(input: LocalMemberInput, sizeBytes: number): Promise<Result<void>> {
  const { host, place, daemon } = input
  const meta = await metaOf(input)
  if (!meta.ok) return meta
  if (meta.value.sizeBytes > sizeBytes)
    return failed({
      reason: 'ShrinkRefused',
      message: `the replica has ${meta.value.sizeBytes} bytes; a volume never shrinks`,
      retry: 'never',
    })
  const fenced = await fenceExports(host, daemon)
  if (!fenced.ok) return fenced
  const head = await headNode(daemon, meta.value)
  if (!head.ok) return head
  const grown = await daemon.qmp.execute('block_resize', { 'node-name': head.value, size: sizeBytes })
  if (!grown.ok) return grown
  return writeMeta(host.files, place.meta, { ...meta.value, sizeBytes })
}

/** Members that cannot grow leave the set. The guest stays paused on a failure after the commit; repair goes on. */
export async function growVolume(
  volume: LiveVolume,
  record: EpochRecord,
  sizeBytes: number,
): Promise<Result<EpochRecord, SwapFailure>> {
  if (record.joining)
    return failed({
      reason: 'Busy',
      message: 'a replica is being rebuilt; grow it afterwards',
      retry: 'later',
    })
  if (sizeBytes < record.sizeBytes)
    return failed({
      reason: 'ShrinkRefused',
      message: `the volume has ${record.sizeBytes} bytes; it never shrinks`,
      retry: 'never',
    })
  const changed = await changeVolume({ ...volume, keepPaused: true }, record, {
    resumes: !volume.keepPaused,
    during: async () => {
      const answers = await Promise.all(
        record.inSync.map(async (entry) => {
          const member = volume.members.find((one) => one.replica === entry.replica)
          return { entry, answer: await member?.resize(sizeBytes) }
        }),
      )
      const inSync = answers.filter(({ answer }) => answer?.ok).map(({ entry }) => entry)
      if (inSync.length === 0)
        return failed({ reason: 'GrowFailed', message: 'no replica could grow', retry: 'later' })
      return ok({ inSync, more: { sizeBytes } })
    },
  })
  if (!changed.ok) return changed
  const { qemu } = volume
  if (!qemu) return changed
  const told = await announceSize({ ...volume, qemu }, changed.value)
  if (!told.ok) return told
  if (!volume.keepPaused) {
    const gone = await qemu.execute('cont')
    if (!gone.ok) return gone
  }
  return changed
}

/** Makes the guest's device say its capacity anew. The guest is paused. */
async function announceSize(
  volume: LiveVolume & Under,
  record: EpochRecord,
): Promise<Result<void, SwapFailure>> {
  const { qemu } = volume
  const seen = await seeDisk(qemu, volume.disk)
  if (!seen.ok) return seen
  const children = await serveAll(volume.members, record)
  if (!children.ok) return children
  const [first] = children.value
  const added = await addPassing(qemu, first!)
  if (!added.ok) return added
  const over = await setDrive(qemu, seen.value.front, RESIZE_NODE)
  const told = over.ok
    ? await qemu.execute('block_resize', { 'node-name': RESIZE_NODE, size: record.sizeBytes })
    : over
  const back = await setDrive(qemu, seen.value.front, seen.value.topNode)
  await qemu.execute('blockdev-del', { 'node-name': RESIZE_NODE })
  if (!back.ok) return back
  return told.ok ? ok(undefined) : told
}

async function addPassing(qemu: EngineQemu, child: NbdChild): Promise<Result<void>> {
  const added = await qemu.execute('blockdev-add', {
    ...nbdOptions(child),
    'node-name': RESIZE_NODE,
    'reconnect-delay': 0,
  })
  return added.ok ? ok(undefined) : added
}
