/** The console's MCP inspector, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('MCP inspector', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const page = await openPage(await startBrowser(t))
  page.setDefaultTimeout(10_000)
  await page.goto(`${server.url}/ui/#/mcp`)
  const version = page.getByRole('combobox', { name: 'Protocol version' })
  const log = page.getByRole('log', { name: 'Messages' })
  const result = page.getByRole('region', { name: 'Result' })
  const connect = async (path: string, wanted = '2026-07-28') => {
    await page.getByRole('combobox', { name: 'Server' }).selectOption(path)
    await version.selectOption(wanted)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
  }
  const choose = (list: string, name: string) =>
    page.getByRole('list', { name: list, exact: true }).getByText(name, { exact: true }).click()
  const call = () => page.getByRole('button', { name: 'Call tool' }).click()

  await t.test(
    'connecting lists everything; a tool is called and its result checked [MCPVIEW-1] [MCPVIEW-2] [MCPVIEW-6]',
    async t => {
      await connect('/mcp')
      await choose('Tools', 'get_weather')
      await eventually(t, () => page.getByRole('list', { name: 'Resources' }).textContent(), /svc:\/\/docs\/readme/)
      await eventually(
        t,
        () => page.getByRole('list', { name: 'Templates' }).textContent(),
        /svc:\/\/weather\/\{city\}/,
      )
      await eventually(t, () => page.getByRole('list', { name: 'Prompts' }).textContent(), /code_review/)
      await page.getByRole('textbox', { name: 'city' }).fill('Zürich')
      await call()
      await result.getByText("The result matches the tool's output schema.").waitFor()
      await eventually(t, () => result.textContent(), /Weather in Zürich/)
      const sent = log.locator('details').nth(1)
      await sent.locator('summary').click()
      await sent.getByRole('table').waitFor()
      await eventually(
        t,
        () => sent.textContent(),
        /tools\/call.*"name": "get_weather".*Mcp-Methodtools\/call.*Mcp-Nameget_weather.*Mcp-Param-City=\?base64\?WsO8cmljaA==\?=/,
      )
      const received = log.locator('details').first()
      await received.locator('summary').click()
      await received.getByRole('table').waitFor()
      await eventually(t, () => received.textContent(), /200.*"structuredContent".*x-svc-mcp-methodtools\/call/s)
      await page.reload()
      await page.getByRole('textbox', { name: 'city' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('fail')
      await page
        .getByRole('option')
        .filter({ hasText: /^Toolfail/ })
        .click()
      await page.getByRole('heading', { name: 'Fail' }).waitFor()
      await call()
      await result.getByText('tool error').waitFor()
      await choose('Tools', 'throw')
      await call()
      await eventually(t, () => result.getByRole('alert').textContent(), /-32603/)
    },
  )

  await t.test(
    'progress, cancellation and requests of the server, in both versions [MCPVIEW-1] [MCPVIEW-2] [MCPVIEW-4]',
    async t => {
      for (const wanted of ['2026-07-28', '2025-11-25']) {
        await connect('/mcp', wanted)
        await choose('Tools', 'slow_task')
        await call()
        await result.getByText(/step 2\/5/).waitFor()
        await page.getByRole('button', { name: 'Cancel', exact: true }).click()
        await result.getByText('Canceled.', { exact: true }).waitFor()
        await choose('Tools', 'elicit_confirmation')
        await call()
        const dialog = page.getByRole('dialog')
        await eventually(t, () => dialog.textContent(), /Please confirm: deploy to production\?/)
        await dialog.getByRole('checkbox', { name: 'Confirm' }).check()
        await dialog.getByRole('textbox', { name: 'Comment' }).fill('go')
        await dialog.getByRole('button', { name: 'Accept' }).click()
        await result.getByText('User confirmed: deploy to production. Comment: go').waitFor()
        await choose('Tools', 'sample_llm')
        await page.getByRole('textbox', { name: 'prompt' }).fill('Who are you?')
        await call()
        await dialog.getByText('Who are you?').waitFor()
        await dialog.getByRole('textbox', { name: 'Response' }).fill('A person')
        await dialog.getByRole('button', { name: 'Send response', exact: true }).click()
        await result.getByText(/Client LLM \(a-person-at-the-console\) answered: A person/).waitFor()
        await eventually(
          t,
          () => page.getByRole('main').textContent(),
          wanted === '2025-11-25' ? /2025-11-25session/ : /2026-07-28stateless/,
        )
      }
      await eventually(t, () => log.textContent(), /notifications\/cancelled/, 'a session sends a notification')
    },
  )

  await t.test('resources, templates, prompts, completion, updates [MCPVIEW-3]', async t => {
    for (const wanted of ['2025-11-25', '2026-07-28']) {
      await connect('/mcp', wanted)
      await choose('Resources', 'svc://clock')
      await page.getByRole('button', { name: 'Subscribe' }).click()
      await page.getByText('1 update', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Unsubscribe' }).click()
      await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor()
    }
    await choose('Resources', 'svc://images/logo.png')
    await eventually(t, () => result.getByRole('img').getAttribute('src'), /^blob:/)
    await choose('Templates', 'svc://customers/{id}')
    await page.getByRole('combobox', { name: 'id' }).fill('u')
    await page.locator('datalist option[value="u3"]').waitFor({ state: 'attached' })
    await page.getByRole('combobox', { name: 'id' }).fill('u3')
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await result.getByText('"orders"').waitFor()
    await choose('Prompts', 'incident_report')
    await page.getByRole('combobox', { name: 'Service' }).fill('billing')
    await page.getByRole('button', { name: 'Get prompt' }).click()
    await result.getByText('svc://docs/runbook', { exact: true }).waitFor()
    await page.setViewportSize({ width: 360, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], 'narrow')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await t.test('getting a token step by step [MCPVIEW-5]', async t => {
    await connect('/mcp/protected', '2025-11-25')
    const panel = page.getByRole('region', { name: 'Authorization' })
    for (const step of ['Request without a token', 'Resource metadata', 'Server metadata', 'Register a client'])
      await panel.getByRole('button', { name: `Next: ${step}` }).click()
    const opening = page.waitForEvent('popup')
    await panel.getByRole('button', { name: 'Next: Authorize' }).click()
    const popup = await opening
    await popup.getByRole('textbox', { name: 'user' }).or(popup.locator('input[name=username]')).first().fill('demo')
    await popup.locator('input[name=password]').fill('demo')
    await popup.locator('button[value=approve]').click()
    await panel.getByRole('button', { name: 'Next: Get the token' }).click()
    await panel.getByRole('button', { name: 'Connect with the token' }).waitFor()
    await eventually(
      t,
      () => panel.textContent(),
      /oauth\/register.*201.*oauth-authorization-server.*oauth-protected-resource.*\/mcp\/protected.*401/s,
    )
    t.strictSame(await accessibilityProblems(page), [], 'steps')
    await panel.getByRole('button', { name: 'Connect with the token' }).click()
    await choose('Tools', 'inspect_request')
    await call()
    await result
      .getByText(/"scope"/)
      .first()
      .waitFor()
    takeProblems(page, /401/)
  })

  await t.test('any URL, any header, and errors [MCPVIEW-1] [MCPVIEW-6]', async t => {
    await page.getByRole('textbox', { name: 'Header 1 name' }).fill('X-API-Key')
    await page.getByRole('textbox', { name: 'Header 1 value' }).fill('demo')
    await page.getByRole('combobox', { name: 'Server' }).selectOption('other')
    await page.getByRole('textbox', { name: 'URL' }).fill(`${server.url}/mcp/apikey`)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await choose('Tools', 'inspect_request')
    await call()
    await result
      .getByText(/api-key-client/)
      .first()
      .waitFor()
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/mcp')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await eventually(t, () => page.getByRole('alert').textContent(), /127\.0\.0\.1:9 is not responding/)
    takeProblems(page, /ERR_|401/)
    t.strictSame(await accessibilityProblems(page), [], 'away')
  })
  t.strictSame(page.problems, [])
})
