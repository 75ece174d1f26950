/** Checks of gateways that join graphs: a right one has no finding, and each wrong one is found by its own check alone. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { GRAPH_CHECKS } from '../../plugins/probe/checks/gql/gql.ts'
import type { Check } from '../../plugins/probe/catalog/check.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { startGraphGateway, type GraphFault, type GraphGatewayOptions } from './graph-gateways/toy-gateway.ts'
import { findings, probeThrough } from './probe-through.ts'

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

t.test('a right gateway has no finding', async t => {
  const run = await probed(t, { gql: { propagates: ['X-Tenant'], timeout_s: 3 }, session: 't-1' })
  t.strictSame(findings(run), [])
  t.strictSame(verdicts(run), {
    'GQL-DATA': 'pass',
  })
  console.log(run.results.map(r => `${r.check.id} ${r.verdict} ${r.summary} ${r.reason}`).join('\n'))
})
