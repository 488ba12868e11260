// The agent's part: looks at this host and its machines every ten seconds and pushes what it saw. It keeps nothing but
// the way to the sink, which may be in this process or behind the API.
import type { NodeSample, SampleSink } from '../base/metrics-port.ts'
import type { Host } from '../host/host.ts'
import { STEP_MS } from './history.ts'
import { readInterfaces } from './proc.ts'
import { hostSampler } from './sample-host.ts'
import { type SampledMachine, sampleMachine } from './sample-machine.ts'

/** Machines that are asked at one time: a round shall not be a burst. */
const CONCURRENCY = 4

export interface SamplerOptions {
  readonly host: Pick<Host, 'clock' | 'files' | 'log' | 'meter'>
  readonly nodeName: string
  readonly dataFolder: string
  machines(): readonly SampledMachine[]
  readonly sink: SampleSink
}

export interface Sampler {
  /** One round. */
  sample(): Promise<NodeSample>
  /** Samples in the middle of each step, so that a late round is still in its own. Works until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export function createSampler(options: SamplerOptions): Sampler {
  const { host, nodeName, dataFolder, sink } = options
  const lookAtHost = hostSampler(host, dataFolder)

  const sample = async (): Promise<NodeSample> => {
    const { figures, netDev } = await lookAtHost()
    const machines = options.machines()
    const interfaces = machines.length === 0 ? new Map() : readInterfaces(netDev)
    const at = host.clock.now()
    const seen = await eachOf(machines, (machine) => sampleMachine(host.files, machine, interfaces))
    return { node: nodeName, at, host: figures, machines: seen.filter((one) => one !== undefined) }
  }

  return {
    sample,
    async run(signal) {
      while (!signal.aborted) {
        const now = host.clock.now()
        const next = Math.floor(now / STEP_MS) * STEP_MS + STEP_MS / 2
        await host.clock.sleep(next > now ? next - now : next + STEP_MS - now, signal).catch(() => undefined)
        if (signal.aborted) return
        const began = host.clock.monotonic()
        sink.push(await sample())
        host.meter.observe('croft_metrics_sample_seconds', (host.clock.monotonic() - began) / 1000)
      }
    },
  }
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, worker))
  return results
}
