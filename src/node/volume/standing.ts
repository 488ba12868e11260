// A machine's disk on a volume, as the volume's engine deals with it: the machine workflow makes one for each, the
// engine pauses, swaps and continues through it.
import type { Result } from '../../base/result.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { EngineDisk, EngineQemu } from './engine-qemu.ts'

export interface StandingDisk {
  readonly volumeName: string
  /** Word of the machine: its disks are paused together. */
  readonly machine: string
  readonly disk: EngineDisk
  readonly qemu: EngineQemu
  /** What asks for the machine's state and then acts on it is done by one at a time. */
  inTurn<T>(act: () => Promise<T>): Promise<T>
  /** Its user has paused it, so it is not continued. */
  isPaused(): boolean
  /** It stands on this from now on; resolves when that would survive our own restart. */
  moved(backing: DiskBacking): Promise<void>
  /** What it acknowledged may be gone, so it must not go on. */
  lost(): void
  /** Asks the guest to write back and hold its file systems; false: nobody in the guest answers. */
  freezeGuest?(): Promise<Result<boolean>>
  thawGuest?(): Promise<void>
  /** Resolves when it is gone: whether it closed its disks before. */
  readonly ended: Promise<'closed' | 'cut'>
}

/** Does one thing after the other. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act, act)
    this.#last = done.catch(() => undefined)
    return done
  }
}
