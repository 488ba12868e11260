// How the benchmarks print and what they read from /proc.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'

/** Clock ticks a second in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

export function line(what: string, figure: string, goal?: string): void {
  console.log(`${what.padEnd(64)}${figure}${goal === undefined ? '' : `   (goal: ${goal})`}`)
}

/** The neighbours of a run matter as much as the run. */
export function head(what: string): void {
  console.log(`${what}; load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const ms = (value: number): string => `${value.toFixed(0)} ms`

export interface Usage {
  readonly rssMiB: number
  /** Memory that is not shared with a file: what the process really costs. */
  readonly anonymousMiB: number
  readonly cpuSeconds: number
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    rssMiB: kib('VmRSS') / 1024,
    anonymousMiB: kib('RssAnon') / 1024,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  }
}
