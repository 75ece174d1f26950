/** The gateway report: a run of the probe in the console, its evidence, and reports from files. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { launch } from '../../core/testing/launch.ts'
import { readReport } from '../../plugins/console/client/views/probe/report-file.ts'
import { sideText } from '../../plugins/console/client/views/probe/side-text.ts'
import type { Http2Side } from '../../plugins/console/client/views/probe/types.ts'
import { startProxy } from '../probe/proxies/reference-proxy.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { eventually } from '../support/until.ts'

t.test('a run in the console [CON-49]', { skip: skipWithoutBrowser }, async t => {
  const reserved = await startProxy(1)
  await reserved.close()
  const server = await launch({
    plugins: ['console', 'probe'],
    settings: { probe: { targets: [`http://127.0.0.1:${reserved.port}`], repeat: 1 } },
  })
  t.teardown(() => server.stop())
  // A gateway that passes on fields which belong to the connection.
  const proxy = await startProxy(server.ports.http!, { passesNamed: true }, reserved.port)
  t.teardown(() => proxy.close())
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/#/probe`)
  const url = page.getByRole('textbox', { name: 'Gateway URL' })
  const start = page.getByRole('button', { name: 'Start' })
  const groups = page.getByRole('group', { name: 'Groups' })
  await groups.getByRole('checkbox', { name: 'headers' }).waitFor()
  t.strictSame(await accessibilityProblems(page), [])

  await url.fill('http://gateway.example:8000/v1')
  await start.click()
  await page.getByText('This gateway is not in probe.targets').waitFor()
  t.match(
    await page.getByRole('group', { name: 'svc.yaml' }).innerText(),
    /^probe:\n  targets:\n    - "http:\/\/gateway\.example:8000"$/,
  )
  takeProblems(page, /403/)
  await url.fill(`gateway.invalid:${reserved.port}`)
  await start.click()
  await page.getByRole('button', { name: 'Allow for this run' }).click()
  await page
    .getByRole('region', { name: 'Checks' })
    .getByText(/checks$|fail|skip/)
    .first()
    .waitFor()
  await page
    .getByText('The run failed')
    .or(page.getByRole('link', { name: 'HTML' }))
    .first()
    .waitFor()
  t.equal(await url.inputValue(), `http://gateway.invalid:${reserved.port}`, 'the scheme is completed')
  takeProblems(page, /403/)

  await url.fill(proxy.url)
  for (const box of await groups.getByRole('checkbox').all())
    await box.setChecked((await box.evaluate(input => input.nextElementSibling!.textContent)) === 'headers')
  await start.click()
  const table = page.getByRole('table', { name: 'Checks' })
  await table.getByRole('button', { name: /^HDR-CONN / }).waitFor()
  await page.getByRole('link', { name: 'HTML' }).waitFor()
  t.match(page.url(), /run=/, 'a link shows the run again')
  await eventually(t, () => page.getByRole('list', { name: 'Results' }).innerText(), /\d+\s+fail[^]*\d+\s+pass/)

  t.match(await table.getByRole('row').nth(1).innerText(), /fail/, 'findings come first once the run has ended')
  await table.getByRole('row').filter({ hasText: 'fail' }).getByRole('button').first().click()
  const evidence = page.getByRole('region', { name: 'Evidence' })
  for (const name of ['Sent', 'Arrived', 'Answered', 'Came back'])
    await evidence.getByRole('heading', { name }).first().waitFor()
  t.match(await evidence.innerText(), /GET \/probe\//)
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'JSON' }).click(),
  ])
  const report = readFileSync(await download.path(), 'utf8')
  const changed = report.replace('"verdict":"fail"', '"verdict":"pass"')
  const choose = async (button: string, buffer: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: button }).click(),
    ])
    await chooser.setFiles({ name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(buffer) })
  }
  await choose('Compare with', changed)
  await page.getByText('Compared with report.json: 1 different').waitFor()
  await choose('Open a report', '{"svc_probe":2}')
  await page.getByText('is not a report of svc probe').waitFor()
  await choose('Open a report', report)
  await page.getByRole('heading', { name: 'Checks of report.json' }).waitFor()
  const flaky = JSON.parse(report) as { results: Record<string, unknown>[] }
  const failed = flaky.results.find(({ verdict }) => verdict === 'fail')!
  failed.other_attempt = { verdict: 'warn', summary: 'something else', exchanges: failed.exchanges }
  Object.assign(failed, { verdict: 'flaky', repeats: ['warn', 'pass', 'fail'] })
  await choose('Open a report', JSON.stringify(flaky))
  await table.getByRole('button', { name: new RegExp(`^${String(failed.id)} `) }).click()
  await evidence.getByText('Attempts: warn, pass, fail').waitFor()
  await evidence.getByText('something else').waitFor()
  t.equal(await evidence.getByRole('heading', { name: 'Sent' }).count(), 2)
  for (const box of await groups.getByRole('checkbox').all()) await box.check()
  await start.click()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('option', { name: /stopped$/ }).waitFor({ state: 'attached' })
  t.ok(await start.isEnabled(), 'the next run can start')
  const complete = await page.getByRole('option', { name: /complete$/ }).getAttribute('value')
  await page.getByRole('combobox', { name: 'Run' }).selectOption(complete)
  await table.getByRole('button', { name: /^HDR-CONN / }).waitFor()
  await page.keyboard.press('p')
  await url.waitFor({ state: 'hidden' })
  await page.getByRole('list', { name: 'Results' }).waitFor()
  t.strictSame(await accessibilityProblems(page), [], 'in presenter mode')
  t.strictSame(page.problems, [])
})

t.test('reports of files are checked before they are shown [CON-49]', async t => {
  const side = { bytes: 'GET / HTTP/1.1', size: 14, truncated: false, ended: null }
  const exchange = { step: 1, sent: side, arrived: [side], answered: null, came_back: side }
  const result = {
    id: 'A',
    title: 'a',
    group: 'g',
    protocol: '1.1',
    verdict: 'pass',
    summary: '',
    exchanges: [exchange],
  }
  const report = { svc_probe: 1, gateway: { url: 'http://g' }, run: { started_at: '' }, results: [result] }
  t.match(readReport('r.json', JSON.stringify(report)), { results: [{ id: 'A' }] })
  const http2: Http2Side = { size: 2, truncated: false, ended: 'reset', fields: [[':status', '200']], data: 'ok' }
  const both = (sent: object): string =>
    JSON.stringify({ ...report, results: [{ ...result, exchanges: [{ ...exchange, sent }] }] })
  const whole: Http2Side = {
    ...http2,
    interims: [[[':status', '103']]],
    trailers: [['grpc-status', '0']],
    frames: ['GOAWAY'],
    error: 'CANCEL',
  }
  t.match(readReport('r.json', both(http2)), { results: [{ id: 'A' }] })
  t.match(readReport('r.json', both(whole)), { results: [{ id: 'A' }] })
  for (const wrong of [{ fields: [['a']] }, { fields: 'a' }, { data: 1 }, { interims: [['a']] }, { frames: [1] }])
    t.match(readReport('r.json', both({ ...http2, ...wrong })), /^r\.json is not a/, JSON.stringify(wrong))
  t.equal(
    sideText(whole),
    ':status: 103\n\n:status: 200\n\nok\n\ngrpc-status: 0\n\nframe: GOAWAY\nstream error: CANCEL',
  )
  for (const wrong of [
    null,
    [],
    { ...report, results: {} },
    { ...report, results: [null] },
    { ...report, results: [{ ...result, verdict: 'great' }] },
    { ...report, results: [{ ...result, repeats: ['great'] }] },
    { ...report, results: [{ ...result, other_attempt: { verdict: 'fail', summary: 'a' } }] },
    { ...report, results: [{ ...result, exchanges: [{ ...exchange, sent: null }] }] },
    { ...report, results: [{ ...result, exchanges: [{ ...exchange, arrived: [{ bytes: 1, size: 1 }] }] }] },
  ])
    t.match(readReport('r.json', JSON.stringify(wrong)), /^r\.json is not a/, JSON.stringify(wrong))
  t.match(readReport('r.json', '{'), /is not a report/)
})
