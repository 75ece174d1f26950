/** Guided demos in the console: the list, a run, and the presenter's page by keyboard alone (sheet demos, 7). */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { afterEvent, NOTHING, totalOf } from '../../plugins/console/client/views/demos/run-state.ts'
import { startDemoProxy } from '../support/demo-proxy.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'

t.test('a demo from the list to the verdict', { skip: skipWithoutBrowser }, async t => {
  const server = await launch({ plugins: ['console', 'demos', 'echo'] })
  t.teardown(() => server.stop())
  const gateway = await startDemoProxy(t, server.url, { attempts: 3 })
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/#/demos`)
  await page.getByRole('link', { name: 'Retries hide a failing upstream' }).waitFor()
  await page.getByText('Not available: plugin identity is off').waitFor()
  t.strictSame(await accessibilityProblems(page), [])
  await page.keyboard.press('/')
  await page.keyboard.type('retr hide envoy')
  await page.getByRole('heading', { name: 'Security' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Retries hide a failing upstream' }).waitFor()
  await page.getByRole('tab', { name: 'envoy', exact: true }).click()
  await page.getByText(/num_retries: 2/).waitFor()
  t.strictSame(await accessibilityProblems(page), [])
  const url = page.getByRole('textbox', { name: 'Gateway URL' })
  await url.fill('http://gateway.example')
  await page.getByRole('button', { name: 'Run all steps' }).click()
  await page.getByText('This gateway is not in demos.targets').waitFor()
  takeProblems(page, /403/)
  await url.fill(gateway)
  await page.getByRole('checkbox', { name: 'Compare with a run without the gateway' }).check()
  await page.getByRole('button', { name: 'Run all steps' }).click()
  await page.getByText('All that had to be seen was seen.').waitFor({ timeout: 60_000 })
  await page.getByText(', as it must be').waitFor({ timeout: 60_000 })
  t.strictSame(await accessibilityProblems(page), [])
})

t.test('the presenter needs the keyboard alone', { skip: skipWithoutBrowser }, async t => {
  const server = await launch({ plugins: ['console', 'demos', 'echo'] })
  t.teardown(() => server.stop())
  const gateway = await startDemoProxy(t, server.url, { attempts: 3 })
  const page = await openPage(await startBrowser(t))
  const verdict = page.locator('.present-verdict')
  const title = (name: string): Promise<void> => page.getByRole('heading', { name }).waitFor()
  await page.goto(`${server.url}/ui/#/demos/retry/present?target=${gateway}&step=2`)
  await title('The upstream fails')
  await page.keyboard.press(' ')
  await verdict.filter({ hasText: /^Seen$/ }).waitFor({ timeout: 60_000 })
  const traffic = page.getByRole('group', { name: 'Traffic' })
  t.match((await traffic.innerText()).replaceAll(/\s+/g, ' '), /1 sent[^]*200 came back[^]*3 arrived[^]*503 × 2/)
  for (const width of [1920, 1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('c')
  await verdict.filter({ hasText: 'Without the gateway: Not seen' }).waitFor({ timeout: 60_000 })
  await page.keyboard.press('ArrowRight')
  await title('A POST is sent once')
  await page.keyboard.press(' ')
  await page.getByRole('region', { name: 'Summary' }).getByRole('link', { name: 'HTML' }).waitFor({ timeout: 60_000 })
  await page.keyboard.press('b')
  await title('The upstream fails')
  await page.keyboard.press('r')
  await verdict
    .filter({ hasText: /^Running|Seen$/ })
    .first()
    .waitFor({ timeout: 60_000 })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run all steps' }).waitFor()
})

t.test('events of many requests are counted', async t => {
  const events: [string, object][] = [
    ['step', { number: 1, title: 'One', say: '', look: '', ask: null, chart: null, state: 'running' }],
    ['sent', { step: 1, count: 3 }],
    ['response', { step: 1, status: 200, error: null, ms: 5 }],
    ['response', { step: 1, more: [{ status: null, error: 'timeout', count: 2 }] }],
    ['arrival', { step: 1, status: 200, lane: 'canary' }],
    ['verdict', { step: 1, verdict: 'not-seen', sent: 3, arrived: 3 }],
    ['verdict', { verdict: 'not-seen', reason: 'step 1', control: null }],
    ['end', { state: 'complete', error: null }],
  ]
  const run = events.reduce((before, [event, data]) => afterEvent(before, event, data as never), NOTHING)
  t.match(run, { state: 'complete', verdict: 'not-seen', reason: 'step 1' })
  t.match(run.steps[1], { sent: 3, responses: { 200: 1, timeout: 2 }, arrivals: { canary: { 200: 1 } }, arrived: 3 })
  t.equal(totalOf(run.steps[1]!.responses), 3)
})

t.test('both sides of a gateway', { skip: skipWithoutBrowser }, async t => {
  const server = await launch({ plugins: ['console', 'demos', 'proxy', 'llm', 'llm-openai', 'echo'] })
  t.teardown(() => server.stop())
  const gateway = await startDemoProxy(t, server.url, { add: { 'x-added': 'by the gateway' } })
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/#/demos/blue-green/present?target=${gateway}&tap=true`)
  // After the first step the run waits for the second, and the tap stays open.
  await page.getByRole('heading', { name: 'Blue serves' }).waitFor()
  await page.keyboard.press(' ')
  const sides = page.getByRole('region', { name: 'Both sides of the gateway' })
  await sides.getByText('No client has sent anything.').waitFor({ timeout: 60_000 })
  // The address is shown once it works.
  await sides
    .getByText(/http:.*proxy.gateway/)
    .first()
    .waitFor({ timeout: 60_000 })
  const [address] = /http:\S+\/proxy\/gateway/.exec(await sides.innerText())!
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })
  const headers = { 'content-type': 'application/json' }
  const sent = await fetch(`${address}/v1/chat/completions`, { method: 'POST', headers, body })
  t.equal(sent.status, 200, await sent.text())
  await sides.getByText('The conversation is the same.').waitFor({ timeout: 60_000 })
  await sides.getByRole('row', { name: /header x-added added by the gateway/ }).waitFor()
  t.strictSame(await accessibilityProblems(page), [])
})
