/** The console compares what a gateway reported with what arrived. */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { attributes, exportJson, requestOf } from '../support/otlp-requests.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'

t.test('the reconciliation [GWT-8]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { plugins: ['console', 'telemetry', 'status'] })
  const session = 'booth'
  const report = (requestId: string, path: string, status: number): Promise<unknown> => {
    const fields = {
      method: 'GET',
      path,
      status,
      'http.request.header.x-request-id': requestId,
      'svc.session': session,
    }
    const record = { timeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`, attributes: attributes(fields) }
    return exportJson(server, 'logs', requestOf('logs', [record], { 'service.name': 'gateway' }))
  }
  const pass = async (path: string): Promise<string> => {
    const requestId = randomUUID()
    await fetch(server.url + path, { headers: { 'x-request-id': requestId, 'x-svc-session': session } })
    return requestId
  }
  await report(await pass('/status/204'), '/status/204', 204)
  await report(await pass('/status/503'), '/status/503', 200)
  await report(randomUUID(), '/status/201', 201)
  await pass('/status/202')

  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/`)
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Reconciliation' }).click()
  await page.getByLabel('Session').fill(session)
  await eventually(
    t,
    async () => (await page.getByRole('status').allInnerTexts()).join(' ').replaceAll(/\s+/g, ' '),
    /1 agree 1 differ 1 only reported 1 only arrived/,
  )
  const rows = (name: string): Promise<string> => page.getByRole('table', { name, exact: true }).innerText()
  t.match(await rows('Differ'), /\/status\/503[^]*status: 200, 503/)
  t.match(await rows('Only reported'), /\/status\/201[^]*none/)
  t.match(await rows('Only arrived'), '/status/202')
  t.match(await rows('Agree'), '/status/204')
  for (const width of [1440, 900, 390]) {
    await page.setViewportSize({ width, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('table', { name: 'Differ' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Live traffic' }).waitFor()
  await page.goBack()
  await page.getByLabel('Session').fill('nobody')
  await page.getByText('Every reported request arrived.').waitFor()
  t.strictSame(page.problems, [])
})
