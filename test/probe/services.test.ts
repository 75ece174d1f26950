/**
 * Checks of gateways that call svc as a service: the right gateway has no finding, and each wrong one is found by its own check
 * alone. The runs mostly wait, for services that do not reply: several of them wait at once.
 */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { SERVICE_GROUPS, type Check } from '../../plugins/probe/catalog/check.ts'
import { selectChecks } from '../../plugins/probe/catalog/selection.ts'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import { until } from '../support/until.ts'
import { findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { findings, probeThrough, reportOf } from './probe-through.ts'
import { startToyGateway, type ToyFaults } from './service-gateways/toy-gateway.ts'
import { WRONG_GATEWAYS } from './service-gateways/wrong-gateways.ts'

const checksOf = (...groups: string[]): Check[] => CATALOG.filter(({ group }) => groups.includes(group))
const ALL = checksOf(...SERVICE_GROUPS)

async function probed(faults: ToyFaults, checks: readonly Check[] = ALL): Promise<RunResult> {
  const server = await launch({ plugins: ['probe', 'ext-authz', 'ext-proc', 'rate-limit', 'telemetry', 'grpc'] })
  try {
    const toy = await startToyGateway({ http: server.ports.http!, grpc: server.ports.grpc!, faults })
    try {
      // gRPC is loaded with the first call.
      await until(async () => ((await fetch(`${toy.url}/health`)).ok ? true : null), 'the services are ready')
      return await probeThrough(toy.url, server.url, { checks })
    } finally {
      await toy.close()
    }
  } finally {
    await server.stop()
  }
}

const AT_ONCE = 8
let running = 0
const waiting: (() => void)[] = []

/** Starts a run as soon as fewer than `AT_ONCE` are running. Its failure is that of the test that awaits it. */
function begun(faults: ToyFaults, checks?: readonly Check[]): Promise<RunResult> {
  const run = (async () => {
    if (running === AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await probed(faults, checks)
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  })()
  run.catch(() => {})
  return run
}

const only = process.env.SVC_PROXY
const RIGHT = SERVICE_GROUPS.map(group => begun({}, checksOf(group)))
const ASKS_NOBODY = begun({ only: 'nothing' })
const WRONG = WRONG_GATEWAYS.filter(one => only === undefined || one.name.includes(only)).map(one => ({
  ...one,
  run: begun(one.faults, checksOf(one.group)),
}))

const verdicts = ({ results }: RunResult): Record<string, string> =>
  Object.fromEntries(results.map(({ check, verdict }) => [check.id, verdict]))

t.test('a gateway that asks, obeys and reports has no finding', async t => {
  const runs = await Promise.all(RIGHT)
  t.strictSame(runs.flatMap(findings), [])
  const expected = { 'RLS-DOWN': 'note', 'PROC-PHASES': 'note', 'RPT-SECRET': 'pass' }
  t.strictSame(Object.assign({}, ...runs.map(verdicts)), {
    ...Object.fromEntries(ALL.map(({ id }) => [id, 'pass'])),
    ...expected,
  })
  const summaryOf = (id: string) => runs.flatMap(({ results }) => results).find(({ check }) => check.id === id)!.summary
  t.equal(summaryOf('AUTHZ-DOWN'), 'fails closed')
  t.equal(summaryOf('RLS-DOWN'), 'requests pass')
  t.equal(summaryOf('PROC-PHASES'), 'request_headers, request_body, response_headers, response_body')
})

t.test('a gateway that asks nobody and reports nothing is not judged', async t => {
  const run = await ASKS_NOBODY
  t.strictSame(verdicts(run), Object.fromEntries(ALL.map(({ id }) => [id, 'skip'])))
  const reasons = new Set(run.results.map(({ reason }) => reason))
  t.strictSame([...reasons].toSorted(), [
    'nothing is reported to svc about the path of the probe',
    'svc is not asked as authorization service about the path of the probe',
    'svc is not asked as external processor about the path of the probe',
    'svc is not asked as rate-limit service about the path of the probe',
  ])
})

t.test('checks of plugins that are off are skipped, with their name', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const checks = [...ALL, ...checksOf('gql', 'realtime')]
  const { results } = await probeThrough(server.url, server.url, { checks })
  t.equal(results.length, checks.length)
  t.strictSame(
    [...new Set(results.map(({ check, verdict, reason }) => `${check.group} ${verdict}: ${reason}`))],
    [
      'authz skip: the plugin "ext-authz" of svc is disabled',
      'ratelimit skip: the plugin "rate-limit" of svc is disabled',
      'proc skip: the plugin "ext-proc" of svc is disabled',
      'report skip: the plugin "telemetry" of svc is disabled',
      'realtime skip: the plugin "llm-openai-realtime" of svc is disabled',
      'gql skip: the plugin "graphql-subgraphs" of svc is disabled',
    ],
  )
})

const shown: Parameters<typeof writeFindings>[0][number][] = []
for (const { name, run: begunRun, caught, finding } of WRONG)
  t.test(`${name} is found by ${Object.keys(caught).join()} alone`, async t => {
    const run = await begunRun
    const found = run.results.filter(({ verdict }) => ['fail', 'warn', 'flaky', 'error'].includes(verdict))
    t.strictSame(
      Object.fromEntries(found.map(({ check, verdict }) => [check.id, verdict])),
      caught,
      findings(run).join(),
    )
    t.match(found[0]?.summary, finding)
    shown.push(...findingsOf(name, run))
    const report = reportOf(run)
    for (const result of report.results.filter(({ recorded }) => recorded !== undefined)) {
      const { verdict, summary } = result
      t.match(judgeAgain(report, result, CATALOG.find(({ id }) => id === result.id)!), { verdict, summary })
    }
  })

t.test('the pages show what the checks found', { skip: !WRITES_FINDINGS && 'not written' }, t => {
  writeFindings(shown)
  t.end()
})

t.test('the groups run only if they are named', t => {
  const chosen = (selection: Parameters<typeof selectChecks>[1]): string[] => {
    const checks = selectChecks(CATALOG, selection)
    return Array.isArray(checks) ? [...new Set(checks.map(({ group }) => group))] : []
  }
  const byDefault = chosen({ groups: null, ids: null })
  t.notOk(byDefault.some(group => SERVICE_GROUPS.includes(group)))
  t.ok(byDefault.includes('headers'))
  t.strictSame(chosen({ groups: ['authz', 'report'], ids: null }), ['authz', 'report'])
  t.strictSame(chosen({ groups: null, ids: ['RLS-OVER'] }), ['ratelimit'])
  t.end()
})

t.test('--routes says where the services are asked', t => {
  t.match(readRoutes({ authz: '/guarded', report: 'http://127.0.0.1:9/logged' }), {
    paths: { authz: { path: '/guarded' } },
  })
  t.type(readRoutes({ authz: 7 }), 'string')
  t.end()
})
