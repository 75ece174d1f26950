/** Interactions with the official `@google/genai`. */
import t from 'tap'
import { GoogleGenAI } from '@google/genai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const fast = { 'X-Svc-Tokens-Per-Second': '0' }
const clientOf = (headers: Record<string, string>): GoogleGenAI =>
  new GoogleGenAI({ apiKey: 'goog-key-7777', httpOptions: { baseUrl: `${server.url}/ai/gemini`, headers } })
const client = clientOf(fast)
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )
const model = 'gemini-echo'
const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    description: 'Current weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
]

t.test('an interaction is created, read, continued and deleted [LLMN-170]', async t => {
  const first = await client.interactions.create({ model, input: 'I am Ada', system_instruction: 'Be brief' })
  t.match(first, {
    object: 'interaction',
    status: 'completed',
    role: 'model',
    model,
    steps: [{ type: 'model_output', content: [{ type: 'text', text: 'system: Be brief\nuser: I am Ada' }] }],
    usage: { total_tool_use_tokens: 0 },
  })
  t.equal(first.usage!.total_tokens, first.usage!.total_input_tokens! + first.usage!.total_output_tokens!)
  t.match(await client.interactions.get(first.id), { status: 'completed', steps: first.steps })
  const second = await client.interactions.create({
    model,
    input: [{ type: 'text', text: 'Who?' }],
    previous_interaction_id: first.id,
  })
  t.match(second.steps, [
    { content: [{ text: 'user: I am Ada\nassistant: system: Be brief\nuser: I am Ada\nuser: Who?' }] },
  ])
  t.match(await client.interactions.get(second.id, { include_input: true }), {
    steps: [{ type: 'user_input', content: [{ text: 'Who?' }] }, { type: 'model_output' }],
  })
  await client.interactions.delete(first.id)
  t.match(await failure(client.interactions.get(first.id)), { message: /not found/ })
  t.match(await failure(client.interactions.create({ model, input: 'x', previous_interaction_id: first.id })), {
    message: /not found/,
  })
  const unstored = await client.interactions.create({ model, input: 'x', store: false })
  t.match(await failure(client.interactions.get(unstored.id)), { message: /not found/ })
})

t.test('calls of functions need their results [LLMN-171]', async t => {
  const asked = await client.interactions.create({ model: 'svc-gemini', input: 'weather in Rome', tools })
  t.equal(asked.status, 'requires_action')
  const call = asked.steps!.find(step => step.type === 'function_call') as { id: string; name: string }
  t.match(call, { name: 'get_weather', arguments: { city: 'Rome' } })
  const next = { model: 'svc-gemini', previous_interaction_id: asked.id }
  t.match(await failure(client.interactions.create({ ...next, input: 'and?' })), { message: /No result found/ })
  t.match(
    await failure(
      client.interactions.create({ ...next, input: [{ type: 'function_result', call_id: 'other', result: 'x' }] }),
    ),
    { message: /No function call found/ },
  )
  const done = await client.interactions.create({
    ...next,
    input: [{ type: 'function_result', call_id: call.id, name: call.name, result: 'sunny' }],
  })
  t.match(done.steps, [{ content: [{ text: /get_weather returned sunny/ }] }])
})

t.test('streams, in the background and resumed [LLMN-172]', async t => {
  const types: string[] = []
  let text = ''
  for await (const event of await client.interactions.create({ model, input: 'one two', stream: true })) {
    if (types.at(-1) !== event.event_type) types.push(event.event_type)
    if (event.event_type === 'step.delta' && event.delta.type === 'text') text += event.delta.text
  }
  t.same(types, [
    'interaction.created',
    'interaction.status_update',
    'step.start',
    'step.delta',
    'step.stop',
    'interaction.completed',
  ])
  t.equal(text, 'user: one two')
  const slow = clientOf({ 'X-Svc-TTFT-Ms': '20000' })
  const waiting = await slow.interactions.create({ model, input: 'hello', background: true })
  t.match(waiting, { status: 'in_progress', steps: [] })
  t.match(await client.interactions.cancel(waiting.id), { status: 'cancelled' })
  t.match(await failure(client.interactions.create({ model, input: 'x', background: true, store: false })), {
    status: 400,
  })
  const started = await client.interactions.create({ model, input: 'one two', background: true, stream: true })
  const seen: { event_id?: string }[] = []
  let id = ''
  for await (const event of started) {
    seen.push(event)
    if (event.event_type === 'interaction.created') id = event.interaction.id
  }
  const rest: unknown[] = []
  const last = seen[3]!.event_id!
  for await (const event of await client.interactions.get(id, { stream: true, last_event_id: last })) rest.push(event)
  t.same(rest, seen.slice(4), 'a replay has the same events')
  const failing = clientOf({ ...fast, 'X-Svc-Fail': 'stream_error@1' })
  const failed = await failing.interactions.create({ model, input: 'hello', background: true })
  t.match(await client.interactions.get(failed.id), { status: 'failed', errors: [{ code: 'internal' }] })
})

t.test('thoughts, limits, formats and wrong requests [LLMN-170]', async t => {
  const thinking = await client.interactions.create({
    model: 'svc-gemini',
    input: 'hello',
    generation_config: { thinking_summaries: 'auto', max_output_tokens: 3 },
  })
  t.match(thinking, { status: 'incomplete', steps: [{ type: 'thought', signature: /./, summary: [{ type: 'text' }] }] })
  const shaped = await client.interactions.create({
    model: 'svc-gemini',
    input: 'hello',
    response_format: {
      type: 'text',
      mime_type: 'application/json',
      schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  })
  t.match(shaped.steps, [{ content: [{ text: /^\{"city":/ }] }])
  const ask = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/ai/gemini/v1beta2/interactions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const echoed = await ask({ model, input: 'x' }, { 'Api-Revision': '2026-05-20' })
  t.equal(echoed.headers.get('api-revision'), '2026-05-20')
  const old = await ask({ model, input: 'x' }, { 'Api-Revision': '2025-12-01' })
  t.same(
    [old.status, await old.json()],
    [400, { error: { code: 'invalid_request', message: 'Api-Revision 2025-12-01 is no longer supported.' } }],
  )
  for (const [body, pattern] of [
    [{ input: 'x' }, /model/],
    [{ agent: 'a', input: 'x' }, /model/],
    [{ model }, /input/],
    [{ model, input: [] }, /input/],
    [{ model, input: 'x', store: 'false' }, /store/],
    [{ model, input: 'x', background: 1 }, /background/],
    [{ model, input: 'x', previous_interaction_id: 5 }, /previous_interaction_id/],
    [{ model, input: 'x', labels: 'a' }, /labels/],
    [{ model, input: 'x', generation_config: { thinking_summaries: 'all' } }, /generation_config\.thinking_summaries/],
    [{ model, input: 'x', generation_config: { thinking_level: 'huge' } }, /generation_config\.thinking_level/],
    [{ model, input: 'x', generation_config: { tool_choice: 'sometimes' } }, /generation_config\.tool_choice/],
    [{ model, input: [{ type: 'text', text: 'x' }, { type: 'user_input' }] }, /mixed/],
  ] as const)
    t.match(await (await ask(body)).json(), { error: { code: 'invalid_request', message: pattern } })
})
