// Rebuilds a replica under a writing guest: in one short pause all members freeze their heads and the new one joins
// on a frozen layer of a healthy member; then the frozen files are copied, and at last it counts. It takes every
// write from its first moment on, so nothing has to be caught up with, however fast the guest writes.
import { failed, ok, type Result } from '../../base/result.ts'
import { type Commit, changeVolume, type LiveVolume, repairVolume } from './change-epoch.ts'
import type { CopyOrder } from './copy.ts'
import { allDone } from './engine-qemu.ts'
import type { EpochMember, EpochRecord } from './epoch/record.ts'
import { type LayerWords, layersOf, settled } from './layers.ts'
import type { Member } from './member.ts'
import type { SwapFailure } from './swap.ts'

export interface JoinInput {
  /** Its members include the one that joins. */
  readonly volume: LiveVolume
  readonly record: EpochRecord
  readonly source: Member
  readonly target: Member
  /** The target's daemon, which holds nothing yet (`startBareDaemon`). */
  readonly incarnation: string
  /** Of the system snapshot that the rebuild begins with; its owner removes it afterwards. */
  readonly words: LayerWords
  /** Of the backing image on the target's disk. */
  readonly backingFile?: string
}

function members({ volume, record }: JoinInput): readonly (readonly [EpochMember, Member])[] {
  return record.inSync.flatMap((entry) => {
    const member = volume.members.find((one) => one.replica === entry.replica)
    return member ? [[entry, member] as const] : []
  })
}

/** The first step: gives the record in which the target joins. On a failure the volume goes on without it. */
export async function beginRebuild(input: JoinInput): Promise<Result<EpochRecord, SwapFailure>> {
  const joined = await join(input)
  await Promise.all(members(input).map(([, member]) => member.settleFreeze(input.words.name)))
  return joined
}

async function join(input: JoinInput): Promise<Result<EpochRecord, SwapFailure>> {
  const { volume, record, source, target, words } = input
  const prepared = await Promise.all(
    members(input).map(async ([, member]) => ({ member, answer: await member.prepareFreeze(words) })),
  )
  for (const { member, answer } of prepared)
    if (!answer.ok) return failed({ ...answer.failure, replica: member.replica })
  const like = await source.meta()
  if (!like.ok) return like
  // A clone stands alone even where its volume names an image.
  const stands = like.value.backingFile !== undefined && input.backingFile !== undefined
  const backing = stands ? { backingFile: input.backingFile! } : {}
  const ready = await target.prepareJoin({ like: like.value, ...backing })
  if (!ready.ok) return ready
  const head = settled(like.value).head
  return changeVolume(volume, record, {
    during: async () => {
      const quiet = volume.qemu ? await allDone(volume.qemu, volume.disk) : ok(undefined)
      if (!quiet.ok) return quiet
      const frozen = await Promise.all(
        members(input).map(async ([entry, member]) => ({ entry, answer: await member.freeze(words.name) })),
      )
      const inSync = frozen.filter(({ answer }) => answer.ok).map(({ entry }) => entry)
      if (!inSync.some((entry) => entry.replica === source.replica))
        return failed({ reason: 'SourceFailed', message: 'the source could not freeze', retry: 'later' })
      const layer = await source.openLayer(words.name)
      if (!layer.ok) return layer
      const on = await target.joinOn(head, layer.value)
      if (!on.ok) return on
      return ok({ inSync, more: { joining: { replica: target.replica, incarnation: input.incarnation } } })
    },
  })
}

export interface CopyInput {
  readonly source: Member
  readonly target: Member
  /** Bytes a second. */
  readonly rateBytes?: number
  /** Share that is done, 0 to 1. */
  readonly onProgress?: (done: number) => void
  readonly signal?: AbortSignal
}

/** The long step: the guest runs on, and it may be begun again after any interruption. */
export async function copyLayers(input: CopyInput): Promise<Result<void>> {
  const { source, target, onProgress, signal } = input
  const meta = await target.meta()
  if (!meta.ok) return meta
  const layers = layersOf(meta.value)
  for (const [index, { file }] of layers.entries()) {
    if (signal?.aborted)
      return failed({ reason: 'Aborted', message: 'the rebuild was given up', retry: 'later' })
    const digest = await source.digest(file)
    if (!digest.ok) return digest
    const served = await source.openFile(file)
    if (!served.ok) return served
    const order: CopyOrder = {
      file,
      source: served.value.child,
      digest: digest.value,
      ...(input.rateBytes === undefined ? {} : { rateBytes: input.rateBytes }),
      ...(signal ? { signal } : {}),
      onBytes: (count) => {
        const share = served.value.sizeBytes === 0 ? 1 : Math.min(1, count / served.value.sizeBytes)
        onProgress?.((index + share) / layers.length)
      },
    }
    const copied = await copyOne(source, target, order)
    await source.closeFile(file)
    if (!copied.ok) return copied
    onProgress?.((index + 1) / layers.length)
  }
  return target.completeJoin()
}

/** The blocks are hashed only where the target has something to compare them with. */
async function copyOne(source: Member, target: Member, order: CopyOrder): Promise<Result<void>> {
  const copied = await target.copyFile({ ...order, asksBlocks: true })
  if (copied.ok || copied.failure.reason !== 'BlocksWanted') return copied
  const blocks = await source.blocks(order.file)
  return target.copyFile({ ...order, ...(blocks.ok ? { blocks: blocks.value } : {}) })
}

/**
 * The last step: the same epoch goes on with a larger set. The new member has taken all its writes and has all older
 * ones, so no pause is needed. Failures: `NotJoining` when the epoch has moved on without it.
 */
export async function countReplica(
  commit: Commit,
  record: EpochRecord,
  replica: string,
): Promise<Result<EpochRecord>> {
  const { joining, ...rest } = record
  if (joining?.replica !== replica)
    return failed({ reason: 'NotJoining', message: `${replica} does not join`, retry: 'later' })
  return commit({ ...rest, inSync: [...record.inSync, joining] }, record)
}

/** Gives a rebuild up: the volume goes on without the one that was joining. */
export async function dropJoining(
  volume: LiveVolume,
  record: EpochRecord,
): Promise<Result<EpochRecord, SwapFailure>> {
  if (!record.joining) return ok(record)
  const dropped = await repairVolume(volume, record, { suspects: new Set([record.joining.replica]) })
  return dropped.ok ? ok(dropped.value.record) : dropped
}
