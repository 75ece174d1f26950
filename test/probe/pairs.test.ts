/** Pairs of wires: which are found, what is skipped, and one result for each pair. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import type { Check } from '../../plugins/probe/catalog/check.ts'
import type { Aspect } from '../../plugins/probe/checks/translate/types.ts'
import { TRN_PAIRS } from '../../plugins/probe/checks/translate/pairs.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { pairCheck } from '../../plugins/probe/pairs/pair-check.ts'
import { accepts, baselineOf, readBaseline } from '../../plugins/probe/report/baseline.ts'
import { compareReports } from '../../plugins/probe/report/comparison.ts'
import { explanation, issueText } from '../../plugins/probe/report/explain.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import { junitReport } from '../../plugins/probe/report/junit-report.ts'
import { markdownReport } from '../../plugins/probe/report/markdown-report.ts'
import { matrix } from '../../plugins/probe/report/matrix.ts'
import { terminalReport } from '../../plugins/probe/report/terminal-report.ts'
import REPORT_SCHEMA from '../../plugins/probe/report.schema.json' with { type: 'json' }
import { readPairs } from '../../plugins/probe/pairs/pair.ts'
import { emptyRequest } from '../../plugins/probe/wires/neutral.ts'
import { WIRES } from '../../plugins/probe/wires/wires.ts'
import { startToyGateway, type GatewayFault } from './ai-gateways/toy-gateway.ts'
import { probeThrough, reportOf, type ThroughOptions } from './probe-through.ts'

/** Judges whether the text of a reply is the one that the upstream said. */
const REPLY_TEXT: Aspect = {
  id: 'TRN-TOY',
  title: 'A reply',
  level: 'integrity',
  impact: 'high',
  scenes: () => [
    {
      id: 'words',
      modes: ['plain', 'stream'],
      operation: 'generate',
      request: {
        ...emptyRequest(),
        turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say it.' }] }],
        params: { max_tokens: 50 },
      },
      reply: { reply: { text: 'Some words.' } },
    },
    {
      id: 'loop',
      modes: ['plain'],
      operation: 'generate',
      request: {
        ...emptyRequest(),
        turns: [{ role: 'user', parts: [{ type: 'text', text: 'Look it up.' }] }],
        tools: [
          { name: 'look', description: null, schema: { type: 'object', properties: { at: { type: 'string' } } } },
        ],
        params: { max_tokens: 50 },
      },
      reply: { reply: { tool_calls: [{ name: 'look', args: { at: 'here' } }] } },
      turns: [
        {
          results: [{ call: 0, parts: [{ type: 'text', text: 'Found.' }] }],
          reply: { reply: { text: 'It is there.' } },
        },
      ],
    },
  ],
  judge(scenes) {
    const wrong = scenes.flatMap(({ scene, mode, exchanges }) => {
      const last = exchanges.at(-1)!
      const [part] = last.received?.reply?.parts ?? []
      const expected = scene.id === 'loop' ? 'It is there.' : 'Some words.'
      const text = part?.type === 'text' ? part.text : null
      if (text === expected && exchanges.length === (scene.id === 'loop' ? 2 : 1)) return []
      return [
        {
          side: 'reply' as const,
          scene: scene.id,
          mode,
          path: '/parts/0',
          kind: 'changed' as const,
          sent: expected,
          got: text,
        },
      ]
    })
    return wrong.length === 0
      ? { verdict: 'pass', detail: '', differences: [] }
      : { verdict: 'fail', detail: `${wrong.length} replies differ`, differences: wrong }
  },
}

const CHECKS: Check[] = [
  TRN_PAIRS,
  pairCheck(REPLY_TEXT, { sent: 'Words.', expected: 'The same words.', why: 'They are the reply.' }, '2026.2'),
]

const routesOf = (value: unknown): Routes => {
  const routes = readRoutes(value)
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

const TOY_ROUTES = { llm: { openai: '/openai/v1', anthropic: '/anthropic', wires: ['chat', 'messages'] } }
const TOY_MODELS = { claude: 'messages', gpt: 'chat' }

async function throughToy(t: Test, fault: GatewayFault = {}, options: ThroughOptions = {}): Promise<RunResult> {
  const server = await launch()
  t.teardown(() => server.stop())
  const toy = await startToyGateway({ upstream: server.url, models: TOY_MODELS, fault })
  t.teardown(() => toy.close())
  return probeThrough(toy.url, server.url, { checks: CHECKS, routes: routesOf(TOY_ROUTES), ...options })
}

const summaryOf = ({ results }: RunResult): string[] =>
  results.map(({ check, pair, verdict, summary, reason }) =>
    `${check.id} ${pair ?? '-'} ${verdict} ${reason ?? summary}`.trim(),
  )

t.test('a gateway that translates rightly has no finding in any pair, though it does not route /probe', async t => {
  const result = await throughToy(t)
  t.strictSame(summaryOf(result), [
    'TRN-PAIRS - note chat → chat, chat → messages, messages → chat, messages → messages',
    'TRN-TOY chat:chat pass',
    'TRN-TOY chat:messages pass',
    'TRN-TOY messages:chat pass',
    'TRN-TOY messages:messages pass',
  ])
  t.equal(result.models, 'messages')
  t.equal(result.reached.isOfModels, true)
})

t.test('one that changes streams fails with the difference, in each pair', async t => {
  const fault: GatewayFault = {
    reply: (reply, isStream) => (isStream ? { ...reply, parts: [{ type: 'text', text: 'Other words.' }] } : reply),
  }
  const result = await throughToy(t, fault)
  const own = result.results.filter(({ check }) => check.id === 'TRN-TOY')
  t.strictSame(
    own.map(({ pair, verdict }) => `${pair} ${verdict}`),
    ['chat:chat fail', 'chat:messages fail', 'messages:chat fail', 'messages:messages fail'],
  )
  t.match(own[1]!.values.differences, [{ scene: 'words', mode: 'stream', sent: 'Some words.', got: 'Other words.' }])
  const report = reportOf(result)
  t.equal(report.results.find(({ pair }) => pair === 'chat:messages')?.verdict, 'fail')
  t.ok(new Ajv2020({ strict: false }).validate(REPORT_SCHEMA, report))
  const terminal = terminalReport(report, ['fail'])
  t.match(terminal, /Pairs +fail +warn +note +skip\nchat → chat +1 +0 +0 +0/)
  t.match(terminal, /fail {2}TRN-TOY {2}chat → chat, chat → messages, messages → chat, messages → messages/)
  t.match(
    junitReport(report, ['fail']),
    /classname="probe\.translate\.chat-messages" name="TRN-TOY A reply chat → messages"/,
  )
  t.match(htmlReport(report), /<caption>Pairs<\/caption>[\s\S]*<caption>Differences<\/caption>/)
  t.match(markdownReport(report), /\| Client \| chat \| messages \|\n\|---\|---\|---\|\n\| chat \| 1 \| 1 \|/)
  t.match(matrix([report], { onlyDiffering: false }), /TRN-TOY A reply \| FAIL 4\/4 \|/)
  t.match(matrix([report], { onlyDiffering: false, byPair: true }), /TRN-TOY A reply messages → chat \| FAIL \|/)
  const baseline = readBaseline(baselineOf(report), new Set(['TRN-TOY']))
  if (typeof baseline === 'string') throw new Error(baseline)
  t.match(baseline.accepted[1], { id: 'TRN-TOY', pair: 'chat:messages', verdict: 'fail' })
  t.ok(accepts(baseline, 'TRN-TOY', { protocol: '1.1', pair: 'chat:messages', verdict: 'fail' }))
  t.notOk(accepts(baseline, 'TRN-TOY', { protocol: '1.1', pair: 'chat:gemini', verdict: 'fail' }))
  const [{ pair: _pair, ...allPairs }] = baseline.accepted as [(typeof baseline.accepted)[0]]
  t.ok(accepts({ accepted: [allPairs] }, 'TRN-TOY', { protocol: '1.1', pair: 'chat:gemini', verdict: 'fail' }))
  const better = { ...report, results: report.results.map(one => ({ ...one, verdict: 'pass' as const })) }
  t.match(compareReports(report, better).better[1], { id: 'TRN-TOY', pair: 'chat:messages', from: 'fail', to: 'pass' })
  const failed = report.results.find(({ pair }) => pair === 'chat:messages')!
  t.match(
    explanation(failed, CHECKS[1]),
    /Came back:[\s\S]*Differences:\n {2}reply {2}words stream {2}\/parts\/0 {2}changed/,
  )
  const issue = issueText(report, failed, CHECKS[1])
  t.match(
    issue,
    /^# 1 replies differ, chat → messages\n[\s\S]*## Sent[\s\S]*## Arrived[\s\S]*## Came back[\s\S]*--checks TRN-TOY --pairs chat:messages/,
  )
  t.ok(Buffer.byteLength(issue) <= 16 * 1024)
  t.equal((judgeAgain(report, failed, CHECKS[1]!) as { verdict: string }).verdict, 'fail')
  t.match(report.summary.pairs?.[1], { pair: 'chat:messages', state: 'tested', verdicts: { fail: 1, pass: 0 } })
})

t.test('--pairs limits the run, and names a pair that does not exist', async t => {
  const pairs = (words: string[]): ThroughOptions => {
    const read = readPairs(
      words,
      WIRES.map(({ id }) => id),
    )
    if (typeof read === 'string') throw new Error(read)
    return { pairs: read }
  }
  t.match(summaryOf(await throughToy(t, {}, pairs(['*:messages']))).slice(1), [
    'TRN-TOY chat:messages pass',
    'TRN-TOY messages:messages pass',
  ])
  t.strictSame(summaryOf(await throughToy(t, {}, pairs(['chat:gemini']))).slice(1), ['TRN-TOY - skip no such pair'])
})

t.test('svc itself only forwards, so nothing is translated', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const result = await probeThrough(server.url, server.url, { checks: CHECKS })
  t.equal(result.models, 'bytes')
  t.strictSame(summaryOf(result).slice(1), ['TRN-TOY - skip forwards, does not interpret'])
})

t.test('words that are not a pair are refused with the nearest', t => {
  const ids = WIRES.map(({ id }) => id)
  for (const word of ['chat', 'chat:', ':chat', 'a:b:c'])
    t.match(readPairs([word], ids), /is not a pair: expected client:upstream/)
  t.match(readPairs(['chat:mesages'], ids), /unknown wire "mesages" \(did you mean messages\?\)/)
  t.strictSame(readPairs(['*:chat'], ids), [{ client: '*', upstream: 'chat' }])
  t.end()
})
