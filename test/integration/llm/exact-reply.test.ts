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

t.test('a wrong reply is a native 400 that names the place [LLMN-21]', async t => {
  const wrong: [path: string, body: object, reply: string, message: string][] = [
    [CHAT, hello, '{', 'expected a JSON object, or base64url of it'],
    [CHAT, hello, '{"tool_calls":[{"args":{}}]}', 'tool_calls[0].name: expected a text'],
    [CHAT, hello, '{"text":1}', 'text: expected a text'],
    [CHAT, hello, '{"sparkle":1}', 'sparkle: '],
    [CHAT, hello, '{"embedding":[1]}', 'embedding: this route does not return embeddings'],
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

t.test('a reply of an exact length, in every format [STRICT-5]', async t => {
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

t.test('a wrong length, or one beyond the budget of the answer, is a native 400 [STRICT-5]', async t => {
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
