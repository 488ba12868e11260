// Rebuilds a replica under a writing guest: in one short pause all members freeze their heads and the new one joins
// on a frozen layer of a healthy member; then the frozen files are copied, and at last it counts. It takes every
// write from its first moment on, so nothing has to be caught up with, however fast the guest writes.
import { failed, ok, type Result } from '../../base/result.ts'
import { changeVolume, type LiveVolume, repairVolume } from './change-epoch.ts'
import { incarnationOf } from './daemon.ts'
import type { EpochMember, EpochRecord } from './epoch/record.ts'
import { metaOf } from './freeze.ts'
import { closeLayer, completeJoin, copyLayer, joinOn, openLayer, prepareJoin } from './join.ts'
import { type LayerWords, layersOf, settled } from './layers.ts'
import type { LocalMemberInput, Member } from './member.ts'
import type { SwapFailure } from './swap.ts'

export interface RebuildInput {
  /** Its members include the one that joins. */
  readonly volume: LiveVolume
  readonly record: EpochRecord
  readonly source: LocalMemberInput
  /** Has a daemon that holds nothing yet (`startBareDaemon`). */
  readonly target: LocalMemberInput
  /** Of the system snapshot that the rebuild begins with; its owner removes it afterwards. */
  readonly words: LayerWords
  /** Of the backing image on the target's disk. */
  readonly backingFile?: string
  /** Bytes a second. */
  readonly rateBytes?: number
  readonly onBytes?: (count: number) => void
}

/** Gives the record in which the new replica counts. On a failure the volume goes on without it. */
export async function rebuildReplica(input: RebuildInput): Promise<Result<EpochRecord, SwapFailure>> {
  const joined = await join(input)
  await settle(input)
  if (!joined.ok) return joined
  const copied = await copyAll(input)
  if (copied.ok) {
    const counted = await count(input, joined.value)
    await closeLayer(input.source, input.words.name)
    return counted
  }
  const suspects = new Set([input.target.replica])
  const dropped = await repairVolume(input.volume, joined.value, { suspects })
  await closeLayer(input.source, input.words.name)
  return dropped.ok ? copied : dropped
}

function members({ volume, record }: RebuildInput): readonly (readonly [EpochMember, Member])[] {
  return record.inSync.flatMap((entry) => {
    const member = volume.members.find((one) => one.replica === entry.replica)
    return member ? [[entry, member] as const] : []
  })
}

async function join(input: RebuildInput): Promise<Result<EpochRecord, SwapFailure>> {
  const { volume, record, source, target, words } = input
  const prepared = await Promise.all(members(input).map(([, member]) => member.prepareFreeze(words)))
  const unready = prepared.find((answer) => !answer.ok)
  if (unready) return unready
  const like = await metaOf(source)
  if (!like.ok) return like
  const backing = input.backingFile === undefined ? {} : { backingFile: input.backingFile }
  const ready = await prepareJoin(target, { like: like.value, ...backing })
  if (!ready.ok) return ready
  const head = settled(like.value).head
  return changeVolume(volume, record, {
    during: async () => {
      const frozen = await Promise.all(
        members(input).map(async ([entry, member]) => ({ entry, answer: await member.freeze(words.name) })),
      )
      const inSync = frozen.filter(({ answer }) => answer.ok).map(({ entry }) => entry)
      if (!inSync.some((entry) => entry.replica === source.replica))
        return failed({ reason: 'SourceFailed', message: 'the source could not freeze', retry: 'later' })
      const layer = await openLayer(source, words.name)
      if (!layer.ok) return layer
      const on = await joinOn(target, head, layer.value)
      if (!on.ok) return on
      const joining = { replica: target.replica, incarnation: incarnationOf(target.daemon.process) }
      return ok({ inSync, more: { joining } })
    },
  })
}

async function settle(input: RebuildInput): Promise<void> {
  await Promise.all(members(input).map(([, member]) => member.settleFreeze(input.words.name)))
}

async function copyAll({ source, target, rateBytes, onBytes }: RebuildInput): Promise<Result<void>> {
  const meta = await metaOf(target)
  if (!meta.ok) return meta
  for (const { file } of layersOf(meta.value)) {
    const copied = await copyLayer(source, target, {
      file,
      ...(rateBytes === undefined ? {} : { rateBytes }),
      ...(onBytes ? { onBytes } : {}),
    })
    if (!copied.ok) return copied
  }
  return completeJoin(target)
}

/**
 * The same epoch goes on with a larger set: the new member has taken all its writes and has all older ones, so no
 * pause is needed. Refused when the epoch has moved on without it.
 */
async function count(
  { volume, target }: RebuildInput,
  record: EpochRecord,
): Promise<Result<EpochRecord, SwapFailure>> {
  const { joining, ...rest } = record
  if (joining?.replica !== target.replica)
    return failed({ reason: 'NotJoining', message: `${target.replica} does not join`, retry: 'later' })
  return volume.commit({ ...rest, inSync: [...record.inSync, joining] }, record)
}
