// The web interface in a real browser: how much script the first page loads and how soon it can be used, how a list of
// 5,000 machines scrolls while 100 of them change each second, how soon a change is seen, and whether memory stays.
//   node bench/ui.ts [MINUTES of load, 1 when absent]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { framesWhileScrolling } from '../test/browser/frames.ts'
import { firstLogin } from '../test/browser/log-in.ts'
import { type ManyServer, machineName, startMany } from '../test/browser/many.ts'
import { openPage, startBrowser } from '../test/browser-page.ts'
import { CROFT_ROOT, ensureInterface } from '../test/browser-server.ts'
import { head, line, ms, quantile } from './figures.ts'

const MACHINES = 5_000
const CHANGES_PER_SECOND = 100
const SCROLL_MS = 6_000
const LOOKS = 20

async function usableMs(page: Page): Promise<number> {
  const began = performance.now()
  await page.goto('/machines')
  await page.getByRole('link', { name: machineName(0) }).waitFor()
  return performance.now() - began
}

/** Scripts and styles of the first page, packed as they travel. */
async function firstRoute(page: Page): Promise<{ readonly kib: number; readonly files: number }> {
  const urls = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )) as string[]
  const sizes = urls.map(
    (url) => gzipSync(readFileSync(join(CROFT_ROOT, 'ui/dist', new URL(url).pathname))).length,
  )
  return { kib: sizes.reduce((sum, size) => sum + size, 0) / 1024, files: urls.length }
}

function startLoad(server: ManyServer): { stop(): Promise<void>; readonly done: () => number } {
  let stopped = false
  let done = 0
  const words = ['Running', 'Stopped', 'Starting', 'Stopping', 'Paused']
  const run = async () => {
    const began = performance.now()
    while (!stopped) {
      const due = Math.floor(((performance.now() - began) * CHANGES_PER_SECOND) / 1000)
      // The first machine is the one whose changes are watched for.
      while (done < due && !stopped) {
        await server.change(1 + ((done * 37) % (MACHINES - 1)), words[done % words.length] ?? 'Running')
        done++
      }
      await sleep(5)
    }
  }
  const running = run()
  return {
    done: () => done,
    stop: async () => {
      stopped = true
      await running
    },
  }
}

/** From the change in the API to the word in the page; the page itself waits for it, so nothing is polled. */
async function seenMs(page: Page, server: ManyServer, word: string): Promise<number> {
  const seen = page.evaluate(`new Promise((resolve) => {
    const row = () => [...document.querySelectorAll('tr')].find((one) => one.textContent.includes('${machineName(0)}'))
    const look = () => {
      if (row()?.textContent.includes('${word}')) { observer.disconnect(); resolve(Date.now()) }
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    look()
  })`)
  const began = Date.now()
  await server.change(0, word)
  return Number(await seen) - began
}

async function heapMib(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 2 ** 20
}

const minutes = Number(process.argv[2] ?? 1)
await ensureInterface()
head(`web interface, ${MACHINES} machines`)
const server = await startMany(MACHINES)
const browser = await startBrowser(server.url)
try {
  const { page } = await openPage(browser.browser, { url: server.url })
  page.setDefaultTimeout(60_000)
  await firstLogin(page, server.login)
  await page.goto('/hosts')
  await page.getByRole('heading', { name: 'Hosts' }).waitFor()
  const times: number[] = []
  for (let round = 0; round < 5; round++) times.push(await usableMs(page))
  const { kib, files } = await firstRoute(page)
  line(`scripts of the first route, ${files} files, gzip`, `${kib.toFixed(0)} KiB`, '<= 280 KiB')
  line('reload of the list of machines until it can be used, median', ms(quantile(times, 0.5)), '<= 1000 ms')

  const quiet = await framesWhileScrolling(page, SCROLL_MS)
  line('scrolling through all of them, at rest', `${quiet.perSecond.toFixed(0)} frames/s`, '>= 50')
  const load = startLoad(server)
  await sleep(3_000)
  const busy = await framesWhileScrolling(page, SCROLL_MS)
  line(
    `the same under ${CHANGES_PER_SECOND} changes/s; longest frame ${busy.longestMs.toFixed(0)} ms`,
    `${busy.perSecond.toFixed(0)} frames/s`,
    '>= 50',
  )
  await page.evaluate(`document.querySelector('.scroll').scrollTop = 0`)
  const seen: number[] = []
  for (let look = 0; look < LOOKS; look++) {
    seen.push(await seenMs(page, server, look % 2 === 0 ? 'Paused' : 'Running'))
    await sleep(100)
  }
  line('a change in the API until it is on the screen, median', ms(quantile(seen, 0.5)), '<= 200 ms')
  line('the same, one in twenty', ms(quantile(seen, 0.95)))
  const before = await heapMib(page)
  const count = load.done()
  await sleep(minutes * 60_000)
  const after = await heapMib(page)
  line(
    `memory of the page after ${minutes} min and ${load.done() - count} changes more: ${before.toFixed(0)} MiB before`,
    `${after.toFixed(0)} MiB`,
    'flat',
  )
  await load.stop()
} finally {
  await browser.close()
  await server.close()
}
