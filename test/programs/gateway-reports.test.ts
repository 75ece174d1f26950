/** Envoy, nginx and HAProxy report to svc with the files of their pages, and what they report is what arrived. [GWT-8] */
import t from 'tap'
import { absence } from '../support/real-gateways.ts'
import { send } from '../support/rules.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { startEnvoyOf, startHaproxyOf, startNginxOf } from './support/recipes.ts'
import { freePort } from '../support/free-ports.ts'

interface Reconciliation {
  requests: { path: string; reports: string[]; arrivals: string[]; differ: object[] }[]
  only_reported: { path: string; request_id: string }[]
  only_arrived: { path: string }[]
}

const reconciled = async (server: TestServer): Promise<Reconciliation> =>
  (await send(server, '/_svc/telemetry/reconcile?window_s=3600')).json as Reconciliation

const fieldsOf = (found: Reconciliation, path: string) =>
  found.requests.filter(request => request.path === path).map(({ differ, arrivals }) => [differ, arrivals.length])

t.test('Envoy reports by access logs and spans', { skip: absence('envoy') }, async t => {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'its requests are read at once' })
  const through = await startEnvoyOf(t, server, { filters: 'services.yaml', members: 'reports.yaml' })
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await through(path, { headers })).arrayBuffer()
  await get('/echo/1')
  await get('/status/503')
  await get('/flaky/recover/2')
  await get('/echo/denied', { 'x-svc-authz': 'deny' })
  const found = await until(async () => {
    const result = await reconciled(server)
    // An access log and a span.
    const complete = ['/echo/1', '/status/503', '/flaky/recover/2'].every(path =>
      result.requests.some(request => request.path === path && request.reports.length >= 2),
    )
    return complete && result.requests.some(({ path }) => path === '/echo/denied') ? result : null
  }, 'Envoy has reported')
  t.strictSame(fieldsOf(found, '/echo/1'), [[[], 1]])
  t.strictSame(fieldsOf(found, '/status/503'), [[[], 1]])
  t.strictSame(fieldsOf(found, '/flaky/recover/2'), [[[], 3]], 'with its attempts')
  t.strictSame(fieldsOf(found, '/echo/denied'), [[[], 0]], 'refused before the upstream')
  t.strictSame(found.only_reported, [])
  t.ok(
    found.only_arrived.every(({ path }) => path === '/health'),
    'the health checks of Envoy alone are not reported',
  )
  const { logs } = (await send(server, '/_svc/telemetry/logs?limit=50')).json as {
    logs: { source: string; path: string; response_flags: string; attempts: number; status: number }[]
  }
  const log = (path: string) => logs.find(one => one.path === path)
  t.match(log('/echo/denied'), { source: 'als', status: 403, response_flags: 'UAEX' })
  t.match(log('/flaky/recover/2'), { source: 'als', status: 200, attempts: 3 })
})

const trace = (name: string, type: string, config: object): object => ({
  tracing: {
    provider: {
      name: `envoy.tracers.${name}`,
      typed_config: { '@type': `type.googleapis.com/envoy.config.trace.v3.${type}`, ...config },
    },
  },
})

const TRACERS: Readonly<Record<string, object>> = {
  zipkin: trace('zipkin', 'ZipkinConfig', {
    collector_cluster: 'svc_http',
    collector_endpoint: '/zipkin/api/v2/spans',
    collector_endpoint_version: 'HTTP_JSON',
  }),
  'zipkin in protobuf': trace('zipkin', 'ZipkinConfig', {
    collector_cluster: 'svc_http',
    collector_endpoint: '/zipkin/api/v2/spans',
    collector_endpoint_version: 'HTTP_PROTO',
  }),
  datadog: trace('datadog', 'DatadogConfig', { collector_cluster: 'svc_http', service_name: 'envoy' }),
}

for (const [name, manager] of Object.entries(TRACERS))
  t.test(`Envoy sends spans of ${name}`, { skip: absence('envoy') }, async t => {
    t.setTimeout(0)
    const server = await serve(t, { oneProcess: 'its requests are read at once' })
    const through = await startEnvoyOf(t, server, {}, { manager })
    await (await through('/status/503')).arrayBuffer()
    const found = await until(async () => {
      const result = await reconciled(server)
      return result.requests.some(({ path }) => path === '/status/503') ? result : null
    }, 'Envoy has reported')
    t.strictSame(fieldsOf(found, '/status/503'), [[[], 1]])
    const { spans } = (await send(server, '/_svc/telemetry/spans?limit=50')).json as { spans: { source: string }[] }
    t.ok(spans.every(({ source }) => name.startsWith(source)))
  })

t.test('Envoy sends its metrics to StatsD', { skip: absence('envoy') }, async t => {
  t.setTimeout(0)
  const udp = await freePort()
  const server = await serve(t, {
    oneProcess: 'its metrics are read at once',
    settings: { telemetry: { statsd: { udp } } },
  })
  const address = { socket_address: { protocol: 'UDP', address: '127.0.0.1', port_value: udp } }
  const sink = { '@type': 'type.googleapis.com/envoy.config.metrics.v3.StatsdSink', address }
  const bootstrap = {
    stats_flush_interval: '0.5s',
    stats_sinks: [{ name: 'envoy.stat_sinks.statsd', typed_config: sink }],
  }
  const through = await startEnvoyOf(t, server, {}, { bootstrap })
  const count = async (): Promise<number> => {
    await (await through('/echo/1')).arrayBuffer()
    const { metrics } = (
      await send(server, '/_svc/telemetry/metrics?source=statsd&name=envoy.cluster.svc_http.upstream_rq_total&limit=50')
    ).json as { metrics: { kind: string; value: number }[] }
    return metrics.filter(({ kind }) => kind === 'counter').reduce((sum, { value }) => sum + value, 0)
  }
  await until(async () => (await count()) > 0, 'the counter of requests has arrived')
  t.pass('a counter')
})

const OVER_SYSLOG = {
  nginx: { start: startNginxOf, file: 'authz.conf' },
  haproxy: { start: startHaproxyOf, file: 'services.cfg' },
}

for (const [program, { start, file }] of Object.entries(OVER_SYSLOG))
  t.test(`${program} reports over syslog`, { skip: absence(program) }, async t => {
    t.setTimeout(0)
    const udp = await freePort()
    const server = await serve(t, {
      oneProcess: 'its requests are read at once',
      settings: { telemetry: { syslog: { udp } } },
    })
    const key = { apikey: 'my-key' }
    const through = await start(t, server, file, { headers: key, syslogPort: udp })
    const get = async (path: string, headers: Record<string, string> = key) =>
      (await through(path, { headers })).arrayBuffer()
    await get('/echo/1')
    await get('/status/503')
    await get('/echo/denied', {})
    const found = await until(async () => {
      const result = await reconciled(server)
      const paths = result.requests.map(({ path }) => path)
      return ['/echo/1', '/status/503', '/echo/denied'].every(path => paths.includes(path)) ? result : null
    }, `${program} has reported`)
    t.strictSame(fieldsOf(found, '/echo/1'), [[[], 1]])
    t.strictSame(fieldsOf(found, '/status/503'), [[[], 1]])
    t.strictSame(fieldsOf(found, '/echo/denied'), [[[], 0]], 'refused before the upstream')
    t.strictSame(found.only_reported, [])
  })
