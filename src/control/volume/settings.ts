// Longhorn's settings as the deciders read them: typed, with the default where a setting is absent or no number.
import type { Look } from '../../kinds/decide.ts'
import { Setting } from '../../kinds/longhorn/setting.ts'
import type { BalanceMode } from './balance.ts'
import type { PlacementRules } from './placement.ts'

export interface StorageSettings {
  readonly rules: PlacementRules
  readonly softNodeAntiAffinity: boolean
  readonly softZoneAntiAffinity: boolean
  readonly softDiskAntiAffinity: boolean
  readonly autoBalance: BalanceMode
  readonly pressurePercent: bigint
  /** How long a lost replica is waited for before a new one is made. Milliseconds. */
  readonly replenishWaitMs: number
  /** Rebuilds at a time on one node; 0 for none at all. */
  readonly rebuildsPerNode: number
  readonly autoSalvage: boolean
  readonly offlineRebuilding: boolean
  readonly cleansSystemSnapshots: boolean
  /** Snapshots of a volume above which people are warned. */
  readonly snapshotWarning: number
}

function text(look: Look, namespace: string | undefined, name: string): string | undefined {
  return look.get(Setting, namespace, name)?.value
}

function whole(look: Look, namespace: string | undefined, name: string, fallback: number): number {
  const value = text(look, namespace, name)
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : fallback
}

function flag(look: Look, namespace: string | undefined, name: string, fallback: boolean): boolean {
  const value = text(look, namespace, name)
  return value === 'true' ? true : value === 'false' ? false : fallback
}

/** Longhorn's defaults, which the settings of the same names override. */
export function storageSettings(look: Look, namespace: string | undefined): StorageSettings {
  const number = (name: string, fallback: number): number => whole(look, namespace, name, fallback)
  const yes = (name: string, fallback: boolean): boolean => flag(look, namespace, name, fallback)
  const balance = text(look, namespace, 'replica-auto-balance')
  return {
    rules: {
      overProvisioningPercent: BigInt(number('storage-over-provisioning-percentage', 100)),
      minimalAvailablePercent: BigInt(number('storage-minimal-available-percentage', 25)),
      taggedNodesForAll: yes('allow-empty-node-selector-volume', true),
      taggedDisksForAll: yes('allow-empty-disk-selector-volume', true),
    },
    softNodeAntiAffinity: yes('replica-soft-anti-affinity', false),
    softZoneAntiAffinity: yes('replica-zone-soft-anti-affinity', true),
    softDiskAntiAffinity: yes('replica-disk-soft-anti-affinity', true),
    autoBalance: balance === 'least-effort' || balance === 'best-effort' ? balance : 'disabled',
    pressurePercent: BigInt(number('replica-auto-balance-disk-pressure-percentage', 90)),
    replenishWaitMs: number('replica-replenishment-wait-interval', 600) * 1000,
    rebuildsPerNode: number('concurrent-replica-rebuild-per-node-limit', 5),
    autoSalvage: yes('auto-salvage', true),
    offlineRebuilding: yes('offline-replica-rebuilding', false),
    cleansSystemSnapshots: yes('auto-cleanup-system-generated-snapshot', true),
    snapshotWarning: number('snapshot-count-warning-threshold', 100),
  }
}

/** What holds for one volume: its own word, or the cluster's where it says `ignored` or nothing. */
export function ownOr(own: string | undefined, ofCluster: boolean): boolean {
  return own === 'enabled' ? true : own === 'disabled' ? false : ofCluster
}
