/** `X-Svc-Reply` and `X-Svc-Reply-Json`: the reply that a request names, in every format. */
import t from 'tap'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t)
const call = { name: 'get_weather', args: { city: 'Oslo' } }

async function post(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}
const CHAT = '/ai/v1/chat/completions'
const hello = { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }

t.test('the text of the header is the reply, in every format [LLMN-20]', async t => {
  const text = 'Grüße,\n{{prompt}} 100%'
  for (const format of formats) {
    const headers = { 'X-Svc-Reply': encodeURIComponent(text) }
    const reply = await askFormat(server.url, format, { headers })
    t.equal(format.text(reply.json()), text, format.id)
    t.equal(reply.headers.get('x-svc-mode'), 'reply')
    const stream = await askFormat(server.url, format, { headers, stream: true })
    t.equal(format.pieces(stream.bytes).join(''), text, format.id)
  }
  const literal = await askFormat(server.url, formats[0]!, { headers: { 'X-Svc-Reply': '100% %zz' } })
  t.equal(formats[0]!.text(literal.json()), '100% %zz', 'invalid escapes are taken literally')
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=1`)).json()) as { requests: object[] }
  t.match(requests[0], { mode: 'reply' })
})

t.test('a reply as JSON or base64url has calls, reasoning and usage [LLMN-20]', async t => {
  const reply = { text: 'One moment.', tool_calls: [call, { ...call, id: 'call_2' }], usage: { prompt_tokens: 11 } }
  for (const header of [JSON.stringify(reply), Buffer.from(JSON.stringify(reply)).toString('base64url')]) {
    const response = await post(CHAT, hello, { 'X-Svc-Reply-Json': header, 'X-Svc-Reply': 'ignored' })
    t.match(await response.json(), {
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: 'One moment.',
            tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }, { id: 'call_2' }],
          },
        },
      ],
      usage: { prompt_tokens: 11 },
    })
  }
  const anthropic = await post(
    '/ai/anthropic/v1/messages',
    { ...hello, max_tokens: 99 },
    { 'X-Svc-Reply-Json': JSON.stringify({ ...reply, reasoning: 'Look it up.' }) },
  )
  t.match(await anthropic.json(), {
    content: [{ type: 'thinking' }, { type: 'text' }, { type: 'tool_use' }, { type: 'tool_use' }],
    stop_reason: 'tool_use',
  })
  const logprobs = { ...hello, logprobs: true }
  const without = await post(CHAT, logprobs, { 'X-Svc-Reply-Json': '{"text":"a b","logprobs":false}' })
  t.match(await without.json(), { choices: [{ logprobs: null }] })
})

t.test('limits, stops and breaks act on an exact reply; faults win over it [LLMN-20]', async t => {
  const header = { 'X-Svc-Reply': 'one two three STOP four' }
  t.match(await (await post(CHAT, { ...hello, stop: ' STOP' }, header)).json(), {
    choices: [{ message: { content: 'one two three' } }],
  })
  t.match(await (await post(CHAT, { ...hello, max_tokens: 1 }, header)).json(), {
    choices: [{ message: { content: 'one' }, finish_reason: 'length' }],
  })
  const failed = await post(CHAT, hello, { ...header, 'X-Svc-Fail': 'rate_limit' })
  t.equal(failed.status, 429)
  const broken = await post(CHAT, { ...hello, stream: true }, { ...header, 'X-Svc-Fail': 'stream_error@2' })
  t.match(await broken.text(), /\(simulated\)/)
})

t.test('an exact reply wins over a rule that replies, not over one that fails [LLMN-20]', async t => {
  const own = await serveLlm(t)
  const put = (then: object): Promise<Response> =>
    fetch(`${own.url}/_svc/rules/own`, { method: 'PUT', body: JSON.stringify({ match: { llm: {} }, then }) })
  const ask = (): ReturnType<typeof askFormat> =>
    askFormat(own.url, formats[0]!, { headers: { 'X-Svc-Reply': 'exact' } })
  await put({ reply: { text: 'of the rule' } })
  t.equal(formats[0]!.text((await ask()).json()), 'exact')
  await put({ fail: 'overloaded' })
  t.equal((await ask()).status, 503)
})

t.test('embeddings, rerank, moderations and transcriptions [LLMN-20]', async t => {
  const json = (value: object): Record<string, string> => ({ 'X-Svc-Reply-Json': JSON.stringify(value) })
  const embedded = await post('/ai/v1/embeddings', { input: ['a', 'b'], dimensions: 3 }, json({ embedding: [1, 2] }))
  t.match(await embedded.json(), { data: [{ embedding: [1, 2, 0] }, { embedding: [1, 2, 0] }] })
  t.equal(embedded.headers.get('x-svc-mode'), 'reply')
  const documents = ['a', 'b', 'c']
  const ranked = await post(
    '/ai/cohere/v2/rerank',
    { model: 'r', query: 'q', documents },
    json({ scores: [0.1, 0.9, 0.5] }),
  )
  t.match(await ranked.json(), {
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 2, relevance_score: 0.5 },
      { index: 0, relevance_score: 0.1 },
    ],
  })
  const flagged = json({ flagged: true, categories: ['violence'] })
  t.match(await (await post('/ai/v1/moderations', { input: 'fine' }, flagged)).json(), {
    results: [{ flagged: true, categories: { violence: true, hate: false } }],
  })
  const form = new FormData()
  form.set('file', new Blob(['RIFF']), 'a.wav')
  const recognized = await fetch(`${server.url}/ai/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { 'X-Svc-Reply': 'what was said' },
    body: form,
  })
  t.match(await recognized.json(), { text: 'what was said' })
})

t.test('a vector for each input, and a count of tokens [LLMN-20]', async t => {
  const json = (value: object): Record<string, string> => ({ 'X-Svc-Reply-Json': JSON.stringify(value) })
  const asked = { input: ['a', 'b', 'c'], dimensions: 2 }
  const embedded = await post('/ai/v1/embeddings', asked, json({ embeddings: [[1], [2, 3, 4]] }))
  t.match(await embedded.json(), { data: [{ embedding: [1, 0] }, { embedding: [2, 3] }, { embedding: [0, 0] }] })
  const messages = [{ role: 'user', content: 'hello' }]
  const counts: [path: string, body: object, member: string][] = [
    ['/ai/anthropic/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages }, 'input_tokens'],
    ['/ai/openai/v1/responses/input_tokens', { model: 'gpt-5', input: 'hello' }, 'input_tokens'],
    [
      '/ai/gemini/v1beta/models/gemini-2.5-flash:countTokens',
      { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
      'totalTokens',
    ],
    [
      '/ai/bedrock/model/svc-claude/count-tokens',
      { input: { converse: { messages: [{ role: 'user', content: [{ text: 'hello' }] }] } } },
      'inputTokens',
    ],
  ]
  for (const [path, body, member] of counts) {
    const headers = { ...json({ count: 4_711 }), 'anthropic-version': '2023-06-01' }
    t.match(await (await post(path, body, headers)).json(), { [member]: 4_711 }, path)
  }
})

t.test('tokens that were written to a cache, and which stop sequence was met [LLMN-20]', async t => {
  const usage = {
    prompt_tokens: 1_000,
    cached_tokens: 400,
    cache_write_5m_tokens: 50,
    cache_write_1h_tokens: 30,
    completion_tokens: 7,
  }
  const headers = {
    'X-Svc-Reply-Json': JSON.stringify({ text: 'One ', finish: 'stop_sequence', stop_sequence: 'HALT', usage }),
    'anthropic-version': '2023-06-01',
  }
  const messages = [{ role: 'user', content: 'hello' }]
  const claude = { model: 'claude-sonnet-4-5', max_tokens: 99, messages }
  t.match(await (await post('/ai/anthropic/v1/messages', claude, headers)).json(), {
    stop_reason: 'stop_sequence',
    stop_sequence: 'HALT',
    usage: {
      input_tokens: 520,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 80,
      cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 30 },
      output_tokens: 7,
    },
  })
  const converse = { messages: [{ role: 'user', content: [{ text: 'hello' }] }] }
  t.match(await (await post('/ai/bedrock/model/svc-claude/converse', converse, headers)).json(), {
    stopReason: 'stop_sequence',
    usage: {
      inputTokens: 520,
      cacheReadInputTokens: 400,
      cacheWriteInputTokens: 80,
      cacheDetails: [
        { ttl: '1h', inputTokens: 30 },
        { ttl: '5m', inputTokens: 50 },
      ],
    },
  })
  const details = { cached_tokens: 400, cache_write_tokens: 80 }
  t.match(await (await post(CHAT, hello, headers)).json(), {
    choices: [{ finish_reason: 'stop' }],
    usage: { prompt_tokens: 1_000, prompt_tokens_details: details },
  })
  t.match(await (await post('/ai/openai/v1/responses', { model: 'gpt-5', input: 'hello' }, headers)).json(), {
    usage: { input_tokens: 1_000, input_tokens_details: details },
  })
  const all = { text: 'a', usage: { prompt_tokens: 10, cached_tokens: 8, cache_write_1h_tokens: 9 } }
  const cut = { ...headers, 'X-Svc-Reply-Json': JSON.stringify(all) }
  t.match(
    await (await post('/ai/anthropic/v1/messages', claude, cut)).json(),
    { usage: { input_tokens: 0, cache_creation_input_tokens: 2 } },
    'no more than the prompt is cached',
  )
})

t.test('a wrong reply is a native 400 that names the place [LLMN-21]', async t => {
  const wrong: [path: string, body: object, reply: string, message: string][] = [
    [CHAT, hello, '{', 'expected a JSON object, or base64url of it'],
    [CHAT, hello, '{"tool_calls":[{"args":{}}]}', 'tool_calls[0].name: expected a text'],
    [CHAT, hello, '{"text":1}', 'text: expected a text'],
    [CHAT, hello, '{"sparkle":1}', 'sparkle: '],
    [CHAT, hello, '{"embedding":[1]}', 'embedding: this route does not return embeddings'],
    [CHAT, hello, '{"count":3}', 'count: this route does not count tokens'],
    [CHAT, hello, '{"text":"a","stop_sequence":"HALT"}', 'stop_sequence: expected finish to be stop_sequence'],
    [CHAT, hello, '{"text":"a","usage":{"cache_write_5m_tokens":-1}}', 'usage.cache_write_5m_tokens: expected '],
    ['/ai/v1/embeddings', { input: 'a' }, '{"embeddings":[]}', 'embeddings: expected a list of 1 to 100 vectors'],
    ['/ai/v1/embeddings', { input: 'a' }, '{"embeddings":[["x"]]}', 'embeddings[0]: expected a list of 1 to '],
    [CHAT, hello, '{"text":"a","logprobs":true}', 'logprobs: expected false'],
    ['/ai/v1/embeddings', { input: 'a' }, '{"text":"a"}', 'expected embedding'],
    ['/ai/v1/moderations', { input: 'a' }, '{"flagged":1}', 'flagged: expected true or false'],
    ['/ai/v1/moderations', { input: 'a' }, '{"flagged":true,"categories":["x"]}', 'categories: expected a list of '],
    ['/ai/v1/audio/speech', { input: 'a', voice: 'alloy' }, '{"text":"a"}', 'this route has no exact replies'],
  ]
  for (const [path, body, reply, message] of wrong) {
    const response = await post(path, body, { 'X-Svc-Reply-Json': reply })
    t.equal(response.status, 400, reply)
    const { error } = (await response.json()) as { error: { message: string; param: string } }
    t.equal(error.param, 'X-Svc-Reply-Json', reply)
    t.ok(error.message.startsWith(`X-Svc-Reply-Json: ${message}`), error.message)
  }
  const scores = await post(
    '/ai/cohere/v2/rerank',
    { model: 'r', query: 'q', documents: ['a'] },
    { 'X-Svc-Reply-Json': '{"scores":[1,2]}' },
  )
  t.match(await scores.json(), { message: 'X-Svc-Reply-Json: scores: expected a list of 1 numbers' })
  const big = await post(CHAT, hello, { 'X-Svc-Reply-Json': JSON.stringify({ text: 'x'.repeat(12_300) }) })
  t.match(await big.json(), { error: { message: 'X-Svc-Reply-Json: expected at most 12288 bytes' } })
})

t.test('a reply of an exact length, in every format [STR-32]', async t => {
  for (const format of formats) {
    const headers = { 'X-Svc-Reply-Size': 'bytes=3001' }
    const text = format.text((await askFormat(server.url, format, { headers })).json())!
    t.match(text, /^[a-z ]+$/, format.id)
    t.equal(text.length, 3001, format.id)
    const stream = await askFormat(server.url, format, { headers, stream: true })
    t.equal(format.pieces(stream.bytes).join(''), text, `${format.id}: streamed`)
  }
  const usageOf = async (headers: Record<string, string>): Promise<number> => {
    const reply = await (await post(CHAT, hello, headers)).json()
    return (reply as { usage: { completion_tokens: number } }).usage.completion_tokens
  }
  for (const tokens of [1, 200, 20_000])
    for (const tokenizer of ['rule', 'o200k_base', 'cl100k_base'])
      t.equal(
        await usageOf({ 'X-Svc-Reply-Size': `tokens=${tokens}`, 'X-Svc-Tokenizer': tokenizer }),
        tokens,
        `${tokens} tokens of ${tokenizer}`,
      )
  const both = await post(CHAT, hello, { 'X-Svc-Reply-Size': 'bytes=5', 'X-Svc-Reply': 'a' })
  t.match(await both.json(), { choices: [{ message: { content: 'a' } }] }, 'a text wins over a length')
})

t.test('a wrong length, or one beyond the budget of the answer, is a native 400', async t => {
  const expected = 'X-Svc-Reply-Size: expected bytes=<n> with 1 to 4194304, or tokens=<n> with 1 to 200000'
  for (const value of ['', '5', 'bytes=0', 'bytes=4194305', 'tokens=200001', 'words=3', 'bytes=1e3']) {
    const reply = await post(CHAT, hello, { 'X-Svc-Reply-Size': value })
    t.equal(reply.status, 400, value)
    t.match(await reply.json(), { error: { message: expected, param: 'X-Svc-Reply-Size' } }, value)
  }
  const many = await post(CHAT, { ...hello, n: 5 }, { 'X-Svc-Reply-Size': 'bytes=4194304' })
  t.equal(many.status, 400)
  t.match(await many.text(), /SVC_BUDGET_OUTPUT_BYTES/)
  const embedded = await post('/ai/v1/embeddings', { input: 'a' }, { 'X-Svc-Reply-Size': 'bytes=5' })
  t.equal(embedded.status, 400)
})
