/** The console's overview in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { launch } from '../../core/testing/launch.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'
import { eventually, until } from '../support/until.ts'

const PLUGINS = ['console', 'reliability', 'llm', 'llm-openai', 'llm-anthropic', 'mcp']

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

    await page.getByRole('searchbox', { name: 'Search plugins' }).fill('/jsonrpc')
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

t.test('the demos, and an instance that is gone', { skip: skipWithoutBrowser }, async t => {
  let server = await launch({ plugins: PLUGINS })
  t.teardown(() => server.stop())
  const gateway = await startGateway(t, server.url, { isTransparent: true })
  const browser = await startBrowser(t)
  const page = await openPage(browser)
  const store = (settings: object) =>
    page.evaluate(text => localStorage.setItem('svc.console', text), JSON.stringify(settings))
  const demo = (name: string) => page.getByRole('region', { name: 'Start a demo' }).getByRole('link', { name })
  const open = async () => {
    await page.goto('about:blank')
    await page.goto(`${server.url}/ui/`)
  }
  await page.goto(`${server.url}/ui/`)

  await t.test('one key press shows the effect [CON-50]', async t => {
    await store({ gateways: [{ name: 'gw', url: gateway.url, headers: [] }], target: 'gw' })
    await page.reload()
    await demo('Break an upstream').click()
    await page.getByRole('textbox', { name: 'Path' }).waitFor()
    await page.keyboard.press('s')
    const results = page.getByRole('region', { name: 'Results' })
    await results.getByText('done', { exact: true }).waitFor({ timeout: 120_000 })
    const statuses = await results.getByRole('table', { name: 'Statuses' }).innerText()
    t.match(statuses, /200[^]*\b20\b/, 'it answers 20 requests')
    t.match(statuses, /503[^]*\b280\b/, 'and then fails')

    await open()
    await demo('Stream from a model').click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    t.equal(await page.getByRole('combobox', { name: 'Target A' }).inputValue(), '')
    t.equal(await page.getByRole('combobox', { name: 'Target B' }).inputValue(), 'gw')
    t.equal(
      await page.getByRole('combobox', { name: 'Model A' }).inputValue(),
      await page.getByRole('combobox', { name: 'Model B' }).inputValue(),
    )
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Comparison' }).waitFor()
    t.strictSame(await accessibilityProblems(page), [])

    await open()
    await demo('Call an MCP tool').click()
    await page.getByRole('button', { name: 'Call tool' }).waitFor()
    await until(
      () => page.evaluate(() => document.activeElement?.textContent === 'Call tool'),
      'the button has the focus',
    )
    await page.keyboard.press('Enter')
    await eventually(t, () => page.getByRole('region', { name: 'Result' }).innerText(), /done[^]*\b5\b/)

    // The browser reports every failed request of the load test.
    takeProblems(page, /503/)
    await store({})
    await open()
    await demo('Stream from a model').filter({ hasText: 'two models' }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Comparison' }).waitFor()
    t.strictSame(page.problems, [])
  })

  await t.test('an instance that stops, and is back within 3 s [CON-53]', async t => {
    const port = String(server.ports.http)
    await open()
    await page
      .getByRole('region', { name: 'Traffic', exact: true })
      .getByText(/^[1-9]\d*$/)
      .first()
      .waitFor()
    await server.stop()
    const gone = page.getByRole('alert').filter({ hasText: /No response since/ })
    await gone.waitFor()
    await page.locator('.instance-state', { hasText: 'unreachable' }).waitFor()
    let attempts = 0
    page.on('requestfailed', request => {
      if (request.url().endsWith('/_svc/status')) attempts++
    })
    // A pause that doubles without a bound would then be longer than 3 s.
    await until(() => attempts > 4, 'the page tries again')
    t.match(await page.getByText(/Retrying in/).innerText(), /Retrying in [12] s/)
    server = await launch({ plugins: PLUGINS, env: { SVC_HTTP_PORT: port } })
    await gone.waitFor({ state: 'detached' })
    await page.locator('.instance-state', { hasText: /^healthy/ }).waitFor()
    takeProblems(page, /ERR_|503/)
    t.strictSame(page.problems, [])
  })

  await t.test('what is not loaded yet is not shown as zero [CON-53]', async t => {
    await page.route('**/_svc/requests*', () => {})
    await open()
    const traffic = page.getByRole('region', { name: 'Traffic', exact: true })
    await traffic.getByText('requests per second').waitFor()
    t.notMatch(await traffic.locator('.overview-figures').innerText(), /\d(?! minutes)(?!xx)/)
    await page.goto(`${server.url}/ui/#/traffic`)
    await page.getByText('Loading…').waitFor()
    t.equal(await page.getByText('Waiting for requests').count(), 0)
    await page.context().close()
  })
})
