/** Latency profiles: their syntax, their draws, and the timing that is planned from them. */
import t from 'tap'
import { drawer, drawSeed, summarize } from '../../../plugins/llm/profiles/draws.ts'
import { readInlineProfile, type Profile } from '../../../plugins/llm/profiles/profile.ts'
import { Profiles } from '../../../plugins/llm/profiles/profiles.ts'
import { planTiming, showTiming, type TimingInput } from '../../../plugins/llm/profiles/timing.ts'

const DRAWS = 2000

/** Mean and deviation by theory, and quantiles. */
const expected: Record<string, { mean: number; sd: number; p50: number; p99?: number }> = {
  'uniform(100,300)': { mean: 200, sd: 200 / Math.sqrt(12), p50: 200, p99: 298 },
  'normal(300,50)': { mean: 300, sd: 50, p50: 300, p99: 300 + 2.3263 * 50 },
  'lognormal(400,2500)': lognormal(400, 2500),
  'percentiles(50:300,90:700,99:2000)': { mean: 450.5, sd: 344, p50: 300, p99: 2000 },
}

function lognormal(median: number, p99: number): { mean: number; sd: number; p50: number; p99: number } {
  const sigma2 = (Math.log(p99 / median) / 2.3263) ** 2
  const mean = median * Math.exp(sigma2 / 2)
  return { mean, sd: mean * Math.sqrt(Math.exp(sigma2) - 1), p50: median, p99 }
}

t.test('2,000 draws stay within the error of their distribution [LLMN-50]', async t => {
  for (const [text, { mean, sd, p50, p99 }] of Object.entries(expected)) {
    const { distribution } = readInlineProfile(`ttft=${text}`).ttft!
    for (const seed of ['one', 'two', 'three']) {
      const draw = drawer(distribution, drawSeed(seed, 'ttft'))
      const found = summarize(Array.from({ length: DRAWS }, draw))
      const error = (4 * sd) / Math.sqrt(DRAWS)
      t.ok(Math.abs(found.mean! - mean) < error, `${text} ${seed}: mean ${found.mean} is ${mean} ± ${error}`)
      t.ok(Math.abs(found.p50! / p50 - 1) < 0.1, `${text} ${seed}: median ${found.p50} is ${p50} ± 10 %`)
      t.ok(Math.abs(found.p99! / p99! - 1) < 0.25, `${text} ${seed}: p99 ${found.p99} is ${p99} ± 25 %`)
    }
  }
})

t.test('the syntax of the header, and its mistakes', async t => {
  t.match(readInlineProfile('ttft=lognormal(400,2500); gap=normal(20,5); prefill=0.2; seed=demo'), {
    source: 'header',
    prefillMsPerToken: 0.2,
    seed: 'demo',
    ttft: { shown: { lognormal: { median: 400, p99: 2500 } } },
    gap: { shown: { normal: { mean: 20, sd: 5 } } },
  })
  t.match(readInlineProfile('gap=12.5;seed=random'), { gap: { shown: 12.5 }, seed: null })
  t.match(readInlineProfile('ttft=constant(7)'), { ttft: { shown: 7 } })
  const wrong: [string, string][] = [
    ['ttft=', 'ttft'],
    ['ttft=exponential(3,4)', 'ttft'],
    ['ttft=uniform(1)', 'ttft'],
    ['ttft=uniform(3,1)', 'ttft.uniform'],
    ['ttft=normal(a,b)', 'ttft'],
    ['ttft=lognormal(400,2500', 'ttft'],
    ['ttft=percentiles(50:300,90)', 'ttft'],
    ['speed=3', 'speed'],
    ['ttft=1; ttft=2', 'ttft'],
    ['seed=x', ''],
    ['gap=1; prefill=-1', 'prefill_ms_per_token'],
    ['__proto__=1', '__proto__'],
    [`seed=${'x'.repeat(600)}`, ''],
  ]
  for (const [text, at] of wrong) t.throws(() => readInlineProfile(text), { code: 'SVC_INPUT_PROBLEM', at }, text)
})

t.test('svc.yaml adds profiles and may redefine built-in ones', async t => {
  const reports: string[] = []
  const profiles = new Profiles(
    { fast: { ttft: 1, gap: 2 }, mine: { gap: { uniform: [5, 9] } }, broken: { ttft: { uniform: [9, 5] } } },
    at => reports.push(at),
  )
  t.same(profiles.names(), ['instant', 'fast', 'typical', 'slow', 'thinking', 'mine'])
  t.match(profiles.get('fast'), { source: 'svc.yaml', ttft: { shown: 1 } })
  t.same(reports, ['llm.profiles.broken.ttft.uniform'])
})

const input: TimingInput = {
  headers: {},
  ofHeader: null,
  ofReply: {},
  ofProvider: null,
  latency: { latencyMs: 0, ttftMs: 50, tokensPerSecond: 100, jitterPercent: 0 },
  model: 'm',
  prompt: 'user: hello',
  uncachedTokens: 100,
  tokens: 11,
  loadFactor: 1,
  maxDelayMs: 30_000,
  maxGapsMs: 60_000,
}
const profile = (text: string): Profile => readInlineProfile(text)

t.test('what says more about one request wins [LLMN-51]', async t => {
  const ofProvider = profile('ttft=200; gap=20')
  const ofHeader = profile('ttft=300; gap=30')
  const plan = (more: Partial<TimingInput>): [number, number] => {
    const { ttftMs, nextGap } = planTiming({ ...input, ...more })
    return [ttftMs, nextGap()]
  }
  t.same(plan({}), [50, 10], 'latency')
  t.same(plan({ ofProvider }), [200, 20], 'profile of the provider over its latency')
  const ofRule = { ofReply: { ttftMs: 70 }, latency: { ...input.latency, ttftMs: 70 } }
  t.same(plan({ ofProvider, ...ofRule }), [70, 20], 'a rule over that')
  t.same(plan({ ofProvider, ...ofRule, ofHeader }), [300, 30], 'the profile of the request over that')
  const stated = {
    headers: { 'x-svc-ttft-ms': '90', 'x-svc-tokens-per-second': '200' },
    latency: { ...input.latency, ttftMs: 90, tokensPerSecond: 200 },
  }
  t.same(plan({ ofProvider, ofHeader, ...stated }), [90, 5], 'the figures of the request over all')
  t.same(plan({ ofProvider: profile('gap=20') }), [50, 20], 'a profile may say nothing about a part')
})

t.test('prefill, load and bounds [LLMN-51]', async t => {
  const timing = planTiming({ ...input, ofHeader: profile('ttft=200; gap=20; prefill=0.5'), loadFactor: 2 })
  t.match(timing, { prefillMs: 100, ttftMs: 500, gapsMs: 400, wholeMs: 900 })
  t.equal(timing.nextGap(), 40)
  t.equal(
    showTiming(timing, { queueMs: 12.34, tokens: 11, load: { running: 2, slots: 4 } }),
    'queue=12.3, prefill=100, ttft=500, gap=40, load=2/4',
  )
  t.equal(planTiming({ ...input, ofHeader: profile('ttft=90000') }).ttftMs, 30_000)
  const long = planTiming({ ...input, ofHeader: profile('gap=1000'), tokens: 101 })
  t.equal(long.gapsMs, 60_000)
  t.equal(long.nextGap(), 600)
  t.equal(planTiming({ ...input, loadFactor: 3 }).wholeMs, 150, 'without a profile a complete reply waits as before')
})

t.test('the same request draws the same, another one differently, `random` never repeats [LLMN-50]', async t => {
  const drawn = (text: string, more: Partial<TimingInput> = {}): number[] => {
    const { ttftMs, nextGap } = planTiming({ ...input, ofHeader: profile(text), ...more })
    return [ttftMs, nextGap(), nextGap()]
  }
  const text = 'ttft=lognormal(400,2500); gap=normal(20,5)'
  t.same(drawn(text), drawn(text))
  for (const other of [{ model: 'n' }, { prompt: 'user: hi' }]) t.not(drawn(text, other)[0], drawn(text)[0])
  t.not(drawn(`${text}; seed=x`)[0], drawn(text)[0])
  t.not(drawn(`${text}; seed=random`)[0], drawn(`${text}; seed=random`)[0])
})
