/** The official `@anthropic-ai/sdk` against the mock. */
import t from 'tap'
import Anthropic, { BadRequestError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const fast = { 'X-Svc-Tokens-Per-Second': '0' }
const client = new Anthropic({
  baseURL: `${server.url}/ai/anthropic`,
  apiKey: 'sk-ant-5555',
  maxRetries: 0,
  defaultHeaders: fast,
})
const hello = { model: 'svc-claude', max_tokens: 256, messages: [{ role: 'user' as const, content: 'hello' }] }
const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'Current weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}

t.test('a reply that is too large is a bad request [HARD-30]', async t => {
  const messages = [{ role: 'user' as const, content: 'x'.repeat(100_000) }]
  const headers = { 'X-Svc-Reply-Json': JSON.stringify({ text: '{{prompt}}'.repeat(1000) }) }
  const error = await client.messages.create({ ...hello, messages }, { headers }).catch((thrown: unknown) => thrown)
  t.ok(error instanceof BadRequestError)
  t.match((error as Error).message, /SVC_BUDGET_OUTPUT_BYTES/)
})

t.test('messages with and without streaming [LLM-55]', async t => {
  const { data, response } = await client.messages.create(hello).withResponse()
  t.match(data, {
    type: 'message',
    role: 'assistant',
    model: 'svc-claude',
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 4, output_tokens: 45 },
  })
  t.match(data.content, [{ type: 'text', text: /^Hello! I'm svc/ }])
  t.match(response.headers.get('x-svc-credential'), /\*\*\*\*5555$/)
  const stream = client.messages.stream(hello)
  const types: string[] = []
  for await (const event of stream) if (types.at(-1) !== event.type) types.push(event.type)
  t.same(types, [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const final = await stream.finalMessage()
  t.same(final.content, data.content)
  t.same(final.usage.output_tokens, 45)
})

t.test('thinking, tools, structured output, stop reasons [LLM-55]', async t => {
  const thought = await client.messages
    .stream({ ...hello, thinking: { type: 'enabled', budget_tokens: 1024 } })
    .finalMessage()
  t.match(thought.content, [
    { type: 'thinking', thinking: /^The user said: "hello"/, signature: /./ },
    { type: 'text' },
  ])
  t.ok((thought.usage.output_tokens_details?.thinking_tokens ?? 0) > 0)
  const asked = await client.messages
    .stream({ ...hello, messages: [{ role: 'user', content: 'weather in Paris' }], tools: [weather] })
    .finalMessage()
  const [call] = asked.content
  t.match(call, { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } })
  t.equal(asked.stop_reason, 'tool_use')
  const id = call?.type === 'tool_use' ? call.id : ''
  const answered = await client.messages.create({
    ...hello,
    tools: [weather],
    messages: [
      { role: 'user', content: 'weather in Paris' },
      { role: 'assistant', content: asked.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
    ],
  })
  t.match(answered.content, [{ text: /get_weather returned sunny/ }])
  const parsed = await client.messages.parse({
    ...hello,
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { age: { type: 'integer' } },
          required: ['age'],
          additionalProperties: false,
        },
      },
    },
  })
  t.match(parsed.content[0], { type: 'text', text: '{"age":30}' })
  t.match(await client.messages.create({ ...hello, stop_sequences: [' mock'] }), {
    stop_reason: 'stop_sequence',
    stop_sequence: ' mock',
  })
  t.match(await client.messages.create({ ...hello, max_tokens: 2 }), {
    stop_reason: 'max_tokens',
    content: [{ text: 'Hello' }],
  })
  t.match(await client.messages.create(hello, { headers: { 'X-Svc-Fail': 'content_filter' } }), {
    stop_reason: 'refusal',
    content: [],
    stop_details: { type: 'refusal' },
    usage: { output_tokens: 0 },
  })
})

t.test('prompt caching: the first request writes, repeats read, per session [LLM-56]', async t => {
  const cached = {
    ...hello,
    system: [
      {
        type: 'text' as const,
        text: 'a long system prompt '.repeat(20),
        cache_control: { type: 'ephemeral' as const },
      },
    ],
  }
  const ask = (session: string) => client.messages.create(cached, { headers: { 'X-Svc-Session': session } })
  const first = (await ask('cache-a')).usage
  const second = (await ask('cache-a')).usage
  t.ok((first.cache_creation_input_tokens ?? 0) > 50)
  t.equal(first.cache_read_input_tokens, 0)
  t.equal(second.cache_creation_input_tokens, 0)
  t.equal(second.cache_read_input_tokens, first.cache_creation_input_tokens)
  t.equal(second.input_tokens, first.input_tokens)
  t.equal((await ask('cache-b')).usage.cache_read_input_tokens, 0)
})

t.test('token counts, and models with pagination [LLM-55]', async t => {
  t.same(await client.messages.countTokens({ model: 'svc-claude', messages: hello.messages }), { input_tokens: 4 })
  const ids: string[] = []
  for await (const model of client.models.list({ limit: 2 })) ids.push(model.id)
  t.equal(ids.length, 9)
  t.equal(new Set(ids).size, 9)
  t.match(await client.models.retrieve('claude-next'), { type: 'model', id: 'claude-next' })
  await t.rejects(client.models.retrieve('gpt-4o'), NotFoundError)
})

t.test('errors have the classes of the package, and the request id [LLM-57]', async t => {
  const failing = (kind: string) =>
    client.messages.create(hello, { headers: { 'X-Svc-Fail': kind } }).then(
      () => null,
      (error: InstanceType<typeof Anthropic.APIError>) => error,
    )
  const overloaded = await failing('overloaded')
  t.equal(overloaded?.status, 529)
  t.match(overloaded?.error, { type: 'error', error: { type: 'overloaded_error', message: /\(simulated\)$/ } })
  t.match(overloaded?.requestID, /^req_/)
  t.ok((await failing('rate_limit')) instanceof RateLimitError)
  t.ok((await failing('context')) instanceof BadRequestError)
})

t.test('the API version determines whether sampling parameters are accepted [LLM-57]', async t => {
  const ask = (version: string, more: object): Promise<number> =>
    fetch(`${server.url}/ai/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': version, ...fast },
      body: JSON.stringify({ ...hello, ...more }),
    }).then(answer => answer.status)
  t.equal(await ask('2026-10-21', { temperature: 1 }), 400)
  t.equal(await ask('2026-10-21', {}), 200)
  t.equal(await ask('2023-06-01', { temperature: 1, top_k: 3 }), 200)
  t.equal(
    await ask('2026-10-21', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', citations: [{}] }] }] }),
    400,
  )
  t.equal(
    await ask('2026-10-21', {
      messages: [...hello.messages, { role: 'assistant', content: [{ type: 'document', source: {} }] }],
    }),
    400,
  )
})

t.test('the paths of Vertex AI: the model is in the path, the version in the body [LLM-55]', async t => {
  const models = '/v1/projects/demo/locations/us-east5/publishers/anthropic/models'
  const { model: _model, ...rest } = hello
  const body = { ...rest, anthropic_version: 'vertex-2023-10-16' }
  const whole = await client.post(`${models}/claude-sonnet-4-5@20250929:rawPredict`, { body })
  t.match(whole, {
    id: /^msg_vrtx_/,
    type: 'message',
    model: 'claude-sonnet-4-5@20250929',
    content: [{ text: /^Hello! I'm svc/ }],
  })
  let text = ''
  for await (const event of (await client.post(`${models}/svc-claude:streamRawPredict`, {
    body: { ...body, stream: true },
    stream: true,
  })) as AsyncIterable<Anthropic.RawMessageStreamEvent>) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
  }
  t.match(text, /^Hello! I'm svc.*today\?$/)
  t.same(
    await client.post(`${models}/count-tokens:rawPredict`, {
      body: { ...hello, anthropic_version: 'vertex-2023-10-16' },
    }),
    { input_tokens: 4 },
  )
  await t.rejects(client.post(`${models}/svc-claude:rawPredict`, { body: rest }), {
    status: 400,
    message: /anthropic_version: Field required/,
  })
  await t.rejects(client.post(`${models}/svc-claude:predict`, { body }), { status: 404, message: /not_found_error/ })
  const answer = await fetch(`${server.url}/ai/anthropic${models}/svc-claude:rawPredict`, {
    method: 'POST',
    headers: { Authorization: 'Bearer ya29-vertex-1234', 'X-Svc-Require-Auth': 'true' },
    body: JSON.stringify(body),
  })
  t.same(
    [answer.status, answer.headers.get('x-svc-credential'), answer.headers.get('x-svc-model')],
    [200, 'bearer ****1234', 'svc-claude'],
    'the anthropic-version header is not required',
  )
})
