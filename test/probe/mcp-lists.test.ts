/** Gateways that keep lists of tools, and hide some of them. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { NO_ROUTES } from '../../plugins/probe/client/routes.ts'
import { findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'
import { startListGateway } from './proxies/mcp-list-gateway.ts'
import { LIST_GATEWAYS, type WrongListGateway } from './proxies/wrong-list-gateways.ts'

const IDS = ['MCP-CACHE', 'MCP-SERVER', 'MCP-CHANGED', 'MCP-LARGE', 'MCP-FILTER']
const HIDDEN = ['delete_all']

t.test('a gateway that keeps and hides lists as it should has no finding, and each wrong one has its own', async t => {
  const server = await launch({ plugins: ['probe', 'mcp'] })
  t.teardown(() => server.stop())
  const right: WrongListGateway = { name: 'is right', fault: {}, caught: {} }
  const shown = new Map<string, ReturnType<typeof findingsOf>>()
  const pending = [right, ...LIST_GATEWAYS]
  const work = async (): Promise<void> => {
    for (let one = pending.shift(); one !== undefined; one = pending.shift()) {
      const gateway = await startListGateway(server.ports.http!, { hidden: HIDDEN, ...one.fault })
      const run = await probeThrough(gateway.url, server.url, {
        checks: checksNamed(one.checks ?? IDS),
        routes: { ...NO_ROUTES, hiddenTools: HIDDEN },
      })
      await gateway.close()
      shown.set(one.name, findingsOf(one.name, run))
      const found = Object.fromEntries(
        run.results
          .filter(({ verdict }) => ['fail', 'warn', 'flaky', 'error'].includes(verdict))
          .map(({ check, verdict }) => [check.id, verdict]),
      )
      t.strictSame(found, one.caught, `${one.name}: ${findings(run).join(' | ')}`)
      if (Object.keys(one.caught).length > 0) continue
      for (const { check, verdict, summary, reason } of run.results)
        t.equal(verdict, 'pass', `${check.id} ${summary} ${reason ?? ''}`)
    }
  }
  // Four sessions exist at a time.
  await Promise.all([work(), work(), work()])
  if (WRITES_FINDINGS)
    writeFindings(
      LIST_GATEWAYS.flatMap(({ name }) => shown.get(name) ?? []),
      { more: true },
    )
})
