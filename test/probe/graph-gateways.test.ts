/** Checks of gateways that join graphs: a right one has no finding; where there is none, and what `--routes` says. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { GRAPH_CHECKS } from '../../plugins/probe/checks/gql/gql.ts'
import { BackChannel } from '../../plugins/probe/client/back-channel.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import { createNonces } from '../../plugins/probe/upstream/sessions.ts'
import { probed, resultOf, verdicts } from './graph-gateways/probed.ts'
import { startGraphGateway } from './graph-gateways/toy-gateway.ts'
import { DOCUMENTS, WRONG } from './graph-gateways/wrong.ts'
import { addressOf, checksNamed, findings, probeThrough } from './probe-through.ts'
import { startProxy } from './proxies/reference-proxy.ts'

t.test('a right gateway has no finding, wherever its subgraphs are', async t => {
  const run = await probed(t, { gql: { propagates: ['X-Tenant'], timeout_s: 6 }, session: 't-1', timeoutMs: 6_000 })
  t.strictSame(findings(run), [])
  t.equal(run.reached.isOfGraphs, true)
  t.strictSame(verdicts(run), {
    'GQL-DATA': 'pass',
    'GQL-OVERRIDE': 'pass',
    'GQL-IFACE': 'pass',
    'GQL-KEYS': 'pass',
    'GQL-BATCH': 'note',
    'GQL-PARALLEL': 'note',
    'GQL-SERIAL': 'pass',
    'GQL-RETRY': 'pass',
    'GQL-HEADERS': 'note',
    'GQL-LEAK': 'note',
    'GQL-ERRPATH': 'pass',
    'GQL-NULL': 'pass',
    'GQL-PARTIAL': 'pass',
    'GQL-TYPES': 'pass',
    'GQL-ENTITIES': 'note',
    'GQL-TIMEOUT': 'note',
    'GQL-ABORT': 'pass',
    'GQL-SUB-OPEN': 'pass',
    'GQL-SUB-CLOSE': 'pass',
    'GQL-SUB-CUT': 'note',
    'GQL-APQ': 'pass',
    'GQL-TRUSTED': 'skip',
    'GQL-INTROSPECTION': 'note',
    'GQL-HIDDEN': 'pass',
    'GQL-STATUS': 'pass',
    'GQL-CSRF': 'note',
    'GQL-LIMITS': 'note',
    'GQL-DEFER': 'note',
    'GQL-UPLOAD': 'pass',
  })
  t.equal(resultOf(run, 'GQL-TRUSTED').reason, 'not configured: gql.persisted')
  t.equal(resultOf(run, 'GQL-BATCH').summary, 'equal entities are sent once')
  t.match(resultOf(run, 'GQL-TIMEOUT').summary, /^\d(?:\.\d)? s, with the other data$/)
  t.equal(resultOf(run, 'GQL-ENTITIES').summary, 'reverse: p3 has the value of another product')
})

t.test('the nonce can be the name of the session of the download', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const nonces = createNonces()
  const toy = await startGraphGateway({ upstream: server.url, session: nonces.nonce })
  t.teardown(() => toy.close())
  const channel = new (class extends BackChannel {
    override open(ttlS: number): Promise<void> {
      return super.open(ttlS, nonces as Parameters<BackChannel['open']>[1])
    }
  })(await addressOf(server.url), null)
  const run = await probeThrough(toy.url, server.url, {
    channel,
    checks: checksNamed(['GQL-DATA', 'GQL-BATCH', 'GQL-TIMEOUT', 'GQL-TRUSTED']),
  })
  t.strictSame(verdicts(run), {
    'GQL-DATA': 'pass',
    'GQL-BATCH': 'note',
    'GQL-TIMEOUT': 'skip',
    'GQL-TRUSTED': 'skip',
  })
  t.equal(resultOf(run, 'GQL-TIMEOUT').reason, 'not configured: gql.timeout_s')
  t.equal(resultOf(run, 'GQL-TRUSTED').reason, 'not configured: gql.persisted')
})

t.test('a gateway that executes only known documents is tried with one of them', async t => {
  const run = await probed(t, {
    gql: { persisted: 'user-name' },
    documents: DOCUMENTS,
    checks: checksNamed(['GQL-TRUSTED', 'GQL-DATA']),
  })
  t.strictSame(verdicts(run), { 'GQL-TRUSTED': 'pass', 'GQL-DATA': 'skip' })
  t.match(
    resultOf(run, 'GQL-DATA').reason,
    /^not routed: 200; the gateway has to serve \/graphql\/supergraph.graphql of svc/,
  )
})

t.test('subscriptions over WebSockets, of clients and at subgraphs', async t => {
  const gql = { url: '/graphql', ws: '/graphql/ws' }
  const checks = checksNamed(['GQL-SUB-OPEN', 'GQL-SUB-CLOSE', 'GQL-SUB-CUT'])
  const events = await probed(t, { gql, checks })
  t.strictSame(verdicts(events), { 'GQL-SUB-OPEN': 'pass', 'GQL-SUB-CLOSE': 'pass', 'GQL-SUB-CUT': 'note' })
  t.equal(resultOf(events, 'GQL-SUB-OPEN').summary, 'over events, multipart, websocket')

  for (const subscribesOver of ['graphql-transport-ws', 'graphql-ws'] as const) {
    const sockets = await probed(t, { gql, checks, subscribesOver, session: 't-1' })
    t.strictSame(verdicts(sockets), { 'GQL-SUB-OPEN': 'pass', 'GQL-SUB-CLOSE': 'pass', 'GQL-SUB-CUT': 'note' })
    t.equal(resultOf(sockets, 'GQL-SUB-OPEN').summary, 'over events, multipart, websocket')
    t.equal(
      resultOf(sockets, 'GQL-SUB-CUT').summary,
      'events: an error; events, reset: an error; multipart: an error; multipart, reset: an error',
    )
  }
})

t.test('each check that can fail has a wrong gateway', t => {
  const found = new Set(Object.values(WRONG).map(({ id }) => id))
  t.strictSame(
    GRAPH_CHECKS.map(({ id }) => id).filter(id => !found.has(id)),
    [],
  )
  t.equal(GRAPH_CHECKS.length, 29)
  t.end()
})

t.test('a proxy in front of the plain graph is not one that joins', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, server.url, { checks: GRAPH_CHECKS })
  t.strictSame([...new Set(Object.values(verdicts(run)))], ['skip'])
  t.match(resultOf(run, 'GQL-DATA').reason, /^not routed: the request arrived at no subgraph; .*supergraph\.graphql/)
})

t.test('routes of a gateway that joins graphs', t => {
  t.match(readRoutes({ gql: '/api/graphql' }), { paths: { gql: { path: '/api/graphql' } } })
  t.match(readRoutes({ gql: { url: '/g', ws: '/g/ws', propagates: ['A'], timeout_s: 5, persisted: 'x' } }), {
    paths: { gql: { path: '/g' }, 'gql.ws': { path: '/g/ws' } },
    graphs: { propagates: ['A'], timeoutS: 5, persisted: 'x' },
  })
  t.equal(readRoutes({ gql: { uri: '/g' } }), 'routes: unknown key "gql.uri" (did you mean url?)')
  for (const propagates of ['X', [1], ['Host'], ['a b'], Array.from({ length: 21 }, () => 'A')])
    t.equal(readRoutes({ gql: { propagates } }), 'routes: gql.propagates must be a list of up to 20 names of headers')
  for (const timeout of [0, 121, '5'])
    t.equal(readRoutes({ gql: { timeout_s: timeout } }), 'routes: gql.timeout_s must be a number from 1 to 120')
  t.equal(readRoutes({ gql: { persisted: 'a b' } }), 'routes: gql.persisted must be the id of a document')
  t.end()
})
