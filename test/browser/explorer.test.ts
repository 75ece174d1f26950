/** The console's API explorer, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { pluginFolder } from '../support/plugins.ts'
import { serve } from '../support/server.ts'
import { eventually, until } from '../support/until.ts'
import type { Catalog } from '../../core/contract/plugin.ts'

/** Endpoints that return markup, bytes or a long text. */
const ODD = `import { definePlugin, describe } from 'svc/plugin'
const category = 'Odd'
export default definePlugin({
  title: 'Odd', paths: ['/odd'],
  register(app) {
    app.get('/odd/markup', describe({ summary: 'Markup', category, examples: [{ name: 'One', path: '/odd/markup' }] }), (_, reply) => reply.type('text/html').send('<img src=x onerror=alert(1)><script>document.title = "hacked"</script>'))
    app.get('/odd/bytes', describe({ summary: 'Bytes', category, examples: [{ name: 'One', path: '/odd/bytes' }] }), (_, reply) => reply.type('application/octet-stream').send(Buffer.from([0, 255, 254, 1])))
    app.get('/odd/long', describe({ summary: 'Long', category, examples: [{ name: 'One', path: '/odd/long' }] }), (_, reply) => reply.type('text/plain').send('x'.repeat(3_000_000)))
  },
})
`
const options = { skip: skipWithoutBrowser }

t.test('API explorer', options, async t => {
  const plugins = pluginFolder(t, { odd: ODD })
  const server = await serve(t, { env: { SVC_PLUGINS_DIR: plugins.folder } })
  const browser = await startBrowser(t)
  const page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  const open = async (hash: string) => {
    await page.goto('about:blank')
    await page.goto(`${server.url}/ui/#/explorer${hash}`)
    await page.getByRole('list', { name: 'Endpoints' }).waitFor()
  }
  const response = page.getByRole('region', { name: 'Response' })
  const sendIt = () => page.getByRole('button', { name: 'Send', exact: true }).click()

  await t.test('endpoints are searched, filtered and linked [EXPLORER-1]', async t => {
    await open('')
    await eventually(t, () => page.getByRole('heading', { level: 1 }).textContent(), 'API explorer')
    const links = page.getByRole('list', { name: 'Endpoints' }).getByRole('link')
    await until(async () => (await links.count()) > 300, 'all are listed')
    const all = await links.count()
    await page.keyboard.press('/')
    await page.keyboard.type('teapot status')
    await page.getByText('No matching endpoints').waitFor()
    await page.getByRole('searchbox', { name: 'Search endpoints' }).fill('respond status')
    await links.filter({ hasText: '/status/{code}' }).waitFor()
    await until(async () => (await links.count()) < all, 'fewer are listed')
    await page.getByRole('searchbox').fill('')
    await page.getByRole('combobox', { name: 'Protocol' }).selectOption('websocket')
    const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
    const sockets = endpoints.filter(({ protocol }) => protocol === 'websocket').length
    await eventually(t, () => links.count(), sockets)
    t.ok(sockets > 0)
    await page.getByRole('combobox', { name: 'Protocol' }).selectOption('')
    await page.getByRole('combobox', { name: 'Plugin' }).selectOption('bins')
    await page.getByRole('combobox', { name: 'Category' }).selectOption('Request Bin & Webhooks')
    await eventually(t, () => links.first().textContent(), /\/bin/)
    await eventually(t, async () => page.url(), /category=Request\+Bin.*plugin=bins|plugin=bins.*category=/)
    await links.first().click()
    await eventually(t, () => page.getByRole('textbox', { name: 'Path' }).inputValue(), '/bin')
    await page.reload()
    await eventually(
      t,
      () => page.getByRole('textbox', { name: 'Path' }).inputValue(),
      '/bin',
      'the link restores the selection',
    )
    await eventually(t, () => page.getByRole('combobox', { name: 'Plugin' }).inputValue(), 'bins')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('j')
    await page.waitForURL(/method=GET/)
  })

  await t.test('a request is filled in, changed and sent [EXPLORER-2, EXPLORER-3]', async t => {
    await open('?path=/status/{code}')
    await page.getByRole('combobox', { name: 'Example' }).selectOption('Teapot')
    const path = page.getByRole('textbox', { name: 'Path', exact: true })
    await eventually(t, () => path.inputValue(), '/status/418')
    await page.getByRole('textbox', { name: 'code' }).fill('503')
    await eventually(t, () => path.inputValue(), '/status/503')
    await page.getByRole('combobox', { name: 'Method' }).selectOption('POST')
    await page.getByRole('textbox', { name: 'Header 1 name' }).fill('X-Own')
    await page.getByRole('textbox', { name: 'Header 1 value' }).fill("it's")
    await page.getByRole('combobox', { name: 'Credentials' }).selectOption('basic')
    await page.getByRole('textbox', { name: 'User name' }).fill('ann')
    await page.getByRole('textbox', { name: 'Password' }).fill('p w')
    await page.getByText('Faults on demand').click()
    await page.getByRole('textbox', { name: 'Delay (ms)' }).fill('20')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"a":1}')
    await page.getByRole('button', { name: 'Copy as curl' }).first().click()
    await page.getByText('Copied').waitFor({ state: 'attached' })
    const curl = await page.evaluate(() => navigator.clipboard.readText())
    for (const part of [
      `${server.url}/status/503`,
      '-X POST',
      "'X-Own: it'\\''s'",
      'Authorization: Basic',
      'X-Svc-Delay: 20',
      `--data-raw '{"a":1}'`,
    ])
      t.ok(curl.includes(part), part)
    await sendIt()
    await response.getByText('503 Service Unavailable').waitFor()
    await eventually(t, () => response.textContent(), /\d+(\.\d+)? (ms|s).*\d+ B/)
    await response.getByRole('tab', { name: /^Headers/ }).click()
    await eventually(
      t,
      () => response.getByRole('table', { name: 'Response headers' }).textContent(),
      /x-request-idcon-/,
    )
    await response.getByRole('tab', { name: 'Request as received' }).click()
    await response.getByText('x-own').waitFor()
    await eventually(t, () => response.textContent(), /it's/)
    const { requests } = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as {
      requests: { method: string; uri: string; body: string; headers: { name: string; value: string }[] }[]
    }
    t.match(requests[0], { method: 'POST', uri: '/status/503', body: '{"a":1}' })
    t.ok(
      requests[0]!.headers.some(
        ({ name, value }) => name === 'authorization' && value === `Basic ${Buffer.from('ann:p w').toString('base64')}`,
      ),
    )
    t.ok(requests[0]!.headers.some(({ name, value }) => name === 'x-svc-delay' && value === '20'))
    takeProblems(page, /503/)
  })

  await t.test('the response and its content coding can be chosen, and QUERY is sent [EXPLORER-6]', async t => {
    await open('?path=/query&method=QUERY')
    await eventually(t, () => page.getByRole('combobox', { name: 'Method' }).inputValue(), 'QUERY')
    await sendIt()
    await response.getByText('"p4"').waitFor()
    await page.getByText('Request', { exact: true }).first().click()
    await page.getByText('Response on demand').click()
    await page.getByRole('textbox', { name: 'Answer with' }).fill('{\n  "status": 207,\n  "body": "h\u00e9llo"\n}')
    await page.getByRole('combobox', { name: 'Content coding' }).selectOption('gzip')
    await sendIt()
    await response.getByText('207').first().waitFor()
    await response.getByText('h\u00e9llo').waitFor()
    const { requests } = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as {
      requests: { method: string; headers: { name: string; value: string }[] }[]
    }
    t.equal(requests[0]!.method, 'QUERY')
    const sent = (wanted: string) => requests[0]!.headers.find(({ name }) => name === wanted)?.value
    t.equal(sent('x-svc-answer'), '{"status":207,"body":"h\\u00e9llo"}')
    t.equal(sent('x-svc-encoding'), 'gzip')
  })

  await t.test('bodies of every kind are shown safely [EXPLORER-3]', async t => {
    await open('?path=/odd/markup')
    await sendIt()
    await response.getByText('200 OK').waitFor()
    await eventually(t, () => response.getByRole('tabpanel').first().textContent(), /<img src=x onerror=alert\(1\)>/)
    t.equal(await page.title(), 'svc console')
    await open('?path=/odd/bytes')
    await sendIt()
    await response.getByText(/00 ff fe 01/).waitFor()
    await open('?path=/odd/long')
    await sendIt()
    await response.getByText('Only the first 2.0 MB are shown.').waitFor()
    await open('?path=/image/png')
    await sendIt()
    await response.getByRole('img', { name: 'The body as an image' }).waitFor()
    await eventually(t, () => response.getByRole('img', { name: 'The body as an image' }).getAttribute('src'), /^blob:/)
  })

  await t.test('events appear one by one and can be stopped [EXPLORER-4]', async t => {
    await open('?path=/sse')
    await sendIt()
    const log = response.getByRole('log', { name: 'Events' })
    await log.getByText('event 5 of 5').waitFor()
    await eventually(t, () => response.textContent(), /5 events/)
    await page.getByRole('textbox', { name: 'Path' }).fill('/sse?count=1000&interval_ms=50')
    await sendIt()
    await log.getByText('event 2 of 1000').waitFor()
    await response.getByRole('button', { name: 'Stop' }).click()
    await response.getByText('Stopped.').waitFor()
    await eventually(t, () => log.textContent(), /event 1 of 1000/)
  })

  await t.test('a WebSocket has a log of both directions [EXPLORER-4]', async t => {
    await open('?path=/ws')
    await page.getByRole('button', { name: 'Connect' }).click()
    const log = response.getByRole('log', { name: 'Messages' })
    await log.getByText(/^open/).waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('hello there')
    await sendIt()
    await log.getByText('received').first().waitFor()
    await eventually(t, () => log.textContent(), /sent.*hello there.*received/)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await log.getByText(/closed with code 1000/).waitFor()
  })

  await t.test('an unreachable gateway is reported with a curl command [EXPLORER-5]', async t => {
    await page.evaluate(() =>
      localStorage.setItem(
        'svc.console',
        JSON.stringify({
          session: 'ann',
          gateways: [{ name: 'gw', url: 'http://127.0.0.1:9', headers: [{ name: 'apikey', value: 'k' }] }],
        }),
      ),
    )
    await open('?path=/uuid')
    await page.getByRole('combobox', { name: 'Target' }).selectOption('gw')
    await page.getByRole('button', { name: 'Copy as curl' }).first().click()
    await page.getByText('Copied').waitFor({ state: 'attached' })
    t.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      /apikey: k[^]*X-Svc-Session: ann/,
      'the command matches the request',
    )
    await sendIt()
    await eventually(
      t,
      () => response.getByRole('alert').textContent(),
      new RegExp(`gw.*allow the origin ${server.url}`),
    )
    await eventually(
      t,
      () => response.getByRole('group', { name: 'curl command' }).textContent(),
      /http:\/\/127\.0\.0\.1:9\/uuid/,
    )
    takeProblems(page, /ERR_/)
    await page.evaluate(() => localStorage.clear())
  })

  await t.test('it is accessible in both themes, wide and narrow [EXPLORER-1]', async t => {
    await open('?path=/status/{code}&method=ANY')
    await sendIt()
    await response.getByRole('tab', { name: 'Body' }).waitFor()
    takeProblems(page, /418/)
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
  })
  t.strictSame(page.problems, [])
})
