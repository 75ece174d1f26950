/** Checks of gateways that join graphs: a right one has no finding, and each wrong one is found by its own check alone. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { GRAPH_CHECKS } from '../../plugins/probe/checks/gql/gql.ts'
import { BackChannel } from '../../plugins/probe/client/back-channel.ts'
import type { Check } from '../../plugins/probe/catalog/check.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import { createNonces } from '../../plugins/probe/upstream/sessions.ts'
import { startGraphGateway, type GraphFault, type GraphGatewayOptions } from './graph-gateways/toy-gateway.ts'
import { findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { addressOf, checksNamed, findings, probeThrough, reportOf } from './probe-through.ts'
import { startProxy } from './proxies/reference-proxy.ts'

function routesOf(gql: object): Routes {
  const routes = readRoutes({ gql })
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

interface ProbedOptions extends Omit<GraphGatewayOptions, 'upstream'> {
  gql?: object
  checks?: readonly Check[]
}

async function probed(t: Test, { gql = {}, checks = GRAPH_CHECKS, ...options }: ProbedOptions): Promise<RunResult> {
  const server = await launch()
  t.teardown(() => server.stop())
  const toy = await startGraphGateway({ upstream: server.url, ...options })
  t.teardown(() => toy.close())
  return probeThrough(toy.url, server.url, { checks, routes: routesOf(gql) })
}

const resultOf = ({ results }: RunResult, id: string): CheckResult => results.find(({ check }) => check.id === id)!
const verdicts = ({ results }: RunResult): Record<string, string> =>
  Object.fromEntries(results.map(({ check, verdict }) => [check.id, verdict]))

/** Those that wait for seconds; a wrong gateway is tried with one of them only if it is found by it. */
const SLOW = ['GQL-TIMEOUT', 'GQL-ABORT', 'GQL-SUB-CLOSE', 'GQL-LIMITS']

t.test('a right gateway has no finding, wherever its subgraphs are', async t => {
  const run = await probed(t, { gql: { propagates: ['X-Tenant'], timeout_s: 3 }, session: 't-1' })
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
  t.match(resultOf(run, 'GQL-TIMEOUT').summary, /^3(?:\.\d)? s, with the other data$/)
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
      return super.open(ttlS, { ...this.session, ...nonces })
    }
    override get session(): BackChannel['session'] {
      return { ...nonces, instances: [] } as unknown as BackChannel['session']
    }
  })(await addressOf(server.url), null)
  const run = await probeThrough(toy.url, server.url, { channel, checks: checksNamed(['GQL-DATA', 'GQL-BATCH']) })
  t.strictSame(verdicts(run), { 'GQL-DATA': 'pass', 'GQL-BATCH': 'note' })
})

const DOCUMENTS = { 'user-name': '{ user(id: "u1") { name } }' }

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

interface Wrong {
  faults: readonly GraphFault[]
  id: string
  finding: RegExp
  gql?: object
  options?: Partial<GraphGatewayOptions>
}

const WRONG: Readonly<Record<string, Wrong>> = {
  'rounds a total': {
    faults: ['rounds totals'],
    id: 'GQL-DATA',
    finding: /^fail data\.order\.total is 230, not 229\.98$/,
  },
  'ignores @override': {
    faults: ['ignores overrides'],
    id: 'GQL-OVERRIDE',
    finding: /^fail stock is that of products, which has lost the field$/,
  },
  'forgets fields of interface objects': {
    faults: ['forgets interface objects'],
    id: 'GQL-IFACE',
    finding: /^fail no offers: "Cannot return null for non-nullable field \w+\.reviewCount\."$/,
  },
  'sends keys of null': {
    faults: ['keys of null'],
    id: 'GQL-KEYS',
    finding: /^fail reviews was asked for {"__typename":"Product","id":null}/,
  },
  'asks for each entity alone': {
    faults: ['each entity alone'],
    id: 'GQL-BATCH',
    finding: /^warn inventory got 10 requests of one level; reviews got 10 requests of one level/,
  },
  'asks one subgraph after the other': {
    faults: ['one by one'],
    id: 'GQL-PARALLEL',
    finding: /^warn products is asked after users has answered: \d+ ms later$/,
  },
  'sends mutations at once': {
    faults: ['mutations at once'],
    id: 'GQL-SERIAL',
    finding: /^fail mutation 2 is sent before mutation 1 was answered: /,
  },
  'sends failed requests again': {
    faults: ['sends again'],
    id: 'GQL-RETRY',
    finding: /^fail 2 times after 503; 2 times after a reset connection$/,
  },
  'forgets headers for entities': {
    faults: ['forgets headers'],
    id: 'GQL-HEADERS',
    finding: /^fail X-Tenant is missing at (?:inventory, reviews|reviews, inventory)$/,
  },
  'forwards cookies': {
    faults: ['forwards cookies'],
    id: 'GQL-HEADERS',
    finding: /^warn the cookie of the client arrives$/,
  },
  'shows addresses': {
    faults: ['shows addresses'],
    id: 'GQL-LEAK',
    finding: /^warn the address 127\.0\.0\.1:\d+ is in an error$/,
  },
  'shows the paths of subgraphs': {
    faults: ['paths of subgraphs'],
    id: 'GQL-ERRPATH',
    finding: /^fail the path is \["_entities",0,"averageRating"\]$/,
  },
  'lets null be where it is excluded': {
    faults: ['allows null'],
    id: 'GQL-NULL',
    finding: /^fail Order\.buyer of o99 is .*User\.email is null, though the type excludes null$/,
  },
  'gives all or nothing': {
    faults: ['all or nothing'],
    id: 'GQL-PARTIAL',
    finding:
      /^fail after 503 the data of the others are lost: .*; after a reset connection the data of the others are lost/,
  },
  'forwards any type': {
    faults: ['any type'],
    id: 'GQL-TYPES',
    finding: /^warn forwarded: a text for Product\.price, a Float$/,
  },
  'breaks on entities that are no list': {
    faults: ['breaks on no list'],
    id: 'GQL-ENTITIES',
    finding: /^fail not-list: the connection ended without an answer$/,
  },
  'waits forever': {
    faults: ['waits forever'],
    id: 'GQL-TIMEOUT',
    finding: /^warn no answer within 3 s$/,
    gql: { timeout_s: 1 },
  },
  'does not leave when the client does': {
    faults: ['stays'],
    id: 'GQL-ABORT',
    finding: /^warn the request to the subgraph is still open 5 s later$/,
    options: { timeoutMs: 20_000 },
  },
  'loses an event': {
    faults: ['loses events'],
    id: 'GQL-SUB-OPEN',
    finding: /^fail events: events\.length is 2, not 3; multipart: events\.length is 2, not 3$/,
  },
  'keeps subscriptions': {
    faults: ['keeps subscriptions'],
    id: 'GQL-SUB-CLOSE',
    finding: /^warn the subscription of the subgraph is still open 5 s later: events, multipart$/,
  },
  'ends what broke off like what is complete': {
    faults: ['completes when cut'],
    id: 'GQL-SUB-CUT',
    finding: /^warn ends like a complete one: events, multipart$/,
  },
  'forgets documents': {
    faults: ['forgets documents'],
    id: 'GQL-APQ',
    finding: /^fail the hash is not answered after the document was sent: "PersistedQueryNotFound"$/,
  },
  'executes documents that it does not know': {
    faults: ['executes everything'],
    id: 'GQL-TRUSTED',
    finding: /^warn a document that is not on the list is executed$/,
    gql: { persisted: 'user-name' },
    options: { documents: DOCUMENTS },
  },
  'shows _service': { faults: ['shows entities'], id: 'GQL-INTROSPECTION', finding: /^warn clients reach _service$/ },
  'shows hidden fields': {
    faults: ['shows hidden fields'],
    id: 'GQL-HIDDEN',
    finding: /^fail Dimensions\.unit is served$/,
  },
  'executes mutations by GET': {
    faults: ['mutates by GET'],
    id: 'GQL-STATUS',
    finding: /^fail a mutation by GET is executed$/,
  },
  'takes text for JSON': {
    faults: ['takes text'],
    id: 'GQL-CSRF',
    finding: /^fail a mutation is executed: text\/plain$/,
  },
  'splits aliases': {
    faults: ['splits aliases'],
    id: 'GQL-LIMITS',
    finding: /^warn 5000 aliases: 250 requests to subgraphs$/,
  },
  'waits for deferred parts': {
    faults: ['waits for deferred parts'],
    id: 'GQL-DEFER',
    finding: /^warn the first part comes after \d+ ms$/,
  },
  'changes files': {
    faults: ['changes files'],
    id: 'GQL-UPLOAD',
    finding: /^fail 786432 of 786432 bytes arrived, changed$/,
  },
}

const shown: Parameters<typeof writeFindings>[0][number][] = []
for (const [name, { faults, id, finding, gql = {}, options = {} }] of Object.entries(WRONG))
  t.test(`a gateway that ${name} is found by ${id} alone`, async t => {
    const checks = GRAPH_CHECKS.filter(check => check.id === id || !SLOW.includes(check.id))
    const run = await probed(t, { faults, gql: { propagates: ['X-Tenant'], ...gql }, checks, ...options })
    const found = run.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error')
    t.strictSame(
      found.map(({ check }) => check.id),
      [id],
      findings(run).join('\n'),
    )
    t.match(`${found[0]?.verdict} ${found[0]?.summary}`, finding)
    shown.push(...findingsOf(`a gateway that ${name}`, run))
    const report = reportOf(run)
    const result = report.results.find(one => one.id === id)!
    if (result.recorded === undefined) return
    const again = judgeAgain(report, result, GRAPH_CHECKS.find(one => one.id === id)!)
    t.match(again, { verdict: result.verdict, summary: result.summary })
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

t.test('the pages show what the checks found', { skip: !WRITES_FINDINGS && 'not written' }, t => {
  writeFindings(shown)
  t.end()
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
