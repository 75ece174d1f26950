/**
 * Each wrong proxy is caught by the checks that name its fault, and by no other.
 * Runs alone: it measures times. Mostly waits: for silent connections.
 */
import t from 'tap'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { launch } from '../../core/testing/launch.ts'
import { WRITES_FINDINGS, findingsBy, findingsOf, writeFindings } from './findings.ts'
import { WRONG as WRONG_GRAPHS } from './graph-gateways/wrong.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { HTTP2_PROXIES } from './proxies/wrong-http2-proxies.ts'
import { LIST_GATEWAYS } from './proxies/wrong-list-gateways.ts'
import { REALTIME_PROXIES } from './proxies/wrong-realtime-proxies.ts'
import { WRONG_VERIFIERS } from './proxies/wrong-verifiers.ts'
import { WRONG_PROXIES, type WrongProxy } from './proxies/wrong-proxies.ts'
import { WRONG_GATEWAYS } from './service-gateways/wrong-gateways.ts'
import { findings, probeThrough, quickChecks } from './probe-through.ts'
import type { Check } from '../../plugins/probe/catalog/check.ts'

/** The named checks, or all quick ones of the groups of those that catch the fault. */
function checksFor({ caught, groups, isHostile }: WrongProxy): Check[] {
  if (groups !== undefined) return CATALOG.filter(({ id }) => groups.includes(id))
  const own = new Set(CATALOG.filter(({ id }) => id in caught).map(({ group }) => group))
  return isHostile === true
    ? CATALOG.filter(({ id }) => id in caught)
    : quickChecks().filter(({ group }) => own.has(group))
}

t.test('each wrong proxy is caught by exactly the checks that name its fault [PRB-3]', async t => {
  const server = await launch({ plugins: ['probe', 'mcp', 'a2a', 'identity'] })
  t.teardown(() => server.stop())
  const only = process.env.SVC_PROXY
  const shown = new Map<string, ReturnType<typeof findingsOf>>()
  const pending = WRONG_PROXIES.filter(({ name }) => only === undefined || name.includes(only))
  const work = async (): Promise<void> => {
    for (let wrong = pending.shift(); wrong !== undefined; wrong = pending.shift()) {
      const proxy = await startProxy(server.ports.http!, wrong.fault)
      try {
        const run = await probeThrough(proxy.url, server.url, {
          checks: checksFor(wrong),
          isHostile: wrong.isHostile,
          ...(wrong.routes === undefined ? {} : { routes: wrong.routes }),
        })
        const found = Object.fromEntries(
          run.results
            .filter(({ verdict }) => ['fail', 'warn', 'flaky', 'error'].includes(verdict))
            .map(({ check, verdict }) => [check.id, verdict]),
        )
        t.strictSame(found, wrong.caught, `${wrong.name}: ${findings(run).join(' | ')}`)
        shown.set(wrong.name, findingsOf(wrong.name, run))
      } catch (error) {
        t.fail(`${wrong.name}: ${String(error)}`)
      } finally {
        await proxy.close()
      }
    }
  }
  // Four sessions exist at a time.
  await Promise.all([work(), work(), work()])
  if (WRITES_FINDINGS) writeFindings(WRONG_PROXIES.flatMap(({ name }) => shown.get(name) ?? []))
})

t.test('the findings on the pages are those of wrong proxies [PRB-21]', t => {
  const graphs = Object.entries(WRONG_GRAPHS).map(([name, { id, finding }]) => ({
    name: `a gateway that ${name}`,
    caught: { [id]: /^\^(\w+) /.exec(finding.source)![1]! } as Partial<Record<string, string>>,
  }))
  const proxies: { name: string; caught: Partial<Record<string, string>> }[] = [
    ...graphs,
    ...WRONG_PROXIES,
    ...HTTP2_PROXIES,
    ...WRONG_VERIFIERS,
    ...LIST_GATEWAYS,
    ...REALTIME_PROXIES,
    ...WRONG_GATEWAYS,
  ]
  for (const [id, { proxy, verdict }] of Object.entries(findingsBy(false)))
    t.ok(
      proxies.some(({ name, caught }) => name === proxy && caught[id] === verdict),
      `${id}: ${proxy}`,
    )
  const caught = new Set(proxies.flatMap(wrong => Object.keys(wrong.caught)))
  t.strictSame(Object.keys(findingsBy(false)).toSorted(), [...caught].toSorted())
  t.end()
})
