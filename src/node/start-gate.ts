// Lets few programs of this host start at one time. Starting one is work of the processors: when all of a burst start
// at once, all are ready late, and nothing is lost by letting the first be ready early.

import type { Host } from '../host/host.ts'

/** One more than there are processors, because each start waits for the disk at times. */
const MORE_THAN_PROCESSORS = 1

/** What is started; the later step goes first, so that what was begun is finished. */
export type StartStep = 'machine' | 'daemon'

export class StartGate {
  #free: number
  /** Including those that wait. */
  #running = 0
  readonly #waiting: Readonly<Record<StartStep, (() => void)[]>> = { machine: [], daemon: [] }

  constructor(width: number) {
    this.#free = width
  }

  /** Something is being started or waits for it. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  async run<T>(step: StartStep, start: () => Promise<T>): Promise<T> {
    this.#running += 1
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting[step].push(resolve))
    try {
      return await start()
    } finally {
      this.#running -= 1
      const next = this.#waiting.machine.shift() ?? this.#waiting.daemon.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}

/** How many processors the text of /proc/cpuinfo tells of; 1 where it tells of none. */
export function processorsOf(cpuinfo: string): number {
  return cpuinfo.match(/^processor\s*:/gm)?.length ?? 1
}

/** As wide as this host has processors. */
export async function startGateOf({ files }: Host): Promise<StartGate> {
  const read = await files.readText('/proc/cpuinfo')
  return new StartGate(processorsOf(read.ok ? read.value : '') + MORE_THAN_PROCESSORS)
}
