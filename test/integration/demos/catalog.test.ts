/**
 * Each demo through a gateway with the feature, without it, and with one that is subtly wrong (sheet demos, 11).
 * Takes long: each demo runs four times.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readDemos } from '../../../plugins/demos/catalog/read-folder.ts'
import type { DemoResult } from '../../../plugins/demos/run/demo-run.ts'
import {
  cache,
  circuitBreaker,
  fallback,
  modelRouting,
  tokenLimit,
  canary,
  credentialSwap,
  jwt,
  mirror,
  promptGuard,
  redaction,
  toolFilter,
  tracing,
} from '../../support/demo-gateways.ts'
import {
  ACCESS_CASES,
  AGENT_CASES,
  GRPC_CASES,
  TRAFFIC_CASES,
  type Case,
  type Clock,
  type Gateway,
} from '../../support/demo-cases.ts'
import { PRICES } from '../../support/demo-conversations.ts'
import { startDemoProxy, type ProxySwitches } from '../../support/demo-proxy.ts'
import { guarded, reportingUsage, streamGuard } from '../../support/demo-guards.ts'
import { authorized, limited, logging } from '../../support/demo-services.ts'
import { demoRunner } from '../../support/demo-runner.ts'
import { serve } from '../../support/server.ts'

/** Read once: it is most of the work of a run. */
const CATALOG = readDemos(join(import.meta.dirname, '../../../plugins/demos/demos'))

const limit = (clock: Clock, more: { perConnection?: boolean } = {}): ProxySwitches => ({
  limit: { requests: 5, by: 'x-api-key', window: () => clock.window, ...more },
})
const LLM = ['llm', 'llm-openai']
const CHANGED: ProxySwitches = {
  add: { 'x-gateway': 'demo' },
  remove: ['x-internal'],
  addToResponse: { 'x-served-by': 'demo' },
  removeFromResponse: ['x-upstream'],
}

const CASES: Record<string, Case> = {
  ...AGENT_CASES,
  ...GRPC_CASES,
  ...TRAFFIC_CASES,
  ...ACCESS_CASES,
  retry: {
    on: { attempts: 3 },
    wrong: [{ attempts: 3, retriesPosts: true }, /step 3, A POST is sent once.*got 3 arrivals/],
  },
  timeout: {
    set: { limit_ms: 1000, delay_ms: 12_000 },
    on: { timeoutMs: 1000 },
    wrong: [{ timeoutMs: 2000 }, /step 2, .*time in ms at least 700.*ms is 2000/],
  },
  'rate-limit': {
    set: { window_s: 0 },
    on: (_, clock) => limit(clock),
    wrong: [(_, clock) => limit(clock, { perConnection: true }), /step 2, Over the limit.*got 3 responses: 200/],
  },
  'header-transform': {
    on: CHANGED,
    wrong: [{ ...CHANGED, remove: [] }, /step 1, .*"x-internal" arrived in the header x-internal/],
  },
  'credential-swap': {
    on: { handle: credentialSwap() },
    wrong: [{ handle: credentialSwap({ leaves: true }) }, /step 1, .*"vk-demo" arrived in the header x-forwarded-auth/],
  },
  trace: {
    on: { handle: tracing() },
    wrong: [{ handle: tracing({ samplesAll: true }) }, /step 2, .*header traceparent is "00-[0-9a-f]*-\w+-01"/],
  },
  cache: {
    on: { handle: cache() },
    wrong: [{ handle: cache({ sharesAll: true }) }, /step 3, Two clients with credentials.*got 1 arrival/],
  },
  'sse-unbuffered': {
    plugins: ['sse'],
    on: { streams: true },
    off: {},
    wrong: [{}, /step 1, Each event after the one before.*count 5.*got 1 response: 502; 0 events/],
    control: 'seen',
  },
  jwt: {
    plugins: ['identity'],
    on: upstream => ({ handle: jwt(upstream, 'svc') }),
    wrong: [
      upstream => ({ handle: jwt(upstream, 'svc', { anyAudience: true }) }),
      /step 3, A token for another audience.*got 1 response: 200/,
    ],
  },
  canary: {
    on: { handle: canary() },
    wrong: [{ handle: canary({ ignoresHeader: true }) }, /step 2, .*exactly 10 arrivals.*at canary.*got 1 arrival/],
  },
  mirror: {
    set: { shadow_ms: 300 },
    on: { handle: mirror() },
    wrong: [{ handle: mirror({ answers: true }) }, /step 1, .*body "live".*got 1 response: 500/],
  },
  'prompt-guard': {
    plugins: LLM,
    on: { handle: promptGuard() },
    wrong: [{ handle: promptGuard({ asText: true }) }, /step 2, .*header content-type is "text\/plain"/],
  },
  'pii-redaction': {
    plugins: LLM,
    on: { handle: redaction() },
    wrong: [{ handle: redaction({ onlyFirst: true }) }, /step 2, .*"second@example.org" arrived in the body/],
  },
  'model-routing': {
    plugins: LLM,
    on: { handle: modelRouting() },
    wrong: [{ handle: modelRouting({ ignoresBody: true }) }, /step 2, .*exactly 1 arrival.*at second.*got no arrival/],
  },
  'llm-fallback': {
    plugins: LLM,
    on: { handle: fallback() },
    wrong: [{ handle: fallback({ onlyFailures: true }) }, /step 3, It is over its limit.*got 1 response: 429/],
  },
  'token-limit': {
    plugins: LLM,
    on: () => ({ handle: tokenLimit(200) }),
    wrong: [() => ({ handle: tokenLimit(200, { together: true }) }), /step 3, Another key.*got 1 response: 429/],
  },
  'circuit-breaker': {
    set: { open_s: 0 },
    on: (_, clock) => ({ handle: circuitBreaker(5, () => clock.window) }),
    wrong: [
      (_, clock) => ({ handle: circuitBreaker(5, () => clock.window, { staysOpen: true }) }),
      /step 2, The circuit is closed again.*got 6 responses: 503/,
    ],
  },
  'mcp-tools': {
    plugins: ['mcp'],
    on: { handle: toolFilter('add') },
    wrong: [{ handle: toolFilter('add', { listsOnly: true }) }, /step 2, .*no arrivals.*got 1 arrival/],
  },
  'ext-authz': {
    plugins: ['ext-authz'],
    on: upstream => ({ handle: authorized(upstream) }),
    wrong: [
      upstream => ({ handle: authorized(upstream, { failsOpen: true }) }),
      /step 3, The service fails.*got 1 response: 200/,
    ],
  },
  'rate-limit-service': {
    plugins: ['rate-limit'],
    on: upstream => ({ handle: limited(upstream, 2) }),
    wrong: [
      upstream => ({ handle: limited(upstream, 2, { isSilent: true }) }),
      /step 1, Within the limit.*header ratelimit-remaining/,
    ],
  },
  'access-log': {
    plugins: ['telemetry'],
    on: upstream => ({ handle: logging(upstream) }),
    wrong: [upstream => ({ handle: logging(upstream, { status: 200 }) }), /step 2, A request that fails.*status 503/],
  },
  'llm-usage': {
    plugins: [...LLM, 'telemetry'],
    on: upstream => ({ handle: reportingUsage(upstream) }),
    wrong: [
      upstream => ({ handle: reportingUsage(upstream, { ignoresPrompts: true }) }),
      /step 1, Calls of a model.*exactly 3 requests with .*tokens same, got 0/,
    ],
  },
  'guardrail-service': {
    plugins: [...LLM, 'guardrails'],
    on: upstream => ({ handle: guarded(upstream) }),
    wrong: [
      upstream => ({ handle: guarded(upstream, { ignoresAnswers: true }) }),
      /step 1, A harmless prompt.*exactly 2.*got 1/,
    ],
    wrongToo: [
      upstream => ({ handle: guarded(upstream, { failsOpen: true }) }),
      /step 3, The guard is unavailable.*got 1 response: 200/,
    ],
  },
  'guardrail-stream': {
    plugins: LLM,
    on: { filter: streamGuard() },
    off: { streams: true },
    wrong: [{ filter: streamGuard({ readsPiecesAlone: true }) }, /step 2, A number in pieces.*22-8/],
    wrongToo: [{ filter: streamGuard({ waitsForEnd: true }) }, /step 1, A harmless stream.*first_ms \d{4}/],
  },
}

/** Demos that have a file of tests. */
const ELSEWHERE = ['inference-routing']

t.test('every demo has a case', async t => {
  const { demos, problems } = await CATALOG
  t.same(problems, [])
  t.same(demos.map(({ demo }) => demo.demo).toSorted(), [...Object.keys(CASES), ...ELSEWHERE].toSorted())
  t.same(
    demos.flatMap(({ demo }) => demo.warnings),
    [],
  )
})

/** Most of a run is waiting for what must not arrive. */
const AT_ONCE = 12
/** For work on some demos: `SVC_TEST_DEMOS=retry,timeout`. */
const ONLY = process.env.SVC_TEST_DEMOS?.split(',')

t.test('each demo is seen with the feature, and not without it or with a mistake', async t => {
  const plugins = Object.values(CASES).flatMap(({ plugins: own = [] }) => own)
  const { url } = await serve(t, {
    plugins: ['demos', 'echo', ...new Set(plugins)],
    env: { SVC_GRPC_ON_HTTP: 'true' },
    settings: { llm: { prices: [PRICES] } },
  })
  const jobs = Object.entries(CASES)
    .filter(([name]) => ONLY?.includes(name) !== false)
    .flatMap(([name, one]) => jobsOf(t, url, name, one))
  const worker = async (): Promise<void> => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const rules = (await (await fetch(`${url}/_svc/rules?scope=instance`)).json()) as { count: number }
  t.equal(rules.count, 0, 'nothing is left')
})

/** The runs of a case, each in its own session. Lanes are shared: marks tell the arrivals of runs apart. */
function jobsOf(
  t: Test,
  url: string,
  name: string,
  { set = {}, on, off = {}, wrong, wrongToo, control = 'not-seen' }: Case,
): (() => Promise<void>)[] {
  const through = async (gateway: Gateway | null): Promise<DemoResult> => {
    const clock = { window: 0 }
    const run = await runner(url, name, set, clock)
    if (gateway === null) return run(null)
    return run(await startDemoProxy(t, url, typeof gateway === 'function' ? gateway(url, clock) : gateway))
  }
  const expect = async (
    gateway: Gateway | null,
    wanted: Pick<DemoResult, 'verdict'> & { reason?: RegExp | null },
    how: string,
  ): Promise<void> => {
    const result = await through(gateway)
    const { verdict, reason = /^/, ...rest } = wanted
    // A text as a pattern would be any part: `seen` is in `not-seen`.
    t.match(
      { ...result, reason: result.reason ?? '' },
      { ...rest, verdict: new RegExp(`^${verdict}$`), reason: reason ?? /^$/ },
      `${name} ${how}: ${result.reason ?? ''}`,
    )
  }
  return [
    () => expect(off, { verdict: 'not-seen' }, 'without the feature'),
    () => expect(on, { verdict: 'seen', reason: null }, 'with the feature'),
    ...[wrong, wrongToo].flatMap(mistake =>
      mistake === undefined
        ? []
        : [() => expect(mistake[0], { verdict: 'not-seen', reason: mistake[1] }, 'with a mistake')],
    ),
    () => expect(null, { verdict: control }, 'straight to svc'),
  ]
}

t.test('a gateway that does not forward, or loses all marks, is not judged', async t => {
  const server = await serve(t, { plugins: ['demos', 'echo'] })
  const run = await runner(server.url, 'retry', {})
  const refused = await run(await startDemoProxy(t, server.url, { refusesAll: 401 }))
  t.match(refused, { verdict: 'not-judged', reason: /not forwarded: refused with 401/, steps: [] })
  // Below /s/<run> the path is the mark.
  const marked = await run(await startDemoProxy(t, server.url, { losesMarks: true, attempts: 3 }))
  t.match(marked, { verdict: /^seen$/, mark: 'path' })
  const nobody = await run('http://127.0.0.1:9')
  t.match(nobody, { verdict: 'not-judged', isReached: false })
})

/** Runs a demo of the catalog. */
async function runner(
  url: string,
  name: string,
  set: Record<string, unknown>,
  clock: Clock = { window: 0 },
): Promise<(gateway: string | null) => Promise<DemoResult>> {
  const { demos } = await CATALOG
  const { demo } = demos.find(one => one.demo.demo === name)!
  return demoRunner(url, demo, {
    set,
    onStep: step => void (step.wait !== null && clock.window++),
    onAsk: () => void clock.window++,
  })
}
