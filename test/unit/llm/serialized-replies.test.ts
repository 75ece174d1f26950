/** Replies serialized by compiled schemas are equal to the output of `JSON.stringify`. */
import t from 'tap'
import { OutputBudget } from '../../../core/contract/budgets.ts'
import { jsonSerializer } from '../../../core/toolkit/toolkit.ts'
import { createMessages } from '../../../plugins/llm-anthropic/messages.ts'
import { filterExtras, filterResults } from '../../../plugins/llm-azure/content-filter.ts'
import { CacheStore } from '../../../plugins/llm-gemini/caches/cache-store.ts'
import { streamGenerateContent } from '../../../plugins/llm-gemini/generate.ts'
import { chatCompletions } from '../../../plugins/llm-openai/chat/chat.ts'
import { logprobOf } from '../../../plugins/llm-openai/chat/logprobs.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { DocumentStore } from '../../../plugins/llm/state/documents.ts'
import { pluginState } from '../../support/plugin-state.ts'
import type { Choice, ChatResult, LlmRoute, Parsed, RenderContext } from '../../../plugins/llm/types.ts'

/** Characters with special escaping in JSON: quotes, control characters, lone surrogates, separators. */
const TEXTS = [
  '',
  'plain',
  'a "quote" and a \\',
  'line\nbreak\t\u0001',
  '\ud800 alone',
  'a \u{1f600}',
  '\u2028\u007f',
  'é€'.repeat(30),
  'x'.repeat(6000),
  '"'.repeat(50),
  'a\udc00'.repeat(30),
]

const engine = { ...createEngine(), randomId: (digits: number) => 'f'.repeat(digits) }
const finishReasons = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  prompt_filter: 'content_filter',
}
const context: RenderContext = {
  requestId: 'r',
  created: 1_700_000_000,
  nowMs: 1,
  provider: 'p',
  finishReasons,
  limits: {} as RenderContext['limits'],
  url: path => path,
  session: 's',
  plan: () => ({ ttftMs: 0, gapMs: 0, failsAfter: null }),
  output: new OutputBudget(1 << 24),
}

function choiceOf(text: string, more: Partial<Choice> = {}): Choice {
  return {
    index: 0,
    text,
    pieces: [text, text],
    calls: [],
    reasoning: '',
    reasoningPieces: [],
    finish: 'stop',
    stopSequence: null,
    ...more,
  }
}

function resultOf(...choices: Choice[]): ChatResult {
  return { op: 'chat', mode: 'canned', prompt: '', choices, promptTokens: 3, completionTokens: 7, reasoningTokens: 2 }
}

function parsedAs(model: string, wire: object): Parsed {
  return { op: 'chat', model, stream: true, request: {}, wire } as unknown as Parsed
}

function events(route: LlmRoute, result: ChatResult, parsed: Parsed): unknown[] {
  return [...route.stream!(result as never, parsed, context)].map(({ data }) =>
    typeof data === 'string' ? data : JSON.stringify(data),
  )
}

const usage = {
  prompt_tokens: 3,
  completion_tokens: 7,
  total_tokens: 10,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 2,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}
const head = (object: string, model: string): object => ({
  id: `chatcmpl-${'f'.repeat(29)}`,
  object,
  created: 1_700_000_000,
  model,
  system_fingerprint: 'fp_svc',
  service_tier: 'default',
})
const calls = TEXTS.map((text, index) => ({
  id: `${index}`,
  name: text,
  args: {},
  json: JSON.stringify({ text }),
  jsonPieces: [text],
}))
const called = (call: (typeof calls)[number]): object => ({
  id: `call_${call.id}`,
  type: 'function',
  function: { name: call.name, arguments: call.json },
})

const files = { engine, documents: new DocumentStore(pluginState({ publicMode: false }).svc) }

for (const [name, extras] of [
  ['OpenAI', undefined],
  ['Azure', filterExtras],
] as const) {
  const route = chatCompletions(files, extras) as unknown as LlmRoute
  const ofChoice = extras === undefined ? {} : { content_filter_results: filterResults(false) }

  t.test(`${name}: complete chat completions`, async t => {
    for (const text of TEXTS) {
      const choices = [choiceOf(text), choiceOf('', { index: 1, calls, finish: 'tool_calls' })]
      const expected = {
        ...head('chat.completion', text),
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text, refusal: null, annotations: [] },
            logprobs: { content: [text, text].map(piece => logprobOf(engine, piece, 2)), refusal: null },
            finish_reason: 'stop',
            ...ofChoice,
          },
          {
            index: 1,
            message: {
              role: 'assistant',
              content: null,
              refusal: null,
              annotations: [],
              tool_calls: calls.map(called),
            },
            logprobs: null,
            finish_reason: 'tool_calls',
            ...ofChoice,
          },
        ],
        ...extras?.reply(),
        usage,
      }
      t.equal(
        route.render(resultOf(...choices) as never, parsedAs(text, { includeUsage: false, topLogprobs: 2 }), context)
          .body,
        JSON.stringify(expected),
      )
    }
  })

  t.test(`${name}: chunks`, async t => {
    for (const text of TEXTS)
      for (const includeUsage of [true, false]) {
        const chunk = (delta: object, finish: string | null = null): object => ({
          ...head('chat.completion.chunk', text),
          choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...(finish === null ? {} : ofChoice) }],
          ...(includeUsage ? { usage: null } : {}),
        })
        const expected: object[] = extras === undefined ? [] : [extras.opening()]
        expected.push(
          chunk({ role: 'assistant', content: text === '' ? null : '', refusal: null }),
          chunk({ content: text }),
          chunk({ content: text }),
        )
        for (const [index, call] of calls.entries()) {
          expected.push(
            chunk({
              tool_calls: [
                { index, id: `call_${call.id}`, type: 'function', function: { name: call.name, arguments: '' } },
              ],
            }),
          )
          expected.push(chunk({ tool_calls: [{ index, function: { arguments: call.jsonPieces[0] } }] }))
        }
        expected.push(chunk({}, 'tool_calls'))
        if (includeUsage) expected.push({ ...head('chat.completion.chunk', text), choices: [], usage })
        const result = resultOf(choiceOf(text, { calls, finish: 'tool_calls' }))
        t.strictSame(events(route, result, parsedAs(text, { includeUsage, topLogprobs: null })), [
          ...expected.map(item => JSON.stringify(item)),
          '[DONE]',
        ])
      }
  })
}

t.test('Anthropic: deltas', async t => {
  const route = createMessages(engine) as unknown as LlmRoute
  const wire = { longTokens: 0, hidesThinking: false, bound: null }
  for (const text of TEXTS) {
    const result = resultOf(choiceOf(text, { reasoning: `${text}.`, reasoningPieces: [text, '.'] }))
    const deltas = events(route, result, parsedAs('m', wire)).filter(data =>
      String(data).startsWith('{"type":"content_block_delta"'),
    )
    const signature = engine.signThought(`${text}.`)
    const expected = [
      [0, { type: 'thinking_delta', thinking: text }],
      [0, { type: 'thinking_delta', thinking: '.' }],
      [0, { type: 'signature_delta', signature }],
      [1, { type: 'text_delta', text }],
      [1, { type: 'text_delta', text }],
    ] as const
    t.strictSame(
      deltas,
      expected.map(([index, delta]) => JSON.stringify({ type: 'content_block_delta', index, delta })),
    )
  }
  const input = events(route, resultOf(choiceOf('', { calls: calls.slice(2, 3) })), parsedAs('m', wire))
  t.ok(
    input.includes(
      JSON.stringify({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: TEXTS[2] },
      }),
    ),
  )
})

t.test('Gemini: chunks before the last', async t => {
  const { svc } = pluginState({ publicMode: false })
  const route = streamGenerateContent(engine, new CacheStore(svc, engine)) as unknown as LlmRoute
  for (const text of TEXTS) {
    const result = resultOf(
      choiceOf(text, { reasoning: text, reasoningPieces: [text], pieces: [text, '2', '3', '4', '5'] }),
    )
    const chunk = (part: object): string =>
      JSON.stringify({
        candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
        usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
        modelVersion: text,
        responseId: 'f'.repeat(24),
      })
    t.strictSame(events(route, result, parsedAs(text, { isSse: true })).slice(0, -1), [
      chunk({ text, thought: true }),
      chunk({ text: `${text}234` }),
    ])
  }
})

t.test('a serializer writes the members of its schema, and reports missing ones', async t => {
  const write = jsonSerializer<{ id: number; note?: string | null; other?: string }>({
    type: 'object',
    properties: { id: { type: 'integer' }, note: { type: 'string', nullable: true } },
    required: ['id'],
  })
  t.equal(write({ id: 1, note: 'é"\n', other: 'left out' }), '{"id":1,"note":"é\\"\\n"}')
  t.equal(write({ id: 1, note: null }), '{"id":1,"note":null}')
  t.equal(write({ id: 1 }), '{"id":1}')
  t.throws(() => write({} as { id: number }), /"id" is required/)
})
