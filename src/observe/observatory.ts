// What this server knows of load: takes samples of all nodes, keeps a day of them, answers questions, and writes history
// to the data folder every few minutes. One a server; it holds no timer of its own but the one `run` sleeps on.
import type { Latest, MetricsView, NodeSample, Range, SampleSink, Subject } from '../base/metrics-port.ts'
import type { Host } from '../host/host.ts'
import { readArchive, writeArchive } from './archive.ts'
import { History, type HistoryOptions, KEPT_MS, STEP_MS } from './history.ts'
import { METRICS } from './metrics.ts'
import { pointsOf } from './rates.ts'

/** A restart without warning loses at most this much. */
export const SAVE_EVERY_MS = 5 * 60_000
/** A node that was silent for longer is not shown as present. */
const FRESH_MS = 60_000
/** Nodes and subjects whose last values are held; more would be names made up by somebody. */
const NODES_MAX = 1_000

export interface Observatory extends SampleSink, MetricsView {
  /** Bytes that history takes in memory. */
  readonly sizeBytes: number
  /** Reads what was kept, then writes it now and then until the signal aborts, and once more. */
  run(signal: AbortSignal): Promise<void>
}

export interface ObservatoryOptions extends HistoryOptions {
  readonly host: Pick<Host, 'clock' | 'files' | 'log' | 'meter'>
  readonly folder: string
}

export function createObservatory(options: ObservatoryOptions): Observatory {
  const { host, folder } = options
  const history = new History(options)
  const last = new Map<string, NodeSample>()
  const present = new Map<string, Latest>()
  let saved = 0

  const isFresh = (at: number): boolean => host.clock.now() - at <= FRESH_MS

  const save = async (): Promise<void> => {
    const { openNumber } = history
    const trouble = await writeArchive(host.files, folder, history.blocks(), saved)
    if (trouble === undefined) saved = openNumber
    else host.log.warn('the history of load was not written', { folder, why: trouble })
  }

  const forget = (): void => {
    for (const [key, { at }] of present) if (!isFresh(at)) present.delete(key)
    for (const [node, { at }] of last) if (!isFresh(at)) last.delete(node)
  }

  return {
    stepMs: STEP_MS,
    keptMs: options.keptMs ?? KEPT_MS,
    get sizeBytes() {
      return history.sizeBytes
    },
    push(sample) {
      const now = host.clock.now()
      const before = last.get(sample.node)
      if (before && before.at >= sample.at) return
      if (!before && last.size >= NODES_MAX) return
      last.set(sample.node, sample)
      for (const { subject, values } of pointsOf(before, sample)) {
        history.add(subject, sample.at, now, values)
        present.set(keyOf(subject), { subject, at: sample.at, values: named(subject, values) })
      }
      forget()
      host.meter.gauge('croft_metrics_history_bytes', history.sizeBytes)
    },
    range: (subject, wish): Range => history.range(subject, wish),
    latest(subject) {
      const found = present.get(keyOf(subject))
      return found && isFresh(found.at) ? found : undefined
    },
    samples: () => [...last.values()].filter(({ at }) => isFresh(at)),
    async run(signal) {
      history.restore(await readArchive(host.files, folder), host.clock.now())
      saved = history.openNumber
      while (!signal.aborted) {
        await host.clock.sleep(SAVE_EVERY_MS, signal).catch(() => undefined)
        await save()
      }
    },
  }
}

function keyOf({ type, id }: Subject): string {
  return `${type}/${id}`
}

function named({ type }: Subject, values: readonly (number | undefined)[]): Latest['values'] {
  return Object.fromEntries(
    METRICS[type].flatMap(({ name }, index) => {
      const value = values[index]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
