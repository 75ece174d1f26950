/** The console's view "Chaos and health", in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { startBreaker } from '../support/breaker-gateway.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

t.test('chaos and health', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const breaker = await startBreaker(t, server.url, { failures: 3, openMs: 600 })
  const retrier = await startBreaker(t, server.url, { failures: Infinity, openMs: 0, retries: 2 })
  const browser = await startBrowser(t)
  const page = await openPage(browser)
  await page.goto(`${server.url}/ui/`)
  await page.evaluate(
    gateways => localStorage.setItem('svc.console', JSON.stringify({ gateways })),
    [
      { name: 'breaker', url: breaker, headers: [] },
      { name: 'retrier', url: retrier, headers: [] },
    ],
  )
  const results = page.getByRole('region', { name: 'Results' })
  const open = async (hash: string) => {
    await page.goto('about:blank')
    await page.goto(`${server.url}/ui/#/chaos${hash}`)
    await page.getByRole('button', { name: 'Start' }).waitFor()
  }
  const run = async (hash: string, target?: string) => {
    await open(hash)
    if (target) await page.getByRole('combobox', { name: 'Target' }).selectOption(target)
    await page.getByRole('button', { name: 'Start' }).click()
    await results.getByText('done', { exact: true }).waitFor()
  }
  const figure = (name: string) => results.locator('dl > div', { hasText: name }).locator('dd').first().textContent()
  const senders = async () =>
    (await results.getByRole('table', { name: 'Rejected by' }).getByRole('row').allTextContents()).filter(text =>
      /^\d/.test(text),
    )

  await t.test('health is switched [CHAOS-1]', async t => {
    await open('')
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByRole('switch', { name: 'Healthy' }).click()
    await health.getByText('returns 503').waitFor()
    t.equal((await fetch(`${server.url}/health`)).status, 503)
    await health.getByRole('switch', { name: 'Healthy' }).press('Space')
    await health.getByText('returns 200').waitFor()
    t.equal((await fetch(`${server.url}/health`)).status, 200)
  })

  await t.test('flaky endpoints with their counters [CHAOS-2]', async t => {
    const flaky = page.getByRole('region', { name: 'Flaky endpoints' })
    const line = flaky.getByRole('listitem').filter({ hasText: 'Pattern' })
    await line.getByRole('textbox').fill('fs')
    await line.getByRole('button', { name: 'Send one' }).click()
    await line.getByText('503').waitFor()
    await line.getByText('1 so far').waitFor()
    await fetch(`${server.url}/flaky/after/77`)
    await flaky.getByText('after:77 1').waitFor()
    await line.getByRole('button', { name: /^Load/ }).click()
    await eventually(
      t,
      () => page.getByRole('textbox', { name: 'Path', exact: true }).inputValue(),
      '/flaky/pattern/fs',
    )
    await line.getByRole('textbox').fill('xyz')
    await flaky.getByText('Invalid value for this endpoint.').waitFor()
    await eventually(t, () => line.getByRole('button', { name: 'Send one' }).isDisabled(), true)
    await flaky.getByRole('button', { name: 'Reset my session' }).click()
    await flaky.getByText('after:77').waitFor({ state: 'detached' })
    t.strictSame(
      await (await fetch(`${server.url}/flaky/status`, { headers: { Accept: 'application/json' } })).json(),
      { session: 'ip:127.0.0.1', counters: {} },
    )
  })

  await t.test('a load test with faults, and one that is stopped [CHAOS-3, CHAOS-4]', async t => {
    await open('')
    await page.getByRole('spinbutton', { name: 'Delay (ms)' }).fill('20')
    await page.getByRole('combobox', { name: 'Fail with' }).selectOption('429')
    await page.getByRole('textbox', { name: 'Path', exact: true }).fill('/anything/load')
    await page.getByRole('combobox', { name: 'Method' }).selectOption('POST')
    await page.getByText('Headers and body').click()
    await page.getByRole('textbox', { name: 'Header 1 name' }).fill('X-Load')
    await page.getByRole('textbox', { name: 'Header 1 value' }).fill('yes')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"a":1}')
    await page.getByRole('spinbutton', { name: 'Requests' }).fill('1001')
    await page.getByText('A whole number from 1 to 1000.').waitFor()
    await eventually(t, () => page.getByRole('button', { name: 'Start' }).isDisabled(), true)
    await page.getByRole('spinbutton', { name: 'Requests' }).fill('12')
    await page.getByRole('spinbutton', { name: 'In flight' }).fill('51')
    await page.getByText('A whole number from 1 to 50.').waitFor()
    await page.getByRole('spinbutton', { name: 'In flight' }).fill('50')
    t.strictSame(
      [...new URLSearchParams(((await page.evaluate('location.hash')) as string).split('?')[1])]
        .map(pair => pair.join('='))
        .sort(),
      ['c=50', 'delay=20', 'fail=429', 'method=POST', 'n=12', 'path=/anything/load'],
      'the link has the settings',
    )
    await page.getByRole('button', { name: 'Start' }).press('Enter')
    await results.getByText('done', { exact: true }).waitFor()
    await eventually(t, () => figure('Completed'), '12')
    t.strictSame(await senders(), ['429svc: X-Svc-Fail12'])
    const { requests } = (await (await fetch(`${server.url}/_svc/requests?path_prefix=/anything/load`)).json()) as {
      requests: { method: string; body: string; headers: { name: string; value: string }[] }[]
    }
    t.equal(requests.length, 12)
    t.match(requests[0], { method: 'POST', body: '{"a":1}' })
    for (const [name, value] of [
      ['x-load', 'yes'],
      ['x-svc-delay', '20'],
      ['x-svc-fail', '429'],
    ] as const)
      t.ok(
        requests[0]!.headers.some(header => header.name === name && header.value === value),
        name,
      )
    await open('?path=/uuid&n=1000&rate=20')
    await page.keyboard.press('s')
    await results.getByText(/of 1,000/).waitFor()
    await page.keyboard.press('s')
    await results.getByText('stopped', { exact: true }).waitFor()
    const count = await figure('Completed')
    t.match(count, /^\d{1,3} of 1,000$/)
    await page.getByRole('button', { name: 'Start' }).and(page.locator(':enabled')).waitFor()
    await eventually(t, () => figure('Completed'), count, 'no requests after the stop')
  })

  await t.test('results: statuses, latencies, errors, comparison with a kept run [CHAOS-5, CHAOS-8]', async t => {
    await run('?path=/flaky/pattern/SSSF&n=40')
    for (const name of ['Errors', 'Retries seen']) await eventually(t, () => figure(name), '0')
    for (const name of ['p50', 'p90', 'p99']) await eventually(t, () => figure(name), /^\d+(\.\d+)? ms$/)
    const statuses = results.getByRole('table', { name: 'Statuses' })
    await eventually(t, () => statuses.textContent(), /200 OK30503 Service Unavailable10/)
    await eventually(t, async () => (await senders()).join(), '503svc: the endpoint10')
    await eventually(t, () => results.getByRole('img').getAttribute('aria-label'), /Latency of 40 requests over time/)
    const marks = await results.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      const colors = new Set<string>()
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3]! > 190) colors.add(`${data[at]! >> 5} ${data[at + 1]! >> 5} ${data[at + 2]! >> 5}`)
      return colors.size
    })
    t.ok(marks >= 2, 'each class has its own color')
    await results.getByRole('button', { name: 'Keep this run' }).click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Chaos and health' }).click()
    await page.getByRole('combobox', { name: 'Abort the connection' }).selectOption('truncate')
    await page.getByRole('spinbutton', { name: 'Requests' }).fill('6')
    await page.getByRole('button', { name: 'Start' }).click()
    await results.getByText('incomplete response').waitFor()
    await results.getByText('done', { exact: true }).waitFor()
    await eventually(t, () => figure('Errors'), '6')
    await eventually(t, () => statuses.textContent(), /Kept200 OK030503 Service Unavailable010incomplete response 60/)
    await results.getByRole('button', { name: 'Discard kept run' }).click()
    await eventually(t, async () => /200/.test((await statuses.textContent()) ?? ''), false)
  })

  await t.test('states of a breaker, retries, and what rejected each request [CHAOS-6, CHAOS-7]', async t => {
    await run('?path=/flaky/after/5&n=80&c=1&rate=60', 'breaker')
    const bands = await results.getByRole('list', { name: 'Circuit breaker' }).getByRole('listitem').allTextContents()
    t.match(bands[0], /^closed 0\.0 to/)
    t.match(bands[1], /^open/)
    t.match(bands[2], /^half-open.* 1 request$/)
    t.match((await senders()).sort(), [/^503a gateway: the request did not reach svc\d+$/, /^503svc: the endpoint\d+$/])
    await run('?path=/flaky/recover/2&n=10&c=1', 'retrier')
    await eventually(t, () => figure('Retries seen'), '2')
    await eventually(t, () => results.getByRole('table', { name: 'Statuses' }).textContent(), /200 OK10$/)
  })

  await t.test('it is accessible with results, wide, narrow and presented [CHAOS-5]', async t => {
    await run('?path=/flaky/50&n=30&delay=5&fail=429:50')
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('p')
    await eventually(t, () => page.getByRole('button', { name: 'Start' }).isVisible(), false)
    await eventually(t, () => results.isVisible(), true)
  })
  t.strictSame(
    page.problems.filter(problem => !/50\d|429|ERR_/.test(problem)),
    [],
  )
})
