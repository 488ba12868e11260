// Whether a machine may have the volumes its disks stand on, and whether it still has them as they were when it was
// started. Two machines that write one disk destroy it, whoever made them. A replica that went away may have lost what
// it had acknowledged and not flushed: its machine is reset on the same disk, never continued.
import { ok } from '../base/result.ts'
import { FREEZE_TIMEOUT_MS } from './machine/guest-agent.ts'
import type { Machine } from './machine/machine.ts'
import type { MachineOwner, StandingVolume, VolumeSharing } from './machine/state.ts'
import type { PlannedVolume } from './plan/backing.ts'
import { asksReadOnly, deviceId } from './plan/disk-slot.ts'
import type { MachineWait } from './plan/machine-view.ts'
import type { VmiDisk } from './plan/part.ts'
import type { StandingDisk } from './volume/standing.ts'

/** What is written down of the volumes at the start. */
export function standingVolumes(
  volumes: readonly PlannedVolume[],
  disks: readonly VmiDisk[],
): readonly StandingVolume[] {
  return volumes.flatMap(({ name, backing, longhornVolume }) => {
    if (longhornVolume === undefined) return []
    const sharing = sharingOf(disks.find((disk) => disk.name === name))
    return [{ name, longhornVolume, backing, ...(sharing ? { sharing } : {}) }]
  })
}

function sharingOf(disk: VmiDisk | undefined): VolumeSharing | undefined {
  if (disk?.shareable) return 'write'
  return disk && asksReadOnly(disk) ? 'read' : undefined
}

/** Those that have volumes: machines that run, and those that are being started. */
export interface VolumeHolder {
  readonly owner: MachineOwner
  readonly volumes: readonly StandingVolume[]
}

/** Why a machine cannot have its volumes yet: another one has one of them, and not both mean to share it alike. */
export function volumeInUse(
  wanted: readonly StandingVolume[],
  holders: Iterable<VolumeHolder>,
): MachineWait | undefined {
  for (const [index, mine] of wanted.entries()) {
    const twin = wanted.slice(0, index).find(({ longhornVolume }) => longhornVolume === mine.longhornVolume)
    if (twin && !mayShare(mine, twin))
      return {
        reason: 'VolumeInUse',
        message: `volume ${mine.name}: it is the same disk ${mine.longhornVolume} as volume ${twin.name}; a machine writes a disk through one device: remove one of the two`,
      }
  }
  for (const { owner, volumes } of holders)
    for (const held of volumes) {
      const mine = wanted.find(({ longhornVolume }) => longhornVolume === held.longhornVolume)
      if (!mine || mayShare(mine, held)) continue
      return {
        reason: 'VolumeInUse',
        message: `volume ${mine.name}: the machine ${owner.namespace}/${owner.name} (Pod ${owner.podName}) runs with its disk ${held.longhornVolume}; stop that one first, or say shareable of the disk in both`,
      }
    }
  return undefined
}

/** What a machine's QEMU is to the engines of its volumes. */
export function standingDisks(
  machine: Machine,
  onLost: (volume: StandingVolume) => void,
): readonly StandingDisk[] {
  const ended = machine.ended.then(() => (machine.closedDisks ? 'closed' : 'cut'))
  return machine.volumes.map((volume) => ({
    volumeName: volume.longhornVolume,
    machine: machine.owner.uid,
    disk: {
      device: deviceId(volume.name),
      disk: volume.name,
      ...(volume.sharing === 'read' ? { readOnly: true } : {}),
    },
    qemu: {
      execute: (command, args, timeoutMs) => machine.execute(command, args, timeoutMs),
      rescue: (command, args) => machine.rescue(command, args),
      onEvent: (listener) => machine.onEvent(listener),
    },
    inTurn: (act) => machine.inTurn(act),
    isPaused: () => machine.userPaused,
    moved: (backing) => machine.volumeMoved(volume.longhornVolume, backing),
    lost: () => onLost(volume),
    freezeGuest: async () => {
      if (!machine.agentOpen) return ok(false)
      const frozen = await machine.agent.execute('guest-fsfreeze-freeze', {}, FREEZE_TIMEOUT_MS)
      return frozen.ok ? ok(true) : frozen
    },
    thawGuest: async () => {
      await machine.agent.execute('guest-fsfreeze-thaw', {}, FREEZE_TIMEOUT_MS)
    },
    ended,
  }))
}

function mayShare(one: StandingVolume, other: StandingVolume): boolean {
  return one.sharing !== undefined && one.sharing === other.sharing
}

export function lostMessage({ name, longhornVolume }: StandingVolume): string {
  return `volume ${name}: the storage of ${longhornVolume} went away under the running machine, which was ended rather than continued without its last writes; a start goes on with what the disk holds`
}
