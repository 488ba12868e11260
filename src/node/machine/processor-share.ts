// Starts come first: a guest that has just begun to run yields the processors to the machines that are still being
// started, because its firmware can wait a second and whoever waits for a machine cannot. Without this a burst of
// machines is slowed by those of it that boot already.
import type { Host, ProcessIdentity } from '../../host/host.ts'
import { writeSetting } from './cgroup.ts'

/** Lowest and usual priority of a session's group of processes (sched(7), autogroup). */
const YIELDING_NICE = 19
const USUAL_NICE = 0
/** The same in a control group (cgroup-v2, cpu.weight; 100 is the kernel's default). */
const YIELDING_WEIGHT = 2
const USUAL_WEIGHT = 100
/** Starts follow each other by gaps up to this long within one burst. Milliseconds. */
const CALM_MS = 300
/** Nobody yields longer, however many starts follow. Milliseconds. */
const YIELD_MAX_MS = 5_000

export class ProcessorShares {
  readonly #host: Host
  readonly #yielding = new Map<ProcessIdentity, () => void>()
  #starts = 0
  #cancelCalm: (() => void) | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Work that guests which began to run a moment ago yield to. */
  async during<T>(start: () => Promise<T>): Promise<T> {
    this.#starts += 1
    this.#cancelCalm?.()
    this.#cancelCalm = undefined
    try {
      return await start()
    } finally {
      this.#starts -= 1
      this.#calmSoon()
    }
  }

  /** To be called when the guest begins to run. It has its usual share again once no start is under way. */
  yield(process: ProcessIdentity): void {
    void setShare(this.#host, process, 'yielding')
    const cancel = this.#host.clock.after(YIELD_MAX_MS, () => this.#restore(process))
    this.#yielding.set(process, cancel)
    this.#calmSoon()
  }

  /** The usual share, for a machine that was found again: we may have ended while it yielded. */
  usual(process: ProcessIdentity): Promise<void> {
    return setShare(this.#host, process, 'usual')
  }

  /** Gives all their usual share. */
  close(): void {
    this.#cancelCalm?.()
    for (const process of [...this.#yielding.keys()]) this.#restore(process)
  }

  #calmSoon(): void {
    if (this.#starts > 0 || this.#yielding.size === 0 || this.#cancelCalm) return
    this.#cancelCalm = this.#host.clock.after(CALM_MS, () => {
      this.#cancelCalm = undefined
      for (const process of [...this.#yielding.keys()]) this.#restore(process)
    })
  }

  #restore(process: ProcessIdentity): void {
    this.#yielding.get(process)?.()
    this.#yielding.delete(process)
    void setShare(this.#host, process, 'usual')
  }
}

/**
 * A host without the one knows the other; where a process has left its session's group for a control group of version
 * 1 it keeps that one's share. What cannot be set is left: it costs a burst some time and nothing else.
 */
async function setShare(host: Host, { pid }: ProcessIdentity, share: 'yielding' | 'usual'): Promise<void> {
  const nice = share === 'yielding' ? YIELDING_NICE : USUAL_NICE
  const weight = share === 'yielding' ? YIELDING_WEIGHT : USUAL_WEIGHT
  const groups = await host.files.readText(`/proc/${pid}/cgroup`)
  const own = groups.ok ? /^0::(\/.*croft.*)$/m.exec(groups.value)?.[1] : undefined
  await Promise.all([
    writeSetting(host, `/proc/${pid}/autogroup`, String(nice)),
    ...(own === undefined ? [] : [writeSetting(host, `/sys/fs/cgroup${own}/cpu.weight`, String(weight))]),
  ])
}
