/** The console shows what a gateway asked about a request, and what arrived, as one chain. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { openTraffic } from './support/traffic-page.ts'
import { eventually } from '../support/until.ts'

t.test('the chain of a request [CON-23, GWS-5, GWS-11]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { plugins: ['console', 'ext-authz', 'rate-limit', 'echo'] })
  const browser = await startBrowser(t)
  const page = await openTraffic(browser, server.url)
  const headers = { 'x-request-id': 'chain-1' }
  await fetch(`${server.url}/ext-authz/allow/echo/7`, { headers })
  const entries = [
    { key: 'client', value: 'ada' },
    { key: 'svc_limit', value: '5/86400s' },
  ]
  await fetch(`${server.url}/rate-limit/json`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ domain: 'demo', descriptors: [{ entries }] }),
  })
  await fetch(`${server.url}/echo/7`, { headers })
  await fetch(`${server.url}/ext-authz/deny/echo/8`)
  await page.list.getByText('authz deny').waitFor()
  await page.list.getByText('ratelimit ok').waitFor()

  const arrival = page.list.locator('tr', { hasText: '/echo/7' }).filter({ hasNotText: '/ext-authz' })
  await arrival.click()
  const chain = page.detail.getByRole('region', { name: 'Services asked' })
  await eventually(
    t,
    async () => (await chain.innerText()).replaceAll(/\s+/g, ' '),
    /authz allow [\d.]+ ms policy allow always.*ratelimit ok [\d.]+ ms 4 of 5\/day left.*arrived/i,
  )
  t.strictSame(await accessibilityProblems(page), [])
  await chain.getByRole('link', { name: 'authz' }).click()
  await eventually(t, () => chain.innerText(), /about GET [\d.:]+\/echo\/7/)
  await chain.getByRole('link', { name: 'arrived' }).click()
  await eventually(t, () => chain.innerText(), /ratelimit/)

  await page.list.locator('tr', { hasText: '/ext-authz/deny' }).click()
  await eventually(t, () => chain.innerText(), /authz deny[^]*denied, nothing arrived/)
  t.strictSame(page.problems, [])
})
