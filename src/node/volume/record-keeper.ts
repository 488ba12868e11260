// The committed record of one volume in the API: read from the API itself, changed by compare-and-swap alone. A stale
// cache must never decide who writes.

import { deepEqual } from '../../base/equality.ts'
import { ApiError } from '../../base/errors.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Clock } from '../../host/host.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { EpochRecord } from './epoch/record.ts'

const REBUILD = 'rebuild'
/**
 * A machine's turn is held meanwhile, and a host that is cut off has to pause it before others take it over. A commit
 * that was given up may still arrive; whoever reads the record next sees it. Milliseconds.
 */
const ANSWER_MS = 5_000

export function recordOf({ spec }: VolumeEpoch): EpochRecord {
  const { operation } = spec
  const joins = operation?.type === REBUILD && operation.replica !== undefined
  return {
    epoch: Number(spec.epoch),
    ...(spec.engine ? { engine: spec.engine } : {}),
    inSync: spec.inSync,
    ...(joins ? { joining: { replica: operation.replica!, incarnation: operation.id } } : {}),
    sizeBytes: Number(spec.size ?? 0),
    cleanShutdown: spec.cleanShutdown ?? false,
  }
}

function specOf(record: EpochRecord, before: VolumeEpoch['spec']): VolumeEpoch['spec'] {
  const { engine: _, operation: __, ...rest } = before
  const { joining } = record
  return {
    ...rest,
    epoch: record.epoch,
    ...(record.engine ? { engine: record.engine } : {}),
    inSync: record.inSync,
    size: record.sizeBytes,
    cleanShutdown: record.cleanShutdown,
    ...(joining ? { operation: { type: REBUILD, id: joining.incarnation, replica: joining.replica } } : {}),
  }
}

/** A refusal says that nothing was changed; anything else leaves it open. */
function commitFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  const sure = error instanceof ApiError && error.code >= 400 && error.code < 500
  return sure
    ? { reason: 'EpochNotCommitted', message, retry: 'later' }
    : {
        reason: 'EpochUnknown',
        message: `whether the epoch was committed is not known: ${message}`,
        retry: 'later',
      }
}

export interface RecordKeeper {
  /** Failures: `RecordUnreadable`. */
  read(): Promise<Result<EpochRecord>>
  /** Failures: `EpochNotCommitted` when it surely did not change, `EpochUnknown` when nobody can tell. */
  commit(next: EpochRecord, before: EpochRecord): Promise<Result<EpochRecord>>
}

/** Without a clock the server is waited for as long as the client does. */
export function recordKeeper(
  client: Client,
  { namespace, volumeName }: { readonly namespace: string; readonly volumeName: string },
  clock?: Clock,
): RecordKeeper {
  const inTime = async <T>(ask: (signal?: AbortSignal) => Promise<T>): Promise<T> => {
    if (!clock) return ask()
    const late = new AbortController()
    const cancel = clock.after(ANSWER_MS, () => late.abort())
    try {
      return await ask(late.signal)
    } finally {
      cancel()
    }
  }
  const get = (): Promise<VolumeEpoch> =>
    inTime((signal) => client.get(VolumeEpoch, volumeName, { namespace, ...(signal ? { signal } : {}) }))
  return {
    read: async () => {
      try {
        return ok(recordOf(await get()))
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return failed({ reason: 'RecordUnreadable', message, retry: 'later' })
      }
    },
    commit: async (next, before) => {
      try {
        const present = await get()
        if (!deepEqual(recordOf(present), before)) {
          // Ours of a moment ago, whose answer was lost.
          if (deepEqual(recordOf(present), next)) return ok(next)
          return failed({
            reason: 'EpochNotCommitted',
            message: `another record is committed: epoch ${String(present.spec.epoch)}`,
            retry: 'later',
          })
        }
        const wanted = { ...present, spec: specOf(next, present.spec) }
        const done = await inTime((signal) =>
          client.update(VolumeEpoch, wanted, signal ? { signal } : undefined),
        )
        return ok(recordOf(done))
      } catch (error) {
        return failed(commitFailure(error))
      }
    },
  }
}
