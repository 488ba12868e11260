// What the API hears of an engine, in Longhorn's words.
import type { Failure, Result } from '../../base/result.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import type { LiveEngine } from './live-engine.ts'
import type { RebuildWork } from './rebuild-work.ts'
import type { VolumeContext } from './replica.ts'
import { reportStatus } from './report.ts'

export interface RunningReport {
  readonly engine: Engine
  readonly live: LiveEngine
  readonly rebuild: RebuildWork
  /** Of a growth that was tried just now. */
  readonly growth: Result<void, Failure> | undefined
}

/** Merge patches remove a key by null. */
function mapPatch<T>(
  next: Readonly<Record<string, T>>,
  before: Readonly<Record<string, unknown>> | null | undefined,
): Readonly<Record<string, T | null>> {
  const stale = Object.keys(before ?? {}).filter((key) => !(key in next))
  return { ...next, ...Object.fromEntries(stale.map((key) => [key, null])) }
}

/**
 * RW: has every write; WO: takes every write and gets the older ones; ERR: lost, or not taken in yet. One that waits for
 * its image has none, for whoever reads ERR gives it up.
 */
function modesOf(names: readonly string[], live: LiveEngine, rebuild: RebuildWork): Record<string, string> {
  const { inSync, joining } = live.record
  return Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, string])[] => {
      if (inSync.some((member) => member.replica === name)) return [[name, 'RW']]
      if (joining?.replica === name || rebuild.target === name) return [[name, 'WO']]
      return rebuild.waiting.has(name) && !live.lost.has(name) ? [] : [[name, 'ERR']]
    }),
  )
}

export async function reportRunning(
  context: VolumeContext,
  { engine, live, rebuild, growth }: RunningReport,
): Promise<void> {
  const { status } = engine
  const addresses = engine.spec?.replicaAddressMap ?? {}
  const [first] = live.children
  const socket = first && 'unix' in first.server ? `?socket=${first.server.unix}` : ''
  const host = first && 'host' in first.server ? `${first.server.host}:${first.server.port}` : ''
  const failure = growth && !growth.ok ? growth.failure : undefined
  await reportStatus(context.client, Engine, engine, {
    currentState: 'running',
    started: true,
    ownerID: context.nodeName,
    endpoint: `nbd${socket === '' ? '' : '+unix'}://${host}/${first?.exportName}${socket}`,
    currentSize: String(live.record.sizeBytes),
    replicaModeMap: mapPatch(modesOf(Object.keys(addresses), live, rebuild), status?.replicaModeMap),
    currentReplicaAddressMap: mapPatch(addresses, status?.currentReplicaAddressMap),
    ...(rebuild.states.size > 0 || Object.keys(status?.rebuildStatus ?? {}).length > 0
      ? { rebuildStatus: mapPatch(Object.fromEntries(rebuild.states), status?.rebuildStatus) }
      : {}),
    ...(failure
      ? {
          isExpanding: false,
          lastExpansionError: failure.message,
          lastExpansionFailedAt: new Date(context.host.clock.now()).toISOString(),
        }
      : status?.lastExpansionError && growth?.ok
        ? { lastExpansionError: '', lastExpansionFailedAt: '' }
        : {}),
  })
}

export function reportBroken(context: VolumeContext, engine: Engine): Promise<void> {
  return reportStatus(context.client, Engine, engine, { currentState: 'error', endpoint: '' })
}

export function reportStopped(context: VolumeContext, engine: Engine): Promise<void> {
  const { status } = engine
  return reportStatus(context.client, Engine, engine, {
    currentState: 'stopped',
    started: false,
    endpoint: '',
    replicaModeMap: mapPatch({}, status?.replicaModeMap),
    ...(status?.rebuildStatus ? { rebuildStatus: mapPatch({}, status.rebuildStatus) } : {}),
  })
}
