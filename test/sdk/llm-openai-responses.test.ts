/** Stored responses, background mode and conversations with the official `openai` package. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import OpenAI, { BadRequestError, ConflictError, NotFoundError } from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const fast = { 'X-Svc-Tokens-Per-Second': '0' }
const clientOf = (headers: Record<string, string>): OpenAI =>
  new OpenAI({ baseURL: `${server.url}/ai/openai/v1`, apiKey: 'sk-demo-1234', maxRetries: 0, defaultHeaders: headers })
const client = clientOf(fast)
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )
const model = 'svc-echo'
const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'get_weather',
    strict: false,
    description: 'Current weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
]

t.test('a response is retrieved, listed by its input items, continued and deleted [LLMN-150]', async t => {
  const first = await client.responses.create({ model, input: 'My name is Ada', instructions: 'Be brief' })
  t.match(await client.responses.retrieve(first.id), { ...first, output_text: first.output_text })
  const items = await client.responses.inputItems.list(first.id)
  t.match(items.data, [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'My name is Ada' }] }])
  const second = await client.responses.create({
    model,
    input: [
      { role: 'user', content: 'Who am I?' },
      { role: 'user', content: 'Say it' },
    ],
    previous_response_id: first.id,
  })
  t.equal(
    second.output_text,
    'user: My name is Ada\nassistant: system: Be brief\nuser: My name is Ada\nuser: Who am I?\nuser: Say it',
    'instructions are not inherited',
  )
  t.equal(second.previous_response_id, first.id)
  t.equal(second.conversation, null)
  const counted = await client.responses.inputTokens.count({
    model,
    input: [
      { role: 'user', content: 'Who am I?' },
      { role: 'user', content: 'Say it' },
    ],
    previous_response_id: first.id,
  })
  t.same(counted, { object: 'response.input_tokens', input_tokens: second.usage?.input_tokens })

  const texts: unknown[] = []
  for await (const item of client.responses.inputItems.list(second.id, { limit: 1, order: 'asc' }))
    texts.push(item.type === 'message' && item.content[0])
  t.match(texts, [{ text: 'Who am I?' }, { text: 'Say it' }], 'pages')

  const [item] = items.data
  const referring = await client.responses.create({ model, input: [{ type: 'item_reference', id: item!.id }] })
  t.equal(referring.output_text, 'user: My name is Ada')
  t.match(await failure(client.responses.create({ model, input: [{ type: 'item_reference', id: 'msg_1' }] })), {
    status: 404,
    error: { message: "Item with id 'msg_1' not found." },
  })

  await client.responses.delete(first.id)
  t.match(await failure(client.responses.retrieve(first.id)), {
    status: 404,
    error: {
      message: `Response with id '${first.id}' not found.`,
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  })
  t.match(await failure(client.responses.create({ model, input: 'x', previous_response_id: first.id })), {
    status: 400,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  })
})

t.test('a response that is not stored has no later life [LLMN-150]', async t => {
  const { id, ...others } = await client.responses.create({ model, input: 'hello', store: false })
  t.match(others, { store: false })
  t.ok((await failure(client.responses.retrieve(id))) instanceof NotFoundError)
  t.ok(
    (await failure(client.responses.create({ model, input: 'x', previous_response_id: id }))) instanceof
      BadRequestError,
  )
  t.match(await failure(client.responses.create({ model, input: 'x', store: false, background: true })), {
    status: 400,
    param: 'background',
  })
})

t.test('tool calls of a predecessor need their outputs, and outputs their calls [LLMN-151]', async t => {
  const asked = await client.responses.create({ model: 'svc-gpt', input: 'weather in Rome', tools })
  const call = asked.output.find(item => item.type === 'function_call')!
  t.match(await failure(client.responses.create({ model: 'svc-gpt', input: 'and?', previous_response_id: asked.id })), {
    status: 400,
    error: { message: `No tool output found for function call ${call.call_id}.`, param: 'input' },
  })
  t.match(
    await failure(
      client.responses.create({
        model: 'svc-gpt',
        input: [{ type: 'function_call_output', call_id: 'other', output: 'x' }],
        previous_response_id: asked.id,
      }),
    ),
    { status: 400, error: { message: 'No tool call found for function call output with call_id other.' } },
  )
  const done = await client.responses.create({
    model: 'svc-gpt',
    input: [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }],
    previous_response_id: asked.id,
  })
  t.match(done.output_text, 'get_weather returned sunny')
})

t.test('a background response is polled, streamed and resumed [LLMN-152]', async t => {
  const slow = clientOf({ 'X-Svc-TTFT-Ms': '150', 'X-Svc-Tokens-Per-Second': '100' })
  const started = await slow.responses.create({ model, input: 'one two three four five', background: true })
  t.match(started, { status: 'queued', background: true, output: [], usage: null, completed_at: null })
  const statuses = new Set<string>()
  let polled = started
  while (polled.status === 'queued' || polled.status === 'in_progress') {
    statuses.add(polled.status)
    polled = await client.responses.retrieve(started.id)
  }
  t.equal(polled.status, 'completed')
  t.strictSame(
    [...statuses].filter(status => status !== 'queued' && status !== 'in_progress'),
    [],
  )
  t.equal(polled.output_text, 'user: one two three four five')
  t.match(polled.usage, { output_tokens: 8 })

  const stream = await slow.responses.create({ model, input: 'one two three', background: true, stream: true })
  const seen: OpenAI.Responses.ResponseStreamEvent[] = []
  let id = ''
  for await (const event of stream) {
    seen.push(event)
    if (event.type === 'response.created') id = event.response.id
    if (event.type === 'response.output_text.delta') break
  }
  t.same(
    seen.slice(0, 3).map(event => event.type),
    ['response.created', 'response.queued', 'response.in_progress'],
  )
  const last = seen.at(-1)!.sequence_number
  const rest: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: last }))
    rest.push(event)
  t.same(
    rest.map(event => event.sequence_number),
    rest.map((_, index) => last + 1 + index),
  )
  t.equal(rest.at(-1)!.type, 'response.completed')
  const all: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.retrieve(id, { stream: true })) all.push(event)
  t.same(all, [...seen, ...rest], 'a replay has the same events')
})

t.test('a background response is cancelled, or fails [LLMN-152]', async t => {
  const slow = clientOf({ 'X-Svc-TTFT-Ms': '20000' })
  const { id } = await slow.responses.create({ model, input: 'hello', background: true })
  t.match(await client.responses.cancel(id), { status: 'cancelled', output: [] })
  t.match(await client.responses.retrieve(id), { status: 'cancelled' })
  const whole = await client.responses.create({ model, input: 'hello' })
  t.match(await failure(client.responses.cancel(whole.id)), {
    status: 400,
    error: { message: 'Cannot cancel a synchronous response.' },
  })
  const failing = clientOf({ ...fast, 'X-Svc-Fail': 'stream_error@1' })
  const failed = await failing.responses.create({ model, input: 'hello', background: true })
  t.match(await client.responses.retrieve(failed.id), { status: 'failed', error: { code: 'server_error' }, output: [] })
  t.match(await failure(client.responses.create({ model, input: 'x', previous_response_id: failed.id })), {
    code: 'previous_response_not_found',
  })
})

t.test('conversations hold items, and responses append to them [LLMN-153]', async t => {
  const created = await client.conversations.create({
    items: [{ type: 'message', role: 'user', content: 'I am Ada' }],
    metadata: { topic: 'demo' },
  })
  t.match(created, { object: 'conversation', metadata: { topic: 'demo' } })
  t.same(await client.conversations.retrieve(created.id), created)
  t.match(await client.conversations.update(created.id, { metadata: { topic: 'new' } }), { metadata: { topic: 'new' } })
  const added = await client.conversations.items.create(created.id, {
    items: [{ type: 'message', role: 'user', content: 'Hi' }],
  })
  t.match(added.data, [{ type: 'message', status: 'completed', content: [{ type: 'input_text', text: 'Hi' }] }])
  const response = await client.responses.create({ model, input: 'Who?', conversation: created.id })
  t.equal(response.output_text, 'user: I am Ada\nuser: Hi\nuser: Who?')
  t.same(response.conversation, { id: created.id })
  const listed = []
  for await (const item of client.conversations.items.list(created.id, { order: 'asc', limit: 3 })) listed.push(item)
  t.match(listed, [{ role: 'user' }, { role: 'user' }, { role: 'user' }, { role: 'assistant' }])
  const [first] = added.data
  t.same(await client.conversations.items.retrieve(first!.id!, { conversation_id: created.id }), first)
  t.match(await client.conversations.items.delete(first!.id!, { conversation_id: created.id }), { id: created.id })
  t.equal((await client.conversations.items.list(created.id)).data.length, 3)

  const slow = clientOf({ 'X-Svc-TTFT-Ms': '300' })
  const running = failure(slow.responses.create({ model, input: 'slow', conversation: created.id }))
  await wait(50)
  await client.responses.create({ model, input: 'quick', conversation: created.id })
  t.ok((await running) instanceof ConflictError, 'the other response was first')
  await slow.responses.create({ model, input: 'again', conversation: created.id, background: true })
  t.match(await failure(client.responses.create({ model, input: 'x', conversation: created.id })), {
    status: 409,
    code: 'conversation_locked',
  })
  t.match(await failure(client.responses.create({ model, input: 'x', conversation: 'c', previous_response_id: 'r' })), {
    status: 400,
    code: 'mutually_exclusive_parameters',
  })
  t.match(await client.conversations.delete(created.id), { object: 'conversation.deleted', deleted: true })
  t.ok((await failure(client.conversations.retrieve(created.id))) instanceof NotFoundError)
  t.ok(await client.responses.retrieve(response.id), 'its responses stay')
})

t.test('a compacted conversation goes on with its summary [LLMN-154]', async t => {
  const compacted = await client.responses.compact({
    model: 'gpt-5',
    input: [
      { role: 'user', content: 'What is the capital of France?' },
      { role: 'assistant', content: 'Paris.' },
    ],
  })
  t.match(compacted, { object: 'response.compaction', output: [{ role: 'user' }, { type: 'compaction' }] })
  t.ok(compacted.usage.output_tokens > 0)
  const input = [...compacted.output, { role: 'user', content: 'And of Italy?' }] as OpenAI.Responses.ResponseInput
  const next = await client.responses.create({ model, input })
  t.match(next.output_text, 'system: Summary of the conversation so far: Paris.')
  const changed = compacted.output.map(item =>
    item.type === 'compaction' ? { ...item, encrypted_content: `${item.encrypted_content}AA` } : item,
  ) as OpenAI.Responses.ResponseInput
  t.match(await failure(client.responses.create({ model, input: changed })), { code: 'invalid_encrypted_content' })
  t.ok((await failure(client.responses.compact({ model: 'gpt-5' }))) instanceof BadRequestError)
  const sealed = await client.responses.create({
    model: 'svc-gpt',
    input: 'hello',
    reasoning: { effort: 'low' },
    include: ['reasoning.encrypted_content'],
  })
  t.match(sealed.output[0], { type: 'reasoning', encrypted_content: /^[\w-]+$/ })
})

t.test('responses over a WebSocket, in lanes [LLMN-155]', async t => {
  const ws = new ResponsesWS(client)
  const events: OpenAI.Responses.ResponsesServerEvent[] = []
  const waiting: ((event: OpenAI.Responses.ResponsesServerEvent) => void)[] = []
  ws.on('event', event => {
    events.push(event)
    if (event.type === 'response.completed' || event.type === 'error') waiting.shift()?.(event)
  })
  ws.on('error', () => {})
  const ask = (body: object): Promise<OpenAI.Responses.ResponsesServerEvent> => {
    const ended = new Promise<OpenAI.Responses.ResponsesServerEvent>(resolve => waiting.push(resolve))
    ws.send({ type: 'response.create', ...body } as OpenAI.Responses.ResponsesClientEvent)
    return ended
  }
  const first = await ask({ model, input: 'I am Ada', store: false })
  const over = await client.responses.create({ model, input: 'I am Ada', stream: true })
  const types: string[] = []
  for await (const event of over) types.push(event.type)
  t.same(
    events.map(event => event.type),
    types,
    'the events of the SSE form',
  )
  const { id } = (first as { response: OpenAI.Responses.Response }).response
  const second = await ask({ model, input: 'Who?', previous_response_id: id, store: false })
  t.match(second, { response: { output: [{ content: [{ text: /user: Who\?$/ }] }], previous_response_id: id } })
  t.match(await ask({ model, input: 'x', previous_response_id: id }), {
    type: 'error',
    status: 400,
    error: { code: 'previous_response_not_found' },
  })
  const warm = await ask({ model, input: 'prepared', generate: false, stream_id: 'a' })
  t.match(warm, { response: { output: [], usage: { output_tokens: 0 } }, stream_id: 'a' })
  const warmId = (warm as { response: OpenAI.Responses.Response }).response.id
  t.match(await ask({ model, input: 'go', previous_response_id: warmId, stream_id: 'a' }), {
    response: { output: [{ content: [{ text: 'user: prepared\nuser: go' }] }] },
  })
  ws.close()
})
