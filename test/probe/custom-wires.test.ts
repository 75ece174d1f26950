/** Wires of other plugins, and their checks that run for each pair of wires. */
import t, { type Test } from 'tap'
import { forPlugin } from 'svc/plugin'
import { launch } from '../../core/testing/launch.ts'
import { catalogWith, createCheckRegistry } from '../../plugins/probe/checks/custom/registry.ts'
import type { RunResult } from '../../plugins/probe/client/probe-run.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import { judgeAgain } from '../../plugins/probe/report/judge-again.ts'
import type {
  CheckPair,
  CustomPairCheck,
  PairStepRecord,
  ProbeChecks,
  ProbeWires,
  Wire,
} from '../../plugins/probe/types.ts'
import { createWireRegistry, wiresWith } from '../../plugins/probe/wires/registry.ts'
import { CHAT } from '../../plugins/probe/wires/chat.ts'
import { startToyGateway, type GatewayFault } from './ai-gateways/toy-gateway.ts'
import { findings, probeThrough, reportOf } from './probe-through.ts'

const server = await launch()
t.teardown(() => server.stop())

/** Plugins may be written in JavaScript. */
type Changes = Partial<Record<keyof CustomPairCheck | 'protocols', unknown>>

function pairCheck(change: Changes = {}): CustomPairCheck {
  const check: CustomPairCheck = {
    id: 'test.GREETING',
    title: 'Greetings arrive',
    group: 'greetings',
    level: 'integrity',
    forPairs: true,
    page: { sent: 'a', expected: 'b', why: 'c' },
    steps: ({ upstream }) => [
      {
        name: 'hello',
        request: { turns: [{ role: 'user', parts: [{ type: 'text', text: `Hello ${upstream}` }] }] },
        answer: { reply: { text: 'Hello, client.' } },
      },
      {
        name: 'streamed',
        request: { turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello again' }] }] },
        isStream: true,
      },
    ],
    judge: steps => {
      const lost = steps.filter(one => textOf(one.answered) !== textOf(one.received))
      return lost.length === 0
        ? { verdict: 'pass', values: { seen: steps.length } }
        : { verdict: 'fail', summary: `the reply to ${lost.map(({ name }) => name).join(', ')} is changed` }
    },
  }
  return { ...check, ...change } as CustomPairCheck
}

const textOf = (reply: PairStepRecord['answered']): string =>
  (reply?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('')

const registries = (): { checks: ProbeChecks; wires: ProbeWires } => ({
  checks: createCheckRegistry('probe')[forPlugin]!('test'),
  wires: createWireRegistry('probe')[forPlugin]!('test'),
})

interface Tried {
  checks: ProbeChecks
  wires?: ProbeWires
  /** Ids. */
  ids: readonly string[]
  /** Of the routes file. */
  llm?: object
  fault?: GatewayFault
}

async function probed(t: Test, { checks, wires, ids, llm, fault }: Tried): Promise<RunResult> {
  const models = { 'model-chat': 'chat', 'model-messages': 'messages' }
  const toy = await startToyGateway({ upstream: server.url, models, ...(fault === undefined ? {} : { fault }) })
  t.teardown(() => toy.close())
  const given = { openai: '/openai/v1', wires: ['chat'], ...llm }
  const routes = readRoutes({ llm: given }, { newGroups: ['greetings'], wires: wiresWith(wires) })
  if (typeof routes === 'string') throw new Error(routes)
  return probeThrough(toy.url, server.url, {
    checks: catalogWith(checks).filter(({ id }) => ids.includes(id)),
    routes,
  })
}

t.test('a check for pairs runs once for each pair, and judges the neutral forms', async t => {
  const { checks } = registries()
  const seen: PairStepRecord[][] = []
  const own = pairCheck()
  checks.add({
    ...own,
    judge(steps: readonly PairStepRecord[], pair: CheckPair) {
      seen.push([...steps])
      return own.judge(steps, pair)
    },
  })
  const run = await probed(t, { checks, ids: ['test.GREETING'] })
  t.strictSame(findings(run), [])
  t.strictSame(
    run.results.map(({ pair, verdict, values }) => [pair, verdict, values.seen]),
    [
      ['chat:chat', 'pass', 2],
      ['chat:messages', 'pass', 2],
    ],
  )
  const [hello] = seen.at(-1)!
  t.equal(hello!.name, 'hello')
  t.equal(hello!.status, 200)
  t.equal(hello!.error, null)
  t.equal(textOf(hello!.received), 'Hello, client.')
  t.match(hello!.sent.turns[0]!.parts[0], { type: 'text', text: /^Hello messages \w+-\d+$/ })
  t.strictSame(hello!.arrivals[0]!.turns, hello!.sent.turns)
})

t.test('what a gateway changes is a finding, also when a report is judged again', async t => {
  const { checks } = registries()
  checks.add(pairCheck())
  const run = await probed(t, {
    checks,
    ids: ['test.GREETING'],
    fault: { reply: reply => ({ ...reply, parts: [{ type: 'text', text: 'Sorry.' }] }) },
  })
  const [first] = run.results
  t.match([first?.verdict, first?.summary], ['fail', 'the reply to hello, streamed is changed'])
  const report = reportOf(run)
  const [check] = catalogWith(checks).filter(({ id }) => id === 'test.GREETING')
  t.match(judgeAgain(report, report.results[0]!, check!), { verdict: 'fail', summary: first!.summary })
})

t.test('steps and judges of plugins that throw, or are not valid, are errors of the check', async t => {
  const tried = async (change: Changes): Promise<string> => {
    const { checks } = registries()
    checks.add(pairCheck(change))
    const { results } = await probed(t, { checks, ids: ['test.GREETING'] })
    return `${results[0]!.verdict} ${results[0]!.reason}`
  }
  const failing = (): never => {
    throw new Error('own fault')
  }
  t.match(await tried({ steps: failing }), /^error .*own fault$/)
  t.match(await tried({ steps: () => [] }), /^error .*"steps" must return a list of 1 to 50 steps$/)
  t.match(
    await tried({ steps: () => [{ name: 'a', request: {} }] }),
    /^error .*step 1: "request" needs a list of turns$/,
  )
  t.match(await tried({ judge: failing }), /^error .*own fault$/)
  t.match(await tried({ judge: () => 'good' }), /^error .*judge must return a verdict/)
})

t.test('a check for pairs that is not valid is rejected', t => {
  const refused = (change: Changes, reason: RegExp): void => {
    t.throws(() => registries().checks.add(pairCheck(change)), reason)
  }
  refused({ forPairs: false }, /"forPairs" must be true/)
  refused({ steps: [] }, /"steps" must be a function/)
  refused({ judge: null }, /"judge" must be a function/)
  refused({ protocols: ['2'] }, /unknown key "protocols"/)
  t.end()
})

t.test('a wire of a plugin is one of the client, with a base in the routes file', async t => {
  const { checks, wires } = registries()
  wires.add({ ...CHAT, id: 'test.chat' })
  const run = await probed(t, {
    checks,
    wires,
    ids: ['TRN-TEXT', 'TRN-USAGE', 'LLM-ISOLATION'],
    llm: { 'test.chat': '/openai/v1', wires: ['test.chat'], models: ['model-chat', 'model-messages'] },
  })
  t.strictSame(findings(run), [])
  t.strictSame(
    run.results.map(({ check, pair, verdict }) => `${check.id} ${pair} ${verdict}`),
    [
      'LLM-ISOLATION null pass',
      'TRN-TEXT test.chat:chat pass',
      'TRN-TEXT test.chat:messages pass',
      'TRN-USAGE test.chat:chat pass',
      'TRN-USAGE test.chat:messages note',
    ],
  )
  t.match(readRoutes({ llm: { 'test.chat': '/openai/v1' } }), /unknown key "llm\.test\.chat"/)
})

t.test('a wire that is not valid is rejected', t => {
  const refused = (change: Partial<Record<keyof Wire, unknown>>, reason: RegExp): void => {
    t.throws(() => registries().wires.add({ ...CHAT, id: 'test.chat', ...change } as Wire), reason)
  }
  refused({ id: 'chat' }, /the wire "chat" is not valid: the id must have a prefix and a name/)
  refused({ base: 'ai' }, /"base" must be a path/)
  refused({ readStream: undefined }, /"readStream" must be a function/)
  refused({ limits: { request: new Set() } }, /"limits" needs the sets request, reply and refusedInFormats/)
  const { wires } = registries()
  wires.add({ ...CHAT, id: 'test.chat' })
  t.throws(() => wires.add({ ...CHAT, id: 'test.chat' }), /already added by test/)
  t.end()
})
