/** The console's live traffic in a browser: records, filter, keys, comparison, archive, pause. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { accessibilityProblems } from './support/accessibility.ts'
import { PLAIN_HOST, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { harProblem } from './support/har.ts'
import { serve } from '../support/server.ts'
import { clearRequests, openTraffic, textOfRows } from './support/traffic-page.ts'
import { eventually, until } from '../support/until.ts'

t.test('the list of the live traffic', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_HOSTS: PLAIN_HOST } })
  const browser = await startBrowser(t)
  const json = { 'content-type': 'application/json' }
  const open = (params = '', settings: object = {}) => openTraffic(browser, server.url, { params, settings })

  await t.test('records of the mock LLM and of mocks [CON-21]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/ai/openai/v1/chat/completions`, {
      method: 'POST',
      headers: json,
      body: '{"model":"svc-gpt","messages":[{"role":"user","content":"hello there"}]}',
    })
    await fetch(`${server.url}/mock/petstore/pets`)
    const page = await open()
    for (const [path, record, fact] of [
      ['/ai/openai', 'AI record', /"normalized_prompt": "[^"]*hello there/],
      ['/mock/petstore', 'Mock record', /"operation": "/],
    ] as const) {
      await page.list.getByText(path).click()
      await page.detail.getByText(record).click()
      await until(async () => fact.test(await page.detail.locator('.request-record').innerText()), record)
    }
    await fetch(`${server.url}/uuid`)
    await page.list.getByText('/uuid').waitFor()
    t.strictSame((await textOfRows(page)).length, 3, 'loading the records is not shown as traffic')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a stream is open until it ends [CON-35]', async t => {
    await clearRequests(server.url)
    const leaving = new AbortController()
    const answer = await fetch(`${server.url}/sse?count=1000&interval=1000`, { signal: leaving.signal })
    await answer.body!.getReader().read()
    const page = await open()
    await until(async () => (await textOfRows(page)).some(row => /\/sse[^]*\bopen\b/.test(row)), 'the stream is open')
    leaving.abort()
    await until(
      async () =>
        (await textOfRows(page)).some(row => /\/sse[^]*\bclient disconnected\b/.test(row) && !/\bopen\b/.test(row)),
      'the stream has ended',
    )
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('the filter in the page [CON-22]', async t => {
    await clearRequests(server.url)
    for (const path of ['/status/503', '/status/404', '/uuid']) await fetch(server.url + path)
    const page = await open('?filter=status:5xx')
    await until(async () => (await textOfRows(page)).length === 1, 'the link has the filter')
    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('-status:2xx path:/status')
    await until(async () => (await textOfRows(page)).length === 2)
    await eventually(t, async () => decodeURIComponent(page.url()), /filter=-status:2xx\+path:\/status/)
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.filter.fill('status:nonsense')
    await eventually(t, () => page.filter.getAttribute('aria-invalid'), 'true')
    await page.getByRole('button', { name: '-status:2xx path:/status', exact: true }).click()
    await eventually(t, () => page.filter.inputValue(), '-status:2xx path:/status')
    await page.reload()
    await page.getByRole('button', { name: 'Delete filter -status:2xx path:/status' }).click()
    await page.filter.fill('no such thing')
    await page.getByText('None of the 3 requests matches the filter').waitFor()
    await page.getByRole('button', { name: 'Filter syntax' }).click()
    t.strictSame(await accessibilityProblems(page), [])
    await page.context().close()
  })

  await t.test('by keyboard, compared, pinned [CON-27, CON-12]', async t => {
    await clearRequests(server.url)
    for (const [path, body] of [
      ['/echo/a', '{"n":1,"same":true}'],
      ['/echo/b', '{"n":2,"same":true}'],
    ])
      await fetch(server.url + path, { method: 'POST', headers: { ...json, 'x-run': path! }, body: body! })
    const page = await open()
    await page.list.getByText('/echo/b').waitFor()
    await page.keyboard.press('j')
    await page.detail.getByRole('heading', { name: '/echo/b' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.detail.getByRole('heading', { name: '/echo/a' }).waitFor()
    await page.keyboard.press('k')
    await page.detail.getByRole('heading', { name: '/echo/b' }).waitFor()
    await page.detail.getByRole('button', { name: 'Pin' }).click()
    await page.detail.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Choose the request to compare with').waitFor()
    await page.list.getByText('/echo/a').click()
    await page.detail.getByRole('heading', { name: 'Comparison of two requests' }).waitFor()
    await page.detail.getByRole('group', { name: 'Differences' }).waitFor()
    const text = await page.detail.innerText()
    t.match(text, /path\s+\/echo\/a\s+\/echo\/b/)
    t.match(text, /x-run\s+\/echo\/a\s+\/echo\/b/)
    t.match(await page.detail.locator('.diff-line.removed').allTextContents(), [/"n": 1/])
    t.match(await page.detail.locator('.diff-line.added').allTextContents(), [/"n": 2/])
    t.strictSame(await accessibilityProblems(page), [])
    await page.keyboard.press('Escape')
    await page.detail.getByRole('heading', { name: '/echo/b' }).waitFor()
    await page.keyboard.press('Escape')
    await page.detail.waitFor({ state: 'detached' })
    for (let index = 0; index < 3; index++) await fetch(`${server.url}/uuid`)
    await until(async () => (await textOfRows(page)).length === 5)
    t.match((await textOfRows(page))[0], /\/echo\/b/, 'pinned requests stay on top')
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('aborted responses in list, detail and HAR; attempts; health probes [CON-35, CON-36]', async t => {
    await clearRequests(server.url)
    for (const id of ['try', 'try', 'whole'])
      await fetch(`${server.url}/uuid`, {
        headers: { 'x-request-id': id, ...(id === 'try' ? { 'x-svc-abort': 'truncate' } : {}) },
      })
        .then(answer => answer.text())
        .catch(() => {})
    await fetch(`${server.url}/health`)
    const page = await open()
    await until(async () => (await textOfRows(page)).length === 4)
    const rows = await textOfRows(page)
    t.match(rows, [
      /\/health\|200\|/,
      /\/uuid\|200\|/,
      /\/uuid\|200 ✕\|.*attempt 2 of 2, \+\d+ mstruncated/,
      /\/uuid\|200 ✕\|.*attempt 1 of 2truncated/,
    ])
    t.notMatch(rows[1], /attempt|truncated/)
    await page.list.getByText('200 ✕').first().click()
    await eventually(
      t,
      () => page.detail.innerText(),
      /the instance injected the fault abort: X-Svc-Abort: truncate[^]*aborted by the instance after \d+ B of the body[^]*Route\s+none/,
    )
    t.strictSame(await accessibilityProblems(page), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ])
    const archive = JSON.parse(readFileSync(await download.path(), 'utf8')) as { log: { entries: object[] } }
    t.equal(harProblem(archive), null)
    t.match(archive.log.entries[0], {
      _fault: 'abort',
      _fault_source: 'X-Svc-Abort: truncate',
      _route: null,
      _ended: 'aborted',
      response: { status: 200, bodySize: Number },
    })
    await page.getByRole('button', { name: 'Hide health probes' }).click()
    await until(async () => (await textOfRows(page)).length === 3)
    t.notMatch(await textOfRows(page), [/health/])
    await page.reload()
    await until(async () => (await textOfRows(page)).length === 3, 'the setting is kept')
    t.strictSame(page.problems, [])
    await page.context().close()
    await clearRequests(server.url)
    for (const path of ['/echo/a', '/echo/b'])
      await fetch(server.url + path, {
        method: 'POST',
        headers: { ...json, 'x-run': path },
        body: JSON.stringify({ n: path === '/echo/a' ? 1 : 2, same: true }),
      })
  })

  await t.test('saved as HAR [CON-28]', async t => {
    const page = await open('?filter=path:/echo')
    await until(async () => (await textOfRows(page)).length === 2)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save HAR' }).click(),
    ])
    t.equal(download.suggestedFilename(), 'svc-traffic.har')
    const archive = JSON.parse(readFileSync(await download.path(), 'utf8')) as {
      log: { entries: { request: { url: string; postData: { text: string } } }[] }
    }
    t.equal(harProblem(archive), null)
    t.strictSame(
      archive.log.entries.map(({ request }) => [request.url, request.postData.text]),
      [
        [`${server.url}/echo/a`, '{"n":1,"same":true}'],
        [`${server.url}/echo/b`, '{"n":2,"same":true}'],
      ],
      'the filtered requests in chronological order',
    )
    await page.context().close()
  })

  await t.test('pause and clear [CON-29]', async t => {
    await clearRequests(server.url)
    await fetch(`${server.url}/echo/first`)
    const page = await open('', { session: 'class-12' })
    await page.list.getByText('/echo/first').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await fetch(`${server.url}/echo/second`, { headers: { 'x-svc-session': 'class-12' } })
    await page.getByText('1 waiting').waitFor()
    t.equal((await textOfRows(page)).length, 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.list.getByText('/echo/second').waitFor()

    await page.list.getByText('/echo/first').selectText()
    await fetch(`${server.url}/echo/third`)
    await page.getByText('1 waiting').waitFor()
    await page.evaluate(() => getSelection()!.removeAllRanges())
    await page.list.getByText('/echo/third').waitFor()

    const dialog = page.getByRole('dialog', { name: 'Delete captured requests' })
    await page.getByRole('button', { name: 'Clear my session' }).click()
    t.strictSame(await accessibilityProblems(page), [])
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.equal((await textOfRows(page)).length, 3, 'nothing is deleted')
    await page.getByRole('button', { name: 'Clear my session' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.list.getByText('/echo/second').waitFor({ state: 'detached' })
    t.equal((await textOfRows(page)).length, 2)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Waiting for requests').waitFor()
    t.equal(((await (await fetch(`${server.url}/_svc/requests`)).json()) as { count: number }).count, 0)
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('pages of svc, and fields of the connection [CON-52]', async t => {
    await clearRequests(server.url)
    const page = await open()
    const browsing = await page.context().newPage()
    await Promise.all([browsing.waitForResponse(/openapi\.json/), browsing.goto(`${server.url}/docs`)])
    await browsing.goto(server.url)
    await fetch(`${server.url}/echo/mine`, { headers: { via: '1.1 gw', connection: 'keep-alive' } })
    await fetch(`${server.url}/docs`)
    await page.list.getByText('/echo/mine').waitFor()
    await until(async () => (await textOfRows(page)).length === 2, 'only requests of programs')
    t.match(await textOfRows(page), [/\/docs\|/, /\/echo\/mine\|/])
    await page.list.getByText('/echo/mine').click()
    const names = async (list: string) =>
      (await page.detail.getByRole('table', { name: list }).getByRole('rowheader').allTextContents()).map(name =>
        name.toLowerCase(),
      )
    t.strictSame(await names('Connection headers'), ['connection'])
    t.notOk((await names('Client headers')).includes('connection'))
    t.strictSame(await page.detail.locator('.section-gateway').getByRole('rowheader').allTextContents(), ['via'])
    await page.getByRole('button', { name: 'Show pages of svc' }).click()
    await page.list.getByText('/docs/swagger-ui.css').waitFor()
    t.ok((await textOfRows(page)).length > 4)
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test(
    'over plain HTTP from another machine, where browsers offer fewer features [CON-25, CON-26]',
    async t => {
      await clearRequests(server.url)
      const url = server.url.replace('127.0.0.1', PLAIN_HOST)
      await fetch(`${server.url}/echo/plain`)
      const page = await openTraffic(browser, url)
      t.equal(await page.evaluate(() => globalThis.isSecureContext), false)
      await page.list.getByText('/echo/plain').click()
      await page.detail.getByRole('button', { name: 'Copy as curl' }).click()
      await page.getByText('Copied', { exact: true }).waitFor({ state: 'attached' })
      await page.filter.focus()
      await page.keyboard.press('ControlOrMeta+v')
      await eventually(t, () => page.filter.inputValue(), /^curl -sS/)
      await page.filter.fill('')
      await page.detail.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('button', { name: 'Show what arrived' }).click()
      await page.detail.getByText('Nothing: it arrived as sent').waitFor()
      t.strictSame(
        page.problems.filter(problem => !problem.includes('Cross-Origin-Opener-Policy')),
        [],
      )
      await page.context().close()
    },
  )
})
