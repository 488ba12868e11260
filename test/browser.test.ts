// The web interface in a real browser against a real server with real guests: what a person does in the first hour.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { ApiError } from '../src/base/errors.ts'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'
import { sayUi } from '../ui/src/words/say.ts'
import { arrive, go, until } from './browser/go.ts'
import {
  checkAccessible,
  checkColours,
  openPage,
  prefer,
  startBrowser,
  type TestBrowser,
  type WatchedPage,
} from './browser-page.ts'
import {
  type BrowserServer,
  CROFT_ROOT,
  ensureInterface,
  startBrowserServer,
  whyNoBrowser,
} from './browser-server.ts'
import { demoImage } from './e2e/guest.ts'

const PASSWORD = 'plough-and-meadow-7'
/** Guests are emulated here, on a machine that does other things, too. */
const BOOT_MS = 180_000
const SOON_MS = 90_000
/** Where pictures go, for the eye; none are taken without it. */
const PICTURES = process.env['CROFT_SCREENSHOTS']

/** Scripts of the first page, packed. */
const FIRST_PAGE_MAX_BYTES = 280 * 1024

const USER_DATA = `#cloud-config
user: farmer
password: barley
chpasswd: {expire: false}
`

/** Run in the page: how many colours the largest canvas shows; 0 while there is none. */
const COLOURS = `(() => {
  const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => b.width - a.width)[0]
  if (!(canvas?.width > 0)) return 0
  const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height })
  const context = copy.getContext('2d')
  context.drawImage(canvas, 0, 0)
  const { data } = context.getImageData(0, 0, copy.width, copy.height)
  return new Set(new Uint32Array(data.buffer)).size
})()`

const skip = whyNoBrowser()

describe('web interface', { skip, timeout: 900_000 }, () => {
  let server: BrowserServer
  let browser: TestBrowser
  let watched: WatchedPage
  let page: Page

  before(async () => {
    await ensureInterface()
    server = await startBrowserServer()
    browser = await startBrowser(server.url)
    watched = await openPage(browser.browser, { url: server.url })
    page = watched.page
    page.setDefaultTimeout(SOON_MS)
  })
  after(async () => {
    await browser?.close()
    await server?.end()
  })

  const picture = async (name: string): Promise<void> => {
    if (PICTURES === undefined) return
    await mkdir(PICTURES, { recursive: true })
    await page.screenshot({ path: join(PICTURES, `${name}.png`) })
  }
  /** The browser itself notes every refused request: those that a flow means to provoke are named. */
  const noComplaints = (...refusals: readonly number[]): void => {
    const complaints = watched.complaints.splice(0)
    const isMeant = (text: string) => refusals.some((code) => text.includes(`status of ${code} `))
    assert.deepEqual(
      complaints.filter((text) => !isMeant(text)),
      [],
    )
  }
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

  test('a wrong password is refused in words, and too many are slowed down', async () => {
    await page.goto('/')
    await page.getByLabel('User name').fill('nobody')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('User name or password is wrong.').waitFor()
    for (let attempt = 0; attempt < 8; attempt++) {
      // While one is under way the form takes no other.
      await page.locator('button[type="submit"]').waitFor()
      const answer = page.waitForResponse((response) => response.url().endsWith('/v1-croft/login'))
      await page.getByLabel('Password', { exact: true }).press('Enter')
      if ((await answer).status() === 429) break
    }
    await page.getByText(/Too many attempts. Try again in \d+ seconds?/).waitFor()
    await checkAccessible(page, 'login')
    await picture('login')
    // The browser itself notes every refusal; nothing else may be there.
    assert.ok(
      watched.complaints.every((text) => /status of (401|429)/.test(text)),
      watched.complaints.join('\n'),
    )
    watched.complaints.length = 0
  })

  test('first login with a change of password', async () => {
    await page.goto('/')
    await page.getByLabel('User name').fill(server.login.user)
    await page.getByLabel('Password', { exact: true }).fill(server.login.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Choose a password of your own' }).waitFor()
    await checkAccessible(page, 'password change')
    await page.getByLabel('Present password').fill(server.login.password)
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('New password again').fill('something else')
    await page.keyboard.press('Enter')
    await page.getByText('The two new passwords differ.').waitFor()
    await page.getByLabel('New password again').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByText('Everything is as it should be.').waitFor()
    noComplaints()
  })

  test('the first pages load within their budget', async () => {
    for (const [path, text] of [
      ['/', 'Everything is as it should be.'],
      ['/machines', 'No virtual machines yet.'],
    ] as const) {
      await page.goto(path)
      await page.getByText(text).waitFor()
      const urls = (await page.evaluate(
        `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
      )) as string[]
      const sizes = urls.map(
        (url) => gzipSync(readFileSync(join(CROFT_ROOT, 'ui/dist', new URL(url).pathname))).length,
      )
      const total = sizes.reduce((sum, size) => sum + size, 0)
      assert.ok(
        total > 0 && total <= FIRST_PAGE_MAX_BYTES,
        `${total} bytes of script in ${urls.length} files at ${path}`,
      )
    }
  })

  test('an image is uploaded with progress', async () => {
    await page.getByRole('link', { name: 'Images' }).click()
    await page.getByRole('button', { name: 'Add image' }).click()
    await page.getByText('From a file').click()
    await page.getByLabel('File', { exact: true }).setInputFiles(await demoImage())
    assert.equal(await page.getByLabel('Name').inputValue(), 'demo')
    await checkAccessible(page, 'add image')
    await picture('add-image')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('demo is uploaded and being checked.').first().waitFor({ timeout: BOOT_MS })
    await page.getByRole('row', { name: /Ready.*demo/ }).waitFor({ timeout: BOOT_MS })
    noComplaints()
  })

  test('a machine that the API creates appears by itself, and starts and stops from the list', async () => {
    await page.getByRole('link', { name: 'Virtual machines' }).click()
    await page.getByText('No virtual machines yet.').waitFor()
    await server.client.create(VirtualMachine, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'bare', namespace: 'default' },
      spec: {
        runStrategy: 'Manual',
        template: {
          spec: { domain: { devices: {}, memory: { guest: '64Mi' } }, terminationGracePeriodSeconds: 1 },
        },
      },
    } as VirtualMachine)
    await row('bare').waitFor()
    await row('bare').getByText('Stopped').waitFor()
    await page.getByRole('button', { name: 'Start: bare' }).click()
    await row('bare').getByText('Running').waitFor({ timeout: BOOT_MS })
    await page.getByRole('button', { name: 'Actions: bare' }).click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await row('bare').getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Actions: bare' }).click()
    await page.getByRole('menuitem', { name: 'Go on' }).click()
    await row('bare').getByText('Running').waitFor()
    await page.getByRole('button', { name: 'Stop: bare' }).click()
    await row('bare').getByText('Stopped').waitFor({ timeout: BOOT_MS })
    noComplaints()
  })

  test('two fields make a machine, and by keyboard alone', async () => {
    await page.keyboard.press('Escape')
    await page.locator('body').press('c')
    await page.getByRole('heading', { name: 'Create a virtual machine' }).waitFor()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('Bad_Name')
    await page.getByRole('status').getByText('refused').waitFor()
    await page.getByLabel('Name').fill('field-01')
    await page.getByRole('status').getByText('accepted').waitFor()
    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('User data').fill(USER_DATA)
    await page.getByText('as you like').click()
    await page.getByLabel('CPUs').fill('1')
    await page.getByLabel('Memory in GiB').fill('0.25')
    await page.getByLabel('Disk in GiB').fill('1')
    await page.getByRole('status').getByText('accepted').waitFor()
    await checkAccessible(page, 'create')
    await picture('create')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'field-01' }).waitFor()
    await page.locator('.page-head').getByText('Running').waitFor({ timeout: BOOT_MS })
    noComplaints(422)
  })

  test('the serial console of the guest: log in and run a command', async () => {
    await page.getByRole('link', { name: 'Console' }).click()
    await page.getByText('Serial console', { exact: true }).click()
    await page.getByText('Connected').waitFor()
    const said = page.locator('.xterm-accessibility')
    await said
      .getByText(/login:/)
      .first()
      .waitFor({ timeout: BOOT_MS })
    await page.locator('.xterm-helper-textarea').focus()
    await page.keyboard.type('farmer\r')
    await said
      .getByText(/Password:/)
      .first()
      .waitFor()
    await page.keyboard.type('barley\r')
    await said.getByText('farmer@field-01:').first().waitFor()
    await page.keyboard.type('echo field $((6 * 7)) of $(hostname)\r')
    await said.getByText('field 42 of field-01').first().waitFor()
    await checkAccessible(page, 'serial console')
    await picture('serial')
    await page.keyboard.press('Control+Alt+Escape')
    await page.locator('.console header :focus').waitFor()
    noComplaints()
  })

  test('the screen of the guest is not blank', async () => {
    await page.getByText('Screen', { exact: true }).click()
    await page.getByText('Connected').waitFor()
    const isDrawn = async () => Number(await page.evaluate(COLOURS)) > 1
    await until(isDrawn, () => 'the screen shows one colour', BOOT_MS)
    await checkAccessible(page, 'screen')
    await picture('screen')
    noComplaints()
  })

  test('every page is accessible in both languages and in every theme', async () => {
    const paths = [
      '/',
      '/machines',
      '/machines/default/field-01',
      '/machines/create',
      ...['console?kind=serial', 'disks', 'networks', 'snapshots', 'load', 'events', 'yaml'].map(
        (tab) => `/machines/default/field-01/${tab}`,
      ),
      '/console/default/field-01?kind=serial',
      '/machines/default/not-there',
      '/images',
      '/hosts',
      `/hosts/${hostname().toLowerCase()}`,
      '/not-a-page',
    ]
    const rounds = [
      { language: 'en', theme: 'light', others: ['dark', 'contrast'] },
      { language: 'zh-Hans', theme: 'dark', others: ['light'] },
    ] as const
    for (const { language, theme, others } of rounds) {
      await prefer(page, language, theme)
      await page.reload()
      await arrive(page)
      for (const path of paths) {
        const name = `page${path.replace(/\W+/g, '-')}-${language}`
        await go(page, path)
        // A connection that is broken off while it is made is a complaint of the browser.
        if (path.includes('console'))
          await page
            .locator('.state.ok', { hasText: sayUi(language, 'console.connected') })
            .first()
            .waitFor()
        await checkAccessible(page, `${path} in ${language}, ${theme}`)
        await picture(`${name}-${theme}`)
        for (const other of others) {
          await checkColours(page, other, `${path} in ${language}`)
          await picture(`${name}-${other}`)
        }
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      }
    }
    await prefer(page, 'en', 'light')
    await page.reload()
    noComplaints()
  })

  test('a field is changed in place; a change of somebody else to the same field is shown', async () => {
    await arrive(page)
    await go(page, '/machines/default/field-01')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Description').fill('mine')
    const annotations = { 'field.cattle.io/description': 'theirs', other: 'kept' }
    await server.client.patch(
      VirtualMachine,
      'field-01',
      { metadata: { annotations } },
      { namespace: 'default' },
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('theirs').waitFor()
    await checkAccessible(page, 'conflict')
    await picture('conflict')
    await page.getByRole('button', { name: 'Save mine all the same' }).click()
    await page.getByText('field-01 is saved.').waitFor()
    const { metadata, spec } = await server.client.get(VirtualMachine, 'field-01', { namespace: 'default' })
    assert.equal(metadata.annotations?.['field.cattle.io/description'], 'mine')
    assert.equal(metadata.annotations?.['other'], 'kept')
    const seed = spec.template.spec?.volumes?.find(({ cloudInitNoCloud }) => cloudInitNoCloud !== undefined)
    assert.equal(seed?.cloudInitNoCloud?.userData, USER_DATA)
    noComplaints()
  })

  test('a machine that no host fits explains itself, on Home and on its page', async () => {
    await server.client.create(VirtualMachine, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'giant', namespace: 'default' },
      spec: {
        runStrategy: 'Always',
        template: { spec: { domain: { devices: {}, memory: { guest: '900Ti' } } } },
      },
    } as VirtualMachine)
    await go(page, '/')
    const needy = page.getByRole('region', { name: 'Needs you' })
    await needy.getByRole('link', { name: 'giant', exact: true }).waitFor()
    await needy.getByText(/Insufficient memory/).waitFor()
    await picture('home')
    await needy.getByRole('link', { name: 'giant', exact: true }).click()
    await page.getByRole('region', { name: 'What is the matter' }).getByText(/Next:/).waitFor()
    await checkAccessible(page, 'why')
    await picture('why')
    await server.client.delete(VirtualMachine, 'giant', { namespace: 'default' })
    noComplaints()
  })

  test('the server crashes in the middle of a form: one banner, nothing lost, and it goes on', async () => {
    await go(page, '/machines/create')
    await page.getByLabel('Name').fill('survivor')
    await page.getByText('as you like').click()
    await page.getByLabel('Disk in GiB').fill('1')
    await page.getByRole('status').getByText('accepted').waitFor()
    await server.crash()
    await page.getByText(/The server does not answer/).waitFor()
    assert.equal(await page.locator('.banner').count(), 1)
    await picture('banner')
    await server.again()
    await page.locator('.banner').waitFor({ state: 'detached', timeout: BOOT_MS })
    assert.equal(await page.getByLabel('Name').inputValue(), 'survivor')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'survivor' }).waitFor()
    await server.client.delete(VirtualMachine, 'survivor', { namespace: 'default' })
    await page.getByText(/There is no virtual machine “survivor”/).waitFor({ timeout: BOOT_MS })
    const complaints = watched.complaints.splice(0)
    // The browser itself notes what does not answer; nothing else may be there.
    assert.deepEqual(
      complaints.filter((text) => !/net::ERR_|WebSocket|status of (502|503)/.test(text)),
      [],
    )
  })

  test('the filter is in the address, and narrow screens keep what matters', async () => {
    await go(page, '/machines')
    await row('field-01').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('bare')
    await row('field-01').waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('q'), 'bare')
    await page.reload()
    await row('bare').waitFor()
    assert.equal(await row('field-01').count(), 0)
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    await row('field-01').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await checkAccessible(page, 'narrow list')
    await picture('narrow')
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.setViewportSize({ width: 1280, height: 800 })
    noComplaints()
  })

  test('a session that ends asks for the password over the page and goes on', async () => {
    await page.context().clearCookies()
    // A watch that begins anew may notice before this does.
    await page
      .getByRole('button', { name: 'Start: bare' })
      .click({ timeout: 2_000 })
      .catch(() => undefined)
    await page.getByText(/Your session is over/).waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(/Your session is over/).waitFor({ state: 'detached' })
    await row('bare').waitFor()
    noComplaints(401, 403)
  })

  test('a machine is deleted together with its disk, after a question', async () => {
    await go(page, '/machines')
    await page.getByRole('button', { name: 'Actions: field-01' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete field-01?' })
    await dialog.getByText('field-01-rootdisk').waitFor()
    await checkAccessible(page, 'delete')
    await picture('delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row('field-01').waitFor({ state: 'detached', timeout: BOOT_MS })
    await assert.rejects(
      server.client.get(VirtualMachine, 'field-01', { namespace: 'default' }),
      (error) => error instanceof ApiError && error.code === 404,
    )
    noComplaints()
  })

  test('logging out leads to the login, and back needs the password', async () => {
    await page.getByRole('button', { name: 'Account admin' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in to Croft' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Log in to Croft' }).waitFor()
    noComplaints()
  })
})
