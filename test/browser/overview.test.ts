/** The console's overview in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually, until } from '../support/until.ts'

t.test('the overview', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, {
    env: { SVC_PLAN: 'team', SVC_ADMIN_TOKEN: 'secret', SVC_INSPECTOR_CAPACITY: 'many' },
    yaml: 'soap: { color: red }\nplugins: { disable: [images] }\n',
  })
  const browser = await startBrowser(t)
  const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.addInitScript(() => {
    sessionStorage.setItem('svc.console.admin', 'secret')
    localStorage.setItem(
      'svc.console',
      JSON.stringify({ gateways: [{ name: 'kong', url: 'http://gw.example:8000/demo', headers: [] }], target: 'kong' }),
    )
  })
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const pluginSwitch = (name: string) => page.getByRole('switch', { name, exact: true })
  await page.goto(`${server.url}/ui/`)

  await t.test('instance, health, plan and configuration [CON-19]', async t => {
    await region('Plan').getByText('team').waitFor()
    await eventually(
      t,
      () => region('Instance').innerText(),
      /test-1[^]*0\.1\.0[^]*private[^]*admin token[^]*0 of 500 stored/,
    )
    await eventually(
      t,
      () => region('Health').innerText(),
      new RegExp(`HTTP\\s+${server.ports.http}[^]*HTTPS\\s+${server.ports.https}[^]*gRPC\\s+${server.ports.grpc}`),
    )
    await eventually(
      t,
      () => region('Plan').innerText(),
      /Requests\s+\d+ of 10,000,000[^]*Egress[^]*of 100 GB[^]*Burst remaining[^]*In flight[^]*Open streams/,
    )
    await eventually(
      t,
      () => region('Plan').getByRole('meter', { name: 'Requests' }).getAttribute('aria-valuemax'),
      '10000000',
    )
    await eventually(
      t,
      () =>
        region('Plugins')
          .getByRole('alert')
          .filter({ hasText: 'Parts of the configuration were ignored' })
          .textContent(),
      /svc\.yaml.* soap/,
    )
    await region('Configuration')
      .getByText(/SVC_INSPECTOR_CAPACITY/)
      .first()
      .waitFor()
    await eventually(t, () => region('Configuration').innerText(), /svc\.yaml/)
  })

  await t.test('base URLs, direct and through the gateway [CON-19]', async t => {
    const urls = region('Base URLs')
    await urls.getByText('AI providers').click()
    await urls.getByText('MCP servers').click()
    await urls.getByText('A2A agents').click()
    await urls.getByText(`${server.url}/a2a/weather`).waitFor()
    const text = await urls.innerText()
    for (const url of [
      server.url,
      `https://127.0.0.1:${server.ports.https}`,
      `127.0.0.1:${server.ports.grpc}`,
      `${server.url}/ai/openai/v1`,
      `${server.url}/ai/anthropic`,
      `${server.url}/mcp/servers/crm`,
      'http://gw.example:8000/demo/ai/openai/v1',
      'http://gw.example:8000/demo/mcp',
    ])
      t.ok(
        text.split('\n').some(line => line.trim() === url),
        url,
      )
    await urls.getByRole('button', { name: 'Copy openai URL through kong' }).click()
    t.equal(await page.evaluate(() => navigator.clipboard.readText()), 'http://gw.example:8000/demo/ai/openai/v1')
    const { requests } = (await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: { path: string }[] }
    t.strictSame(
      requests.map(({ path }) => path),
      ['/a2a'],
      'only the list of agents is loaded through the data plane',
    )
  })

  await t.test('health is switched [CON-19]', async t => {
    const healthy = page.getByRole('switch', { name: 'Healthy' })
    await eventually(t, () => healthy.getAttribute('aria-checked'), 'true')
    await healthy.click()
    await page.locator('.instance-state', { hasText: 'unhealthy' }).waitFor()
    t.equal((await fetch(`${server.url}/health`)).status, 503)
    t.strictSame(await accessibilityProblems(page), [])
    await healthy.focus()
    await page.keyboard.press('Space')
    await page.locator('.instance-state', { hasText: /^healthy/ }).waitFor()
    t.equal((await fetch(`${server.url}/health`)).status, 200)
  })

  await t.test('plugins are switched immediately [CON-20]', async t => {
    await eventually(t, () => pluginSwitch('images').getAttribute('aria-checked'), 'false')
    await pluginSwitch('jsonrpc').click()
    await until(async () => (await fetch(`${server.url}/jsonrpc`, { method: 'POST' })).status === 404, 'it is off')
    await region('Plugins').getByText('turned off at run time').waitFor()
    await region('Plugins').getByRole('button', { name: 'Reset to configuration' }).click()
    await until(async () => (await pluginSwitch('jsonrpc').getAttribute('aria-checked')) === 'true', 'it is on again')

    await pluginSwitch('llm').click()
    const warning = region('Plugins').getByRole('alert').filter({ hasText: 'depend on llm' })
    await eventually(t, () => warning.textContent(), /llm-anthropic.*llm-openai/)
    await eventually(t, () => pluginSwitch('llm').getAttribute('aria-checked'), 'true')
    await warning.getByRole('button', { name: 'Disable all' }).click()
    await until(
      async () => (await pluginSwitch('llm-openai').getAttribute('aria-checked')) === 'false',
      'dependent plugins are disabled too',
    )
    await pluginSwitch('llm-openai').click()
    await region('Plugins').getByRole('alert').getByRole('button', { name: 'Enable all' }).click()
    await until(
      async () => (await pluginSwitch('llm').getAttribute('aria-checked')) === 'true',
      'required plugins are enabled too',
    )

    await page.getByRole('searchbox', { name: 'Search plugins' }).fill('/graphql')
    await eventually(t, () => region('Plugins').getByRole('switch').count(), 1)
    await region('Plugins').getByRole('button', { name: 'Reload' }).click()
    page.problems.splice(0, page.problems.length, ...page.problems.filter(problem => !problem.includes('409')))
  })

  await t.test('a missing admin token is reported [CON-20]', async t => {
    const stranger = await openPage(browser)
    await stranger.goto(`${server.url}/ui/`)
    await stranger.getByRole('switch', { name: 'Healthy' }).click()
    await stranger
      .getByRole('region', { name: 'Health' })
      .getByRole('alert')
      .filter({ hasText: /admin token in the settings/ })
      .waitFor()
    t.equal((await fetch(`${server.url}/health`)).status, 200)
    await stranger.context().close()
  })

  t.strictSame(page.problems, [])
})
