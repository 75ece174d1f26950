/** The view of rules in a browser. */
import t from 'tap'
import { accessibilityProblems } from '../support/accessibility.ts'
import { skipWithoutBrowser, startBrowser } from '../support/browser.ts'
import { serve } from '../support/server.ts'
import { openTraffic, rowsOf } from '../support/traffic-page.ts'
import { eventually, until } from '../support/until.ts'

t.test('rules', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { plugins: ['console', 'echo'] })
  const browser = await startBrowser(t)

  await t.test('a rule is made of a request, switched and removed [CON-44]', async t => {
    await fetch(`${server.url}/echo/orders/7`)
    const page = await openTraffic(browser, server.url)
    await rowsOf(page).first().click()
    await page.detail.getByRole('button', { name: 'Make a rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    await eventually(t, () => dialog.getByRole('textbox', { name: 'Rule as JSON' }).textContent(), /\/echo\/orders\/7/)
    t.strictSame(await accessibilityProblems(page), [])
    await dialog.getByRole('textbox', { name: 'Name' }).fill('not a name')
    await dialog.getByRole('button', { name: 'Store' }).click()
    await dialog.getByText('The name consists of letters').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('busy')
    await dialog.getByRole('button', { name: 'Store' }).click()
    await dialog.waitFor({ state: 'detached' })
    const item = page.getByRole('list', { name: 'Rules' }).getByRole('listitem')
    await item.getByText('busy').first().waitFor()
    t.equal((await fetch(`${server.url}/echo/orders/7`)).status, 503)
    await eventually(t, () => item.innerText(), /1\s+hits/)
    t.strictSame(await accessibilityProblems(page), [])
    await item.getByRole('switch', { name: 'busy is on' }).click()
    await item.getByText('disabled').waitFor()
    t.equal((await fetch(`${server.url}/echo/orders/7`)).status, 200)

    await page.setViewportSize({ width: 390, height: 844 })
    t.strictSame(await accessibilityProblems(page), [])
    await item.getByRole('button', { name: 'Edit busy' }).click()
    await page.getByRole('dialog', { name: 'Rule busy' }).getByText('Storing resets').waitFor()
    await page.keyboard.press('Escape')
    await item.getByRole('link', { name: /hits/ }).click()
    await page.setViewportSize({ width: 1440, height: 900 })
    await eventually(t, () => page.filter.inputValue(), 'rule:busy')
    await until(async () => (await rowsOf(page).count()) === 1, 'one request was affected')
    await rowsOf(page).first().click()
    await eventually(t, () => page.detail.innerText(), /Rule\s+busy/)
    await page.goto(`${server.url}/ui/#/rules`)
    await item.getByRole('button', { name: 'Remove busy' }).click()
    await page.getByText('No rules yet').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('mistakes in a rule are reported with their place [CON-44]', async t => {
    const page = await openTraffic(browser, server.url)
    await page.goto(`${server.url}/ui/#/rules?method=GET&path=echo`)
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    await dialog.getByRole('button', { name: 'Store' }).click()
    await eventually(t, () => dialog.getByRole('alert').innerText(), /match\.path/)
    await page.context().close()
  })
})
