/** The console's request bins, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('request bins', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const browser = await startBrowser(t)
  const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`${server.url}/ui/#/bins`)
  const captured = page.getByRole('table', { name: 'Captured requests' })
  const list = page.getByRole('list', { name: 'Bins' })
  let url = ''

  await t.test('a bin is created with a response, and its URL copied [BINVIEW-1]', async t => {
    await page.getByText('No bins yet').waitFor()
    await page.getByRole('button', { name: 'Create bin' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create bin' })
    await dialog.getByRole('spinbutton', { name: 'Status' }).fill('202')
    await dialog.getByRole('textbox', { name: 'Header 1 name' }).fill('bad name')
    await dialog.getByRole('textbox', { name: 'Header 1 value' }).fill('v')
    await dialog.getByRole('textbox', { name: 'Body' }).fill('{"accepted":true}')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await eventually(t, () => dialog.getByRole('alert').textContent(), /invalid header name/)
    await dialog.getByRole('textbox', { name: 'Header 1 name' }).fill('X-Bin')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: 'Copy URL' }).click()
    await page.getByText('Copied').waitFor({ state: 'attached' })
    url = await page.evaluate(() => navigator.clipboard.readText())
    t.match(url, new RegExp(`^${server.url}/bin/[a-z0-9]+$`))
    await eventually(t, () => list.textContent(), /returns 202/)
    const answer = await fetch(`${url}/hooks/a?x=1`, {
      method: 'POST',
      body: '<b>bold</b>',
      headers: { 'X-Kong-Route': 'r1', 'Content-Type': 'text/html' },
    })
    t.strictSame([answer.status, answer.headers.get('x-bin'), await answer.json()], [202, 'v', { accepted: true }])
  })

  await t.test('captured requests appear live, and open in detail [BINVIEW-2]', async t => {
    await captured.getByText('/hooks/a').waitFor()
    await page.getByRole('button', { name: 'Send test request' }).click()
    await captured.getByText('/test').waitFor()
    await eventually(
      t,
      () => captured.locator('tbody tr').first().textContent(),
      /^2.*POST\/test/,
      'the newest is on top',
    )
    await captured.getByText('/hooks/a').click()
    const detail = page.getByRole('region', { name: 'Request', exact: true })
    await eventually(t, () => detail.textContent(), /x-kong-router1.*Kong/, 'gateway headers are marked')
    await eventually(t, () => detail.textContent(), /<b>bold<\/b>/, 'markup is text')
    await eventually(t, async () => page.url(), /n=1/)
    await page.keyboard.press('k')
    await detail.getByText('"event"').waitFor()
    await list.getByText('2 requests').waitFor()
    await page.reload()
    await captured.getByText('/hooks/a').waitFor()
    await eventually(t, () => detail.textContent(), /from=console/, 'the link restores the view')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await captured.getByText('/hooks/a').click()
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await t.test('a bin is deleted; a link to it shows an error [BINVIEW-1]', async t => {
    const address = page.url()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No bins yet').waitFor()
    t.equal((await fetch(url)).status, 404)
    await page.goto('about:blank')
    await page.goto(address)
    await eventually(t, () => page.getByRole('alert').textContent(), /bin not found/)
    page.problems.splice(0, page.problems.length, ...page.problems.filter(problem => !/40[04]/.test(problem)))
  })
  t.strictSame(
    page.problems.filter(problem => !/400/.test(problem)),
    [],
  )
})
