// Keeps a volume's guest alive: hears of I/O errors from QEMU, asks the members from time to time, and repairs when
// one fails or falls silent. A hung replica makes no error, so only asking finds it.
import { isObject } from '../../base/json.ts'
import { failed, type Result } from '../../base/result.ts'
import { type BackoffShape, backoffMs } from '../../client/backoff.ts'
import type { Host } from '../../host/host.ts'
import type { QmpEvent } from '../qmp/qmp.ts'
import { type LiveVolume, type RepairOutcome, repairVolume, type Trouble } from './change-epoch.ts'
import { seeDisk } from './engine-qemu.ts'
import { type EpochRecord, exportName, servingMembers } from './epoch/record.ts'
import type { SwapFailure } from './swap.ts'

export interface WatchLimits {
  /** Between two rounds of asking. Milliseconds. */
  readonly askEveryMs: number
  /** A member silent for so long is dropped; Longhorn's engine-replica-timeout. Milliseconds. */
  readonly silentMs: number
}

export const WATCH_LIMITS: WatchLimits = { askEveryMs: 2_000, silentMs: 8_000 }

/** All disks full or all links cut: trying again at once would only spin. */
const REPAIR_BACKOFF: BackoffShape = { firstMs: 250, factor: 2, maxMs: 15_000, jitter: 0.2 }
/** A repair that held for so long was one; the next error starts a new count. Milliseconds. */
const CALM_MS = 10_000

export interface WatchOptions {
  readonly host: Host
  /** With the members as they are known now. */
  readonly volume: () => LiveVolume | Promise<LiveVolume>
  /** The record as it was committed last; undefined: not known, or another engine's. */
  readonly record: () => EpochRecord | undefined | Promise<EpochRecord | undefined>
  /** Brings the volume back to work (`repairVolume`). */
  readonly repair: (trouble: Trouble) => Promise<Result<RepairOutcome, SwapFailure>>
  readonly limits?: WatchLimits
}

export interface AloneOptions extends Omit<WatchOptions, 'repair'> {
  readonly onRepair: (
    outcome: RepairOutcome | { readonly outcome: 'failed'; readonly failure: SwapFailure },
  ) => void
}

/** A watch that repairs by itself, where nothing else changes the volume. Resolves when nothing is under way. */
export async function watchVolume(options: AloneOptions, signal: AbortSignal): Promise<void> {
  const { volume, record, onRepair } = options
  const repair = async (trouble: Trouble): Promise<Result<RepairOutcome, SwapFailure>> => {
    const now = await record()
    if (!now)
      return failed({ reason: 'RecordUnreadable', message: 'the record is not known', retry: 'later' })
    const repaired = await repairVolume(await volume(), now, trouble)
    onRepair(repaired.ok ? repaired.value : { outcome: 'failed', failure: repaired.failure })
    return repaired
  }
  await new Watch({ ...options, repair }, signal).run()
}

export class Watch {
  readonly #options: WatchOptions
  readonly #signal: AbortSignal
  readonly #limits: WatchLimits
  readonly #silentSince = new Map<string, number>()
  readonly #suspects = new Set<string>()
  /** Suspects only as long as they go on saying nothing: a host that was cut off itself finds all others well again. */
  readonly #silent = new Set<string>()
  #looked = false
  #error = false
  /** A swap was cut off: it is carried on, but nothing failed. */
  #unfinished = false
  #wake: () => void = () => undefined
  #attempts = 0
  #repairedAt = Number.NEGATIVE_INFINITY

  constructor(options: WatchOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#limits = options.limits ?? WATCH_LIMITS
  }

  /** Somebody knows that this replica is lost. */
  suspect(replica: string): void {
    this.#suspects.add(replica)
    this.#wake()
  }

  /** Watches until the signal aborts; resolves when nothing is under way any more. */
  async run(): Promise<void> {
    const { qemu } = await this.#options.volume()
    const unsubscribe = qemu?.onEvent((event) => this.#hear(event))
    await this.#look()
    const onAbort = (): void => this.#wake()
    this.#signal.addEventListener('abort', onAbort)
    while (!this.#signal.aborted) {
      await this.#ask()
      if (this.#isTroubled()) await this.#repair()
      if (!this.#isTroubled()) await this.#pause(this.#limits.askEveryMs)
      await this.#look()
    }
    this.#signal.removeEventListener('abort', onAbort)
    unsubscribe?.()
  }

  #isTroubled(): boolean {
    return this.#error || this.#unfinished || this.#suspects.size + this.#silent.size > 0
  }

  /** What happened while nobody listened: QEMU and the record tell it. A guest that runs has no trouble. */
  async #look(): Promise<void> {
    const volume = await this.#options.volume()
    if (!volume.qemu || this.#signal.aborted) return
    const status = await volume.qemu.execute('query-status')
    if (status.ok && isObject(status.value) && status.value['running'] === true && this.#looked) return
    const disk = await seeDisk(volume.qemu, volume.disk)
    if (!disk.ok) return
    this.#looked = true
    const record = await this.#options.record()
    if (!record) return
    const wanted = servingMembers(record).map((member) => exportName(member, record.epoch))
    const present = disk.value.current?.children.map((child) => child.exportName) ?? []
    if (disk.value.failed && disk.value.status === 'io-error') this.#error = true
    if (wanted.length !== present.length || !wanted.every((name) => present.includes(name)))
      this.#unfinished = true
    if (disk.value.status === 'paused' && !volume.keepPaused) this.#unfinished = true
  }

  /** Events are rate limited, so one is only a hint: what is wrong is found by asking. */
  #hear({ event, data }: QmpEvent): void {
    if (event !== 'QUORUM_REPORT_BAD' && event !== 'QUORUM_FAILURE' && event !== 'BLOCK_IO_ERROR') return
    if (event === 'BLOCK_IO_ERROR' && data['action'] !== 'stop') return
    void this.#blame(String(data['node-name'] ?? ''), event)
  }

  async #blame(node: string, event: string): Promise<void> {
    const volume = await this.#options.volume()
    const disk = volume.qemu && (await seeDisk(volume.qemu, volume.disk))
    if (!disk?.ok) return
    const { current, topNode } = disk.value
    const child = current?.children.find((one) => one.name === node)
    if (!child && node !== topNode) return
    this.#error = true
    if (event === 'QUORUM_REPORT_BAD' && child) {
      const guilty = volume.members.find((member) => child.exportName.startsWith(`${member.replica}-`))
      if (guilty) this.#suspects.add(guilty.replica)
    }
    this.#wake()
  }

  /** Members that did not answer for too long are suspects, whatever QEMU believes. */
  async #ask(): Promise<void> {
    const { host, volume, record } = this.#options
    const [{ members }, now] = await Promise.all([volume(), record()])
    if (!now) return
    await Promise.all(
      servingMembers(now).map(async ({ replica }) => {
        const member = members.find((one) => one.replica === replica)
        const asked = host.clock.monotonic()
        const seen = await member?.ask(this.#limits.askEveryMs)
        if (seen?.state === 'present') {
          this.#silentSince.delete(replica)
          this.#silent.delete(replica)
          return
        }
        const since = this.#silentSince.get(replica) ?? asked
        this.#silentSince.set(replica, since)
        if (host.clock.monotonic() - since >= this.#limits.silentMs) this.#silent.add(replica)
      }),
    )
  }

  async #repair(): Promise<void> {
    const { host, repair } = this.#options
    const silent = new Set(this.#silent)
    const suspects = new Set([...this.#suspects, ...silent])
    const failedIo = this.#error
    this.#error = false
    this.#unfinished = false
    this.#suspects.clear()
    this.#silent.clear()
    const calm = host.clock.monotonic() - this.#repairedAt > CALM_MS
    this.#attempts = calm ? 0 : this.#attempts + 1
    if (this.#attempts > 0) await this.#pause(backoffMs(REPAIR_BACKOFF, this.#attempts - 1, host.random))
    if (this.#signal.aborted) return
    const repaired = await repair({ suspects, reopen: failedIo })
    this.#repairedAt = host.clock.monotonic()
    const healthy = repaired.ok && repaired.value.outcome === 'healthy'
    if (healthy) await this.#forgetEchoes()
    for (const replica of suspects) this.#silentSince.delete(replica)
    // A reset is for whoever owns the machine; until then the same answer would only be found again.
    if (!healthy && !(repaired.ok && repaired.value.outcome === 'reset')) {
      await this.#pause(this.#limits.askEveryMs)
      this.#error ||= failedIo
      this.#unfinished ||= !failedIo && suspects.size === 0
      for (const replica of suspects) (silent.has(replica) ? this.#silent : this.#suspects).add(replica)
    }
  }

  /** Events of the error that was just repaired come late; a guest that runs has no other. */
  async #forgetEchoes(): Promise<void> {
    const volume = await this.#options.volume()
    const disk = volume.qemu && (await seeDisk(volume.qemu, volume.disk))
    if (!disk?.ok || !disk.value.running) return
    this.#error = false
    this.#suspects.clear()
  }

  #pause(ms: number): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#options.host.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}
