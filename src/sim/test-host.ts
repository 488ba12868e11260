// A host without a machine, for tests of rooms that need a clock, chance, a log and figures, but no files or network.
import { type Failure, failed } from '../base/result.ts'
import type { Exec, Files, Host, Log, Net } from '../host/host.ts'
import { makeMeter } from '../host/meter.ts'
import type { SimProcess } from './process.ts'

export function hostOf(process: SimProcess, parts: Partial<Host> = {}): Host {
  return {
    clock: process.clock,
    random: process.random,
    files: parts.files ?? absent<Files>('files'),
    exec: parts.exec ?? absent<Exec>('programs'),
    net: parts.net ?? absent<Net>('network'),
    log: parts.log ?? traceLog(process),
    meter: parts.meter ?? makeMeter(),
  }
}

/** Log lines go to the trace, so a run can be read and compared. */
export function traceLog(process: SimProcess): Log {
  const line =
    (level: string) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      const { error: _stack, ...stable } = fields ?? {}
      process.world.note(process.name, `${level} ${message} ${JSON.stringify(stable)}`)
    }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

function absent<T extends object>(what: string): T {
  const failure: Failure = {
    reason: 'Absent',
    message: `this simulated host has no ${what}`,
    retry: 'never',
  }
  return new Proxy({} as T, { get: () => async () => failed(failure) })
}
