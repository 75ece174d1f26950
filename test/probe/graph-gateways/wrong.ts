/** Wrong gateways that join graphs, each with the one check that finds it. */
import type { Test } from 'tap'
import { GRAPH_CHECKS } from '../../../plugins/probe/checks/gql/gql.ts'
import { judgeAgain } from '../../../plugins/probe/report/judge-again.ts'
import { findingsOf, writeFindings, WRITES_FINDINGS } from '../findings.ts'
import { findings, reportOf } from '../probe-through.ts'
import { probed } from './probed.ts'
import type { GraphFault, GraphGatewayOptions } from './toy-gateway.ts'

/** Those that wait for seconds; a wrong gateway is tried with one of them only if it is found by it. */
const SLOW = ['GQL-TIMEOUT', 'GQL-ABORT', 'GQL-SUB-CLOSE', 'GQL-LIMITS', 'GQL-DEFER']

export const DOCUMENTS = { 'user-name': '{ user(id: "u1") { name } }' }

interface Wrong {
  faults: readonly GraphFault[]
  id: string
  finding: RegExp
  gql?: object
  options?: Partial<GraphGatewayOptions>
}

const OF_SUBSCRIPTIONS: Readonly<Record<string, Wrong>> = {
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
    finding: /^warn ends like a complete one: events; events, reset; multipart; multipart, reset$/,
  },
}

/** The same with the sockets of subgraphs. */
const OVER_SOCKETS = Object.fromEntries(
  (['graphql-transport-ws', 'graphql-ws'] as const).flatMap(subscribesOver =>
    Object.entries(OF_SUBSCRIPTIONS).map(([name, wrong]): [string, Wrong] => [
      `${name}, over ${subscribesOver}`,
      { ...wrong, options: { subscribesOver } },
    ]),
  ),
)

export const WRONG: Readonly<Record<string, Wrong>> = {
  ...OF_SUBSCRIPTIONS,
  ...OVER_SOCKETS,
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
    finding: /^fail reviews received a query for {"__typename":"Product","id":null}/,
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
  'breaks on entities that are not a list': {
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
    finding: /^warn 5000 aliases: 112 requests to subgraphs$/,
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

/** Of the checks with these ids. */
export function testWrongGateways(t: Test, isWanted: (id: string) => boolean): void {
  // They mostly wait.
  t.jobs = 2
  const shown: Parameters<typeof writeFindings>[0][number][] = []
  for (const [name, { faults, id, finding, gql = {}, options = {} }] of Object.entries(WRONG).filter(([, one]) =>
    isWanted(one.id),
  ))
    t.test(`a gateway that ${name} is found by ${id} alone`, { buffered: true }, async t => {
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

  // What runs at the same time has ended then.
  t.teardown(() => {
    if (WRITES_FINDINGS) writeFindings(shown)
  })
}
