// Whether a running machine still has what its disks stood on when it was started. A replica that went away may have
// lost what it had acknowledged and not flushed: its machine is reset on the same disk, never continued.
import { deepEqual } from '../base/equality.ts'
import type { StandingVolume } from './machine/state.ts'
import type { DiskBacking, PlannedVolume } from './plan/backing.ts'

/** What is written down of the volumes at the start. */
export function standingVolumes(volumes: readonly PlannedVolume[]): readonly StandingVolume[] {
  return volumes.flatMap(({ name, backing, longhornVolume }) =>
    longhornVolume === undefined ? [] : [{ name, longhornVolume, backing }],
  )
}

/**
 * The first volume that is not there any more as it was. `unknown` says what an absent endpoint means: at our own
 * start volumes are only found one after the other, later an absence is news.
 */
export function lostVolume(
  volumes: readonly StandingVolume[],
  endpoint: (longhornVolume: string) => DiskBacking | undefined,
  absent: 'unknown' | 'lost',
): StandingVolume | undefined {
  return volumes.find(({ longhornVolume, backing }) => {
    const now = endpoint(longhornVolume)
    return now === undefined ? absent === 'lost' : !deepEqual(now, backing)
  })
}

export function lostMessage({ name, longhornVolume }: StandingVolume): string {
  return `volume ${name}: the storage of ${longhornVolume} went away under the running machine, which was ended rather than continued without its last writes; a start goes on with what the disk holds`
}
