/** The console's live traffic in a browser: the list, the detail, what a gateway did, replay, comparison. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { clearRequests, clipboardOf, detailOf, openTraffic, textOfRows } from './support/traffic-page.ts'
import { eventually, until } from '../support/until.ts'

t.test('live traffic', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const gateway = await startGateway(t, server.url)
  const browser = await startBrowser(t)
  const json = { 'content-type': 'application/json' }
  const open = (settings: object = {}) =>
    openTraffic(browser, server.url, {
      settings: {
        gateways: [{ name: 'kong', url: gateway.url, headers: [{ name: 'apikey', value: 'k-1' }] }],
        ...settings,
      },
    })

  await t.test('the list [CON-21]', async t => {
    await fetch(`${server.url}/uuid`)
    const page = await open()
    await page.list.getByText('/uuid').waitFor()
    await fetch(`${server.url}/ai/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { ...json, 'x-svc-session': 'class-12' },
      body: '{"model":"svc-gpt","messages":[{"role":"user","content":"hi"}]}',
    })
    await page.list.getByText('AI openai').waitFor()
    const [first, second] = await textOfRows(page)
    t.match(
      first,
      /^\d\d:\d\d:\d\d\.\d{3}\|POST\|\/ai\/openai\/v1\/chat\/completions\|200\|[\d.]+ ms\|127\.0\.0\.1\|class-12\|AI openai$/,
    )
    t.match(second, /\|GET\|\/uuid\|200\|/)
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('changes by the gateway [CON-23, CON-26]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/echo/v1/orders?id=1`, {
      method: 'POST',
      headers: { ...json, 'x-client-secret': 's', 'x-a': 'client' },
      body: '{"a":1,"b":[1,2]}',
    })
    const page = await open({ target: 'kong' })
    await page.list.getByText('/echo/v1/orders').click()
    await eventually(
      t,
      () => page.detail.innerText(),
      /Client sent[^]*127\.0\.0\.1[^]*No gateway detected[^]*Response[^]*200 OK/,
    )
    await page.detail.getByRole('button', { name: 'Replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay' })
    await dialog.locator('.cm-content').waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    await eventually(t, () => dialog.getByRole('combobox', { name: 'Target' }).inputValue(), 'kong')
    await dialog.getByRole('textbox', { name: 'Body' }).fill('{"a":2}')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.getByText('200 OK').waitFor()
    await dialog.getByRole('button', { name: 'Show what arrived' }).click()
    await page.detail.getByText('through kong').waitFor()
    const lines = (label: string) =>
      page.detail.getByRole('table', { name: label, exact: true }).locator('tr').allTextContents()
    t.strictSame(await lines('Rewritten'), ['~ changed path/demo/echo/v1/orders/echo/orders'])
    t.strictSame(await lines('Changed headers'), [
      `~ changed host${new URL(gateway.url).host}${new URL(server.url).host}`,
    ])
    t.strictSame(await lines('Removed headers'), ['− removed x-client-secrets'])
    await page.detail.getByRole('heading', { name: 'Removed 1' }).waitFor()
    t.strictSame((await lines('Gateway headers')).sort(), [
      '+ added via1.1 test-gatewayVia',
      '+ added x-forwarded-for203.0.113.9X-Forwarded',
      '+ added x-forwarded-prefix/demoX-Forwarded',
      '+ added x-kong-request-idk-1Kong',
      '+ added x-tenantacme',
    ])
    t.ok((await lines('Client headers')).includes('apikeyk-1'), 'the API key for the gateway is a client header')
    await eventually(
      t,
      () => page.detail.getByRole('list', { name: 'Request flow' }).innerText(),
      /POST \/demo\/echo\/v1\/orders[^]*8 changes[^]*\+5 added[^]*−1 removed[^]*~1 changed[^]*~ path[^]*client received it after/,
    )
    await eventually(t, () => page.detail.innerText(), /"a": 2/)
    await eventually(t, async () => page.url(), /id=/)
    t.strictSame(await accessibilityProblems(page), [])

    const direct = await page.context().newPage()
    await direct.goto(page.url())
    await detailOf(direct).getByText('/echo/orders').first().waitFor()
    await eventually(
      t,
      () => detailOf(direct).innerText(),
      /Via[^]*X-Forwarded[^]*Kong/,
      'without the sent request, headers are classified by name [CON-24, CON-32]',
    )

    await page.detail.getByRole('button', { name: 'Replay' }).click()
    await dialog.getByRole('combobox', { name: 'Target' }).selectOption({ label: 'Direct' })
    await eventually(
      t,
      () => dialog.getByRole('textbox', { name: 'Path' }).inputValue(),
      '/echo/v1/orders?id=1',
      'the path as sent, not as received',
    )
    await dialog.getByRole('button', { name: 'Send' }).click()
    await dialog.getByText('200 OK').waitFor()
    await dialog.getByRole('button', { name: 'Show what arrived' }).click()
    await page.detail.getByText('Nothing: it arrived as sent').waitFor()
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a gateway that is unreachable or lacks CORS [CON-17]', async t => {
    const strict = await startGateway(t, server.url, { cors: false })
    for (const url of ['http://127.0.0.1:1', strict.url]) {
      const page = await open({ target: 'other', gateways: [{ name: 'other', url, headers: [] }] })
      await page.list.getByText('/echo/orders').first().click()
      await page.detail.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      const alert = page.getByRole('dialog').getByRole('alert')
      await eventually(
        t,
        () => alert.textContent(),
        new RegExp(`allow the origin ${server.url} and the headers[^]*curl -sS`),
      )
      await page.context().close()
    }
  })

  await t.test('copies [CON-25]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/echo/it's?q=1`, {
      method: 'POST',
      headers: { 'x-a': 'b c', 'content-type': 'text/plain' },
      body: "it's",
    })
    const page = await open()
    await page.list.getByText('/echo/it').click()
    await page.detail.getByRole('button', { name: 'Copy as curl' }).click()
    const curl = await until(() => clipboardOf(page))
    t.match(curl, `curl -sS \\\n  -X POST \\\n  '${server.url}/echo/it'\\''s?q=1' \\\n`)
    t.match(curl, /-H 'x-a: b c'[^]*--data-raw 'it'\\''s'$/)
    await page.detail.getByRole('button', { name: '.http' }).click()
    await until(async () => (await clipboardOf(page)).startsWith('### POST'))
    await page.detail.getByRole('button', { name: 'fetch', exact: true }).click()
    await until(async () => (await clipboardOf(page)).startsWith('await fetch('))
    await page.keyboard.press('c')
    await until(async () => (await clipboardOf(page)) === curl, 'c copies a curl command')
    await page.context().close()
  })
})
