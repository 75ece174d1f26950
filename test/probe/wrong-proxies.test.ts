/**
 * Each wrong proxy is caught by the checks that name its fault, and by no other.
 * Runs alone: it measures times. Mostly waits: for silent connections.
 */
import t from 'tap'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { launch } from '../../core/testing/launch.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { WRONG_PROXIES } from './proxies/wrong-proxies.ts'
import type { WrongProxy } from './proxies/wrong-proxies.ts'
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
      } catch (error) {
        t.fail(`${wrong.name}: ${String(error)}`)
      } finally {
        await proxy.close()
      }
    }
  }
  // Four sessions exist at a time.
  await Promise.all([work(), work(), work()])
})
