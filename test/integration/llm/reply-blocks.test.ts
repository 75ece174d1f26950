/** `reply.blocks`: a reply whose parts have an order, and calls with several names. */
import t from 'tap'
import { readAwsEvents, readSse } from '../../support/event-stream.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t)

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- replies of many formats
type Any = any

const BLOCKS = [
  { reasoning: 'First thought.' },
  { text: 'Let me look.' },
  { tool_call: { name: 'find', args: { q: 'a' }, id: 'call_1' } },
  { redacted: 'A secret.' },
  { reasoning: 'Second thought.' },
  { text: 'And more.' },
  { tool_call: { name: 'find', args: { q: 'b' }, id: 'call_2' } },
]

async function post(path: string, body: object, reply: object = { blocks: BLOCKS }): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: {
      'X-Svc-Tokens-Per-Second': '0',
      'anthropic-version': '2023-06-01',
      'X-Svc-Reply-Json': JSON.stringify(reply),
    },
    body: JSON.stringify(body),
  })
}
const json = async (path: string, body: object, reply?: object): Promise<Any> => (await post(path, body, reply)).json()
const events = async (path: string, body: object, reply?: object): Promise<Any[]> =>
  readSse(await (await post(path, body, reply)).text())
    .filter(({ data }) => data.startsWith('{'))
    .map(({ data }) => JSON.parse(data) as Any)

const messages = [{ role: 'user', content: 'hello' }]
const CLAUDE = '/ai/anthropic/v1/messages'
const claude = { model: 'claude-sonnet-4-5', max_tokens: 500, messages }
const RESPONSES = '/ai/openai/v1/responses'
const create = {
  model: 'gpt-5',
  input: 'hello',
  reasoning: { summary: 'auto' },
  include: ['reasoning.encrypted_content'],
}
const GEMINI = '/ai/gemini/v1beta/models/gemini-3-pro'
const contents = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const CONVERSE = '/ai/bedrock/model/svc-claude'
const converse = { messages: [{ role: 'user', content: [{ text: 'hello' }] }] }

t.test('messages have the blocks in their order, complete and streamed [STR-26]', async t => {
  const { content, stop_reason } = await json(CLAUDE, claude)
  t.strictSame(
    content.map(({ type }: Any) => type as string),
    ['thinking', 'text', 'tool_use', 'redacted_thinking', 'thinking', 'text', 'tool_use'],
  )
  t.match(content[0], { thinking: 'First thought.', signature: /^.{80,400}$/ })
  t.match(content[2], { id: 'call_1', name: 'find', input: { q: 'a' } })
  t.notMatch(content[3].data, 'secret')
  t.equal(content[5].text, 'And more.')
  t.equal(stop_reason, 'tool_use')
  const streamed = await events(CLAUDE, { ...claude, stream: true })
  const starts = streamed.filter(({ type }) => type === 'content_block_start')
  t.strictSame(
    starts.map(({ content_block }) => content_block.type as string),
    content.map(({ type }: Any) => type as string),
  )
  t.equal(starts[3].content_block.data, content[3].data)
  const second = streamed.filter(({ index, delta }) => index === 5 && delta?.text !== undefined)
  t.equal(second.map(({ delta }) => delta.text as string).join(''), 'And more.')
})

t.test('what was issued is accepted in the next turn, and a changed block is not', async t => {
  const { content } = await json(CLAUDE, claude)
  const results = content
    .filter(({ type }: Any) => type === 'tool_use')
    .map(({ id }: Any) => ({ type: 'tool_result', tool_use_id: id as string, content: 'x' }))
  const next = (assistant: Any): Promise<Response> =>
    fetch(server.url + CLAUDE, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01', 'X-Svc-Validation': 'enforce' },
      body: JSON.stringify({
        ...claude,
        messages: [...messages, { role: 'assistant', content: assistant }, { role: 'user', content: results }],
      }),
    })
  t.equal((await next(content)).status, 200)
  const changed = content.map((block: Any) => (block.type === 'redacted_thinking' ? { ...block, data: 'AAAA' } : block))
  t.equal((await next(changed)).status, 400)
})

t.test('responses have an item for each block', async t => {
  const { output } = await json(RESPONSES, create)
  t.strictSame(
    output.map(({ type }: Any) => type as string),
    ['reasoning', 'message', 'function_call', 'reasoning', 'reasoning', 'message', 'function_call'],
  )
  t.match(output[0].summary, [{ text: 'First thought.' }])
  t.strictSame(output[3].summary, [], 'redacted')
  t.type(output[3].encrypted_content, 'string')
  t.equal(output[5].content[0].text, 'And more.')
  t.equal(new Set(output.map(({ id }: Any) => id as string)).size, 7)
  const streamed = await events(RESPONSES, { ...create, stream: true })
  t.match(
    streamed.at(-1).response.output,
    output.map(({ type }: Any) => ({ type })),
  )
  const texts = streamed.filter(({ type, output_index: at }) => type === 'response.output_text.delta' && at === 5)
  t.equal(texts.map(({ delta }) => delta as string).join(''), 'And more.')

  const stored = await json(RESPONSES, { ...create, store: true })
  const fetched = (await (await fetch(`${server.url}${RESPONSES}/${stored.id as string}`)).json()) as Any
  t.strictSame(
    fetched.output.map(({ type }: Any) => type as string),
    output.map(({ type }: Any) => type as string),
  )
})

t.test('Gemini and Converse have the parts in their order', async t => {
  const parts = (await json(`${GEMINI}:generateContent`, contents)).candidates[0].content.parts
  const kinds = (all: Any[]): string[] =>
    all.map(part => (part.functionCall === undefined ? (part.thought === true ? 'thought' : 'text') : 'call'))
  const order = ['thought', 'text', 'call', 'thought', 'thought', 'text', 'call']
  t.strictSame(kinds(parts), order)
  t.type(parts[2].thoughtSignature, 'string')
  t.equal(parts[6].thoughtSignature, undefined, 'the first call alone')
  const chunks = await events(`${GEMINI}:streamGenerateContent?alt=sse`, contents)
  const streamed = chunks.flatMap(chunk => chunk.candidates[0].content.parts as Any[])
  t.strictSame(
    kinds(streamed).filter((kind, at, all) => kind !== all[at - 1]),
    order.filter((kind, at, all) => kind !== all[at - 1]),
  )
  t.equal(streamed.filter(({ thoughtSignature }) => thoughtSignature !== undefined).length, 1)
  t.equal(chunks.at(-1).candidates[0].finishReason, 'STOP')
  t.ok(chunks.slice(0, -1).every(chunk => !('finishReason' in chunk.candidates[0])))
  const thoughtLast = await events(`${GEMINI}:streamGenerateContent?alt=sse`, contents, {
    blocks: [{ text: 'a' }, { reasoning: 'b' }],
  })
  t.match(thoughtLast.at(-1).candidates[0], { content: { parts: [{ text: '' }] }, finishReason: 'STOP' })

  const { content } = (await json(`${CONVERSE}/converse`, converse)).output.message
  t.match(content, [
    { reasoningContent: { reasoningText: { text: 'First thought.' } } },
    { text: 'Let me look.' },
    { toolUse: { toolUseId: 'call_1' } },
    { reasoningContent: { redactedContent: String } },
    { reasoningContent: { reasoningText: { text: 'Second thought.' } } },
    { text: 'And more.' },
    { toolUse: { toolUseId: 'call_2' } },
  ])
  const frames = readAwsEvents(Buffer.from(await (await post(`${CONVERSE}/converse-stream`, converse)).arrayBuffer()))
  const deltas = frames.map(({ data }) => JSON.parse(data) as Any).filter(({ delta }) => delta !== undefined)
  t.equal(Math.max(...deltas.map(({ contentBlockIndex: at }) => at as number)), 6)
  t.match(deltas.find(({ contentBlockIndex: at }) => at === 3).delta, { reasoningContent: { redactedContent: String } })
})

t.test('other formats join texts and calls', async t => {
  const chat = await json('/ai/openai/v1/chat/completions', { model: 'svc-gpt', messages })
  t.match(chat.choices[0], {
    message: { content: 'Let me look.And more.', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
    finish_reason: 'tool_calls',
  })
  const ollama = await json('/ai/ollama/api/chat', { model: 'llama3.2', messages, stream: false })
  t.equal(ollama.message.content, 'Let me look.And more.')
  t.equal(ollama.message.tool_calls.length, 2)
})

t.test('texts share the limit of the request and its stop sequences', async t => {
  const texts = { blocks: [{ text: 'one two' }, { text: ' three four' }, { text: ' five' }] }
  const cut = await json(CLAUDE, { ...claude, max_tokens: 3 }, texts)
  t.strictSame(
    cut.content.map(({ text }: Any) => text as string),
    ['one two', ' thre'],
  )
  t.equal(cut.stop_reason, 'max_tokens')
  const stopped = await json(CLAUDE, { ...claude, stop_sequences: [' two'] }, texts)
  t.strictSame(stopped.content, [{ type: 'text', text: 'one' }])
  t.match(stopped, { stop_reason: 'stop_sequence', stop_sequence: ' two' })
})

t.test('references in blocks are replaced, also in rules', async t => {
  const headers = { 'X-Svc-Session': 'blocks' }
  const rule = {
    match: { llm: {} },
    then: { reply: { blocks: [{ text: 'You said {{prompt}}.' }, { text: ' Bye.' }] } },
  }
  const put = await fetch(`${server.url}/_svc/rules`, { method: 'POST', headers, body: JSON.stringify(rule) })
  t.equal(put.status, 201, await put.text())
  const reply = await fetch(server.url + CLAUDE, {
    method: 'POST',
    headers: { ...headers, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(claude),
  })
  t.match(await reply.json(), { content: [{ text: 'You said hello.' }, { text: ' Bye.' }] })
})

t.test('a call with several names is that of the first that the request offers', async t => {
  const tool = (name: string): object => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
  const name = ['bash', 'exec_command', 'run_shell_command']
  const call = { name, args: { command: 'ls' }, args_by_name: { exec_command: { cmd: 'ls' } } }
  const ask = (reply: object, ...tools: string[]): Promise<Response> =>
    post('/ai/openai/v1/chat/completions', { model: 'svc-gpt', messages, tools: tools.map(tool) }, reply)
  for (const reply of [{ tool_calls: [call] }, { blocks: [{ tool_call: call }] }]) {
    const own = (await (await ask(reply, 'other', 'exec_command', 'run_shell_command')).json()) as Any
    t.match(own.choices[0].message.tool_calls, [{ function: { name: 'exec_command', arguments: '{"cmd":"ls"}' } }])
    const common = (await (await ask(reply, 'run_shell_command')).json()) as Any
    t.match(common.choices[0].message.tool_calls, [{ function: { arguments: '{"command":"ls"}' } }])
    const none = await ask({ ...reply, finish: 'stop' }, 'other')
    t.match(
      none.headers.get('x-svc-ignored'),
      /^(?:tool_calls|blocks)\[0\]; no tool of the request is one of bash, exec_command, run_shell_command$/,
    )
    t.notOk(((await none.json()) as Any).choices[0].message.tool_calls)
  }
  const single = (await (await ask({ tool_calls: [{ name: 'gone' }] }, 'other')).json()) as Any
  t.match(single.choices[0].message.tool_calls, [{ function: { name: 'gone' } }], 'a single name is called in any case')
})

t.test('wrong blocks are native errors that name the place', async t => {
  const wrong: [reply: object, message: string][] = [
    [{ blocks: [] }, 'blocks: expected a list of 1 to 50 blocks'],
    [{ blocks: Array.from({ length: 51 }, () => ({ text: 'a' })) }, 'blocks: expected a list of 1 to 50 blocks'],
    [{ blocks: [{}] }, 'blocks[0]: expected one of reasoning, redacted, text, tool_call'],
    [{ blocks: [{ text: 'a', redacted: 'b' }] }, 'blocks[0]: expected one of reasoning, redacted, text, tool_call'],
    [{ blocks: [{ txt: 'a' }] }, 'blocks[0].txt: '],
    [{ blocks: [{ text: 1 }] }, 'blocks[0].text: expected a text'],
    [{ blocks: [{ tool_call: { args: {} } }] }, 'blocks[0].tool_call.name: expected a text'],
    [
      { blocks: [{ tool_call: { name: [] } }] },
      'blocks[0].tool_call.name: expected a name, or a list of 1 to 20 names',
    ],
    [{ blocks: [{ tool_call: { name: 'a', args_by_name: { b: {} } } }] }, 'blocks[0].tool_call.args_by_name.b: '],
    [{ blocks: [{ text: 'a' }], text: 'b' }, 'text: text and blocks cannot be combined'],
  ]
  for (const [reply, message] of wrong) {
    const { error } = await json(CLAUDE, claude, reply)
    t.ok(error?.message.startsWith(`X-Svc-Reply-Json: ${message}`), `${message} <- ${JSON.stringify(error)}`)
  }
})
