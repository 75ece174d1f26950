/** `as: llm`: exchanges with a model become rules. */
import t from 'tap'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { fixtureRuleOf } from '../../../plugins/proxy/conversations/fixture-rule.ts'
import { readChatRequest } from '../../../plugins/proxy/conversations/chat-request.ts'
import type { RecordedResponse } from '../../../plugins/proxy/recordings/recording.ts'
import type { Upstream } from '../../../plugins/proxy/config/upstream.ts'
import { send } from '../../support/request.ts'
import { serve, type TestServer, type TestServerOptions } from '../../support/server.ts'
import { foldersOf, recordingNames, startUpstream } from './upstream.ts'

const json = { 'Content-Type': 'application/json' }
const upstream = { redact: { query: new Set(), headers: new Set(), json: [] } } as unknown as Upstream
const user = (content: unknown): object => ({ role: 'user', content })

const ruleOf = (path: string, body: object, response: Partial<RecordedResponse>): unknown =>
  fixtureRuleOf(
    upstream,
    { method: 'POST', path, query: {}, headers: json, json: body as never },
    { status: 200, headers: { 'content-type': 'application/json' }, ...response },
  )
const sse = (...events: (object | string)[]): Partial<RecordedResponse> => ({
  headers: { 'content-type': 'text/event-stream' },
  first_byte_ms: 40,
  chunks: events.map((event, index) => ({
    after_ms: index === 0 ? 10 : 50,
    text: `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
  })),
})

t.test('conditions of a request [PROXY-60]', t => {
  const rows: [path: string, body: object, conditions: object | null][] = [
    [
      '/v1/chat/completions',
      { model: 'm', messages: [user('a')] },
      { model: 'm', user: 'a', turn: 0, tool_result: false },
    ],
    [
      '/chat/completions',
      { model: 'm', messages: [user('a'), { role: 'assistant', content: null }, { role: 'tool', content: 'x' }] },
      { model: 'm', user: 'a', turn: 1, tool_result: true },
    ],
    [
      '/v1/messages',
      { model: 'm', messages: [user([{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }])] },
      { model: 'm', user: 'a\nb', turn: 0, tool_result: false },
    ],
    [
      '/v1/messages',
      { model: 'm', messages: [user('a'), { role: 'assistant', content: [] }, user([{ type: 'tool_result' }])] },
      { model: 'm', user: 'a', turn: 1, tool_result: true },
    ],
    ['/v1/messages', { model: 'm', messages: [{ role: 'system' }] }, { model: 'm', turn: 0, tool_result: false }],
    ['/v1/embeddings', { model: 'm', messages: [] }, null],
    ['/v1/messages', { messages: [] }, null],
    ['/v1/messages', { model: 'm', messages: 'a' }, null],
  ]
  for (const [path, body, conditions] of rows)
    t.strictSame(readChatRequest(path, body as never)?.conditions ?? null, conditions)
  t.end()
})

t.test('replies of plain responses [PROXY-60]', t => {
  const ask = { model: 'm', messages: [user('a')] }
  const chat = (message: object, more: object = {}): unknown =>
    (ruleOf('/v1/chat/completions', ask, { json: { choices: [{ message, ...more }] } as never }) as { then: unknown })
      .then
  t.strictSame(chat({ content: 'hi' }, { finish_reason: 'stop' }), { reply: { text: 'hi' } })
  t.strictSame(chat({ content: 'hi {{x}}' }), { reply: { text: 'hi {{x}}', template: false } })
  t.strictSame(chat({ content: 'h' }, { finish_reason: 'length' }), { reply: { text: 'h', finish: 'length' } })
  t.strictSame(chat({ content: null, refusal: 'no' }), { reply: { refusal: 'no' } })
  t.strictSame(
    chat({ content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":1,"token":"s"}' } }] }),
    { reply: { tool_calls: [{ name: 'f', args: { a: 1, token: 'REDACTED' }, id: 'c' }] } },
    'credentials are redacted',
  )
  const message = {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
      { type: 'text', text: 'x' },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 1, output_tokens: 2 },
  }
  t.strictSame(ruleOf('/v1/messages', ask, { json: message as never }), {
    match: { llm: { model: 'm', user: 'a', turn: 0, tool_result: false } },
    then: {
      reply: {
        text: 'x',
        tool_calls: [{ name: 'f', args: { a: 1 }, id: 't' }],
        calls_first: true,
        reasoning: 'hm',
        usage: { prompt_tokens: 8, completion_tokens: 2, cached_tokens: 4 },
      },
    },
  })
  for (const response of [{ status: 500 }, { json: 'x' }, { json: { choices: [] } }, { body: 'text' }])
    t.equal(ruleOf('/v1/chat/completions', ask, response as never), null)
  t.end()
})

t.test('replies of streams, with the measured pace [PROXY-60]', t => {
  const ask = { model: 'm', messages: [user('a')], stream: true }
  const delta = (piece: object, more: object = {}): object => ({ choices: [{ index: 0, delta: piece, ...more }] })
  const call = (piece: object): object => delta({ tool_calls: [{ index: 0, ...piece }] })
  const usage = { prompt_tokens: 3, completion_tokens: 6, prompt_tokens_details: { cached_tokens: 1 } }
  t.match(
    ruleOf(
      '/v1/chat/completions',
      ask,
      sse(
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'O' }),
        delta({ content: 'K' }),
        call({ id: 'c', function: { name: 'f', arguments: '' } }),
        call({ function: { arguments: '{"a":' } }),
        call({ function: { arguments: '1}' } }),
        delta({}, { finish_reason: 'tool_calls' }),
        { choices: [], usage },
        '[DONE]',
      ),
    ),
    {
      then: {
        reply: {
          text: 'OK',
          tool_calls: [{ name: 'f', args: { a: 1 }, id: 'c' }],
          usage: { prompt_tokens: 3, completion_tokens: 6, cached_tokens: 1 },
          stream: { ttft_ms: 50, tokens_per_second: 15 },
        },
      },
    },
  )
  const events = [
    { type: 'message_start', message: { type: 'message', usage: { input_tokens: 4, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '2}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  t.match(ruleOf('/v1/messages', ask, sse(...events)), {
    then: {
      reply: {
        text: 'Hi',
        tool_calls: [{ name: 'f', args: { a: 2 }, id: 't' }],
        usage: { prompt_tokens: 4, completion_tokens: 9 },
      },
    },
  })
  t.equal(ruleOf('/v1/messages', ask, sse(events[0]!, { type: 'error', error: {} })), null)
  t.equal(ruleOf('/v1/chat/completions', ask, sse('[DONE]', 'nonsense')), null)
  t.end()
})

async function serveBoth(
  t: Parameters<typeof serve>[0],
  target: string,
  options: TestServerOptions = {},
): Promise<TestServer> {
  return serve(t, {
    ...options,
    plugins: ['proxy', 'llm-openai'],
    settings: { proxy: [{ name: 'up', target, mode: 'record', as: 'llm' }] },
  })
}

t.test('rules are written, served at once, and read at the start [PROXY-60]', async t => {
  const upstreamServer = await startUpstream(t, ({ url }, response) => {
    const number = upstreamServer.received.length
    response.setHeader('Content-Type', 'application/json')
    const message = { content: url.includes('chat') ? `reply ${Math.min(number, 2)}` : '' }
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }))
  })
  const oneProcess = 'a replica reads the rules that another has recorded when it is reloaded'
  const server = await serveBoth(t, upstreamServer.url, { oneProcess })
  const ask = async (path: string): Promise<string> => {
    const body = JSON.stringify({ model: 'm', messages: [user('hello')] })
    const reply = await send(server.url, path, { method: 'POST', headers: json, body })
    return (reply.json() as { choices: { message: { content: string } }[] }).choices[0]!.message.content
  }
  const direct = '/ai/openai/v1/chat/completions'
  t.equal(await ask('/proxy/up/v1/chat/completions'), 'reply 1')
  t.equal(await ask(direct), 'reply 1')
  for (const _ of [2, 3]) t.equal(await ask('/proxy/up/v1/chat/completions'), 'reply 2')
  const file = join(foldersOf(server, 'up'), 'fixtures.yaml')
  t.match(parse(await readFile(file, 'utf8')), {
    rules: [
      {
        name: 'up-1',
        match: { llm: { model: 'm', user: 'hello', turn: 0, tool_result: false } },
        then: [{ reply: { text: 'reply 1' } }, { reply: { text: 'reply 2' }, times: 'always' }],
      },
    ],
  })
  await server.reload()
  t.strictSame([await ask(direct), await ask(direct), await ask(direct)], ['reply 1', 'reply 2', 'reply 2'])
  await send(server.url, '/proxy/up/v1/models', { method: 'POST', headers: json, body: '{}' })
  t.equal((await recordingNames(server, 'up')).filter(name => name !== 'fixtures.yaml').length, 2, 'as http too')
  t.strictSame(server.problems(), [])
})

t.test('a wrong file is reported, and not overwritten [PROXY-60]', async t => {
  const upstreamServer = await startUpstream(t, (_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ choices: [{ message: { content: 'x' } }] }))
  })
  const server = await serveBoth(t, upstreamServer.url)
  const file = join(foldersOf(server, 'up'), 'fixtures.yaml')
  await mkdir(foldersOf(server, 'up'), { recursive: true })
  await writeFile(file, 'notes: mine\n')
  await server.host.reload({ force: true })
  t.match(server.problems(), [{ file: /fixtures\.yaml$/, message: /expected a mapping with a list of rules/ }])
  const body = JSON.stringify({ model: 'm', messages: [user('hello')] })
  await send(server.url, '/proxy/up/v1/chat/completions', { method: 'POST', headers: json, body })
  t.equal(await readFile(file, 'utf8'), 'notes: mine\n')
})
