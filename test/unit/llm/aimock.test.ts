/** Fixture files of aimock as rules. */
import t from 'tap'
import { translateFixtures } from '../../../plugins/llm/testing/aimock/translate.ts'

type Json = Parameters<typeof translateFixtures>[0]

const translate = (...fixtures: object[]): { rules: object[]; problems: string[] } => {
  const { rules, problems } = translateFixtures({ fixtures } as Json)!
  return { rules: rules.map(({ rule }) => rule), problems: problems.map(({ at, message }) => `${at}: ${message}`) }
}
const one = (fixture: object): unknown => {
  const { rules, problems } = translate(fixture)
  t.strictSame(problems, [])
  return rules[0]
}
const response = { content: 'hi' }

t.test('conditions [FIXTURE-5]', async t => {
  const rows: [match: object, conditions: object][] = [
    [{}, {}],
    [{ userMessage: '.*' }, { user: { contains: '.*' } }],
    [{ userMessage: '' }, {}],
    [{ systemMessage: ['a', 'b'] }, { system: { contains: ['a', 'b'] } }],
    [{ systemMessage: [] }, {}],
    [{ model: 'gpt-4.1' }, { model: { matches: String.raw`^gpt-4\.1(?:-[0-9].*)?$` } }],
    [{ toolName: 'f' }, { tool: 'f' }],
    [
      { toolCallId: 'c1', toolResultContains: 'ok' },
      { last_result_id: 'c1', last_result: { contains: 'ok' } },
    ],
    [{ hasToolResult: false }, { tool_result: false }],
    [{ responseFormat: 'json_object' }, { format: 'json' }],
    [{ responseFormat: 'json_schema' }, { format: 'schema' }],
    [
      { inputText: 'x', endpoint: 'embedding' },
      { input: { contains: 'x' }, op: 'embed' },
    ],
    [{ endpoint: 'chat' }, { op: 'chat' }],
  ]
  for (const [match, llm] of rows)
    t.strictSame(one({ match, response }), { match: { llm }, then: { reply: { text: 'hi' } } }, JSON.stringify(match))
  t.match(one({ match: { context: 'crew' }, response }), { match: { header: { 'X-AIMock-Context': 'crew' } } })
})

t.test('responses [FIXTURE-5]', async t => {
  const rows: [entry: object, then: object][] = [
    [{ response: { content: { a: 1 } } }, { reply: { json: { a: 1 } } }],
    [{ response: { content: 'Use {{name}}' } }, { reply: { text: 'Use {{name}}', template: false } }],
    [
      { response: { toolCalls: [{ name: 'f', arguments: '{"a":1}', id: 'c' }] } },
      { reply: { tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c' }] } },
    ],
    [
      {
        response: {
          blocks: [
            { type: 'toolCall', name: 'f', arguments: {} },
            { type: 'text', text: 'x' },
          ],
        },
      },
      { reply: { blocks: [{ tool_call: { name: 'f', args: {} } }, { text: 'x' }] } },
    ],
    [
      { response: { content: 'x', reasoning: 'why', finishReason: 'end_turn' } },
      { reply: { text: 'x', reasoning: 'why', finish: 'stop' } },
    ],
    [
      { response: { content: 'x', usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 3 } } },
      { reply: { text: 'x', usage: { prompt_tokens: 8, completion_tokens: 2, cached_tokens: 3 } } },
    ],
    [
      { response: { content: 'x', usage: { promptTokenCount: 5, candidatesTokenCount: 2 } } },
      { reply: { text: 'x', usage: { prompt_tokens: 5, completion_tokens: 2 } } },
    ],
    [{ response: { embedding: [1, 0] } }, { reply: { embedding: [1, 0] } }],
    [
      { response: { error: { message: 'no' }, status: 429, retryAfter: 3 } },
      { fail: 429, message: 'no', retry_after: 3 },
    ],
    [{ response: { error: { message: 'no' } } }, { fail: 500, message: 'no' }],
    [{ response: { error: { type: 't', code: 'c' }, status: 400 } }, { fail: 400, type: 't', code: 'c' }],
    [
      { response, streamingProfile: { ttft: 200, tps: 40, jitter: 0.1 } },
      { reply: { text: 'hi', stream: { ttft_ms: 200, tokens_per_second: 40, jitter_percent: 10 } } },
    ],
    [{ response, latency: 50 }, { reply: { text: 'hi', stream: { ttft_ms: 50, tokens_per_second: 20 } } }],
    [{ response, truncateAfterChunks: 3 }, { reply: { text: 'hi', stream: { break: 'disconnect@3' } } }],
    [
      { response, latency: 100, disconnectAfterMs: 300 },
      { reply: { text: 'hi', stream: { ttft_ms: 100, tokens_per_second: 10, break: 'disconnect@3' } } },
    ],
  ]
  for (const [entry, then] of rows) t.match(one({ match: {}, ...entry }), { then }, JSON.stringify(entry))
})

t.test('equal fixtures with an index are a sequence [FIXTURE-5]', async t => {
  const fixture = (sequenceIndex: number, content: string): object => ({
    match: { userMessage: 'joke', sequenceIndex },
    response: { content },
  })
  const { rules } = translate(fixture(1, 'b'), fixture(0, 'a'), { match: { userMessage: 'joke' }, response })
  t.strictSame(rules, [
    {
      match: { llm: { user: { contains: 'joke' } } },
      then: [{ reply: { text: 'a' } }, { reply: { text: 'b' } }],
    },
    { match: { llm: { user: { contains: 'joke' } } }, then: { reply: { text: 'hi' } } },
  ])
  const gap = translate(fixture(0, 'a'), fixture(2, 'c'), fixture(0, 'again'))
  t.match(gap.rules, [{ then: [{ reply: { text: 'a' } }] }])
  t.match(gap.problems, [/fixtures\[2\]\.match\.sequenceIndex: an earlier fixture/, /fixtures\[0\]: .*have a gap/])
})

t.test('turns select the highest that was reached, else a fixture without, else the lowest [FIXTURE-5]', async t => {
  const fixture = (content: string, match: object): object => ({ match, response: { content } })
  const { rules } = translate(
    fixture('plain', { userMessage: 'x' }),
    fixture('one', { userMessage: 'x', turnIndex: 1 }),
    fixture('three', { userMessage: 'x', turnIndex: 3 }),
    fixture('zero', { userMessage: 'y', turnIndex: 0 }),
  )
  t.match(
    rules.map(rule => {
      const { match, then } = rule as { match: { llm: { turn?: object } }; then: { reply: { text: string } } }
      return [then.reply.text, match.llm.turn]
    }),
    [
      ['three', { gte: 3 }],
      ['one', { gte: 1 }],
      ['zero', undefined],
      ['plain', undefined],
      ['one', undefined],
    ],
  )
})

t.test('rates become sampled rules before the fixture [FIXTURE-5]', async t => {
  t.match(translate({ match: {}, response, chaos: { dropRate: 0.3, disconnectRate: 1, other: 1 } }), {
    rules: [
      { match: { llm: { op: 'chat' } }, sample: 0.3, then: { fail: 500 } },
      { then: { abort: 'reset' } },
      { then: { reply: { text: 'hi' } } },
    ],
    problems: [/chaos\.other: this fault has no counterpart/],
  })
})

t.test('what rules cannot say is reported [FIXTURE-5]', async t => {
  const rows: [fixture: object, problem: RegExp, rules: number][] = [
    [{ match: { endpoint: 'image' }, response }, /fixtures\[0\]\.match\.endpoint: "image" has no counterpart/, 0],
    [{ match: { responseFormat: 'xml' }, response }, /match\.responseFormat/, 0],
    [{ match: { predicate: 1 }, response }, /match\.predicate: this member has no counterpart/, 1],
    [{ match: { userMessage: 7 }, response }, /match\.userMessage: expected a text/, 1],
    [{ match: {}, response: { image: { url: 'x' } } }, /response\.image/, 0],
    [{ match: {}, response: { content: 'x', webSearches: ['q'], systemFingerprint: 'f' } }, /response\.webSearches/, 1],
    [{ match: {}, response: { content: 'x', finishReason: 'tired' } }, /response\.finishReason/, 1],
    [{ match: {}, response: { error: { message: 'x' }, status: 200 } }, /response\.status/, 0],
    [{ match: {}, response: { toolCalls: [{ name: 'f', arguments: 'nope' }] } }, /response\.toolCalls/, 1],
    [{ match: {}, response, recordedTimings: {}, chunkSize: 3 }, /fixtures\[0\]\.recordedTimings/, 1],
    [{ match: {} }, /response: expected an object/, 0],
    [{ response }, /match: expected an object/, 0],
  ]
  for (const [fixture, problem, count] of rows) {
    const { rules, problems } = translate(fixture)
    t.match(problems[0], problem)
    t.equal(rules.length, count, JSON.stringify(fixture))
  }
  t.equal(translateFixtures({ rules: [] }), null, 'another format')
})
