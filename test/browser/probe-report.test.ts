/** The HTML report of a probe: light, dark and printed, without scripts. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { createReport, type Report } from '../../plugins/probe/report/report.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { checksNamed, probeThrough } from '../probe/probe-through.ts'
import { startProxy } from '../probe/proxies/reference-proxy.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'

/** Of a proxy that drops a field, adds no Via, and says something that looks like markup. */
async function reportOf(t: Test): Promise<Report> {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, {
    request(head) {
      head.fields = head.fields.filter(([name]) => !/^(?:via|x-probe-alpha)$/i.test(name))
    },
    response(head) {
      head.fields.push(['Server', '<script>alert(1)</script>'])
    },
  })
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, server.url, {
    checks: checksNamed(['HDR-UNKNOWN', 'HDR-VIA', 'HDR-CONN', 'RSP-FIELDS', 'HDR-CASE']),
  })
  return createReport({
    run,
    facts: {
      id: 'probe-report',
      startedAt: new Date(),
      tookMs: 1,
      arguments: [proxy.url],
      svc: { version: '1.0.0', git_sha: null, node: process.versions.node, platform: process.platform },
      upstream: { mode: 'url', base_url: server.url, instances: ['test-1'] },
    },
    gateway: { url: proxy.url, prefix: '', name: null, configuration: [] },
    options: {},
    failOn: ['fail'],
    baseline: null,
    notes: new Map(),
    isVerbose: false,
  })
}

t.test('the report opens in a browser, in both themes and printed [PRB-19]', { skip: skipWithoutBrowser }, async t => {
  const report = await reportOf(t)
  const html = htmlReport(report)
  const folder = t.testdir({ 'report.html': html })
  const browser = await startBrowser(t)
  const page = await openPage(browser)
  await page.goto(`file://${folder}/report.html`)
  t.strictSame(await accessibilityProblems(page), [])
  t.strictSame(page.problems, [], 'its policy blocks nothing of its own')
  t.notMatch(html, /<script/, 'what the gateway says is text')
  t.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
  t.equal(await page.getByRole('table', { name: 'Groups' }).count(), 1)
  const finding = page.locator('#HDR-VIA')
  t.match(await page.getByRole('listitem').first().innerText(), /^fail .*HDR-VIA|^fail .*RSP-FIELDS/, 'the worst first')
  t.match(
    await page.getByRole('listitem').filter({ hasText: 'HDR-VIA' }).innerText(),
    /\nImpact low\. Via shows/,
    'with the reason',
  )
  t.match(await finding.innerText(), /Why it matters: /)
  for (const name of ['Sent', 'Arrived', 'Answered', 'Came back'])
    t.ok((await finding.getByRole('heading', { name }).count()) > 0, name)
  t.match(await finding.locator('pre .end').first().innerText(), String.raw`\r\n`)
  t.equal(/[␍␊]/.test(html), false, 'only characters that every font has')
  const [groups, findings] = await Promise.all(
    ['Groups', 'Findings'].map(name => page.getByText(name, { exact: true }).first().boundingBox()),
  )
  t.ok(groups!.y < findings!.y, 'the summary of groups is on top')
  t.ok(
    (await page.locator('#HDR-UNKNOWN del').filter({ hasText: 'X-Probe-Alpha' }).count()) > 0,
    'what is lost is marked',
  )
  const links = await page
    .locator('a')
    .evaluateAll(all => all.map(one => (one as HTMLAnchorElement).getAttribute('href')))
  t.strictSame(
    links.filter(href => !/^#|^https:\/\/www\.rfc-editor\.org\/rfc\//.test(href ?? '')),
    [],
  )
  await page.locator('details').evaluateAll(all => all.forEach(one => one.removeAttribute('open')))
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  t.ok(await finding.locator('pre').first().isVisible(), 'closed findings are printed')
  t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')
})
