/** The console's view "Mocks", in a browser. */
import t from 'tap'
import { lineOfPointer } from '../../plugins/console/client/lib/protocol/json-lines.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually, until } from '../support/until.ts'

const SHOP = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: ok
          content: { application/json: { schema: { type: object }, examples: { small: { value: { total: 1 } }, large: { value: { total: 900 } } } } }
`

t.test('lines of a JSON text by pointer [MOCKVIEW-3]', async t => {
  const text = '{\n  "a": [\n    1,\n    {"b/c": "x\\"}",\n     "d~": null}\n  ],\n  "e": {}\n}'
  for (const [pointer, line] of [
    ['#/a', 2],
    ['/a/1', 4],
    ['#/a/1/b~1c', 4],
    ['#/a/1/d~0', 5],
    ['#/e', 7],
    ['#/e/missing/more', 7],
    ['#/nothing', 1],
    ['', 1],
  ] as const)
    t.equal(lineOfPointer(text, pointer), line, pointer)
  for (const broken of ['{"a":', '{,,}', '[[[', '{"a" 1}', '"', '{"a": "\\', '['.repeat(50_000)])
    t.ok(lineOfPointer(broken, '#/a/0') >= 1, broken.slice(0, 10))
})

t.test('mocks', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const browser = await startBrowser(t)
  const page = await openPage(browser, { acceptDownloads: true })
  page.setDefaultTimeout(15_000)
  await page.goto(`${server.url}/ui/#/mocks`)
  const list = page.getByRole('list', { name: 'Mocks', exact: true })
  const report = page.getByRole('region', { name: 'Report' })
  const editor = page.getByRole('textbox', { name: 'Document' })
  const dialog = page.getByRole('dialog')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const tab = (name: RegExp | string) => page.getByRole('tab', { name }).click()
  /** Replaces the text by pasting: typing into highlighted lines makes the browser add inline styles. */
  const fill = async (name: string, text: string) => {
    const field = page.getByRole('textbox', { name, exact: true }).and(page.locator('.cm-content'))
    await field.click()
    await page.keyboard.press('ControlOrMeta+a')
    await field.evaluate((element, pasted) => {
      const data = new DataTransfer()
      data.setData('text/plain', pasted)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }, text)
  }
  const manage = async (path: string) =>
    (await (await fetch(`${server.url}/_svc/mocks/${path}`)).json()) as Record<string, unknown>

  await t.test('mocks are listed with switches; a managed mock is copied [MOCKVIEW-1]', async t => {
    await list.getByText('petstore').waitFor()
    await list.getByRole('switch', { name: 'petstore' }).press('Space')
    await list.getByText('off', { exact: true }).waitFor()
    t.equal((await fetch(`${server.url}/mock/petstore/pets`)).status, 503)
    await list.getByRole('switch', { name: 'petstore' }).click()
    await list.getByText('off', { exact: true }).waitFor({ state: 'detached' })
    await eventually(t, () => page.getByRole('button', { name: 'Deploy' }).isDisabled(), true)
    await press('Copy as a new mock')
    await eventually(t, () => dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'petstore-copy')
    await eventually(t, () => dialog.getByRole('textbox', { name: 'Document' }).inputValue(), /listPets/)
    await page.keyboard.press('Escape')
  })

  await t.test('upload: pasted text, a chosen file, a dropped file [MOCKVIEW-2]', async t => {
    await press('Upload')
    await dialog.getByRole('textbox', { name: 'Document' }).fill('swagger: "1.2"')
    await press('Upload and deploy')
    await dialog.getByText('unsupported_version', { exact: true }).waitFor()
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'My Shop.yaml', mimeType: 'application/yaml', buffer: Buffer.from(SHOP) })
    await eventually(t, () => dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'my-shop')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('shop')
    await press('Upload and deploy')
    await list.getByText('1 operation, 0 requests').waitFor()
    await page.waitForURL(/mock=shop/)
    t.strictSame(await (await fetch(`${server.url}/mock/shop/orders/1`)).json(), { total: 1 })
    await page.evaluate(text => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'Dropped One.json'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    }, SHOP)
    await eventually(t, () => dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'dropped-one')
    await page.keyboard.press('Escape')
  })

  await t.test('check with marks, draft, deployment with report, versions [MOCKVIEW-3, MOCKVIEW-4]', async t => {
    await editor.waitFor()
    await fill('Document', SHOP.replace('type: object }, examples', 'type: array }, examples'))
    await press('Check')
    await report.getByText('example_invalid').first().waitFor()
    await eventually(t, () => report.textContent(), /Warnings 2.*Breaking changes since version 1/)
    await page.locator('.cm-lint-marker-warning').first().waitFor()
    await report.getByRole('button', { name: 'line 11' }).first().click()
    await page.waitForFunction(() =>
      document
        .querySelector('.editor-host')!
        .shadowRoot!.querySelector('.cm-activeLine')
        ?.textContent.includes('type: array'),
    )
    await eventually(t, () => report.textContent(), /response_property_type_changed/)
    await press('Save draft')
    await page.getByText('This mock has a draft').waitFor()
    t.equal((await manage('shop')).version, 1)
    await page.getByRole('textbox', { name: 'Message' }).fill('orders are lists')
    await press('Deploy')
    await report.getByText('Deployed as version 2').waitFor()
    t.match(await manage('shop/versions'), { current: 2, versions: [{ message: 'orders are lists' }, {}] })
    await fill(
      'Document',
      '{\n  "openapi": "3.1.0",\n  "info": {"title": "Shop", "version": "1"},\n  "paths": {\n    "/a": {"get": {"responses": {"200": {"$ref": "#/nowhere"}}}}\n  }\n}',
    )
    await press('Deploy')
    await page.getByRole('alert').filter({ hasText: 'not_deployable' }).waitFor()
    await report.getByText('unresolved_ref').waitFor()
    await report.getByRole('button', { name: 'line 5' }).first().waitFor()
    await tab('Versions')
    await press('Show version 1')
    await eventually(t, () => dialog.textContent(), /type: object/)
    await page.keyboard.press('Escape')
    await press('Roll back to 1')
    await page.getByText('3, active').waitFor()
    await eventually(t, () => page.getByRole('list', { name: 'Versions' }).textContent(), /rolled back to version 1/)
    await tab('Document')
    // The edited text is still there.
    await editor.getByText('nowhere').waitFor()
    await press('Discard draft')
    await editor.getByText('getOrder').waitFor()
  })

  await t.test('operations are tried [MOCKVIEW-5]', async t => {
    await tab(/^Operations/)
    await page
      .getByRole('list', { name: 'Operations' })
      .getByRole('button', { name: /orders/ })
      .click()
    await page.getByRole('textbox', { name: 'id' }).fill('7 b')
    await eventually(t, () => page.getByRole('textbox', { name: 'Path' }).inputValue(), '/mock/shop/orders/7%20b')
    await page.getByRole('combobox', { name: 'Preferred response' }).selectOption({ label: '200, example large' })
    await press('Send')
    const response = page.getByRole('region', { name: 'Response' })
    await response.getByText('900').waitFor()
    await response.getByRole('tab', { name: /^Headers/ }).click()
    await eventually(t, () => response.textContent(), /x-svc-mock-sourceexample:large/)
  })

  await t.test('rules, overrides and settings as forms with JSON [MOCKVIEW-6]', async t => {
    await tab(/^Rules/)
    await press('Add rule')
    await dialog.getByRole('textbox', { name: 'Rule name' }).fill('No tens')
    await dialog.getByRole('textbox', { name: 'Match (JSON)' }).fill('{"path_params":{"id":"10"}}')
    await dialog.getByRole('spinbutton', { name: 'Status' }).fill('99')
    await press('Save')
    await dialog.getByRole('alert').waitFor()
    const json = dialog.getByRole('textbox', { name: 'Rule as JSON' })
    await eventually(t, () => json.textContent(), /"path_params".*"id": "10".*"status": 99/)
    await fill(
      'Rule as JSON',
      '{"name":"No tens","when":[{"in":"path","name":"id","op":"eq","value":"10"}],"then":{"status":410}}',
    )
    await eventually(t, () => dialog.getByRole('spinbutton', { name: 'Status' }).inputValue(), '410')
    await press('Save')
    const rules = page.getByRole('list', { name: 'Rules' })
    await rules.getByText('path id eq "10" → {"status":410}').waitFor()
    t.equal((await fetch(`${server.url}/mock/shop/orders/10`)).status, 410)
    await rules.getByRole('switch').click()
    await eventually(t, () => rules.getByRole('switch').getAttribute('aria-checked'), 'false')
    await eventually(t, async () => (await fetch(`${server.url}/mock/shop/orders/10`)).status, 200)
    await press('Add override')
    await dialog.getByRole('combobox', { name: 'Operation' }).selectOption('getOrder')
    await dialog.getByRole('spinbutton', { name: 'Fail percent' }).fill('100')
    await dialog.getByRole('spinbutton', { name: 'Fail with status' }).fill('507')
    t.strictSame(await accessibilityProblems(page), [], 'the dialog')
    await press('Save')
    await page.getByRole('list', { name: 'Overrides' }).getByText('getOrder', { exact: true }).waitFor()
    t.equal((await fetch(`${server.url}/mock/shop/orders/1`)).status, 507)
    await press('Delete override of getOrder')
    await page.getByText('No overrides').waitFor()
    await tab('Settings')
    await page.getByRole('combobox', { name: 'Request validation *' }).selectOption('enforce')
    await press('Save settings')
    // The button is disabled while saving, so the test asks the mock itself.
    t.ok(await until(async () => ((await manage('shop/settings')) as { validation: string }).validation === 'enforce'))
  })

  await t.test('traffic, state and exports [MOCKVIEW-7]', async t => {
    await tab('Traffic')
    const table = page.getByRole('table', { name: 'Requests to the mock' })
    await table.getByText('/orders/10').first().waitFor()
    await fetch(`${server.url}/mock/shop/none/<b>`, { method: 'POST', body: 'x' })
    await table.getByText('/none/').click()
    await eventually(
      t,
      () => page.getByRole('region', { name: 'Request', exact: true }).textContent(),
      /no match.*no_path_matched/,
    )
    await press('Clear')
    await page.getByText('Waiting for requests').waitFor()
    await tab('State')
    await page.getByText('getOrder').waitFor()
    await fill('State values', '{"order":"accepted"}')
    await press('Save values')
    t.ok(
      await until(
        async () => ((await manage('shop/state')) as { state: { order?: string } }).state.order === 'accepted',
      ),
    )
    await page.getByRole('button', { name: 'Save values' }).and(page.locator(':disabled')).waitFor()
    await press('Clear all sessions')
    await page.getByText('No calls yet').waitFor()
    await tab('Export')
    const [saved] = await Promise.all([page.waitForEvent('download'), press('Download Bundle')])
    t.equal(saved.suggestedFilename(), 'svc-mock-shop.json')
  })

  await t.test('a schema has overrides by coordinate, and settings of its kind [MOCKVIEW-8]', async t => {
    const spec = 'type Query { user(id: ID!): User users: [User!]! }\ntype User { id: ID! email: String! name: String }'
    await fetch(`${server.url}/_svc/mocks/people`, { method: 'PUT', body: JSON.stringify({ spec }) })
    await page.goto(`${server.url}/ui/#/mocks?mock=people&tab=behavior`)
    const ask = async (query: string): Promise<string> =>
      (
        await fetch(`${server.url}/mock/people`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        })
      ).text()
    const overrides = page.getByRole('list', { name: 'Overrides' })
    const place = dialog.getByRole('combobox', { name: 'Place' })
    await press('Add override')
    await place.fill('User.nothing')
    await press('Save')
    await dialog.getByText('there is no operation "User.nothing"').waitFor()
    await place.fill('User.email')
    await fill('Override as JSON', '{"value": "someone@example.com"}')
    t.strictSame(await accessibilityProblems(page), [], 'the dialog')
    await press('Save')
    await overrides.getByText('User.email', { exact: true }).waitFor()
    t.match(await ask('{ user(id: "1") { email } }'), '{"data":{"user":{"email":"someone@example.com"}}}')

    await press('Edit override of User.email')
    t.ok(await place.isDisabled())
    await fill('Override as JSON', '{"error": {"message": "no mail", "code": "MAIL_DOWN"}}')
    await press('Save')
    await overrides.getByText('MAIL_DOWN').waitFor()
    t.match(await ask('{ user(id: "1") { email } }'), /MAIL_DOWN.*"user":null/)
    await page.getByRole('switch', { name: 'Override User.email' }).click()
    t.ok(await until(async () => (await ask('{ user(id: "1") { email } }')).includes('@')))
    await press('Delete override of User.email')
    await page.getByText('No overrides').waitFor()

    await press('Add override')
    await place.fill('/users/0/name')
    await dialog.getByRole('spinbutton', { name: 'Fail percent' }).fill('0')
    await fill('Override as JSON', '{"value": "First"}')
    await press('Save')
    await overrides.getByText('/users/0/name', { exact: true }).waitFor()
    t.match(await ask('{ users { name } }'), /"users":\[{"name":"First"},{"name":"(?!First)/)

    await tab('Document')
    await press('Check')
    await report.getByText(/GraphQL schema: 2 operations, \d+ types/).waitFor()
    await tab('Settings')
    await page.getByRole('spinbutton', { name: 'List size' }).fill('3')
    await press('Save settings')
    t.ok(await until(async () => ((await manage('people/settings')) as { list_size: number }).list_size === 3))
    await fetch(`${server.url}/_svc/mocks/people`, { method: 'DELETE' })
  })

  await t.test('it is accessible, wide and narrow; deleted [MOCKVIEW-1]', async t => {
    await page.goto(`${server.url}/ui/#/mocks?mock=shop`)
    await press('Check')
    await report.getByText('Ready to deploy').waitFor()
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await press('Delete')
    await list.getByText('1 operation').waitFor({ state: 'detached' })
    t.equal((await fetch(`${server.url}/mock/shop/orders/1`)).status, 404)
  })
  t.strictSame(
    page.problems.filter(problem => !/4\d\d/.test(problem)),
    [],
  )
})
