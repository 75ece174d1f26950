/** Checks of models that need no translation: costs, isolation, fallbacks, compression, new members and caches. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { startToyGateway } from './ai-gateways/toy-gateway.ts'
import {
  ALL_WIRES,
  CACHES,
  COST,
  exactKey,
  FALLBACKS,
  rightCost,
  SPEND,
  TENANTS,
  WRONG_MODELS,
  type ModelsOptions,
} from './ai-gateways/wrong-models.ts'
import { findingsBy, findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'
import { runsOf } from './repeated.ts'
import { startProxy } from './proxies/reference-proxy.ts'

/** All gateways of this file have it behind them. */
const server = await launch()
t.teardown(() => server.stop())

function routesOf(llm: object): Routes {
  const routes = readRoutes({
    llm: { openai: '/openai/v1', anthropic: '/anthropic', wires: ['chat', 'messages'], ...llm },
  })
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

async function probed(
  t: Test,
  { checks, llm = {}, timeoutMs = 10_000, ...toyOptions }: ModelsOptions,
): Promise<RunResult> {
  const toy = await startToyGateway({
    upstream: server.url,
    models: { gpt: 'chat', claude: 'messages' },
    ...toyOptions,
  })
  t.teardown(() => toy.close())
  return probeThrough(toy.url, server.url, { checks: checksNamed(checks), routes: routesOf(llm), timeoutMs })
}

const resultOf = ({ results }: RunResult, id: string): CheckResult => results.find(({ check }) => check.id === id)!
t.test('a proxy that forwards has no finding', async t => {
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const ids = ['LLM-ISOLATION', 'LLM-GZIP', 'LLM-BETA', 'LLM-COST', ...CACHES, ...FALLBACKS]
  const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(ids) })
  t.strictSame(findings(run), [])
  t.equal(resultOf(run, 'LLM-ISOLATION').verdict, 'pass')
  t.equal(resultOf(run, 'LLM-GZIP').verdict, 'pass')
  t.ok(
    run.results.some(
      ({ check, pair, verdict }) => check.id === 'LLM-BETA' && pair === 'messages:messages' && verdict === 'pass',
    ),
  )
  t.equal(resultOf(run, 'LLM-CACHE-HIT').summary, 'no reuse')
  t.equal(resultOf(run, 'LLM-CACHE-FALSE').reason, 'no reuse')
  t.equal(resultOf(run, 'LLM-CACHE-STREAM').reason, 'no reuse')
  t.equal(resultOf(run, 'LLM-CACHE-TENANT').reason, 'not in --routes: llm.tenants')
  t.equal(resultOf(run, 'LLM-FALLBACK').reason, 'not in --routes: llm.fallback')
  t.equal(resultOf(run, 'LLM-COST').reason, 'not in --routes: llm.cost')
})

t.test('a ledger and deployments that are right have no finding', async t => {
  const run = await probed(t, {
    checks: ['LLM-CUT-BILL', 'LLM-AFFINITY'],
    features: { ledger: 'right', replicas: { sticksBy: 'all' } },
    llm: { spend: SPEND, replicas: 'gpt', ...ALL_WIRES },
    models: { gpt: 'responses' },
  })
  t.strictSame(findings(run), [])
  t.equal(resultOf(run, 'LLM-CUT-BILL').verdict, 'pass', resultOf(run, 'LLM-CUT-BILL').reason ?? '')
  t.equal(resultOf(run, 'LLM-AFFINITY').verdict, 'pass', resultOf(run, 'LLM-AFFINITY').reason ?? '')
})

t.test('a gateway that passes to Bedrock what it takes has no finding', async t => {
  const run = await probed(t, {
    checks: ['LLM-BETA'],
    features: { betas: 'taken' },
    llm: { wires: ['messages'] },
    models: { bed: 'converse' },
  })
  t.equal(resultOf(run, 'LLM-BETA').verdict, 'pass', resultOf(run, 'LLM-BETA').summary)
})

t.test('what a gateway does in silence is reported', async t => {
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const [passing, dropping, own] = await Promise.all([
    probeThrough(proxy.url, server.url, { checks: checksNamed(['LLM-ALIVE']) }),
    probed(t, { checks: ['LLM-ALIVE'] }),
    probed(t, { checks: ['LLM-ALIVE'], features: { beatsMs: 2_500 } }),
  ])
  t.match(
    resultOf(passing!, 'LLM-ALIVE').summary,
    /^comments of the upstream are passed on \(\d of \d\); the gateway has none/,
  )
  t.match(
    resultOf(dropping!, 'LLM-ALIVE').summary,
    'comments of the upstream are dropped; the gateway has none of its own',
  )
  t.match(resultOf(own!, 'LLM-ALIVE').summary, /are replaced; the gateway has \d of its own in a silent stream/)
})

t.test('a gateway with costs, a cache and a fallback that are right has no finding', async t => {
  const run = await probed(t, {
    checks: ['LLM-ISOLATION', 'LLM-COST', ...CACHES, ...FALLBACKS],
    features: { cost: rightCost, cache: exactKey, fallback: 'right' },
    llm: { cost: COST, tenants: TENANTS, fallback: 'gpt' },
    timeoutMs: 1_000,
  })
  t.strictSame(findings(run), [])
  const skipped = run.results.filter(({ verdict }) => verdict === 'skip')
  t.strictSame(
    skipped.map(({ check, reason }) => `${check.id} ${reason}`),
    [],
  )
  t.match(resultOf(run, 'LLM-CACHE-HIT').summary, /^answers again/)
  t.match(
    resultOf(run, 'LLM-FALLBACK').summary,
    /^503: the second answers \(2 arrived\); 429: the second answers .*closed: the second answers/,
  )
})

const shown: Parameters<typeof writeFindings>[0][number][] = []
for (const [name, { id, finding, ...options }] of Object.entries(WRONG_MODELS))
  for (const title of runsOf(`a gateway that ${name} is found by ${id} alone`))
    t.test(title, async t => {
      const run = await probed(t, options)
      const found = run.results.filter(({ verdict }) => ['fail', 'warn', 'error'].includes(verdict))
      t.strictSame([...new Set(found.map(({ check }) => check.id))], [id], findings(run).join(' | '))
      t.match(`${found[0]?.verdict} ${found[0]?.summary}`, finding)
      shown.push(...findingsOf(`a gateway that ${name}`, run))
    })

t.test('the pages show what the checks found', { skip: !WRITES_FINDINGS && 'not written' }, t => {
  writeFindings(shown)
  t.end()
})

t.test('the findings on the pages are those of wrong gateways [PRB-21]', t => {
  const onPages = Object.entries(findingsBy(true)).filter(([id]) => id.startsWith('LLM-'))
  t.strictSame(
    [...new Set(Object.values(WRONG_MODELS).map(({ id }) => id))].toSorted(),
    onPages.map(([id]) => id).toSorted(),
  )
  for (const [id, { proxy }] of onPages) t.equal(WRONG_MODELS[proxy.replace('a gateway that ', '')]?.id, id, proxy)
  t.end()
})
