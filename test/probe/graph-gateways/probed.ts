/** Probes the toy gateway with the checks of the group `gql`. */
import type { Test } from 'tap'
import { launch } from '../../../core/testing/launch.ts'
import type { Check } from '../../../plugins/probe/catalog/check.ts'
import { GRAPH_CHECKS } from '../../../plugins/probe/checks/gql/gql.ts'
import type { CheckResult } from '../../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../../plugins/probe/client/routes.ts'
import { probeThrough } from '../probe-through.ts'
import { startGraphGateway, type GraphGatewayOptions } from './toy-gateway.ts'

function routesOf(gql: object): Routes {
  const routes = readRoutes({ gql })
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

interface ProbedOptions extends Omit<GraphGatewayOptions, 'upstream'> {
  gql?: object
  checks?: readonly Check[]
}

export async function probed(
  t: Test,
  { gql = {}, checks = GRAPH_CHECKS, ...options }: ProbedOptions,
): Promise<RunResult> {
  const server = await launch()
  t.teardown(() => server.stop())
  const toy = await startGraphGateway({ upstream: server.url, ...options })
  t.teardown(() => toy.close())
  return probeThrough(toy.url, server.url, { checks, routes: routesOf(gql) })
}

export const resultOf = ({ results }: RunResult, id: string): CheckResult =>
  results.find(({ check }) => check.id === id)!
export const verdicts = ({ results }: RunResult): Record<string, string> =>
  Object.fromEntries(results.map(({ check, verdict }) => [check.id, verdict]))
