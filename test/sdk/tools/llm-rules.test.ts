/** Rules on the mock LLM: conditions on the neutral form, failures and replies in each provider's format. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { serve } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

const server = await serve(t, {
  plugins: [
    'llm-openai',
    'llm-anthropic',
    'llm-gemini',
    'llm-bedrock',
    'llm-cohere',
    'llm-ollama',
    'llm-azure',
    'echo',
  ],
})

/** The same prompt in the format of each provider, with the text, the call and the finish of the reply. */
const FORMATS: Record<string, { path: string; body: (prompt: string, stream?: boolean) => object; texts: RegExp }> = {
  openai: {
    path: '/ai/openai/v1/chat/completions',
    body: (content, stream) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }], stream }),
    texts: /"content":"One moment\."/,
  },
  responses: {
    path: '/ai/openai/v1/responses',
    body: (input, stream) => ({ model: 'gpt-4o', input, stream }),
    texts: /"text":"One moment\."/,
  },
  anthropic: {
    path: '/ai/anthropic/v1/messages',
    body: (content, stream) => ({ model: 'claude-x', max_tokens: 100, messages: [{ role: 'user', content }], stream }),
    texts: /"text":"One moment\."/,
  },
  gemini: {
    path: '/ai/gemini/v1beta/models/gemini-x:generateContent',
    body: text => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    texts: /"text":"One moment\."/,
  },
  bedrock: {
    path: '/ai/bedrock/model/anthropic.claude/converse',
    body: text => ({ messages: [{ role: 'user', content: [{ text }] }] }),
    texts: /"text":"One moment\."/,
  },
  cohere: {
    path: '/ai/cohere/v2/chat',
    body: content => ({ model: 'command-x', messages: [{ role: 'user', content }] }),
    texts: /"tool_plan":"One moment\."/,
  },
  ollama: {
    path: '/ai/ollama/api/chat',
    body: content => ({ model: 'llama', stream: false, messages: [{ role: 'user', content }] }),
    texts: /"content":"One moment\."/,
  },
  azure: {
    path: '/ai/azure/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    body: content => ({ messages: [{ role: 'user', content }] }),
    texts: /"content":"One moment\."/,
  },
}
const headers = {
  authorization: 'Bearer k',
  'x-api-key': 'k',
  'api-key': 'k',
  'x-goog-api-key': 'k',
  'anthropic-version': '2023-06-01',
}
const ask = (name: string, prompt: string, session: string) =>
  send(server, `POST ${FORMATS[name]!.path}`, { session, headers, body: FORMATS[name]!.body(prompt) })

t.test('one rule serves all providers: a text, a call and a finish [LLMRULE-1]', async t => {
  await putRule(
    server,
    'refund',
    {
      match: { llm: { user: { contains: 'refund' } } },
      then: {
        reply: {
          text: 'One moment.',
          tool_calls: [{ name: 'start_refund', args: { order: '{{prompt}}' }, id: 'call_7' }],
        },
      },
    },
    's',
  )
  for (const [name, { texts }] of Object.entries(FORMATS)) {
    const reply = await ask(name, 'refund 12', 's')
    t.equal(reply.status, 200, name)
    t.match(reply.text, texts, name)
    t.match(reply.text, /start_refund/, name)
    t.match(reply.text, /refund 12/, name)
    if (name !== 'ollama') t.match(reply.text, /call_7/, name)
    t.equal(reply.headers.get('x-svc-rule'), 'refund', name)
    t.equal(reply.headers.get('x-svc-mode'), 'rule', name)
    t.equal((await ask(name, 'hello', 's')).headers.get('x-svc-rule'), null, name)
  }
  t.match((await send(server, '/ai/requests?session=s&limit=2')).json, {
    requests: [{ rule: null }, { mode: 'rule', rule: 'refund' }],
  })
})

t.test('failures have the words and the status of the provider [LLMRULE-2]', async t => {
  await putRule(
    server,
    'busy',
    { match: { llm: {} }, then: { fail: 'overloaded', retry_after: 9, message: 'too busy' } },
    'f',
  )
  for (const name of Object.keys(FORMATS)) {
    const reply = await ask(name, 'hello', 'f')
    t.ok([429, 503, 529].includes(reply.status), `${name}: ${reply.status}`)
    t.match(reply.text, /too busy/, name)
    t.equal(reply.headers.get('retry-after'), '9', name)
    t.equal(reply.headers.get('x-svc-fault'), 'ai', name)
    t.equal(reply.headers.get('x-svc-rule'), 'busy', name)
  }
  const own = { fail: 403, message: 'budget exceeded', type: 'billing_error', code: 'over_budget' }
  await putRule(server, 'own', { match: { llm: {} }, then: own }, 'e')
  const error = { message: 'budget exceeded', type: 'billing_error' }
  t.match((await ask('openai', 'hello', 'e')).json, { error: { ...error, code: 'over_budget' } })
  t.match((await ask('anthropic', 'hello', 'e')).json, { error })
  t.match((await ask('gemini', 'hello', 'e')).json, { error: { code: 403, message: 'budget exceeded' } })
  await putRule(server, 'busy', { match: { path: '/ai/openai/**' }, then: [{ fail: 429, times: 2 }] }, 'g')
  const openai = new OpenAI({ baseURL: `${server.url}/s/g/ai/openai/v1`, apiKey: 'k', maxRetries: 2 })
  const reply = await openai.chat.completions.create({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] })
  t.ok(reply.choices[0]!.message.content, 'the SDK retries and gets the third reply')
  await putRule(server, 'word', { match: { path: '/echo' }, then: { fail: 'rate_limit' } }, 'f')
  t.equal((await send(server, '/echo', { session: 'f' })).status, 429, 'a word has its status on other routes')
  await putRule(server, 'auth', { match: { llm: {} }, then: { fail: 500 }, priority: 9 }, 'c')
  const denied = await send(server, 'POST /ai/openai/v1/chat/completions', {
    session: 'c',
    headers: { 'x-svc-require-auth': '1' },
    body: {},
  })
  t.equal(denied.status, 401, 'credentials come first')
})

t.test('conditions test the neutral form [LLMRULE-3]', async t => {
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
  const first = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'weather?' },
  ]
  const second = [
    ...first,
    {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ]
  const rows: [llm: object, body: object, holds: boolean][] = [
    [{}, { messages: first }, true],
    [{ provider: 'openai' }, { messages: first }, true],
    [{ provider: 'anthropic' }, { messages: first }, false],
    [{ model: 'gpt-4o' }, { model: 'gpt-4o', messages: first }, true],
    [{ model: 'gpt-4*' }, { model: 'gpt-4o', messages: first }, true],
    [{ model: 'gpt-4' }, { model: 'gpt-4o', messages: first }, false],
    [{ user: 'weather?' }, { messages: second }, true],
    [{ system: { contains: 'brief' } }, { messages: first }, true],
    [{ system: { exists: false } }, { messages: first.slice(1) }, true],
    [{ tool: 'get_weather' }, { messages: first, tools }, true],
    [{ tool: 'other' }, { messages: first, tools }, false],
    [{ tool_result: true }, { messages: second }, true],
    [{ tool_result: false }, { messages: first }, true],
    [{ tool_result: { contains: 'sun' } }, { messages: second }, true],
    [{ tool_result: 'rain' }, { messages: second }, false],
    [{ turn: 0 }, { messages: first }, true],
    [{ turn: { gte: 1 } }, { messages: second }, true],
    [{ stream: true }, { messages: first }, false],
    [{ op: 'chat' }, { messages: first }, true],
    [{ op: 'embed' }, { messages: first }, false],
    [{ format: 'json' }, { messages: first, response_format: { type: 'json_object' } }, true],
    [{ format: 'none' }, { messages: first }, true],
    [{ user: 'a' }, { messages: 'wrong' }, false],
  ]
  for (const [llm, body, holds] of rows) {
    await putRule(server, 'x', { match: { llm }, then: { fail: 418 } }, 'n')
    const { status } = await send(server, 'POST /ai/openai/v1/chat/completions', {
      session: 'n',
      headers,
      body: { model: 'm', ...body },
    })
    t.equal(status === 418, holds, JSON.stringify(llm))
  }
  await putRule(server, 'x', { match: { llm: {} }, then: { fail: 418 } }, 'n')
  t.equal((await send(server, '/echo', { session: 'n' })).status, 200, 'other routes are not affected')
  const wrong = await send(server, 'PUT /_svc/rules/y?session=n', {
    body: { match: { llm: { usr: 'x' } }, then: { fail: 500 } },
  })
  t.match(wrong.json, { at: 'match.llm.usr', details: /did you mean "user"/ })
})

t.test('a conversation: a call first, then the answer after its result [LLMRULE-4]', async t => {
  const call = {
    match: { llm: { user: { contains: 'refund' }, tool_result: false } },
    then: { reply: { tool_calls: [{ name: 'refund', args: { id: 7 } }] } },
  }
  const answer = { match: { llm: { tool_result: { contains: 'done' } } }, then: { reply: { text: 'Refunded.' } } }
  await putRule(server, 'call', call, 'conv')
  await putRule(server, 'answer', answer, 'conv')
  const tools: OpenAI.ChatCompletionTool[] = [
    { type: 'function', function: { name: 'refund', parameters: { type: 'object' } } },
  ]
  const openai = new OpenAI({ baseURL: `${server.url}/s/conv/ai/openai/v1`, apiKey: 'k', maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'refund please' }]
  const one = await openai.chat.completions.create({ model: 'gpt-4o', messages, tools })
  const [made] = one.choices[0]!.message.tool_calls!
  t.match(made, { function: { name: 'refund', arguments: '{"id":7}' } })
  t.equal(one.choices[0]!.finish_reason, 'tool_calls')
  messages.push(one.choices[0]!.message, { role: 'tool', tool_call_id: made!.id, content: 'done' })
  t.equal(
    (await openai.chat.completions.create({ model: 'gpt-4o', messages, tools })).choices[0]!.message.content,
    'Refunded.',
  )

  const anthropic = new Anthropic({ baseURL: `${server.url}/s/conv/ai/anthropic`, apiKey: 'k', maxRetries: 0 })
  const stream = anthropic.messages.stream({
    model: 'claude',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'refund' }],
    tools: [{ name: 'refund', input_schema: { type: 'object' } }],
  })
  const message = await stream.finalMessage()
  t.match(message.content, [{ type: 'tool_use', name: 'refund', input: { id: 7 } }])
  t.equal(message.stop_reason, 'tool_use')

  const gemini = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${server.url}/s/conv/ai/gemini` } })
  const generated = await gemini.models.generateContent({ model: 'gemini-x', contents: 'refund' })
  t.match(generated.functionCalls, [{ name: 'refund', args: { id: 7 } }])
})

t.test('replies are cut, counted, paced and broken like others [LLMRULE-5]', async t => {
  const reply = async (step: object, more: object = {}): Promise<OpenAI.ChatCompletion> => {
    await putRule(server, 'r', { match: { llm: {} }, then: { reply: step } }, 'cut')
    const { json } = await send(server, 'POST /ai/openai/v1/chat/completions', {
      session: 'cut',
      body: { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more },
    })
    return json as OpenAI.ChatCompletion
  }
  t.match(await reply({ text: 'one two three' }, { stop: ['two'] }), {
    choices: [{ message: { content: 'one ' }, finish_reason: 'stop' }],
  })
  t.match(await reply({ text: 'one two three four' }, { max_tokens: 2 }), {
    choices: [{ finish_reason: 'length' }],
    usage: { completion_tokens: 2 },
  })
  t.match(await reply({ text: 'x', finish: 'content_filter' }), { choices: [{ finish_reason: 'content_filter' }] })
  t.match(await reply({ text: '{{model}} {{count}} {{prompt}}' }), { choices: [{ message: { content: 'm 1 hi' } }] })
  t.match(await reply({ text: 'x', usage: { prompt_tokens: 11, completion_tokens: 7, reasoning_tokens: 3 } }), {
    usage: {
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  })
  t.equal((await reply({ text: 'x' }, { n: 2 })).choices.length, 2)
  await putRule(
    server,
    'r',
    {
      match: { llm: {} },
      then: { reply: { text: 'a b c d e f', stream: { ttft_ms: 80, tokens_per_second: 0, break: 'disconnect@3' } } },
    },
    'cut',
  )
  const startedAt = performance.now()
  await t.rejects(
    send(server, 'POST /ai/openai/v1/chat/completions', {
      session: 'cut',
      body: { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] },
    }),
  )
  t.ok(performance.now() - startedAt >= 79)
  await putRule(server, 'r', { match: { llm: {} }, then: { reply: { embedding: [1, 2, 3] } } }, 'vec')
  const embedded = await send(server, 'POST /ai/openai/v1/embeddings', {
    session: 'vec',
    body: { model: 'svc-embed', input: ['a', 'b'], dimensions: 4 },
  })
  t.match(embedded.json, { data: [{ embedding: [1, 2, 3, 0] }, { embedding: [1, 2, 3, 0] }] })
  t.equal(embedded.headers.get('x-svc-mode'), 'rule')
  t.match((await send(server, '/ai/requests?session=vec&limit=1')).json, { requests: [{ mode: 'rule', rule: 'r' }] })
  const chat = await send(server, 'POST /ai/openai/v1/chat/completions', {
    session: 'vec',
    body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  })
  t.equal(chat.headers.get('x-svc-rule'), null, 'an embedding does not fit a chat request')
})

/** Sends a request in each format, with a rule that replies. */
async function askAll(session: string, reply: object): Promise<Record<string, string>> {
  await putRule(server, 'r', { match: { llm: {} }, then: { reply } }, session)
  const texts: Record<string, string> = {}
  for (const name of Object.keys(FORMATS)) texts[name] = (await ask(name, 'hello', session)).text
  return texts
}

t.test('cached tokens are a part of the prompt tokens [LLMRULE-5]', async t => {
  const texts = await askAll('cached', { text: 'x', usage: { prompt_tokens: 11, cached_tokens: 4 } })
  const usages: Record<string, RegExp> = {
    openai: /"prompt_tokens":11,.*"cached_tokens":4,/,
    azure: /"prompt_tokens":11,.*"cached_tokens":4,/,
    responses: /"input_tokens":11,"input_tokens_details":\{"cached_tokens":4,/,
    anthropic: /"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,/,
    gemini: /"promptTokenCount":11,.*"cachedContentTokenCount":4,/,
    bedrock: /"inputTokens":7,.*"cacheReadInputTokens":4,/,
    cohere: /"cached_tokens":4/,
    ollama: /"prompt_eval_count":11,/,
  }
  for (const [name, usage] of Object.entries(usages)) t.match(texts[name], usage, name)
  const all = await askAll('cached', { text: 'x', usage: { prompt_tokens: 11, cached_tokens: 12 } })
  t.match(all.anthropic, /"input_tokens":0,/, 'at most all of them')
  await putRule(server, 'r', { match: { llm: {} }, then: { reply: { text: 'x', usage: { cached_tokens: 2 } } } }, 'cs')
  const streamed = await send(server, 'POST /ai/bedrock/model/anthropic.claude/converse-stream', {
    session: 'cs',
    headers,
    body: FORMATS.bedrock!.body('hello'),
  })
  t.match(streamed.text, /"cacheReadInputTokens":2/)
})

t.test('JSON is sent as its compact text, with references [LLMRULE-5]', async t => {
  const texts = await askAll('json', { json: { said: '{{prompt}}', list: [1, null] } })
  for (const [name, text] of Object.entries(texts))
    t.match(text, String.raw`{\"said\":\"hello\",\"list\":[1,null]}`, name)
  await putRule(server, 'r', { match: { llm: {} }, then: { reply: { json: ['{{prompt}}'] } } }, 'quote')
  const quoted = await send(server, 'POST /ai/openai/v1/chat/completions', {
    session: 'quote',
    body: { model: 'm', messages: [{ role: 'user', content: 'a "b"' }] },
  })
  const { choices } = quoted.json as OpenAI.ChatCompletion
  t.strictSame(JSON.parse(choices[0]!.message.content!), ['a "b"'])
})

t.test('a refusal has the form of the provider [LLMRULE-7]', async t => {
  const texts = await askAll('no', { refusal: 'I cannot do that.' })
  const wanted: Record<string, RegExp> = {
    openai: /"content":null,"refusal":"I cannot do that\.".*"finish_reason":"stop"/,
    azure: /"content":null,"refusal":"I cannot do that\."/,
    responses: /"status":"completed".*\{"type":"refusal","refusal":"I cannot do that\."\}/,
    anthropic: /"text":"I cannot do that\.".*"stop_reason":"refusal"/,
    gemini: /"text":"I cannot do that\.".*"finishReason":"SAFETY"/,
    bedrock: /"text":"I cannot do that\.".*"stopReason":"content_filtered"/,
    cohere: /"text":"I cannot do that\."/,
    ollama: /"content":"I cannot do that\."/,
  }
  for (const [name, text] of Object.entries(wanted)) t.match(texts[name], text, name)
  const openai = new OpenAI({ baseURL: `${server.url}/s/no/ai/openai/v1`, apiKey: 'k', maxRetries: 0 })
  const stream = openai.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  t.match((await stream.finalChatCompletion()).choices[0], {
    finish_reason: 'stop',
    message: { content: null, refusal: 'I cannot do that.' },
  })
  const events = openai.responses.stream({ model: 'm', input: 'hi' })
  let delta = ''
  events.on('event', event => {
    if (event.type === 'response.refusal.delta') delta += event.delta
  })
  t.match((await events.finalResponse()).output, [{ content: [{ type: 'refusal', refusal: 'I cannot do that.' }] }])
  t.equal(delta, 'I cannot do that.')
})

t.test('texts refer to the request [LLMRULE-8]', async t => {
  const text = '{{request.header.x-tenant}} {{request.path.format}} {{request.body.model}} {{session}}'
  await putRule(server, 'r', { match: { path: '/ai/{format}/**', llm: {} }, then: { reply: { text } } }, 'words')
  const reply = await send(server, 'POST /ai/openai/v1/chat/completions', {
    session: 'words',
    headers: { 'x-tenant': 'acme' },
    body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  })
  t.match(reply.json, { choices: [{ message: { content: 'acme openai m words' } }] })
  await putRule(server, 'r', { match: { llm: {} }, then: { reply: { text: '{{uuid}}' } } }, 'words')
  t.match((await ask('cohere', 'hi', 'words')).text, /"text":"[0-9a-f-]{36}"/)
})

t.test('wrong replies are rejected with their place [LLMRULE-6]', async t => {
  const rows: [reply: unknown, at: string][] = [
    ['x', 'then.reply'],
    [{}, 'then.reply'],
    [{ txt: 'x' }, 'then.reply.txt'],
    [{ text: 5 }, 'then.reply.text'],
    [{ tool_calls: {} }, 'then.reply.tool_calls'],
    [{ tool_calls: [{ nme: 'x' }] }, 'then.reply.tool_calls[0].nme'],
    [{ text: 'x', finish: 'end' }, 'then.reply.finish'],
    [{ text: 'x', usage: { prompt_tokens: -1 } }, 'then.reply.usage.prompt_tokens'],
    [{ text: 'x', stream: { break: 'explode@1' } }, 'then.reply.stream.break'],
    [{ text: 'x', stream: { ttft: 1 } }, 'then.reply.stream.ttft'],
    [{ embedding: [] }, 'then.reply.embedding'],
    [{ embedding: [1], text: 'x' }, 'then.reply.text'],
    [{ text: 'x', json: {} }, 'then.reply.json'],
    [{ refusal: 'no', finish: 'stop' }, 'then.reply.finish'],
    [{ text: 'x', usage: { cached_tokens: 1.5 } }, 'then.reply.usage.cached_tokens'],
  ]
  for (const [reply, at] of rows) {
    const { status, json } = await send(server, 'PUT /_svc/rules/w?session=w', { body: { then: { reply } } })
    t.equal(status, 400)
    t.match(json, { error: 'invalid_rule', at }, JSON.stringify(reply))
  }
})

t.test(
  'fixed responses and broken connections work on model routes, after the credential check [LLMRULE-2]',
  async t => {
    const path = 'POST /ai/openai/v1/chat/completions'
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
    await putRule(
      server,
      'made',
      { match: { llm: {} }, then: { respond: { status: 202, body: { id: '{{request.body.model}}' } } } },
      'fix',
    )
    const made = await send(server, path, { session: 'fix', body })
    t.equal(made.status, 202)
    t.strictSame(made.json, { id: 'm' })
    for (const abort of ['reset', 'close', 'truncate']) {
      await putRule(server, 'made', { match: { llm: {} }, then: { abort } }, 'fix')
      await t.rejects(send(server, path, { session: 'fix', body }), abort)
    }
    await putRule(server, 'made', { match: { llm: {} }, then: { delay: 60 } }, 'fix')
    const slow = await send(server, path, { session: 'fix', body })
    t.equal(slow.status, 200)
    t.equal(slow.headers.get('x-svc-fault'), 'delay')
  },
)
