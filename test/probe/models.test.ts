/** Checks of models that need no translation: costs, isolation, fallbacks, compression, new members and caches. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import type { Part, Reply } from '../../plugins/probe/wires/types.ts'
import { textsOf, type Features } from './ai-gateways/features.ts'
import { startToyGateway, type GatewayFault } from './ai-gateways/toy-gateway.ts'
import { findingsBy, findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'
import { runsOf } from './repeated.ts'
import { startProxy } from './proxies/reference-proxy.ts'

const CACHES = ['LLM-CACHE-HIT', 'LLM-CACHE-FALSE', 'LLM-CACHE-STREAM', 'LLM-CACHE-TENANT']
const FALLBACKS = ['LLM-FALLBACK', 'LLM-FB-MID']
const PRICES = { input: 2, output: 8, cached: 0.5 }
const COST = { header: 'x-cost', prices: PRICES }
const SPEND = { url: '/spend/{id}', id: 'x-call-id', value: '/data/0/spend', wait_s: 0.3 }
const ALL_WIRES = { wires: ['chat', 'messages', 'responses'] }
const TENANTS = ['tenant-key-one', 'tenant-key-two']

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

interface ProbedOptions {
  checks: readonly string[]
  features?: Features
  fault?: GatewayFault
  llm?: object
  /** The upstream wire of each model. */
  models?: Readonly<Record<string, string>>
  timeoutMs?: number
}

async function probed(
  t: Test,
  { checks, llm = {}, timeoutMs = 10_000, ...toyOptions }: ProbedOptions,
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
const exactKey: Features['cache'] = { key: (request, credential) => `${textsOf(request)} ${credential}` }
const rightCost: Features['cost'] = ({ input, cached, output }) =>
  ((input! - cached!) * PRICES.input + cached! * PRICES.cached + output! * PRICES.output) / 1_000_000

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
    features: { ledger: 'right', replicas: { sticks: true } },
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

let last: Reply | null = null
/** What the reply before said comes behind each text. */
const mixed = (reply: Reply): Reply => {
  const parts: Part[] = [...reply.parts, ...(last?.parts ?? []).filter(({ type }) => type === 'text')]
  last = reply
  return { ...reply, parts }
}

const WRONG: Readonly<
  Record<string, Omit<ProbedOptions, 'checks'> & { checks: readonly string[]; id: string; finding: RegExp }>
> = {
  'charges cached tokens in full': {
    checks: ['LLM-COST'],
    features: { cost: ({ input, output }) => (input! * PRICES.input + output! * PRICES.output) / 1_000_000 },
    llm: { cost: COST },
    id: 'LLM-COST',
    finding: /^fail states .* dollars instead of .* \(cached tokens at the full price\)$/,
  },
  'charges reasoning twice': {
    checks: ['LLM-COST'],
    features: { cost: usage => rightCost!(usage) + ((usage.reasoning ?? 0) * PRICES.output) / 1_000_000 },
    llm: { cost: COST, models: ['gpt'] },
    id: 'LLM-COST',
    finding: /\(reasoning twice\)$/,
  },
  'mixes streams': {
    checks: ['LLM-ISOLATION'],
    fault: { reply: mixed, needsWhole: true },
    id: 'LLM-ISOLATION',
    finding: /^fail \w+ gets words of \w+/,
  },
  'joins two replies': {
    checks: FALLBACKS,
    features: { fallback: 'joins both' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FB-MID',
    finding: /^fail text: the beginnings of both replies come in one/,
  },
  'ends broken streams as complete': {
    checks: FALLBACKS,
    features: { fallback: 'ends as complete' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FB-MID',
    finding: /^fail text: the first part ends like a complete reply/,
  },
  'hides failures behind a text of its own': {
    checks: FALLBACKS,
    features: { fallback: 'apologizes' },
    llm: { fallback: 'gpt' },
    timeoutMs: 1_000,
    id: 'LLM-FALLBACK',
    finding: /^fail neither a reply nor an error: 503, 429, closed/,
  },
  'takes alike questions for the same': {
    checks: CACHES,
    features: {
      cache: {
        key: (request, credential) =>
          `${request.turns.length} ${textsOf(request).replaceAll(/\d+|not |H?[Aa]nna /g, '')} ${credential}`,
      },
    },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-FALSE',
    finding: /^fail gets the answer to another question: negation, number, name$/,
  },
  'forgets who said what': {
    checks: CACHES,
    features: {
      cache: {
        key: ({ turns }, credential) =>
          `${turns
            .flatMap(({ parts }) => parts.map(part => JSON.stringify(part)))
            .toSorted()
            .join()} ${credential}`,
      },
    },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-FALSE',
    finding: /^fail gets the answer to another question: roles$/,
  },
  'has one cache for all users': {
    checks: CACHES,
    features: { cache: { key: textsOf } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-TENANT',
    finding: /^fail a user gets the answer of another user$/,
  },
  'loses usage of cached streams': {
    checks: CACHES,
    features: { cache: { ...exactKey, losesUsage: true } },
    llm: { tenants: TENANTS },
    id: 'LLM-CACHE-STREAM',
    finding: /no usage/,
  },
  'passes compressed bytes on as text': {
    checks: ['LLM-GZIP'],
    features: { keepsCoding: 'bytes' },
    id: 'LLM-GZIP',
    finding: /^fail gzip: the text is lost, Content-Encoding is absent$/,
  },
  'keeps the field of a coding that it has removed': {
    checks: ['LLM-GZIP'],
    features: { keepsCoding: 'field' },
    id: 'LLM-GZIP',
    finding: /^fail gzip: the body is not what its Content-Encoding gzip says$/,
  },
  'passes all features to Bedrock': {
    checks: ['LLM-BETA'],
    features: { betas: 'all' },
    llm: { wires: ['messages'] },
    models: { bed: 'converse' },
    id: 'LLM-BETA',
    finding: /^fail passes the beta mcp-client-2025-11-20, which the upstream refuses$/,
  },
  'drops all features for Bedrock': {
    checks: ['LLM-BETA'],
    llm: { wires: ['messages'] },
    models: { bed: 'converse' },
    id: 'LLM-BETA',
    finding: /^warn dropped: the beta interleaved-thinking-2025-05-14$/,
  },
  'bills nothing for streams that were cut': {
    checks: ['LLM-CUT-BILL'],
    features: { ledger: 'cut is free' },
    llm: { spend: SPEND },
    id: 'LLM-CUT-BILL',
    finding: /^fail left by the client: billed nothing; cut by the upstream: billed nothing$/,
  },
  'bills streams that were cut as whole ones': {
    checks: ['LLM-CUT-BILL'],
    features: { ledger: 'cut is whole' },
    llm: { spend: SPEND },
    id: 'LLM-CUT-BILL',
    finding: /^fail left by the client: billed \d+ of \d+ for the whole one; cut by/,
  },
  'sends second turns to any deployment': {
    checks: ['LLM-AFFINITY'],
    features: { replicas: { sticks: false } },
    llm: { replicas: 'gpt', ...ALL_WIRES },
    models: { gpt: 'responses' },
    id: 'LLM-AFFINITY',
    finding: /previous_response_id: [1-6] of 6 .*encrypted_content: [1-6] of 6/,
  },
  'drops what it does not know': {
    checks: ['LLM-BETA'],
    id: 'LLM-BETA',
    finding: /^warn dropped: the member x_probe_member/,
  },
}

const shown: Parameters<typeof writeFindings>[0][number][] = []
for (const [name, { id, finding, ...options }] of Object.entries(WRONG))
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
  t.strictSame([...new Set(Object.values(WRONG).map(({ id }) => id))].toSorted(), onPages.map(([id]) => id).toSorted())
  for (const [id, { proxy }] of onPages) t.equal(WRONG[proxy.replace('a gateway that ', '')]?.id, id, proxy)
  t.end()
})
