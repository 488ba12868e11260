// The first login of a new server, as its first user does it.
import type { Page } from 'playwright-core'
import type { Login } from '../browser-server.ts'

export const PASSWORD = 'plough-and-meadow-7'

export async function firstLogin(page: Page, login: Login, password = PASSWORD): Promise<void> {
  await page.goto('/')
  await page.getByLabel('User name').fill(login.user)
  await page.getByLabel('Password', { exact: true }).fill(login.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Choose a password of your own' }).waitFor()
  await page.getByLabel('Present password').fill(login.password)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
}
