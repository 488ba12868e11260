// How the tests get about: to another page of the interface that is open already, as a press on a link does, and until
// something holds that no element tells by itself.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { sayUi } from '../../ui/src/words/say.ts'

/** Two cores that run other tests, too. */
const THERE_MS = 60_000
const LOOK_EVERY_MS = 100

/** Run in the page: the router has arrived where the address says, and nothing there is still to come. */
const IS_THERE = `((loading) => {
  const router = self.__TSR_ROUTER__
  const at = router?.state.resolvedLocation?.href
  if (at === undefined || router.state.isLoading || at !== router.history.location.href) return 'the page is not there'
  if (!document.querySelector('h1')) return 'no heading'
  if (document.querySelector('main [data-liveness=loading]')) return 'a list is loading'
  const texts = [...document.querySelectorAll('main p, main span, main td')].map(({ textContent }) => textContent)
  return texts.some((text) => loading.includes(text)) ? 'something is loading' : ''
})`

/** Throws with what is missing. Far quicker than loading everything again. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`void self.__TSR_ROUTER__.history.push(${JSON.stringify(path)})`)
  await arrive(page)
}

/** After a page was loaded, or another one was gone to. */
export async function arrive(page: Page): Promise<void> {
  const loading = JSON.stringify([sayUi('en', 'app.loading'), sayUi('zh-Hans', 'app.loading')])
  let missing = ''
  await until(
    async () => {
      missing = String(await page.evaluate(`${IS_THERE}(${loading})`))
      return missing === ''
    },
    () => `${page.url()}: ${missing}`,
  )
}

/** Asks again and again until it is so. */
export async function until(
  holds: () => Promise<boolean>,
  what: () => string,
  timeoutMs = THERE_MS,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await holds())) {
    assert.ok(performance.now() < end, `not within ${timeoutMs / 1000} s: ${what()}`)
    await sleep(LOOK_EVERY_MS)
  }
}
