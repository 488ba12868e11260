// The pages beside machines, images and hosts in a real browser against a real server: each is accessible in both
// languages and themes, makes, changes and deletes what it is for, and offers nobody what they may not do.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import {
  checkAccessible,
  openPage,
  prefer,
  startBrowser,
  type TestBrowser,
  type WatchedPage,
} from '../browser-page.ts'
import { type BrowserServer, ensureInterface, startBrowserServer, whyNoBrowser } from '../browser-server.ts'
import { arrive, go } from './go.ts'
import { firstLogin } from './log-in.ts'

/** Two cores that run other tests, too. */
const SOON_MS = 60_000
const KEY = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.alloc(36, 7)]).toString('base64')} jo@field`

const PAGES = [
  ['/volumes', 'Volumes', '卷'],
  ['/snapshots', 'Snapshots', '快照'],
  ['/templates', 'Templates', '模板'],
  ['/keys', 'SSH keys', 'SSH 密钥'],
  ['/secrets', 'Secrets and config', '密文与配置'],
  ['/secrets?kind=config', 'Secrets and config', '密文与配置'],
  ['/networks', 'Networks', '网络'],
  ['/storage-classes', 'Storage classes', '存储类'],
  ['/projects', 'Projects', '项目'],
  ['/users', 'Users and roles', '用户与角色'],
  ['/users?kind=roles', 'Users and roles', '用户与角色'],
  ['/settings', 'Settings', '设置'],
  ['/support', 'Support', '支持'],
] as const

const MACHINE = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'origin', namespace: 'default' },
  spec: {
    runStrategy: 'Halted',
    template: {
      spec: {
        domain: {
          cpu: { cores: 2 },
          memory: { guest: '1Gi' },
          devices: { interfaces: [{ name: 'default', masquerade: {} }] },
        },
        networks: [{ name: 'default', pod: {} }],
      },
    },
  },
} as unknown as VirtualMachine

const skip = whyNoBrowser()

describe('pages of single kinds', { skip, timeout: 900_000 }, () => {
  let server: BrowserServer
  let browser: TestBrowser
  let watched: WatchedPage
  let page: Page

  before(async () => {
    await ensureInterface()
    server = await startBrowserServer()
    await server.client.create(VirtualMachine, MACHINE, { namespace: 'default' })
    browser = await startBrowser(server.url)
    watched = await openPage(browser.browser, { url: server.url })
    page = watched.page
    page.setDefaultTimeout(SOON_MS)
    await firstLogin(page, server.login)
  })
  after(async () => {
    await browser?.close()
    await server?.end()
  })

  /** The browser itself notes every refused request: those that a flow means to provoke are named. */
  const noComplaints = (...refusals: readonly number[]): void => {
    const isMeant = (text: string) => refusals.some((code) => text.includes(`status of ${code} `))
    assert.deepEqual(
      watched.complaints.splice(0).filter((text) => !isMeant(text)),
      [],
    )
  }
  const dialog = () => page.getByRole('alertdialog')
  const submit = async (): Promise<void> => {
    await dialog().locator('button[type=submit]').click()
  }
  const done = async (): Promise<void> => {
    await submit()
    await dialog().waitFor({ state: 'detached' })
  }
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  const gone = (name: string) => row(name).waitFor({ state: 'detached' })
  const remove = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: `Delete: ${name}` }).click()
    await done()
    await gone(name)
  }
  /** By its key, once the server has said that it may be done. */
  const create = async (label: string): Promise<void> => {
    await page.getByRole('button', { name: label }).first().waitFor()
    await page.keyboard.press('c')
    await dialog().waitFor()
  }
  const open = async (path: string, title: string): Promise<void> => {
    await go(page, path)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }

  for (const [language, theme] of [
    ['en', 'light'],
    ['zh-Hans', 'dark'],
  ] as const)
    test(`every page is accessible: ${language}, ${theme}`, async () => {
      await prefer(page, language, theme)
      await page.reload()
      await arrive(page)
      for (const [path, en, zh] of PAGES) {
        await open(path, language === 'en' ? en : zh)
        const live = page.locator('[data-liveness=live]')
        if (path !== '/support') await live.first().waitFor()
        await checkAccessible(page, `${path} in ${language}, ${theme}`)
      }
      await prefer(page, 'en', 'light')
      await page.reload()
      await arrive(page)
      noComplaints()
    })

  test('a volume is made, grows and goes', async () => {
    await open('/volumes', 'Volumes')
    await page.getByText('No volumes yet.').waitFor()
    await create('Create volume')
    await dialog().getByLabel('Name').fill('data')
    await dialog().getByLabel('Size in GiB').fill('0')
    await submit()
    await dialog().getByText('This must be a number above zero.').waitFor()
    await dialog().getByLabel('Name').fill('Data')
    await dialog().getByLabel('Size in GiB').fill('1')
    await submit()
    // The server's own message stands at the field that it names.
    await dialog().locator('.field', { hasText: 'Name' }).getByRole('alert').first().waitFor()
    await checkAccessible(page, 'a refused volume')
    await dialog().getByLabel('Name').fill('data')
    await done()
    await row('data').getByText('1 GiB').waitFor()
    await page.getByRole('button', { name: 'Expand: data' }).click()
    await dialog().getByLabel('Size in GiB').fill('0.5')
    await submit()
    await dialog()
      .getByText(/can not be less/)
      .waitFor()
    await dialog().getByLabel('Size in GiB').fill('2')
    await done()
    await row('data').getByText('2 GiB').waitFor()
    await page.getByRole('link', { name: 'data', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'data' }).waitFor()
    await page.getByText('No machine uses it.').waitFor()
    await page.getByRole('link', { name: 'YAML' }).click()
    await page.getByText('kind: PersistentVolumeClaim').waitFor()
    await checkAccessible(page, 'the YAML of a volume')
    await open('/volumes', 'Volumes')
    await remove('data')
    noComplaints(422)
  })

  test('a key is added, replaced and deleted; a private one is not even sent', async () => {
    await open('/keys', 'SSH keys')
    await create('Add SSH key')
    await dialog().getByLabel('Name').fill('laptop')
    await dialog().getByLabel('Public key').fill('-----BEGIN OPENSSH PRIVATE KEY-----')
    await submit()
    await dialog()
      .getByText(/is a private key/)
      .waitFor()
    await dialog().getByLabel('Public key').fill(KEY)
    await done()
    await page.getByRole('link', { name: 'laptop', exact: true }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog().getByLabel('Public key').fill(KEY.replace('jo@field', 'jo@barn'))
    await done()
    await page.getByText('jo@barn').first().waitFor()
    await checkAccessible(page, 'a key')
    await open('/keys', 'SSH keys')
    await remove('laptop')
    noComplaints()
  })

  test('a secret is made, shown, changed by one value and deleted', async () => {
    await open('/secrets', 'Secrets and config')
    await create('Create secret')
    await dialog().getByLabel('Name').fill('login')
    await dialog().getByLabel('Type').selectOption('kubernetes.io/basic-auth')
    await dialog().getByLabel('Value').first().fill('jo')
    await dialog().getByLabel('Value').nth(1).fill('barley')
    await done()
    await page.getByRole('link', { name: 'login', exact: true }).click()
    assert.equal(await page.getByText('barley').count(), 0)
    await page.getByRole('button', { name: 'Show: password' }).click()
    await page.getByText('barley').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog().getByLabel('Value').nth(1).fill('oats')
    await done()
    await page.getByText('oats').waitFor()
    await page.getByRole('button', { name: 'Show: username' }).click()
    await page.getByText('jo', { exact: true }).waitFor()
    await checkAccessible(page, 'a secret')
    await open('/secrets', 'Secrets and config')
    await remove('login')
    noComplaints()
  })

  test('a project is made with its share, which is changed', async () => {
    await open('/projects', 'Projects')
    await create('Create project')
    for (const name of ['payments', 'short-lived']) {
      if (name !== 'payments') await page.getByRole('button', { name: 'Create project' }).first().click()
      await dialog().getByLabel('Name').fill(name)
      await dialog().getByLabel('Memory in GiB').fill('16')
      await done()
    }
    await page.getByRole('link', { name: 'payments', exact: true }).click()
    await page.getByText('0 B of 16 GiB').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog().getByLabel('Memory in GiB').fill('8')
    await done()
    await page.getByText('0 B of 8 GiB').waitFor()
    await checkAccessible(page, 'a project')
    await open('/projects', 'Projects')
    await page.getByRole('button', { name: 'Delete: short-lived' }).click()
    await submit()
    await dialog().getByText('This is not “short-lived”.').waitFor()
    await dialog().getByLabel(/^Type/).fill('short-lived')
    await done()
    await gone('short-lived')
    noComplaints()
  })

  test('a template is written down from a machine, gets a second version and goes', async () => {
    await open('/templates', 'Templates')
    await create('Create template')
    await dialog().getByLabel('Name').fill('web')
    await dialog().getByText('A machine', { exact: true }).click()
    await dialog().getByRole('combobox', { name: 'Machine' }).selectOption({ label: 'origin · default' })
    await done()
    await page.getByRole('link', { name: 'web', exact: true }).click()
    await page.getByText('Version 1').first().waitFor()
    await page.getByRole('button', { name: 'New version' }).click()
    await dialog().getByText('A machine', { exact: true }).click()
    await dialog().getByRole('combobox', { name: 'Machine' }).selectOption({ label: 'origin · default' })
    await done()
    await page.getByRole('button', { name: 'Make it the default version: Version 2' }).click()
    await page.getByText('Version 2 is the default now.').waitFor()
    await checkAccessible(page, 'a template')
    await open('/templates', 'Templates')
    await remove('web')
    noComplaints()
  })

  test('a machine is kept as a whole, put back, and made anew under another name', async () => {
    await open('/machines/default/origin/snapshots', 'origin')
    const whole = page.getByRole('region', { name: 'The machine with all its disks' })
    await whole.getByRole('button', { name: 'Take snapshot of all' }).click()
    await dialog().getByLabel('Name').fill('before')
    await checkAccessible(page, 'the form of a snapshot')
    await done()
    const kept = whole.getByRole('row', { name: /before/ })
    await kept.getByText('Ready').waitFor()
    await checkAccessible(page, 'snapshots of a machine')
    await kept.getByRole('button', { name: 'Put back: before' }).click()
    await done()
    await page.getByText('origin is being put back to before.').waitFor()
    await kept.getByRole('button', { name: 'New machine: before' }).click()
    await dialog().getByLabel('Name').fill('offspring')
    await done()
    await page.getByRole('button', { name: 'Actions: origin' }).click()
    await page.getByRole('menuitem', { name: 'Clone…' }).click()
    await dialog().getByLabel('Name').fill('double')
    await done()
    await open('/machines', 'Virtual machines')
    await row('offspring').waitFor()
    await row('double').waitFor()
    await open('/machines/default/origin/snapshots', 'origin')
    await kept.getByRole('button', { name: 'Delete: before' }).click()
    await done()
    await kept.waitFor({ state: 'detached' })
    noComplaints()
  })

  test('a guest of one project sees only that, and no button that is refused', async () => {
    await open('/users', 'Users and roles')
    await create('Create user')
    await dialog().getByLabel('User name').fill('guest')
    const password = await dialog().getByLabel('First password').inputValue()
    await dialog().getByLabel('Project', { exact: true }).selectOption('payments')
    await dialog().getByText('May look', { exact: true }).click()
    await checkAccessible(page, 'the form of a user')
    await submit()
    await dialog().getByText('guest can log in now.').waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    await row('guest').getByText('1 project').waitFor()
    noComplaints()

    const guest = await openPage(browser.browser, { url: server.url })
    guest.page.setDefaultTimeout(SOON_MS)
    const refused: string[] = []
    guest.page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await firstLogin(guest.page, { user: 'guest', password }, 'meadow-and-hedge-9')
    // What the pages after this one ask for is counted.
    refused.length = 0
    guest.complaints.length = 0
    for (const [path, title] of PAGES) {
      await guest.page.goto(path)
      await guest.page.getByRole('heading', { level: 1, name: title }).waitFor()
      if (path !== '/support' && !path.startsWith('/users'))
        await guest.page.locator('[data-liveness=live], [data-liveness=failed]').first().waitFor()
      // The answers about rights are all there.
      await guest.page.waitForLoadState('networkidle')
      const offered = guest.page
        .locator('main')
        .getByRole('button', { name: /^(Create|Add|Delete|Edit|Expand|New|Make)/ })
      assert.equal(await offered.count(), 0, `${path} offers what is refused`)
    }
    await checkAccessible(guest.page, 'a page for a guest')
    await guest.page.goto('/projects')
    await guest.page.getByRole('link', { name: 'payments', exact: true }).waitFor()
    assert.equal(await guest.page.getByRole('link', { name: 'default', exact: true }).count(), 0)
    assert.deepEqual([...refused, ...guest.complaints], [])
    await guest.page.context().close()
  })
})
