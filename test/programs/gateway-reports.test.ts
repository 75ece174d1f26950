/** Envoy and nginx report to svc with the files of their pages, and what they report is what arrived. [GWT-8] */
import t from 'tap'
import { absence, freePorts } from '../support/real-gateways.ts'
import { send } from '../support/rules.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { startEnvoyOf, startNginxOf } from './support/recipes.ts'

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

t.test('nginx reports over syslog', { skip: absence('nginx') }, async t => {
  t.setTimeout(0)
  const [udp] = (await freePorts(1)) as [number]
  const server = await serve(t, {
    oneProcess: 'its requests are read at once',
    settings: { telemetry: { syslog: { udp } } },
  })
  const key = { apikey: 'my-key' }
  const through = await startNginxOf(t, server, 'authz.conf', { headers: key, syslogPort: udp })
  const get = async (path: string, headers: Record<string, string> = key) =>
    (await through(path, { headers })).arrayBuffer()
  await get('/echo/1')
  await get('/status/503')
  await get('/echo/denied', {})
  const found = await until(async () => {
    const result = await reconciled(server)
    const paths = result.requests.map(({ path }) => path)
    return ['/echo/1', '/status/503', '/echo/denied'].every(path => paths.includes(path)) ? result : null
  }, 'nginx has reported')
  t.strictSame(fieldsOf(found, '/echo/1'), [[[], 1]])
  t.strictSame(fieldsOf(found, '/status/503'), [[[], 1]])
  t.strictSame(fieldsOf(found, '/echo/denied'), [[[], 0]], 'refused before the upstream')
  t.strictSame(found.only_reported, [])
})
