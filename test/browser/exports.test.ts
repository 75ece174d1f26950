/** The console's view of the exports, in a browser. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('exports are filtered, shown, copied and downloaded [EXPORT-16]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const browser = await startBrowser(t)
  const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.addInitScript(() =>
    localStorage.setItem(
      'svc.console',
      JSON.stringify({ gateways: [{ name: 'kong', url: 'http://gw.example:8000/demo', headers: [] }] }),
    ),
  )
  await page.goto(`${server.url}/ui/#/exports`)
  const formats = page.getByRole('list', { name: 'Formats' }).getByRole('listitem')
  await formats.first().waitFor()
  await eventually(t, () => page.getByRole('heading', { level: 1 }).textContent(), 'Exports')
  await eventually(t, () => formats.count(), 14)
  const baseUrl = page.getByRole('textbox', { name: 'Base URL' })
  await eventually(t, () => baseUrl.inputValue(), server.url)

  await t.test('downloads and copies use the selected base URL and category', async t => {
    await page.getByRole('button', { name: 'kong', exact: true }).click()
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Status Codes')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download Postman collection v2.1' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'svc-postman.json')
    const { item, variable } = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
      item: { name: string }[]
      variable: { value: string }[]
    }
    t.strictSame(
      item.map(({ name }) => name),
      ['Status Codes'],
    )
    t.equal(variable[0]?.value, 'http://gw.example:8000/demo')
    await page.getByRole('button', { name: 'Copy Shell script with curl' }).click()
    await page.getByText('Copied').waitFor({ state: 'attached' })
    t.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /BASE_URL="\$\{BASE_URL:-http:\/\/gw\.example:8000\/demo\}"/,
    )
    await eventually(
      t,
      async () => page.url(),
      /base_url=http:\/\/gw\.example:8000\/demo.*category=Status\+Codes/,
      'the link restores the selection',
    )
  })

  await t.test('a file is shown in a dialog', async t => {
    await page.getByRole('button', { name: 'Show Hurl file' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hurl file' })
    await eventually(
      t,
      () => dialog.getByRole('group', { name: 'svc.hurl' }).textContent(),
      /GET \{\{base_url\}\}\/status\/418/,
    )
    t.strictSame(await accessibilityProblems(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Show Hurl file', 'the focus returns')
  })

  await t.test('an invalid base URL is reported', async t => {
    await baseUrl.fill('ftp://gw.example')
    await eventually(t, () => baseUrl.getAttribute('aria-invalid'), 'true')
    await eventually(t, () => page.getByRole('button', { name: 'Download Bruno collection' }).isDisabled(), true)
    await baseUrl.fill('http://gw.example/$(id)')
    await page.getByRole('button', { name: 'Show Bruno collection' }).click()
    await eventually(t, () => page.getByRole('alert').textContent(), /invalid base_url/)
    page.problems.splice(0, page.problems.length, ...page.problems.filter(problem => !problem.includes('400')))
  })

  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
  }
  t.strictSame(page.problems, [])
})
