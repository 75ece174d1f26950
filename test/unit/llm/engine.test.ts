/** The engine without HTTP: tokens, texts, modes, tools, structured values, embeddings, rerank. */
import t from 'tap'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { StepBudget } from '../../../core/contract/plugin.ts'
import { compileRule, type Rule } from '../../../plugins/llm/engine/rules.ts'
import * as texts from '../../../plugins/llm/engine/texts.ts'
import type { ChatResult, Message, Mode, NeutralRequest, Tool } from '../../../plugins/llm/contract/neutral.ts'

const engine = createEngine()

function requestOf(text: string, more: Partial<NeutralRequest> = {}): NeutralRequest {
  return {
    model: 'svc-gpt',
    system: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'auto',
    format: { type: 'none' },
    stop: [],
    n: 1,
    ...more,
  }
}

function ask(request: NeutralRequest, mode: Mode = 'canned'): ChatResult {
  const result = engine.generate(request, { mode, loremWords: 4000, steps: StepBudget.unlimited() })
  if (result.op !== 'chat') throw new Error('a reply was expected')
  return result
}

const said = (text: string, mode: Mode = 'canned'): string => ask(requestOf(text), mode).choices[0]?.text ?? ''

t.test('splits text into pieces that join to the same text [LLM-1]', async t => {
  const table: [text: string, count: number][] = [
    ['hello world', 4],
    ['Hello, how are you?', 7],
    ['internationalization', 5],
    ['', 0],
    ['  a \n', 2],
    ['日本語テキスト', 2],
    ['a\u{1f600}b', 3],
    ['\ud800x', 2],
    [texts.greeting, 45],
  ]
  for (const [text, count] of table) {
    t.equal(engine.count(text), count, JSON.stringify(text))
    t.equal(engine.pieces(text).length, count)
    t.equal(engine.pieces(text).join(''), text)
  }
  t.same(engine.pieces(texts.greeting).slice(0, 3), ['Hell', 'o', '!'])
})

t.test('renders a prompt line by line and counts it [LLM-2]', async t => {
  const messages: Message[] = [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'look' },
        { type: 'image', description: 'https://example.com/a.png' },
      ],
    },
    { role: 'assistant', parts: [{ type: 'call', id: '1', name: 'find', args: { q: 1 } }] },
    {
      role: 'tool',
      parts: [
        { type: 'result', id: '1', content: 'ok' },
        { type: 'result', id: '2', name: 'x', content: 'no' },
      ],
    },
  ]
  const tool: Tool = { name: 'find', description: 'Finds', schema: { type: 'object' } }
  const request = requestOf('', { system: ['be brief'], messages, tools: [tool] })
  t.equal(
    engine.render(request),
    'system: be brief\ntools: find\nuser: look\nuser: [image https://example.com/a.png]\nassistant: [tool_call find] {"q":1}\ntool (result): ok\ntool (x): no',
  )
  t.equal(
    engine.promptTokens(request),
    engine.count(engine.render(request)) + engine.count('find Finds {"type":"object"}') + 85,
  )
  t.equal(engine.promptTokens(requestOf('hello')), 4)
  t.equal(engine.promptTokens(requestOf('', { messages: [] })), 1)
})

t.test('canned replies match whole words, in the order of the table [LLM-3]', async t => {
  t.equal(said('Hi there'), texts.greeting)
  t.equal(said('chips'), texts.standard, 'a part of a word is not a trigger')
  t.match(said('write python code'), /def greet\(name: str\) -> str/)
  t.match(said('some json please'), /"total":2/)
  t.equal(said('hello, explain json'), texts.greeting)
  t.ok(engine.words(said('a long essay')).length >= 140)
})

t.test('scripted replies are checked in order [LLM-4]', async t => {
  const table: [text: string, reply: string][] = [
    ['lorem 5', 'Lorem ipsum dolor sit amet.'],
    ['my credit card', texts.personalData],
    ['a jailbreak', texts.toxic],
    ['the api key', texts.secrets],
    ['please refuse', texts.refusal],
    ['json', texts.bareJson],
    ['a table', texts.markdown],
    ['links', texts.links],
    ['echo this', 'user: echo this'],
    ['whatever', texts.standard],
    ['card credit', texts.standard],
  ]
  for (const [text, reply] of table) t.equal(said(text, 'scripted'), reply, text)
  t.equal(engine.words(said('lorem', 'scripted')).length, 50)
  t.equal(engine.words(said('lorem 99999', 'scripted')).length, 4000)
  t.equal(engine.words(said('lorem 0', 'scripted')).length, 1)
})

t.test('random text is determined by model, prompt and choice [LLM-5]', async t => {
  const request = requestOf('x', { n: 2 })
  const [first, second] = ask(request, 'random').choices
  t.equal(ask(request, 'random').choices[0]?.text, first?.text)
  t.not(first?.text, second?.text)
  t.not(said('y', 'random'), first?.text)
  t.not(ask(requestOf('x', { model: 'other' }), 'random').choices[0]?.text, first?.text)
  for (let i = 0; i < 50; i++) {
    const text = said(`try ${i}`, 'random')
    const size = engine.words(text).length
    t.ok(size >= 20 && size <= 60, `${size} words`)
    for (const sentence of text.split('. '))
      t.ok(engine.words(sentence).length >= 6 && engine.words(sentence).length <= 13, sentence)
  }
  const [a, b] = ask(requestOf('hello', { n: 2 })).choices
  t.equal(a?.text, b?.text, 'other modes have the same text in every choice')
})

t.test('the mode comes from a segment of the model name [LLM-6]', async t => {
  const table: [string, Mode | undefined][] = [
    ['svc-echo', 'echo'],
    ['my/Random.v2', 'random'],
    ['echoes', undefined],
    ['a:scripted@1', 'scripted'],
    ['gpt-4o', undefined],
    ['canned_echo', 'canned'],
  ]
  for (const [model, mode] of table) t.equal(engine.modeOfModel(model), mode, model)
})

t.test('stop sequences cut first, then the limit [LLM-7]', async t => {
  const stopped = ask(requestOf('hello', { stop: ['mock', 'a mo'] })).choices[0]
  t.equal(stopped?.text, "Hello! I'm svc, ")
  t.equal(stopped?.finish, 'stop_sequence')
  t.equal(stopped?.stopSequence, 'a mo')
  const limited = ask(requestOf('hello', { maxTokens: 3 }))
  t.equal(limited.choices[0]?.text, 'Hello!')
  t.equal(limited.choices[0]?.finish, 'length')
  t.equal(limited.completionTokens, 3)
  t.match(ask(requestOf('hello', { maxTokens: 0 })).choices[0], { text: '', finish: 'length' })
  t.equal(ask(requestOf('hello', { maxTokens: 45 })).choices[0]?.finish, 'stop')
})

const weather: Tool = {
  name: 'get_weather',
  description: 'Current weather of a city',
  schema: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } }, required: ['city'] },
}
const orders: Tool = { name: 'searchOrders', description: 'Looks for orders of customers', schema: { type: 'object' } }

t.test('selects a tool by its words, and always calls a forced one [LLM-8]', async t => {
  const call = (text: string, more: Partial<NeutralRequest> = {}) =>
    ask(requestOf(text, { tools: [orders, weather], ...more })).choices[0]
  t.match(call('weather in New York?'), {
    finish: 'tool_calls',
    text: '',
    calls: [{ name: 'get_weather', json: '{"city":"New York","unit":"c"}' }],
  })
  t.equal(call('search orders of bob')?.calls[0]?.name, 'searchOrders')
  t.equal(call('good morning')?.calls.length, 0)
  t.equal(
    call('good morning', { toolChoice: 'required' })?.calls[0]?.name,
    'searchOrders',
    'the first, where none fits',
  )
  t.equal(call('good morning', { toolChoice: { name: 'get_weather' } })?.calls[0]?.name, 'get_weather')
  t.equal(call('weather', { toolChoice: 'none' })?.calls.length, 0)
  t.match(call('weather')?.calls[0]?.id, /^[0-9a-f]{24}$/)
  t.equal(call('weather')?.calls[0]?.id, call('weather')?.calls[0]?.id)
})

t.test('replies to trailing tool results with a sentence, not with a call [LLM-9]', async t => {
  const history: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: 'weather in Paris' }] },
    { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'get_weather', args: {} }] },
    { role: 'tool', parts: [{ type: 'result', id: 'c1', content: ' sunny ' }] },
    { role: 'tool', parts: [{ type: 'result', id: 'c9', content: 'x'.repeat(400) }] },
  ]
  const reply = (messages: Message[]) => ask(requestOf('', { messages, tools: [weather] })).choices[0]
  t.equal(
    reply(history)?.text,
    `Based on the tool results: get_weather returned sunny; tool returned ${'x'.repeat(300)}.... Let me know if you need anything else.`,
  )
  t.equal(
    reply([...history, { role: 'user', parts: [{ type: 'text', text: 'and weather in Rome?' }] }])?.calls.length,
    1,
    'a newer question counts',
  )
})

t.test('wraps text for JSON and fills schemas [LLM-10]', async t => {
  t.equal(
    ask(requestOf('hello', { format: { type: 'json' } })).choices[0]?.text,
    JSON.stringify({ response: texts.greeting }),
  )
  const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } }
  t.equal(ask(requestOf('x', { format: { type: 'schema', schema } })).choices[0]?.text, '{"name":"Jane Doe","age":30}')
})

t.test('generated values are valid for their schemas [LLM-11]', async t => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }))
  const schemas: object[] = [
    { type: 'string', minLength: 30 },
    { type: 'string', maxLength: 3 },
    { type: 'string', minLength: 3, maxLength: 3 },
    { type: 'integer', minimum: 50 },
    { type: 'integer', maximum: 10, multipleOf: 4 },
    { type: 'integer', exclusiveMinimum: 42, exclusiveMaximum: 44 },
    { type: 'integer', multipleOf: 0.5, minimum: 3 },
    { type: 'number', multipleOf: 0.1, minimum: 0.25 },
    { type: 'number', exclusiveMinimum: 2.5, exclusiveMaximum: 2.6 },
    { type: 'number', maximum: -3 },
    { type: 'array', items: { type: 'string', maxLength: 5 }, minItems: 4, uniqueItems: true },
    { type: 'array', items: { type: 'integer', minimum: 1, maximum: 5 }, minItems: 5, uniqueItems: true },
    { type: 'array', maxItems: 0, items: {} },
    { type: 'array', prefixItems: [{ const: 1 }, { type: 'boolean' }], items: false },
    { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 },
    { type: ['null', 'integer'] },
    { enum: [null, 'a'] },
    { const: 7 },
    { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
    { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], anyOf: [{ required: ['a'] }] },
    {
      $ref: '#/$defs/p',
      $defs: { p: { type: 'object', properties: { x: { type: 'number' } }, required: ['x', 'y'] } },
    },
    ...['date-time', 'date', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration'].map(format => ({
      type: 'string',
      format,
    })),
    { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 3, uniqueItems: true },
  ]
  for (const schema of schemas) {
    const value = JSON.parse(JSON.stringify(engine.fromSchema(schema, 'weather in Oslo')))
    const validate = ajv.compile(schema)
    t.ok(validate(value), `${JSON.stringify(schema)} -> ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`)
  }
})

t.test('property names select sample texts [LLM-11]', async t => {
  const table: [name: string, value: unknown][] = [
    ['destination', 'New York'],
    ['country', 'France'],
    ['email', 'jane.doe@example.com'],
    ['phone', '+1-555-0100'],
    ['website', 'https://example.com'],
    ['birthday', '2026-01-15'],
    ['unit', 'celsius'],
    ['q', 'fly to New York'],
    ['firstName', 'Jane'],
    ['order_id', 'order_12345'],
    ['orderId', 'order_12345'],
    ['name', 'Jane Doe'],
    ['bookTitle', 'Example title'],
    ['shoe_size', 'example shoe size'],
  ]
  for (const [name, value] of table)
    t.equal(
      (engine.fromSchema({ properties: { [name]: { type: 'string' } } }, 'fly to New York') as Record<string, unknown>)[
        name
      ],
      value,
      name,
    )
})

t.test('hostile schemas stop at the limits [LLM-11]', async t => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { $ref: '#' }])),
  }
  for (const schema of [
    null,
    7,
    'x',
    [],
    { $ref: '#' },
    { $ref: '#/nowhere' },
    { $ref: 'https://example.com/x' },
    { type: 'array', items: { $ref: '#' } },
    wide,
    { allOf: [{ $ref: '#' }] },
    { type: 'array', minItems: 1e9, items: {} },
    { type: 'string', minLength: 1e9 },
  ]) {
    const json = JSON.stringify(engine.fromSchema(schema, 'x'))
    t.ok(json.length < 200_000, json.slice(0, 60))
  }
  const value = engine.fromSchema(
    JSON.parse(
      '{"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"boolean"}},"required":["toString"]}',
    ),
    'x',
  )
  t.equal(JSON.stringify(value), '{"__proto__":42,"constructor":true,"toString":"example to string"}')
})

t.test('returns reasoning if requested, within the budget [LLM-12]', async t => {
  const result = ask(requestOf('hello', { reasoning: {} }))
  t.equal(result.choices[0]?.reasoning, 'The user said: "hello". I will answer in canned mode.')
  t.equal(result.reasoningTokens, engine.count(result.choices[0]?.reasoning ?? ''))
  t.equal(result.completionTokens, 45 + result.reasoningTokens)
  t.equal(ask(requestOf('hello', { reasoning: { budget: 2 } })).choices[0]?.reasoning, 'The user')
})

t.test('rules come before tools, but not after results [LLM-13]', async t => {
  const rules = [
    {
      match: { contains: 'refund', regex: 'order \\d+', model: 'svc-*', system: 'bank' },
      reply: { text: 'So says {{model}}: {{prompt}}' },
    },
    { match: { contains: ['track', 'find'] }, reply: { tool: 'get_order', args: { id: 7 } } },
    { match: { contains: 'busy' }, reply: { fail: 'rate_limit' } },
  ].map(compileRule)
  const reply = (request: NeutralRequest, mode: Mode = 'canned') =>
    engine.generate(request, { mode, loremWords: 1, rules, steps: StepBudget.unlimited() })
  t.match(reply(requestOf('Refund order 7', { system: ['a bank'] })), {
    choices: [{ text: 'So says svc-gpt: Refund order 7' }],
  })
  t.match(reply(requestOf('Refund order x', { system: ['a bank'] })), { choices: [{ text: texts.standard }] })
  t.match(reply(requestOf('TRACK it', { tools: [weather] })), {
    choices: [{ calls: [{ name: 'get_order', json: '{"id":7}' }] }],
  })
  t.same(reply(requestOf('busy')), { op: 'fault', fail: 'rate_limit' })
  t.match(reply(requestOf('busy'), 'random'), { op: 'chat' })
})

t.test('rules have the conditions of all rules, and older ones are translated [LLM-13]', async t => {
  const older = [
    {
      match: { contains: 'refund', regex: '[\\w]+ \\d+$', model: 'svc-*', system: 'bank' },
      reply: { text: 'So says {{model}}: {{prompt}}' },
    },
    { match: { contains: ['track', 'find'] }, reply: { tool: 'get_order', args: { id: 7 } } },
    { match: { contains: 'busy' }, reply: { fail: 'rate_limit' } },
  ].map(compileRule)
  const newer: Rule[] = [
    {
      match: {
        llm: {
          user: { contains: 'refund', matches: '[\\w]+ \\d+$', ignore_case: true },
          model: 'svc-*',
          system: { contains: 'bank' },
        },
      },
      then: { reply: { text: 'So says {{model}}: {{prompt}}' } },
    },
    {
      match: { llm: { user: { any: [{ contains: 'track' }, { contains: 'find' }], ignore_case: true } } },
      then: { reply: { tool_calls: [{ name: 'get_order', args: { id: 7 } }] } },
    },
    { match: { llm: { user: { contains: 'busy', ignore_case: true } } }, then: { fail: 'rate_limit' } },
  ]
  t.same(
    older.map(({ translated }) => translated),
    newer,
  )
  const rules = newer.map(compileRule)
  t.same(
    rules.map(({ translated }) => translated),
    [null, null, null],
  )
  const reply = (content: string, more: Partial<NeutralRequest> = {}) =>
    engine.generate(requestOf(content, more), { mode: 'canned', loremWords: 1, rules, steps: StepBudget.unlimited() })
  t.match(reply('Refund order 7', { system: ['a bank'] }), { choices: [{ text: 'So says svc-gpt: Refund order 7' }] })
  t.match(reply('FIND it'), { choices: [{ calls: [{ name: 'get_order', json: '{"id":7}' }] }] })
  t.same(reply('busy'), { op: 'fault', fail: 'rate_limit' })
  const many = compileRule({
    match: { contains: Array.from({ length: 45 }, (_, n) => `w${n}.`) },
    reply: { text: 'x' },
  })
  t.equal(many.matches(requestOf('W44.'), 'W44.', StepBudget.unlimited()), true)
  t.equal(many.matches(requestOf('w45.'), 'w45.', StepBudget.unlimited()), false)
  const rows: [rule: object, message: RegExp][] = [
    [{ match: { llm: { usr: 'x' } }, then: { fail: '503' } }, /did you mean "user"/],
    [{ match: { llm: {} }, then: { reply: { text: '{{promt}}' } } }, /did you mean "prompt"/],
    [{ match: {}, reply: { text: '{{model.x}}' } }, /nothing after model/],
    [{ match: { llm: {} }, then: { respond: {} } }, /unknown key "respond"/],
    [{ match: { llm: {} }, then: { reply: { json: 1 } } }, /unknown key "json"/],
    [{ match: { llm: {} }, then: { reply: { tool_calls: [] } } }, /list of one call/],
  ]
  for (const [rule, message] of rows) t.throws(() => compileRule(rule as Rule), { message })
  const plain = compileRule({ match: { llm: {} }, then: { reply: { text: '{{x}} {{prompt}}', template: false } } })
  t.match(
    engine.generate(requestOf('hi'), { mode: 'canned', loremWords: 1, rules: [plain], steps: StepBudget.unlimited() }),
    { choices: [{ text: '{{x}} {{prompt}}' }] },
  )
})

t.test('similar texts have similar embeddings [LLM-14]', async t => {
  for (const dimensions of [256, 768, 1536]) {
    const near = (a: string, b: string): number =>
      engine.cosine(engine.embed(a, dimensions), engine.embed(b, dimensions))
    t.same(engine.embed('Hello, World!', dimensions), engine.embed('hello world', dimensions))
    t.ok(near('reset my password now', 'now password my reset') >= 0.95, 'reordered')
    t.ok(near('How do I reset my password?', 'How can I reset my password?') >= 0.9)
    t.ok(near('What is the capital of France?', 'Tell me the capital city of France') >= 0.7)
    t.ok(near('What is the weather in Paris?', 'What is the weather in London?') <= 0.7)
    t.ok(near('bananas are yellow fruit', 'stock market crashed again yesterday') <= 0.25)
    t.ok(Math.abs(near('x', 'x') - 1) < 1e-6, 'length 1')
  }
  t.same(engine.embed('', 3), [1, 0, 0])
})

t.test(
  'the hash behind embeddings is FNV-1a and splitmix64, compared with a BigInt implementation [LLM-14]',
  async t => {
    const mask = (1n << 64n) - 1n
    let hash = 0xcbf29ce484222325n
    for (const byte of Buffer.from('w:q')) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask
    const place = (k: bigint): [number, number] => {
      let z = (hash + k + 0x9e3779b97f4a7c15n) & mask
      z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask
      z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask
      z ^= z >> 31n
      return [Number(z % 4096n), z >> 63n === 1n ? -1 : 1]
    }
    const vector = engine.embed('q', 4096)
    for (const k of [0n, 1n, 2n, 3n]) {
      const [index, sign] = place(k)
      t.ok((vector[index] ?? 0) * sign > 0.3, `slot ${k} at ${index}`)
    }
  },
)

t.test('ranks documents by shared words [LLM-15]', async t => {
  const results = engine.relevance('capital of France', ['bananas', 'Paris is the capital of France', 'the capital'])
  t.same(
    results.map(result => result.index),
    [1, 2, 0],
  )
  for (const { score } of results) t.ok(score >= 0 && score <= 1 && Number(score.toFixed(6)) === score)
  t.same(
    engine.relevance('x', ['a', 'a']).map(result => result.index),
    [0, 1],
    'equals keep their order',
  )
})
