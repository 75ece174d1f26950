/** Tools of the type `namespace` in the Responses API: how they are chosen, called, named by rules, and shown. */
import t from 'tap'
import { readSse } from '../../support/event-stream.ts'
import { serveLlm } from '../../support/llm-formats.ts'
import { send } from '../../support/rules.ts'

const server = await serveLlm(t)
const RESPONSES = '/ai/openai/v1/responses'
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const weather = { type: 'function', name: 'get_weather', description: 'Current weather', parameters }
const note = { type: 'custom', name: 'take_note', description: 'Takes a note' }
const tools = [
  { type: 'function', name: 'echo', description: 'Says it again', parameters },
  { type: 'namespace', name: 'mcp__demo', description: 'A demo server', tools: [weather, note, { type: 'other' }] },
  { type: 'namespace', name: 'mcp__more', description: 'Another one', tools: [weather] },
  { type: 'namespace', tools: [weather] },
]

interface Item {
  type: string
  call_id: string
  name: string
  namespace?: string
}

async function respond(body: object, headers: Record<string, string> = {}): Promise<Item[]> {
  const reply = await send(server, `POST ${RESPONSES}`, { body: { model: 'svc-gpt', tools, ...body }, headers })
  t.equal(reply.status, 200, reply.text)
  return (reply.json as { output: Item[] }).output
}

t.test('a call of a tool in a namespace has both names [LLM-8]', async t => {
  const [call] = await respond({ input: 'weather in Oslo' })
  t.match(call, { type: 'function_call', namespace: 'mcp__demo', name: 'get_weather', arguments: '{"city":"Oslo"}' })
  t.match(await respond({ input: 'take note of this' }), [
    { type: 'custom_tool_call', namespace: 'mcp__demo', name: 'take_note', input: 'take note of this' },
  ])
  const [plain] = await respond({ input: 'echo this' })
  t.equal(plain?.name, 'echo')
  t.notOk('namespace' in plain!, 'a tool outside of namespaces has none')
  const stream = await send(server, `POST ${RESPONSES}`, {
    body: { model: 'svc-gpt', tools, input: 'weather in Oslo', stream: true },
  })
  const items = readSse(stream.text)
    .map(({ data }) => JSON.parse(data) as { type: string; item?: object })
    .filter(({ type }) => type.startsWith('response.output_item.'))
  t.match(items, [
    {
      type: 'response.output_item.added',
      item: { namespace: 'mcp__demo', name: 'get_weather', status: 'in_progress' },
    },
    { type: 'response.output_item.done', item: { namespace: 'mcp__demo', name: 'get_weather', status: 'completed' } },
  ])
})

t.test('a choice forces a tool in a namespace', async t => {
  const forced: [choice: object, namespace: string][] = [
    [{ type: 'function', name: 'get_weather' }, 'mcp__demo'],
    [{ type: 'function', name: 'get_weather', namespace: 'mcp__more' }, 'mcp__more'],
    [{ type: 'function', name: 'mcp__more__get_weather' }, 'mcp__more'],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'namespace', name: 'mcp__more' }] }, 'mcp__more'],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'get_weather', namespace: 'mcp__more' }],
      },
      'mcp__more',
    ],
  ]
  for (const [choice, namespace] of forced)
    t.match(
      await respond({ input: 'hi', tool_choice: choice }),
      [{ name: 'get_weather', namespace }],
      JSON.stringify(choice),
    )
  const unknown = {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: 'a', namespace: 'mcp__demo' }],
  }
  const refused = await send(server, `POST ${RESPONSES}`, { body: { tools, input: 'hi', tool_choice: unknown } })
  t.equal(refused.status, 400)
  t.match(refused.text, 'mcp__demo__a')
})

t.test('calls and results in a namespace go on', async t => {
  const call = {
    type: 'function_call',
    call_id: 'call_1',
    namespace: 'mcp__demo',
    name: 'get_weather',
    arguments: '{}',
  }
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' }
  const input = [{ role: 'user', content: 'weather in Oslo' }, call, output]
  const [message] = await respond({ input })
  t.match(JSON.stringify(message), 'mcp__demo__get_weather returned sunny')
  t.match(
    await respond({ input, tool_choice: 'required' }),
    [{ namespace: 'mcp__more', name: 'get_weather' }],
    'not called yet',
  )
  const [echoed] = await respond({ input, model: 'svc-echo' })
  t.match(JSON.stringify(echoed), 'tools: echo, mcp__demo__get_weather, mcp__demo__take_note, mcp__more__get_weather')
  t.match(JSON.stringify(echoed), '[tool_call mcp__demo__get_weather] {}')
})

t.test('a reply names a tool by its namespace, its inner or its flat name [LLM-13]', async t => {
  const named: [call: object, expected: object][] = [
    [
      { name: 'get_weather', namespace: 'mcp__more' },
      { name: 'get_weather', namespace: 'mcp__more' },
    ],
    [{ name: 'get_weather' }, { name: 'get_weather', namespace: 'mcp__demo' }],
    [{ name: 'mcp__more__get_weather' }, { name: 'get_weather', namespace: 'mcp__more' }],
    [{ name: 'take_note' }, { type: 'custom_tool_call', name: 'take_note', namespace: 'mcp__demo' }],
    [
      { name: 'later', namespace: 'mcp__demo' },
      { name: 'later', namespace: 'mcp__demo' },
    ],
  ]
  for (const [call, expected] of named)
    t.match(
      await respond({ input: 'hi' }, { 'x-svc-reply-json': JSON.stringify({ tool_calls: [call] }) }),
      [expected],
      JSON.stringify(call),
    )
  const unknown = await respond({ input: 'hi' }, { 'x-svc-reply-json': '{"tool_calls":[{"name":"unknown"}]}' })
  t.notOk('namespace' in unknown[0]!)
  const flat = await send(server, 'POST /ai/openai/v1/chat/completions', {
    body: { messages: [{ role: 'user', content: 'hi' }] },
    headers: { 'x-svc-reply-json': '{"tool_calls":[{"name":"get_weather","namespace":"mcp__demo"}]}' },
  })
  t.match(flat.json, { choices: [{ message: { tool_calls: [{ function: { name: 'mcp__demo__get_weather' } }] } }] })
})

t.test('conditions, records and prompt tokens know tools in namespaces', async t => {
  const session = 'namespaces'
  const rule = (name: string, tool: string) =>
    send(server, `PUT /_svc/rules/${name}`, {
      session,
      body: { match: { llm: { user: name, tool } }, then: { reply: { tool_calls: [{ name: tool, args: {} }] } } },
    })
  for (const [name, tool] of Object.entries({ inner: 'take_note', flat: 'mcp__more__get_weather' })) {
    t.equal((await rule(name, tool)).status, 201)
    const [call] = await respond({ input: name }, { 'x-svc-session': session })
    t.ok(call?.namespace, `${name}: ${JSON.stringify(call)}`)
  }
  const { json } = await send(server, '/ai/requests?limit=1', { session })
  const { request_id: id } = (json as { requests: [{ request_id: string }] }).requests[0]
  const record = await send(server, `/ai/requests/${id}`, { session })
  t.match(record.json, { reply_preview: '[tool_call mcp__more__get_weather] {}' })
  const tokens = async (given: object[]): Promise<number> => {
    const { json } = await send(server, `POST ${RESPONSES}`, { body: { input: 'hi', tools: given } })
    return (json as { usage: { input_tokens: number } }).usage.input_tokens
  }
  t.ok((await tokens(tools)) > (await tokens(tools.slice(0, 1))))
})
