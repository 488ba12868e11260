// How long from exec until the API answers, empty and with 5,000 objects stored, against Node alone.
// Run: node bench/start.ts [OBJECTS]
import { execFileSync } from 'node:child_process'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'
import { head, line, ms, quantile, usageOf } from './figures.ts'
import { fill } from './objects.ts'
import { makeServer } from './server.ts'

const OBJECTS = Number(process.argv[2] ?? 5000)
const STARTS = 5
const LISTS = 20

head('start')
const server = await makeServer()
try {
  const bare: number[] = []
  for (let number = 0; number < STARTS; number += 1) {
    const began = performance.now()
    execFileSync(process.execPath, ['-e', ''])
    bare.push(performance.now() - began)
  }
  line('node alone', ms(quantile(bare, 0.5)))
  const first = await server.start()
  line('API ready, very first start (makes keys and certificates)', ms(first.apiMs))
  await server.stop('SIGTERM')
  const restart = async (what: string, goal?: string): Promise<void> => {
    const starts: { apiMs: number; allMs: number }[] = []
    for (let number = 0; number < STARTS; number += 1) {
      starts.push(await server.start())
      if (number < STARTS - 1) await server.stop('SIGTERM')
    }
    const api = starts.map(({ apiMs }) => apiMs)
    line(
      `API ready, ${what}, median of ${STARTS}`,
      `${ms(quantile(api, 0.5))}, worst ${ms(Math.max(...api))}`,
      goal,
    )
    line(
      `everything started, ${what}, median`,
      ms(
        quantile(
          starts.map(({ allMs }) => allMs),
          0.5,
        ),
      ),
    )
    line(`memory just after, ${what}`, `${usageOf(server.pid).rssMiB.toFixed(0)} MiB RSS`)
  }
  await restart('nothing stored')
  const began = performance.now()
  await fill(server.client, OBJECTS)
  line(
    `making ${OBJECTS} objects over HTTPS`,
    `${(OBJECTS / ((performance.now() - began) / 1000)).toFixed(0)} /s`,
  )
  const lists: number[] = []
  for (let number = 0; number < LISTS; number += 1) {
    const from = performance.now()
    await server.client.list(VirtualMachine, { namespace: 'default' })
    lists.push(performance.now() - from)
  }
  line(`list of ${OBJECTS / 5} halted machines over HTTPS, median of ${LISTS}`, ms(quantile(lists, 0.5)))
  await server.stop('SIGTERM')
  await restart(`${OBJECTS} objects`, '<= 1 s')
} finally {
  await server.end()
}
