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
const CALM_MS = 400
/** How often it is looked whether starts are under way, while anybody yields. Milliseconds. */
const LOOK_MS = 100
/** Nobody yields longer, however many starts follow. Milliseconds. */
const YIELD_MAX_MS = 5_000

export class ProcessorShares {
  readonly #host: Host
  readonly #starts: { readonly isBusy: boolean }
  /** With the time until which each yields at most, by the monotonic clock. */
  readonly #yielding = new Map<ProcessIdentity, number>()
  #busyAtMs = 0
  #cancelLook: (() => void) | undefined

  constructor(host: Host, starts: { readonly isBusy: boolean }) {
    this.#host = host
    this.#starts = starts
  }

  /** To be called when the guest begins to run. It has its usual share again once no start is under way. */
  yield(process: ProcessIdentity): void {
    void setShare(this.#host, process, 'yielding')
    const now = this.#host.clock.monotonic()
    this.#busyAtMs = now
    this.#yielding.set(process, now + YIELD_MAX_MS)
    this.#cancelLook ??= this.#host.clock.after(LOOK_MS, () => this.#look())
  }

  /** The usual share, for a machine that was found again: we may have ended while it yielded. */
  usual(process: ProcessIdentity): Promise<void> {
    return setShare(this.#host, process, 'usual')
  }

  /** Gives all their usual share. */
  close(): void {
    this.#cancelLook?.()
    this.#cancelLook = undefined
    for (const process of this.#yielding.keys()) this.#restore(process)
  }

  #look(): void {
    const now = this.#host.clock.monotonic()
    if (this.#starts.isBusy) this.#busyAtMs = now
    const isCalm = now - this.#busyAtMs >= CALM_MS
    for (const [process, untilMs] of this.#yielding) if (isCalm || now >= untilMs) this.#restore(process)
    this.#cancelLook =
      this.#yielding.size > 0 ? this.#host.clock.after(LOOK_MS, () => this.#look()) : undefined
  }

  #restore(process: ProcessIdentity): void {
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
