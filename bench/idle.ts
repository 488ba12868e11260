// What croft costs while nothing happens: memory and processor time over a minute, empty and with objects stored.
// Run: node bench/idle.ts [OBJECTS] [SECONDS]
import { setTimeout as sleep } from 'node:timers/promises'
import { head, line, usageOf } from './figures.ts'
import { fill } from './objects.ts'
import { makeServer } from './server.ts'

const OBJECTS = Number(process.argv[2] ?? 5000)
const SECONDS = Number(process.argv[3] ?? 60)
/** Just after its start a process still compiles and collects. */
const SETTLE_MS = 15_000

head('idle')
const server = await makeServer()
const rest = async (what: string, goal?: string): Promise<void> => {
  await sleep(SETTLE_MS)
  const before = usageOf(server.pid)
  await sleep(SECONDS * 1000)
  const after = usageOf(server.pid)
  const share = ((after.cpuSeconds - before.cpuSeconds) / SECONDS) * 100
  line(
    `memory, ${what}`,
    `${after.rssMiB.toFixed(0)} MiB RSS, of which ${after.anonymousMiB.toFixed(0)} MiB its own`,
    goal && '<= 120 MiB',
  )
  line(`processor, ${what}, over ${SECONDS} s`, `${share.toFixed(2)} % of a core`, goal && '<= 0.5 %')
}
try {
  await server.start()
  await rest('nothing stored', 'yes')
  if (OBJECTS > 0) {
    await fill(server.client, OBJECTS)
    await rest(`after making ${OBJECTS} objects`)
    await server.stop('SIGTERM')
    await server.start()
    await rest(`${OBJECTS} objects, started anew`)
  }
} finally {
  await server.end()
}
