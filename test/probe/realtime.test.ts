/** Realtime sockets behind proxies. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { NO_ROUTES, readRoutes } from '../../plugins/probe/client/routes.ts'
import { findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { OWN_KEYS, REALTIME_PROXIES } from './proxies/wrong-realtime-proxies.ts'

const IDS = ['RT-OPEN', 'RT-SUBPROTO', 'RT-USAGE', 'RT-CLOSE']

t.test('a proxy that forwards sockets has no finding', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, OWN_KEYS)
  t.teardown(() => proxy.close())
  const routes = { ...NO_ROUTES, ownLlmCredential: true }
  const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(IDS), routes })
  for (const { check, verdict, summary, reason } of run.results)
    t.equal(verdict, 'pass', `${check.id} ${summary} ${reason ?? ''}`)
  const records = (await (await fetch(`${server.url}/ai/requests`)).json()) as { requests?: unknown[] }
  t.notMatch(JSON.stringify(records), 'Say which number', 'the messages are not in the records')
})

t.test('each wrong proxy is found by its own check', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const shown: ReturnType<typeof findingsOf> = []
  for (const { name, fault, caught, routes } of REALTIME_PROXIES) {
    const proxy = await startProxy(server.ports.http!, fault)
    const run = await probeThrough(proxy.url, server.url, {
      checks: checksNamed(IDS),
      ...(routes === undefined ? {} : { routes }),
    })
    await proxy.close()
    const found = run.results.filter(({ verdict }) => !['pass', 'note', 'skip'].includes(verdict))
    t.strictSame(
      Object.fromEntries(found.map(({ check, verdict }) => [check.id, verdict])),
      caught,
      `${name}: ${findings(run).join(' | ')}`,
    )
    shown.push(...findingsOf(name, run))
  }
  if (WRITES_FINDINGS) writeFindings(shown, { more: true })
})

t.test('where no socket is routed, the reason says what came', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, {
    refuses: ({ line }) => (line.includes('/realtime') ? '404 Not Found' : null),
  })
  t.teardown(() => proxy.close())
  const { results } = await probeThrough(proxy.url, server.url, { checks: checksNamed(IDS) })
  for (const { check, reason } of results) t.equal(reason, 'realtime not routed: 404', check.id)
})

t.test('the routes file names the path and the model of sockets', t => {
  const routes = readRoutes({ realtime: { path: '/v1', model: 'voice' } })
  if (typeof routes === 'string') throw new Error(routes)
  t.equal(routes.paths.realtime?.path, '/v1')
  t.equal(routes.realtimeModel, 'voice')
  t.match(readRoutes({ realtime: { modle: 'x' } }), /unknown key "?realtime\.modle/)
  t.equal(readRoutes({ realtime: { model: 7 } }), 'routes: realtime.model must be the name of a model')
  t.end()
})
