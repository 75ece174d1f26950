/**
 * Gateways that are MCP servers themselves, and ones that speak only older revisions. Runs alone: it measures times. Mostly
 * waits: for events and silent connections.
 */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { startMcpGateway, type McpFault } from './proxies/mcp-gateway.ts'
import { startProxy, valuesOf } from './proxies/reference-proxy.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'

const QUICK = ['MCP-HEAD', 'MCP-SESSION', 'MCP-STREAM', 'MCP-LIST', 'MCP-EXT']

interface Case {
  name: string
  fault: McpFault
  checks?: string[]
  caught: Record<string, string>
}

const CASES: Case[] = [
  { name: 'maps everything', fault: {}, checks: [...QUICK, 'MCP-CANCEL'], caught: {} },
  { name: 'keeps its ids in responses', fault: { keepsOwnId: true }, caught: { 'MCP-STREAM': 'fail' } },
  { name: 'keeps its tokens in progress', fault: { keepsOwnToken: true }, caught: { 'MCP-STREAM': 'fail' } },
  { name: 'drops progress tokens', fault: { dropsToken: true }, caught: { 'MCP-STREAM': 'fail' } },
  { name: 'repeats ids of events', fault: { repeatsEventIds: true }, caught: { 'MCP-STREAM': 'fail' } },
  { name: 'has no ids of events', fault: { dropsEventIds: true }, caught: {} },
  { name: 'holds progress back', fault: { buffers: true }, caught: { 'MCP-STREAM': 'warn' } },
  {
    name: 'drops cancellations',
    fault: { dropsCancellation: true },
    checks: ['MCP-CANCEL'],
    caught: { 'MCP-CANCEL': 'warn' },
  },
]

async function server(t: Test) {
  const found = await launch({ plugins: ['probe', 'mcp', 'a2a', 'identity'] })
  t.teardown(() => found.stop())
  return found
}

function resultOf({ results }: RunResult, id: string): CheckResult {
  return results.find(({ check }) => check.id === id)!
}

t.test('a gateway with sessions, ids, tokens and tool names of its own is judged by what it maps [PRB-29]', async t => {
  const svc = await server(t)
  const pending = [...CASES]
  const work = async (): Promise<void> => {
    for (let one = pending.shift(); one !== undefined; one = pending.shift()) await judged(t, svc, one)
  }
  // Four sessions exist at a time.
  await Promise.all([work(), work(), work()])
})

async function judged(t: Test, svc: Awaited<ReturnType<typeof server>>, one: Case): Promise<void> {
  const { name, fault, checks = QUICK, caught } = one
  const gateway = await startMcpGateway(svc.ports.http!, fault)
  const run = await probeThrough(gateway.url, svc.url, { checks: checksNamed(checks) })
  await gateway.close()
  const found = Object.fromEntries(
    run.results
      .filter(({ verdict }) => ['fail', 'warn', 'flaky', 'error'].includes(verdict))
      .map(({ check, verdict }) => [check.id, verdict]),
  )
  t.strictSame(found, caught, `${name}: ${findings(run).join(' | ')}`)
  if (checks.length === 1) return
  t.match(run.facts.mcp, { revision: '2025-06-18', isStateless: false, tool: 'svc_echo' }, name)
  t.equal(resultOf(run, 'MCP-SESSION').reason, 'answered by the gateway itself: 200', name)
  t.equal(resultOf(run, 'MCP-LIST').reason, 'answered by the gateway itself: 200', name)
  t.equal(resultOf(run, 'MCP-HEAD').verdict, 'pass', name)
  if (Object.keys(caught).length === 0)
    t.match(
      resultOf(run, 'MCP-STREAM').summary,
      fault.dropsEventIds === true
        ? "events of the gateway's own stream have no ids: clients cannot resume it"
        : 'ids of events are mapped; the GET stream is refused: 405',
    )
}

t.test('a gateway that asks nobody is skipped as what it is [PRB-29]', async t => {
  const svc = await server(t)
  const gateway = await startMcpGateway(svc.ports.http!, { isAlone: true })
  t.teardown(() => gateway.close())
  const { results } = await probeThrough(gateway.url, svc.url, { checks: checksNamed(QUICK) })
  for (const { check, reason } of results) t.equal(reason, 'answered by the gateway itself: 200', check.id)
})

t.test('a gateway that speaks only older revisions is tried in the newest one that it speaks [PRB-29]', async t => {
  const svc = await server(t)
  const proxy = await startProxy(svc.ports.http!, {
    refuses: ({ fields }) =>
      valuesOf(fields, 'mcp-protocol-version').includes('2026-07-28') ? '400 Bad Request' : null,
  })
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, svc.url, { checks: checksNamed(QUICK) })
  t.match(run.facts.mcp, { revision: '2025-11-25', isStateless: false, tool: 'echo' })
  t.strictSame(
    run.results.map(({ check, verdict }) => [check.id, verdict]),
    QUICK.map(id => [id, id === 'MCP-EXT' ? 'note' : 'pass']),
    findings(run).join(),
  )
})

t.test('where nothing speaks MCP, the reason says what came [PRB-29]', async t => {
  const svc = await server(t)
  const proxy = await startProxy(svc.ports.http!, {
    refuses: ({ line }) => (line.includes(' /mcp') ? '404 Not Found' : null),
  })
  t.teardown(() => proxy.close())
  const { results } = await probeThrough(proxy.url, svc.url, { checks: checksNamed(QUICK) })
  for (const { check, reason } of results) t.equal(reason, 'not routed: 404', check.id)
})
