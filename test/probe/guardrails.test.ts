/** Checks of the group `guardrails`: a right guardrail has no finding, and each wrong one is found by its own check alone. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { Check } from '../../plugins/probe/catalog/check.ts'
import { GUARDRAIL_CHECKS } from '../../plugins/probe/checks/guardrails/guardrails.ts'
import type { CheckResult } from '../../plugins/probe/client/check-result.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import { startToyGateway } from './ai-gateways/toy-gateway.ts'
import { WRONG_GUARDS, type GuardOfTest } from './ai-gateways/wrong-guards.ts'
import { findingsBy, findingsOf, writeFindings, WRITES_FINDINGS } from './findings.ts'
import { checksNamed, findings, probeThrough, reportOf } from './probe-through.ts'
import { runsOf } from './repeated.ts'

const VALUE = '078-05-1120'
const MODELS = { gpt: 'chat', claude: 'messages', gem: 'gemini', bed: 'converse' }

/** All gateways of this file have it behind them. */
const server = await launch()
t.teardown(() => server.stop())

function routesOf(more: object = {}): Routes {
  const routes = readRoutes({
    llm: { openai: '/openai/v1', anthropic: '/anthropic', wires: ['chat', 'messages'] },
    ...more,
  })
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

interface GuardOptions {
  guard?: GuardOfTest
  models?: Record<string, string>
  routes?: Routes
  checks?: readonly Check[]
}

async function probed(
  t: Test,
  { guard, models = MODELS, routes = routesOf(), checks = GUARDRAIL_CHECKS }: GuardOptions,
): Promise<RunResult> {
  const { service, ...rest } = guard ?? {}
  const url = `${server.url}/guardrails/check`
  const own = { value: VALUE, ...rest, ...(service === undefined ? {} : { service: { url, ...service } }) }
  const toy = await startToyGateway({ upstream: server.url, models, ...(guard === undefined ? {} : { guard: own }) })
  t.teardown(() => toy.close())
  return probeThrough(toy.url, server.url, { checks, routes })
}

function resultOf({ results }: RunResult, id: string): CheckResult {
  return results.find(({ check }) => check.id === id)!
}

const verdicts = ({ results }: RunResult): Record<string, string> =>
  Object.fromEntries(results.map(({ check, verdict }) => [check.id, verdict]))

t.test('a guardrail of prompts and replies has no finding', async t => {
  const run = await probed(t, { guard: { service: { failsOpen: false } } })
  t.strictSame(verdicts(run), {
    'GRD-BLOCK': 'note',
    'GRD-SPLIT': 'pass',
    'GRD-TOOL': 'pass',
    'GRD-ROUTES': 'pass',
    'GRD-FAILOPEN': 'pass',
  })
  t.equal(resultOf(run, 'GRD-BLOCK').summary, 'values in prompts are stopped, in replies are stopped')
  t.equal(resultOf(run, 'GRD-FAILOPEN').summary, 'fails closed')
  t.strictSame(resultOf(run, 'GRD-SPLIT').values.wires, ['chat', 'messages'])
})

t.test('a guardrail that masks is one too', async t => {
  const run = await probed(t, { guard: { isMasking: true }, models: { gpt: 'chat', claude: 'messages' } })
  t.strictSame(verdicts(run), {
    'GRD-BLOCK': 'note',
    'GRD-SPLIT': 'pass',
    'GRD-TOOL': 'pass',
    'GRD-ROUTES': 'pass',
    'GRD-FAILOPEN': 'skip',
  })
})

t.test('without a guardrail the checks are skipped', async t => {
  const run = await probed(t, { models: { gpt: 'chat' } })
  t.equal(resultOf(run, 'GRD-BLOCK').summary, 'neither prompts nor replies are guarded')
  t.equal(resultOf(run, 'GRD-SPLIT').reason, 'no plain reply is guarded')
  t.equal(resultOf(run, 'GRD-TOOL').reason, 'neither prompts nor replies are guarded')
  t.equal(resultOf(run, 'GRD-ROUTES').reason, 'no prompt is guarded')
  t.equal(resultOf(run, 'GRD-FAILOPEN').reason, 'no guardrail service of svc was asked')
})

t.test('guardrails of prompts alone, and of replies alone, are said to be so', async t => {
  const prompts = await probed(t, { guard: { only: 'prompts' }, models: { gpt: 'chat' } })
  t.equal(resultOf(prompts, 'GRD-BLOCK').summary, 'values in prompts are stopped, in replies pass')
  t.equal(resultOf(prompts, 'GRD-SPLIT').verdict, 'skip')
  t.equal(resultOf(prompts, 'GRD-TOOL').summary, 'only prompts are guarded')
  const replies = await probed(t, { guard: { only: 'replies' }, models: { gpt: 'chat' } })
  t.equal(resultOf(replies, 'GRD-BLOCK').summary, 'values in prompts pass, in replies are stopped')
  t.equal(resultOf(replies, 'GRD-ROUTES').verdict, 'skip')
  t.equal(resultOf(replies, 'GRD-TOOL').summary, 'only replies are guarded')
})

t.test('requests to a guard do not count as those of clients to models', async t => {
  const checks = checksNamed(['LLM-USAGE', 'LLM-RETRY'])
  const routes = routesOf({ llm: { openai: '/openai/v1', wires: ['chat'], model: 'gpt' } })
  const run = await probed(t, { guard: { service: { failsOpen: false } }, models: { gpt: 'chat' }, routes, checks })
  t.strictSame(findings(run), [])
  t.strictSame(
    run.results.map(({ verdict, reason }) => [verdict, reason]),
    checks.map(() => ['pass', null]),
  )
})

const shown: Parameters<typeof writeFindings>[0][number][] = []
for (const [name, { guard, id, finding }] of Object.entries(WRONG_GUARDS))
  for (const title of runsOf(`a guardrail that ${name} is found by ${id} alone`))
    t.test(title, async t => {
      const run = await probed(t, { guard, models: { gpt: 'chat', claude: 'messages' } })
      const found = run.results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error')
      t.strictSame(
        found.map(({ check }) => check.id),
        [id],
      )
      t.match(`${found[0]?.verdict} ${found[0]?.summary}`, finding)
      shown.push(...findingsOf(`a guardrail that ${name}`, run))
      const report = reportOf(run)
      const result = report.results.find(one => one.id === id)!
      const again = judgeAgain(report, result, GUARDRAIL_CHECKS.find(one => one.id === id)!)
      t.match(again, { verdict: result.verdict, summary: result.summary })
    })

t.test('half of a value is a note', async t => {
  const run = await probed(t, { guard: { leaksHalf: true }, models: { gpt: 'chat' } })
  t.equal(resultOf(run, 'GRD-SPLIT').verdict, 'note')
  t.match(resultOf(run, 'GRD-SPLIT').summary, /^more than half of the value reaches the client: chat in deltas of 1/)
})

t.test('the value and the text in front of prompts are those of --routes', async t => {
  const run = await probed(t, {
    guard: { value: 'GEHEIM-42' },
    models: { gpt: 'chat' },
    routes: routesOf({ guardrails: { value: 'GEHEIM-42', ask: 'Please check: ' } }),
  })
  t.equal(resultOf(run, 'GRD-SPLIT').verdict, 'pass')
  t.equal(resultOf(run, 'GRD-BLOCK').summary, 'values in prompts are stopped, in replies are stopped')
})

t.test('the pages show what the checks found', { skip: !WRITES_FINDINGS && 'not written' }, t => {
  writeFindings(shown)
  t.end()
})

t.test('the findings on the pages are those of wrong guardrails [PRB-21]', t => {
  const onPages = Object.entries(findingsBy(true)).filter(([id]) => id.startsWith('GRD-'))
  t.strictSame(
    [...new Set(Object.values(WRONG_GUARDS).map(({ id }) => id))].toSorted(),
    onPages.map(([id]) => id).toSorted(),
  )
  for (const [id, { proxy }] of onPages) t.equal(WRONG_GUARDS[proxy.replace('a guardrail that ', '')]?.id, id, proxy)
  t.end()
})
