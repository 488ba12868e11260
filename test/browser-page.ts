// A page of a real Chromium that keeps every complaint: console errors, faults, refusals of the policy, requests to
// strangers; and the accessibility check of what it shows.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { CROFT_ROOT } from './browser-server.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
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
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
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

export async function prefer(page: Page, language: 'en' | 'zh-Hans', theme: 'light' | 'dark'): Promise<void> {
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
  axeSource ??= await readFile(join(CROFT_ROOT, 'ui/node_modules/axe-core/axe.min.js'), 'utf8')
  await page.evaluate(axeSource)
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  )) as AxeResult
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((n) => `  ${n.html}\n  ${n.failureSummary}`).join('\n')}`,
  )
  assert.deepEqual(found, [], `${what} is not accessible:\n${found.join('\n')}`)
}
