/** The console shows what a gateway asked about a request, and what arrived, as one chain. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Client, credentials, type ServiceDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import t from 'tap'
import { EXT_PROC_DESCRIPTOR_SET } from '../../proto/compile.ts'
import { putRule } from '../support/rules.ts'
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

t.test(
  'a stream shows its phases, and the rule that acted in a later one [CON-23, GWS-18]',
  { skip: skipWithoutBrowser },
  async t => {
    const server = await serve(t, { plugins: ['console', 'ext-proc', 'guardrails', 'echo'] })
    const browser = await startBrowser(t)
    const page = await openTraffic(browser, server.url)
    await putRule(server, 'late', {
      match: { service: { name: 'proc', phase: 'response_headers' } },
      then: { mutate: { response: { headers: { set: { 'x-late': '1' } } } } },
    })
    const set = loadFileDescriptorSetFromBuffer(readFileSync(EXT_PROC_DESCRIPTOR_SET), { keepCase: true })
    const { Process } = set['envoy.service.ext_proc.v3.ExternalProcessor'] as ServiceDefinition
    const client = new Client(server.grpcAddress, credentials.createInsecure())
    t.teardown(() => client.close())
    const call = client.makeBidiStreamRequest(Process!.path, Process!.requestSerialize, Process!.responseDeserialize)
    const headers = (lines: Record<string, string>): object => ({
      headers: { headers: Object.entries(lines).map(([key, value]) => ({ key, raw_value: Buffer.from(value) })) },
    })
    call.write({ request_headers: headers({ ':method': 'GET', ':path': '/orders', ':authority': 'shop.test' }) })
    await once(call, 'data')
    call.write({ response_headers: headers({ ':status': '200' }) })
    await once(call, 'data')
    call.end()
    await once(call, 'status')
    await page.list.getByText('ExternalProcessor/Process').first().click()
    const chain = page.detail.getByRole('region', { name: 'Services asked' })
    await eventually(
      t,
      async () => (await chain.innerText()).replaceAll(/\s+/g, ' '),
      /proc mutate .*changed by the rule late.*about GET shop\.test\/orders phases request_headers, response_headers/,
    )
    t.match(await page.detail.innerText(), /\blate\b/)
    t.strictSame(await accessibilityProblems(page), [])
    t.strictSame(page.problems, [])
  },
)
