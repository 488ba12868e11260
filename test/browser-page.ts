// A page of a real Chromium that keeps every complaint: console errors, faults, refusals of the policy, requests to
// strangers; and the accessibility check of what it shows.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { relay } from './browser-relay.ts'
import { CROFT_ROOT } from './browser-server.ts'

const CHROMIUM = '/usr/bin/chromium'
/** Two cores that run other tests, too. */
const START_MS = 120_000
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // Where /dev/shm is small, a page that does not fit would crash.
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** What the browser notes by itself when somebody goes to another page faster than a connection is made. */
const LEFT_EARLY = /WebSocket is closed before the connection is established/

export interface TestBrowser {
  readonly browser: Browser
  close(): Promise<void>
}

/** A browser whose whole network is the server at `url`. */
export async function startBrowser(url: string): Promise<TestBrowser> {
  const port = Number(new URL(url).port)
  const folder = await mkdtemp(join(tmpdir(), 'croft-browser-'))
  const path = join(folder, 'relay.sock')
  const outer = relay({ path }, () => connect(port, '127.0.0.1'))
  const script = join(folder, 'chromium')
  const inner = `"${process.execPath}" "${join(import.meta.dirname, 'browser-relay.ts')}" ${port} "${path}"`
  // The pipes of the browser's remote control, 3 and 4, are not for the relay: they must end with the browser.
  const inside = `ip link set lo up && { ${inner} 3<&- 4>&- & exec ${CHROMIUM} "$@"; }`
  await writeFile(script, `#!/bin/sh\nexec unshare --net sh -c '${inside}' sh "$@"\n`, { mode: 0o700 })
  const browser = await chromium.launch({ executablePath: script, args: FLAGS, timeout: START_MS })
  const close = async (): Promise<void> => {
    await browser.close()
    outer.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { browser, close }
}

export interface WatchedPage {
  readonly page: Page
  readonly complaints: string[]
}

export interface PageWish {
  readonly url: string
  readonly language?: 'en' | 'zh-Hans'
  readonly theme?: 'light' | 'dark'
}

export async function openPage(browser: Browser, wish: PageWish): Promise<WatchedPage> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    baseURL: wish.url,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    if (isComplaint && !LEFT_EARLY.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error.stack)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    const isOwn = protocol === 'data:' || protocol === 'blob:' || origin === new URL(wish.url).origin
    if (!isOwn) complaints.push(`a request to a stranger: ${request.url()}`)
  })
  await page.exposeFunction('croftViolation', (text: string) => void complaints.push(`policy: ${text}`))
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      croftViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber))`,
  })
  return { page, complaints }
}

export type PageTheme = 'light' | 'dark' | 'contrast'

export async function prefer(page: Page, language: 'en' | 'zh-Hans', theme: PageTheme): Promise<void> {
  await page.evaluate(
    (text) => localStorage.setItem('croft.preferences', text),
    JSON.stringify({ language, theme }),
  )
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

let axeSource: string | undefined

/** Throws with every violation on the page as it is. */
export async function checkAccessible(page: Page, what: string): Promise<void> {
  await runAxe(page, what, { resultTypes: ['violations'], preload: false })
}

/** Throws with every violation of what another theme can change: colours, and links that only a colour tells. */
export async function checkColours(page: Page, theme: PageTheme, what: string): Promise<void> {
  await page.evaluate(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`)
  const runOnly = ['color-contrast', 'link-in-text-block']
  await runAxe(page, `${what} in ${theme}`, { resultTypes: ['violations'], preload: false, runOnly })
}

/** What was read out names its button for some seconds, also when that has gone: it is left out. */
async function runAxe(page: Page, what: string, options: object): Promise<void> {
  axeSource ??= await readFile(join(CROFT_ROOT, 'ui/node_modules/axe-core/axe.min.js'), 'utf8')
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource)
  const run = `axe.run({ exclude: [['[data-live-announcer]']] }, ${JSON.stringify(options)})`
  const { violations } = (await page.evaluate(run)) as AxeResult
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((n) => `  ${n.html}\n  ${n.failureSummary}`).join('\n')}`,
  )
  assert.deepEqual(found, [], `${what} is not accessible:\n${found.join('\n')}`)
}
