// Five thousand machines in a real browser, by keyboard alone where a person would; and what a user sees who may only
// look at one project. No guests run here.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ADMIN_TOKEN } from '../api-fixture.ts'
import {
  checkAccessible,
  openPage,
  startBrowser,
  type TestBrowser,
  type WatchedPage,
} from '../browser-page.ts'
import { ensureInterface, whyNoBrowser } from '../browser-server.ts'
import { framesWhileScrolling } from './frames.ts'
import { go } from './go.ts'
import { firstLogin, PASSWORD } from './log-in.ts'
import { MANY_NAMESPACE, type ManyServer, machineName, startMany } from './many.ts'

const MACHINES = 5_000
const SOON_MS = 60_000
/** Only so many rows are there at once, however long the list is. */
const ROWS_MAX = 80

describe('long lists', { skip: whyNoBrowser(), timeout: 600_000 }, () => {
  let server: ManyServer
  let browser: TestBrowser
  let watched: WatchedPage
  let page: Page

  before(async () => {
    await ensureInterface()
    server = await startMany(MACHINES)
    browser = await startBrowser(server.url)
    watched = await openPage(browser.browser, { url: server.url })
    page = watched.page
    page.setDefaultTimeout(SOON_MS)
    await firstLogin(page, server.login)
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  /** This server measures nothing, and says so. */
  const noComplaints = ({ complaints }: WatchedPage): void =>
    assert.deepEqual(
      complaints.splice(0).filter((text) => !/status of 503/.test(text)),
      [],
    )
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  test('only the rows in sight are drawn, to the last one', async () => {
    await page.goto('/machines')
    await link(machineName(0)).waitFor()
    await page.getByText(`${MACHINES} machines`).waitFor()
    assert.ok((await page.locator('tbody tr').count()) <= ROWS_MAX)
    const { perSecond } = await framesWhileScrolling(page, 2_000)
    assert.ok(perSecond > 0)
    await link(machineName(MACHINES - 1)).waitFor()
    assert.ok((await page.locator('tbody tr').count()) <= ROWS_MAX)
    noComplaints(watched)
  })

  test('a change in the API is on the screen by itself', async () => {
    await go(page, '/machines?q=vm-00007')
    await link(machineName(7)).waitFor()
    await server.change(7, 'Paused')
    await page.getByRole('row').getByText('Paused').waitFor()
    noComplaints(watched)
  })

  test('filter by column, order, choose, preview and CSV by keyboard alone', async () => {
    await go(page, '/machines')
    await link(machineName(0)).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('vm-0000 state:stopped')
    await page.getByText(`4 of ${MACHINES}`).waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.locator('th[aria-sort=descending]').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('sort'), '-name')
    await page.getByRole('checkbox', { name: `Choose ${machineName(9)}` }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('2 chosen').waitFor()
    await checkAccessible(page, 'chosen rows')
    await page.getByRole('button', { name: 'Delete', exact: true }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Delete: 2?' })
    await dialog.getByText(machineName(6)).waitFor()
    await checkAccessible(page, 'preview')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).focus()
    await page.keyboard.press('Enter')
    const text = await readFile(await (await download).path(), 'utf8')
    assert.equal(text.trim().split('\r\n').length, 5)
    assert.match(text, /vm-00009/)
    noComplaints(watched)
  })

  test('search goes to objects and pages, and keys go everywhere', async () => {
    await go(page, '/machines')
    await link(machineName(0)).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('vm-04321')
    await page.getByRole('option', { name: /vm-04321/ }).waitFor()
    await checkAccessible(page, 'search')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: machineName(4321) }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('body').press('g')
    await page.locator('body').press('i')
    await page.getByRole('heading', { name: 'Images' }).waitFor()
    await page.locator('body').press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.waitFor()
    await checkAccessible(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    noComplaints(watched)
  })

  test('who may only look sees one project, and no button that is refused works', async () => {
    const { fixture } = server
    const made = await fixture.fetch('PUT', '/v1-croft/users/guest', {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'for-one-login-only', groups: [] }),
    })
    assert.equal(made.status, 201)
    await fixture.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'look', namespace: MANY_NAMESPACE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'guest' }],
    } as never)
    const guest = await openPage(browser.browser, { url: server.url })
    guest.page.setDefaultTimeout(SOON_MS)
    await firstLogin(guest.page, { user: 'guest', password: 'for-one-login-only' }, `${PASSWORD}-too`)
    await guest.page.getByRole('button', { name: `Project: ${MANY_NAMESPACE}` }).waitFor()
    await guest.page.goto('/machines?q=vm-00003')
    await guest.page.getByRole('link', { name: machineName(3), exact: true }).waitFor()
    assert.equal(await guest.page.getByRole('link', { name: 'Create' }).count(), 0)
    assert.ok(await guest.page.getByRole('button', { name: `Start: ${machineName(3)}` }).isDisabled())
    await guest.page.getByRole('button', { name: `Actions: ${machineName(3)}` }).click()
    const remove = guest.page.getByRole('menuitem', { name: 'Delete…' })
    assert.equal(await remove.getAttribute('aria-disabled'), 'true')
    await checkAccessible(guest.page, 'list of a guest')
    // No question that would be refused was asked.
    noComplaints(guest)
    await guest.page.context().close()
  })
})
