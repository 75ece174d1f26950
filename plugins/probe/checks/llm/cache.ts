/** Gateways that answer from a cache: whose question it was, and whether the answer is whole. */
import { fail, note, pass, skip, type Check, type PairContext } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import { connectionOf, exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck, type ModelsCheck } from '../../pairs/models-check.ts'
import type { Request } from '../../wires/types.ts'
import type { ExchangeEvidence, Mode, RuleStep } from '../translate/types.ts'
import { question } from './model-scenes.ts'

/** The n-th request that arrives gets the n-th answer, so an answer that comes again comes from a cache. */
const ANSWERS: readonly RuleStep[] = Array.from({ length: 6 }, (_, index) =>
  replyStep({ text: `This is answer number ${index + 1} of the upstream.` }),
)
const NUMBER = /answer number (\d) of the upstream\.$/
const TELLING = /cache|^age$/i
const NO_REUSE = 'no reuse'

/** The number of the answer that the client got; null: another text, or none. */
function answerOf({ received }: ExchangeEvidence): number | null {
  const [, number] = received?.reply == null ? [] : (NUMBER.exec(textOfReply(received.reply)) ?? [])
  return number === undefined ? null : Number(number)
}

interface Asked {
  name: string
  request: Request
  mode?: Mode
  tenant?: string | undefined
}

/** One after the other, all with the marker and the answers of the first one. */
function series(context: PairContext, id: string, asked: readonly Asked[]): ModelCall[] {
  return asked.map(
    ({ name, request, mode = 'plain', tenant }, index): ModelCall => ({
      label: `${id} ${name}`,
      context,
      request,
      mode,
      step: ANSWERS,
      ...(tenant === undefined ? {} : { tenant }),
      ...(index === 0 ? {} : { sameAs: `${id} ${asked[0]!.name}` }),
    }),
  )
}

interface CacheCheck extends Omit<ModelsCheck, 'group' | 'plan' | 'judge'> {
  series(context: PairContext, ask: (text: string) => Request, tenants: readonly string[]): readonly ModelCall[]
  judge(evidence: Evidence, calls: readonly ModelCall[]): ReturnType<Check['judge']>
}

function cacheCheck({ series: callsOf, judge, when, ...rest }: CacheCheck): Check {
  const calls = ({
    clients: [context],
    settings: { cache },
    tenants,
  }: Parameters<ModelsCheck['plan']>[0]): readonly ModelCall[] =>
    callsOf(context, text => question(cache.replace('{q}', text)), tenants)
  return modelsCheck({
    ...rest,
    group: 'llm',
    when: { ...when, alone: true, noDirect: true },
    plan: models => ({ inOrder: true, connections: calls(models).map(one => connectionOf(one)) }),
    judge(evidence, models) {
      const own = calls(models)
      if (exchangeOf(evidence, own[0]!).arrivals.length === 0)
        return skip(`not routed: ${evidence.call(own[0]!.label).status ?? 'closed'}`)
      return judge(evidence, own)
    },
  })
}

const QUESTION = 'Which harbor is the largest of the country?'
const twice = (request: Request): Asked[] => [
  { name: 'first', request },
  { name: 'again', request },
]

export const LLM_CACHE_HIT = cacheCheck({
  id: 'LLM-CACHE-HIT',
  title: 'Answers from a cache',
  level: 'observation',
  impact: 'low',
  page: {
    sent: 'One question twice; the upstream answers each time with another text.',
    expected: 'Nothing: whether the first answer comes again is reported, and which fields tell so.',
    why: 'The other checks of caches need one; and a client should be able to see that an answer is not new.',
  },
  series: (context, ask) => series(context, 'hit', twice(ask(QUESTION))),
  judge(evidence, calls) {
    const [first, again] = calls.map(one => answerOf(exchangeOf(evidence, one)))
    if (first == null || again !== first) return note(NO_REUSE, { reuses: false })
    const fields = evidence
      .call(calls[1]!.label)
      .response!.fields.filter(([name]) => TELLING.test(name))
      .map(([name, value]) => `${name}: ${value}`)
    const how = fields.length === 0 ? 'no field tells so' : fields.join(', ')
    return note(`answers again (${how})`, { reuses: true, fields })
  },
})

interface Alike {
  id: string
  text: string
  other: string
}
const ALIKE: readonly Alike[] = [
  { id: 'negation', text: 'May I take this medicine with milk?', other: 'May I not take this medicine with milk?' },
  { id: 'number', text: 'Is a dose of 50 mg a day too much?', other: 'Is a dose of 500 mg a day too much?' },
  { id: 'name', text: 'What does Anna Berg earn in a year?', other: 'What does Hanna Berg earn in a year?' },
]

/** The same texts, said by the other side. */
function swapped(request: Request, isOther: boolean): Request {
  const texts = ['I owe you ten crowns.', 'You owe me ten crowns.']
  const [user, assistant] = isOther ? texts.toReversed() : texts
  return {
    ...request,
    turns: [
      { role: 'user', parts: [{ type: 'text', text: user! }] },
      { role: 'assistant', parts: [{ type: 'text', text: assistant! }] },
      ...request.turns,
    ],
  }
}

const SERIES = [...ALIKE.map(({ id }) => id), 'roles']

export const LLM_CACHE_FALSE = cacheCheck({
  id: 'LLM-CACHE-FALSE',
  title: 'Another question is another answer',
  level: 'integrity',
  page: {
    sent: 'Questions twice, and then one that differs in a negation, a number, a name, or who said what.',
    expected: 'The question that differs gets its own answer.',
    why: 'A cache that compares the meaning of questions takes those that are alike for the same one.',
    seen: ['BerriAI/litellm#12234'],
  },
  series: (context, ask) => [
    ...ALIKE.flatMap(({ id, text, other }) =>
      series(context, id, [...twice(ask(text)), { name: 'other', request: ask(other) }]),
    ),
    ...series(context, 'roles', [
      ...twice(swapped(ask('Who owes whom?'), false)),
      { name: 'other', request: swapped(ask('Who owes whom?'), true) },
    ]),
  ],
  judge(evidence, calls) {
    const answers = SERIES.map(id =>
      calls.filter(({ label }) => label.startsWith(`${id} `)).map(one => answerOf(exchangeOf(evidence, one))),
    )
    const reused = SERIES.filter(
      (_id, index) => answers[index]![0] !== null && answers[index]![1] === answers[index]![0],
    )
    if (reused.length === 0) return skip(NO_REUSE)
    const wrong = SERIES.filter(
      (_id, index) => answers[index]![0] !== null && answers[index]![2] === answers[index]![0],
    )
    const values = { reused, wrong }
    return wrong.length > 0
      ? fail(`gets the answer to another question: ${wrong.join(', ')}`, values)
      : pass('', values)
  },
})

export const LLM_CACHE_STREAM = cacheCheck({
  id: 'LLM-CACHE-STREAM',
  title: 'A stream from the cache is whole',
  level: 'integrity',
  page: {
    sent: 'The same question twice, streamed; another one plain, and then streamed.',
    expected: 'A stream from the cache has the text, the events and the usage of one from the upstream.',
    why: 'Clients break at streams that only a cache writes.',
  },
  series: (context, ask) => [
    ...series(context, 'streams', [
      { name: 'first', request: ask(QUESTION), mode: 'stream' },
      { name: 'again', request: ask(QUESTION), mode: 'stream' },
    ]),
    ...series(context, 'mixed', [
      { name: 'first', request: ask('Which river is the longest of the country?') },
      { name: 'again', request: ask('Which river is the longest of the country?'), mode: 'stream' },
    ]),
  ],
  judge(evidence, calls) {
    const [first, again, plain, mixed] = calls.map(one => exchangeOf(evidence, one))
    const known = new Set((first!.received?.stream?.grammar ?? []).map(({ text }) => text))
    const hadUsage = first!.received?.reply?.usage != null
    const cached = [
      { name: 'streamed twice', source: first!, exchange: again!, label: calls[1]!.label },
      { name: 'plain, then streamed', source: plain!, exchange: mixed!, label: calls[3]!.label },
    ].filter(({ source, exchange, label }) => {
      const number = answerOf(exchange)
      // Of all calls of a series, so fewer arrivals than calls: nothing was asked the second time.
      return number === null ? evidence.call(label).count < 2 : number === answerOf(source)
    })
    if (cached.length === 0) return skip(NO_REUSE)
    const wrong = cached.flatMap(({ name, exchange: { received }, source }): string[] => {
      const { reply = null, stream = null, error = null } = received ?? {}
      if (stream === null) return [`${name}: ${error === null ? 'no stream' : 'an error'} comes back`]
      const problems = stream.grammar.filter(({ isNote, text }) => !isNote && !known.has(text)).map(({ text }) => text)
      return [
        ...(answerOf({ ...source, received }) === null ? [`${name}: another text`] : []),
        ...problems.slice(0, 1).map(text => `${name}: ${text}`),
        ...(hadUsage && reply?.usage == null ? [`${name}: no usage`] : []),
      ]
    })
    return wrong.length > 0 ? fail(wrong.join('; ')) : pass('', { cached: cached.map(({ name }) => name) })
  },
})

export const LLM_CACHE_TENANT = cacheCheck({
  id: 'LLM-CACHE-TENANT',
  title: 'A cache has walls',
  level: 'integrity',
  reasonWithout: ({ tenants }) => (tenants.length < 2 ? 'not in --routes: llm.tenants' : null),
  page: {
    sent: 'The same question twice by one user, and then by another one.',
    expected: 'The other user gets an answer of the upstream.',
    why: 'Answers have what the user was allowed to see; a cache for all shows it to everybody.',
  },
  series: (context, ask, [one, other]) =>
    series(context, 'tenants', [
      { name: 'first', request: ask(QUESTION), tenant: one },
      { name: 'again', request: ask(QUESTION), tenant: one },
      { name: 'other', request: ask(QUESTION), tenant: other },
    ]),
  judge(evidence, calls) {
    const [first, again, other] = calls.map(one => answerOf(exchangeOf(evidence, one)))
    if (first == null || again !== first) return skip(NO_REUSE)
    return other === first ? fail('a user gets the answer of another user') : pass()
  },
})
