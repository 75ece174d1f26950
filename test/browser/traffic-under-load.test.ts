/** The console's live traffic under stress: hostile captures, many requests, lost connections, dropped entries. */
import t from 'tap'
import { Agent, request as send } from 'node:http'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { exchange } from '../support/raw-client.ts'
import { serve } from '../support/server.ts'
import { clearRequests, openTraffic, rowsOf } from './support/traffic-page.ts'
import { eventually, until } from '../support/until.ts'

t.test('live traffic under load', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_INSPECTOR_CAPACITY: '200' } })
  const browser = await startBrowser(t)
  const open = () => openTraffic(browser, server.url)

  await t.test('hostile captures are text [CON-31]', async t => {
    const markup =
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">x</a>'
    const bodies: [name: string, type: string, body: string | Uint8Array<ArrayBuffer>][] = [
      ['markup', 'text/html', markup],
      [
        'json',
        'application/json',
        JSON.stringify({ [markup]: markup, link: 'https://evil.example/', __proto__x: { deep: [[[[[[1]]]]]] } }),
      ],
      ['ansi', 'text/plain', '\u001b[31mred\u001b[0m \u0000 \u202e rtl'],
      ['line', 'text/plain', 'x'.repeat(65_536)],
      ['bytes', 'application/octet-stream', new Uint8Array([0xff, 0xfe, 0x80, 0x00])],
      [
        'svg',
        'image/svg+xml',
        '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked=1</script><image href="https://evil.example/x.png"/></svg>',
      ],
      ['form', 'application/x-www-form-urlencoded', `a=${encodeURIComponent(markup)}&b=%zz`],
      ['deep', 'application/json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ]
    for (const [name, type, body] of bodies)
      await fetch(`${server.url}/echo/${name}?q=${encodeURIComponent(markup)}`, {
        method: 'POST',
        headers: { 'content-type': type, 'user-agent': markup, 'x-svc-session': name },
        body,
      })
    await exchange(
      server.ports.http!,
      `GET /echo/raw<script>\u00ff HTTP/1.1\r\nHost: a\r\nX-Bytes: caf\u00e9 \u00ff<b>\r\nConnection: close\r\n\r\n`,
    )
    const page = await open()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    for (const [name] of bodies) {
      await page.list.getByText(`/echo/${name}?`).click()
      await page.detail.getByRole('heading', { name: `/echo/${name}` }).waitFor()
      for (const tab of await page.detail.getByRole('tab').all()) await tab.click()
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1440, `${name} stays within its place`)
    }
    t.strictSame(await accessibilityProblems(page), [])
    await page.setViewportSize({ width: 360, height: 740 })
    t.strictSame(await accessibilityProblems(page), [], 'on a narrow screen')
    t.equal(await page.evaluate(() => (globalThis as { hacked?: number }).hacked), undefined, 'no script of it ran')
    t.strictSame(
      asked.filter(url => !url.startsWith(server.url) && !url.startsWith('blob:')),
      [],
      'no resource of it was loaded',
    )
    await eventually(t, () => page.detail.locator('a').count(), 0, 'URLs in it are not links')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a flood [CON-30]', async t => {
    await clearRequests(server.url)
    const page = await open()
    await page.evaluate(() => {
      const watched = globalThis as unknown as { longest: number }
      watched.longest = 0
      let last = performance.now()
      setInterval(() => {
        watched.longest = Math.max(watched.longest, performance.now() - last)
        last = performance.now()
      }, 10)
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 20 })
    t.teardown(() => agent.destroy())
    const one = (index: number) =>
      new Promise<void>((resolve, reject) => {
        send(`${server.url}/echo/flood-${index}`, { agent }, response => response.resume().on('end', resolve))
          .on('error', reject)
          .end()
      })
    await Promise.all(
      Array.from({ length: 20 }, async (_, worker) => {
        for (let index = worker; index < 3000; index += 20) await one(index)
      }),
    )
    await fetch(`${server.url}/echo/last-one`)
    await page.list.getByText('/echo/last-one').waitFor()
    await until(async () => (await rowsOf(page).count()) < 100, 'few rows are in the document')
    await until(async () => Number(await page.list.getAttribute('aria-rowcount')) <= 1001, 'a thousand are kept')
    await page.getByRole('searchbox', { name: 'Filter' }).fill('last-one')
    await until(async () => (await rowsOf(page).count()) === 1, 'the page stays responsive')
    t.comment(
      `longest pause of the page: ${Math.round(await page.evaluate(() => (globalThis as unknown as { longest: number }).longest))} ms`,
    )
    await page.getByRole('searchbox', { name: 'Filter' }).fill('')
    await page.locator('.table-scroll').evaluate(element => element.scrollTo(0, element.scrollHeight))
    await until(async () => !(await page.list.getByText('/echo/last-one').isVisible()), 'the list scrolls')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('an entry that the instance no longer stores [CON-32]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/echo/keep-me`, { method: 'POST', body: 'precious' })
    const page = await open()
    await page.list.getByText('/echo/keep-me').click()
    const link = page.url()
    await clearRequests(server.url)
    await page.detail.getByText('no longer stored').waitFor()
    await eventually(t, () => page.detail.innerText(), /precious/, 'the details stay on screen')
    const late = await openPage(browser)
    await late.goto(link)
    await late.getByText('This request is no longer stored').waitFor()
    await late.context().close()
    await page.context().close()
  })

  await t.test('a lost feed resumes [CON-33]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/echo/before`)
    const page = await open()
    await page.list.getByText('/echo/before').waitFor()
    const said: string[] = []
    await page.exposeFunction('said', (text: string) => said.push(text))
    await page.evaluate(() => {
      const region = document.querySelector('[aria-live=polite]')!
      new MutationObserver(() =>
        (globalThis as unknown as { said(text: string | null): void }).said(region.textContent),
      ).observe(region, { childList: true, characterData: true, subtree: true })
    })
    // The page loses its network, which ends the connection of the feed.
    await page.context().setOffline(true)
    await page.evaluate(() => dispatchEvent(new Event('offline')))
    for (const name of ['missed-1', 'missed-2']) await fetch(`${server.url}/echo/${name}`)
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'Live traffic' }).click()
    await page.list.getByText('/echo/missed-2').waitFor()
    await fetch(`${server.url}/echo/after`)
    await page.list.getByText('/echo/after').waitFor()
    const paths = await page.list.locator('td.col-path').allTextContents()
    t.strictSame(paths, ['/echo/after', '/echo/missed-2', '/echo/missed-1', '/echo/before'], 'none lost, none repeated')
    await until(() => said.some(text => /new request/.test(text)), 'it is announced')
    await page.context().close()
  })
})

t.test('public mode [CON-34]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/#/traffic`)
  await page.locator('.feed-state', { hasText: 'live' }).waitFor()
  const session = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('svc.console')!) as { session: string }).session,
  )
  t.match(session, /^con-[0-9a-f]{8}$/)
  await fetch(`${server.url}/echo/theirs`, { headers: { 'x-svc-session': 'other' } })
  await fetch(`${server.url}/echo/mine`, { headers: { 'x-svc-session': session } })
  await page.getByRole('table', { name: 'Requests' }).getByText('/echo/mine').click()
  await page
    .getByRole('region', { name: 'Request', exact: true })
    .getByRole('heading', { name: '/echo/mine' })
    .waitFor()
  await eventually(t, () => page.getByText('/echo/theirs').count(), 0)
  await page.getByRole('button', { name: 'Clear my session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Waiting for requests').waitFor()
  await eventually(
    t,
    () => page.getByRole('button', { name: 'Clear', exact: true }).count(),
    0,
    'only its own session can be cleared',
  )
  t.strictSame(page.problems, [])
})
