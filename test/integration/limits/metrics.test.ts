/** `/_svc/metrics`: the format, the metrics, their labels. */
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { WebSocket } from 'ws'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import { RequestMetrics } from '../../../core/metrics/request-metrics.ts'
import { parseExposition, type Family } from '../../support/exposition.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { send } from '../../support/request.ts'
import { until } from '../../support/until.ts'

async function scrape(server: TestServer): Promise<Map<string, Family>> {
  return parseExposition((await send(server.url, '/_svc/metrics')).text)
}

function valueOf(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number | undefined {
  const family = families.get(name.replace(/_(?:bucket|sum|count)$/, '')) ?? families.get(name)
  return family?.samples.find(
    sample => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value
}

t.test(
  'a strict parser accepts it, with HELP and TYPE of every metric from the start [METRIC-1, METRIC-3]',
  async t => {
    const server = await serveLimits(t)
    const response = await fetch(`${server.url}/_svc/metrics`)
    t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    t.equal(response.headers.get('cache-control'), 'no-store')
    const families = parseExposition(await response.text())
    const types = Object.fromEntries(
      [...families.values()]
        .filter(({ name }) => name.startsWith('svc_') && !name.startsWith('svc_llm'))
        .map(({ name, type }) => [name, type]),
    )
    t.strictSame(types, {
      svc_requests_total: 'counter',
      svc_request_duration_seconds: 'histogram',
      svc_event_loop_utilization: 'gauge',
      svc_streams_open: 'gauge',
      svc_egress_bytes_total: 'counter',
      svc_protocol_requests_total: 'counter',
      svc_faults_injected_total: 'counter',
      svc_build_info: 'gauge',
      svc_state_entries: 'gauge',
      svc_state_bytes: 'gauge',
      svc_limit_rejections_total: 'counter',
      svc_rule_hits_total: 'counter',
      svc_connections_total: 'counter',
      svc_connections_open: 'gauge',
      svc_datagrams_total: 'counter',
      svc_proxy_protocol_total: 'counter',
    })
    const zeros = (name: string, label: string) =>
      Object.fromEntries(families.get(name)!.samples.map(({ labels, value }) => [labels[label], value]))
    t.strictSame(zeros('svc_protocol_requests_total', 'protocol'), {
      http: 0,
      graphql: 0,
      grpc: 0,
      websocket: 0,
      sse: 0,
      mcp: 0,
      a2a: 0,
      llm: 0,
    })
    t.strictSame(zeros('svc_limit_rejections_total', 'dimension'), {
      requests: 0,
      egress: 0,
      rps: 0,
      concurrency: 0,
      streams: 0,
    })
    t.strictSame(zeros('svc_faults_injected_total', 'kind'), { abort: 0, fail: 0, delay: 0, ai: 0 })
    t.equal(valueOf(families, 'svc_build_info'), 1)
    t.strictSame(Object.keys(families.get('svc_build_info')!.samples[0]!.labels).toSorted(), ['git_sha', 'version'])
  },
)

t.test('requests count under the template of their route, never under their path [METRIC-2]', async t => {
  const server = await serveLimits(t)
  for (const path of ['/x/items/secret-1', '/x/items/secret-2', '/no/such/secret', '/%zz', '/x/items/x%22%5Cy'])
    await (await fetch(server.url + path)).text()
  await fetch(`${server.url}/x/items/1`, { method: 'HEAD' })
  await fetch(`${server.url}/x/items/1`, { method: 'PROPFIND' })
  const text = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.notMatch(text, /secret|:id/)
  const families = parseExposition(text)
  t.equal(valueOf(families, 'svc_requests_total', { route: '/x/items/{id}', method: 'GET', status_class: '2xx' }), 3)
  t.equal(valueOf(families, 'svc_requests_total', { route: '/x/items/{id}', method: 'HEAD', status_class: '2xx' }), 1)
  t.equal(valueOf(families, 'svc_requests_total', { route: 'unmatched', method: 'GET', status_class: '4xx' }), 2)
  t.equal(valueOf(families, 'svc_requests_total', { route: 'unmatched', method: 'OTHER', status_class: '4xx' }), 1)
  const buckets = families
    .get('svc_request_duration_seconds')!
    .samples.filter(({ name, labels }) => name.endsWith('_bucket') && labels.route === '/x/items/{id}')
  t.strictSame(
    buckets.map(({ labels }) => labels.le),
    [
      '0.001',
      '0.0025',
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.1',
      '0.25',
      '0.5',
      '1',
      '2.5',
      '5',
      '10',
      '30',
      '60',
      '+Inf',
    ],
  )
  t.equal(valueOf(families, 'svc_request_duration_seconds_count', { route: '/x/items/{id}' }), 4)
})

t.test(
  'a route counts under its area, WebSocket, SSE, or HTTP; calls counted by a plugin are included [METRIC-3]',
  async t => {
    const server = await serveLimits(t)
    await (await fetch(`${server.url}/x/llm`)).text()
    await (await fetch(`${server.url}/x/items/1`, { headers: { 'X-Svc-Fail': '500' } })).text()
    await (await fetch(`${server.url}/x/count-call`, { method: 'POST' })).text()
    const feed = new AbortController()
    await fetch(`${server.url}/x/feed`, { signal: feed.signal })
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/x/ws`)
    await new Promise(resolve => socket.once('open', resolve))
    const open = await scrape(server)
    t.equal(valueOf(open, 'svc_streams_open'), 2)
    const protocols = Object.fromEntries(
      open.get('svc_protocol_requests_total')!.samples.map(({ labels, value }) => [labels.protocol, value]),
    )
    t.strictSame(protocols, { http: 2, graphql: 0, grpc: 1, websocket: 1, sse: 1, mcp: 0, a2a: 0, llm: 1 })
    t.equal(valueOf(open, 'svc_requests_total', { route: '/x/ws', status_class: '1xx' }), 1)
    t.equal(valueOf(open, 'svc_faults_injected_total', { kind: 'ai' }), 1)
    t.equal(valueOf(open, 'svc_faults_injected_total', { kind: 'fail' }), 1)
    feed.abort()
    socket.terminate()
    await until(async () => valueOf(await scrape(server), 'svc_streams_open') === 0, 'streams closed')
  },
)

t.test('egress counts body bytes as they are sent, plan or not [METRIC-3, PLAN-8]', async t => {
  const server = await serveLimits(t)
  const bytes = async () => valueOf(await scrape(server), 'svc_egress_bytes_total')!
  const first = await bytes()
  const scrapeSize = (await send(server.url, '/_svc/metrics')).body.length
  await (await fetch(`${server.url}/x/items/1`)).text()
  await fetch(`${server.url}/x/items/1`, { method: 'HEAD' })
  await fetch(`${server.url}/x/empty`)
  const last = await bytes()
  t.equal(last - first > scrapeSize && last - first < scrapeSize * 3, true, 'scrapes count too')
  await (await fetch(`${server.url}/x/bytes/5000`)).arrayBuffer()
  const after = await bytes()
  t.ok(after - last >= 5_000, `${after - last}`)
})

t.test('metrics are compressed for clients that accept it [METRIC-1]', async t => {
  const server = await serveLimits(t)
  const ask = (coding: string) => send(server.url, '/_svc/metrics', { headers: { 'Accept-Encoding': coding } })
  const plain = await ask('identity')
  t.strictSame([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'Accept-Encoding, Origin'])
  const coded = await ask('gzip;q=0.5, br')
  t.equal(coded.headers['content-encoding'], 'gzip')
  t.match(gunzipSync(coded.body).toString(), /^# HELP svc_requests_total /m)
  t.ok(coded.body.length < plain.body.length / 2)
})

t.test('1024 routes have their own label, further ones are "other" [METRIC-2]', async t => {
  const metrics = createMetrics()
  const requests = new RequestMetrics(metrics, { version: '1', gitSha: null }, () => {})
  for (let index = 0; index < 1100; index++) requests.countRequest(`/many/${index}`, 'GET', 200, 1)
  const families = parseExposition(await metrics.text())
  t.equal(new Set(families.get('svc_requests_total')!.samples.map(({ labels }) => labels.route)).size, 1025)
  t.equal(valueOf(families, 'svc_requests_total', { route: 'other' }), 76)
  const durations = families.get('svc_request_duration_seconds')!.samples
  t.equal(new Set(durations.map(({ labels }) => labels.route)).size, 251, '250 have their own times')
  t.equal(valueOf(families, 'svc_request_duration_seconds_count', { route: 'other' }), 850)
  t.equal(valueOf(families, 'svc_request_duration_seconds_count', { route: '/many/249' }), 1)
  requests.countRequest('/many/1', 'GET', 200, 1)
  requests.countRequest('/many/300', 'GET', 200, 1)
  const later = parseExposition(await metrics.text())
  t.equal(valueOf(later, 'svc_request_duration_seconds_count', { route: '/many/1' }), 2)
  t.equal(valueOf(later, 'svc_request_duration_seconds_count', { route: 'other' }), 851)
  t.strictSame(families.get('svc_build_info')!.samples[0]!.labels, { version: '1', git_sha: 'unknown' })
})
