// The real host: what main.ts hands to every room. Nothing else in the house touches the machine.
import type { Host } from '../host.ts'
import { makeMeter, type ReadableMeter } from '../meter.ts'
import { realClock } from './clock.ts'
import { realExec } from './exec.ts'
import { realFiles } from './files.ts'
import { type LogOptions, makeLog } from './log.ts'
import { httpListener } from './net-http.ts'
import { request } from './net-request.ts'
import { dial, listenStream } from './net-stream.ts'
import { openWebSocket } from './net-websocket.ts'
import { realRandom } from './random.ts'

export interface RealHost extends Host {
  readonly meter: ReadableMeter
}

export interface RealHostOptions {
  readonly log: LogOptions
}

export function realHost(options: RealHostOptions): RealHost {
  const log = makeLog(options.log)
  return {
    clock: realClock,
    random: realRandom,
    files: realFiles,
    exec: realExec(),
    net: { listenHttp: httpListener(log), request, openWebSocket, dial, listenStream },
    log,
    meter: makeMeter(),
  }
}
