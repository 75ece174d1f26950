/** `POST /ai/{provider}/tokenize`. */
import t from 'tap'
import { readSse } from '../../support/event-stream.ts'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, {
  yaml: `
llm:
  providers:
    - { name: encoded, format: openai, tokenizer: cl100k_base, models: [plain, { id: modern, tokenizer: o200k_base }, { id: old, tokenizer: rule }] }
    - { name: small, format: openai, context_window: 5, models: [plain, { id: wide, context_window: 77 }] }
`,
})
async function post(path: string, body: object): Promise<[number, never]> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0' },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as never]
}

t.test('the tokens of a text [LLMN-56]', async t => {
  for (const path of ['/ai/openai/tokenize', '/ai/azure/tokenize']) {
    t.match(await post(path, { prompt: 'hello world', return_token_strs: true }), [
      200,
      { count: 4, max_model_len: 131_072, token_strs: ['hell', 'o', ' worl', 'd'] },
    ])
    t.same(await post(path, { prompt: '' }), [200, { count: 0, max_model_len: 131_072, tokens: [], token_strs: null }])
  }
  // FNV-1a of "a" is 0xe40c292c.
  t.match(await post('/ai/openai/tokenize', { prompt: 'a' }), [200, { tokens: [0xe40c292c >>> 1] }])
})

t.test('it counts what the usage counts [LLMN-56]', async t => {
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
  const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }
  for (const body of [
    { messages: [{ role: 'user', content: 'hello' }] },
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Wie geht es Müller?' },
      ],
      tools,
    },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'look' }, image, image] }] },
    { messages: [{ role: 'user', content: '' }] },
  ]) {
    const [, { count, tokens }] = (await post('/ai/openai/tokenize', body)) as [
      number,
      { count: number; tokens: number[] },
    ]
    const [, { usage }] = (await post('/ai/v1/chat/completions', body)) as [
      number,
      { usage: { prompt_tokens: number } },
    ]
    t.equal(count, usage.prompt_tokens)
    t.equal(tokens.length, count)
  }
})

t.test('the context window of a model is its limit [LLMN-56]', async t => {
  t.match(await post('/ai/small/tokenize', { prompt: 'a b c d e' }), [200, { count: 5, max_model_len: 5 }])
  t.match(await post('/ai/small/tokenize', { model: 'wide', prompt: 'a b c d e f' }), [200, { max_model_len: 77 }])
  t.match(await post('/ai/small/tokenize', { prompt: 'a b c d e f' }), [
    400,
    { error: { code: 'context_length_exceeded', message: /^This model's maximum context length is 5 tokens\./ } },
  ])
  t.match(await post('/ai/openai/tokenize', {}), [400, { error: { param: 'prompt' } }])
})

t.test('encodings count prompts, replies and streams [LLMN-57]', async t => {
  const encoding = { 'X-Svc-Tokenizer': 'o200k_base', 'X-Svc-Tokens-Per-Second': '0' }
  const ask = async (path: string, body: object, headers: Record<string, string> = encoding): Promise<never> =>
    (await (
      await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify({ model: 'm', ...body }) })
    ).json()) as never
  t.same(await ask('/ai/openai/tokenize', { prompt: 'hello world', return_token_strs: true }), {
    count: 2,
    max_model_len: 131_072,
    tokens: [24912, 2375],
    token_strs: ['hello', ' world'],
  })
  const messages = [{ role: 'user', content: 'hello world' }]
  const { usage } = (await ask(
    '/ai/v1/chat/completions',
    { messages },
    { ...encoding, 'X-Svc-Reply': 'Internationalization' },
  )) as {
    usage: { prompt_tokens: number; completion_tokens: number }
  }
  t.match(usage, { prompt_tokens: 3 + 3 + 1 + 2, completion_tokens: 2 })
  t.match(await ask('/ai/openai/tokenize', { messages }), { count: usage.prompt_tokens })
  t.match(await ask('/ai/v1/completions', { prompt: 'hello world' }), { usage: { prompt_tokens: 2 } })
  const claude = (await ask('/ai/anthropic/v1/messages', { max_tokens: 9, messages })) as {
    usage: { input_tokens: number }
  }
  t.equal(claude.usage.input_tokens, 9)
  t.match(await ask('/ai/anthropic/v1/messages/count_tokens', { messages }), { input_tokens: 9 })
  t.match(await ask('/ai/v1/chat/completions', { messages, max_tokens: 3 }), {
    choices: [{ finish_reason: 'length' }],
    usage: { completion_tokens: 3 },
  })
  t.match(await ask('/ai/v1/embeddings', { model: 'svc-embed', input: ['hello world', 'Internationalization'] }), {
    usage: { prompt_tokens: 4 },
  })
  t.match(await ask('/ai/cohere/v2/rerank', { query: 'hello world', documents: ['hello world'] }), {
    meta: { billed_units: { search_units: 1 } },
  })
  const text = 'Grüße 👩‍👩‍👧 from 日本 <|endoftext|>'
  const stream = await fetch(`${server.url}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...encoding, 'X-Svc-Reply': encodeURIComponent(text) },
    body: JSON.stringify({ messages, stream: true, stream_options: { include_usage: true } }),
  })
  const deltas = readSse(await stream.text())
    .filter(({ data }) => data !== '[DONE]')
    .map(
      ({ data }) =>
        JSON.parse(data) as { choices: { delta: { content?: string } }[]; usage: { completion_tokens: number } | null },
    )
  t.equal(deltas.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), text)
  t.notMatch(JSON.stringify(deltas), '\uFFFD')
  const paced = deltas.filter(({ choices }) => choices[0]?.delta.content !== undefined).length - 1
  t.equal(deltas.at(-1)!.usage!.completion_tokens, paced)
})

t.test('a provider and its models have their own tokenizer, and mistakes are reported [LLMN-57]', async t => {
  const count = async (model: string): Promise<number> => {
    const [, { count: tokens }] = (await post('/ai/encoded/tokenize', { model, prompt: 'Привет, мир' })) as [
      number,
      { count: number },
    ]
    return tokens
  }
  const [plain, modern, old] = [await count('plain'), await count('modern'), await count('old')]
  t.ok(plain > modern, 'cl100k_base needs more tokens')
  t.equal(old, 4)
  for (const [name, message] of [
    ['gpt2', /^X-Svc-Tokenizer: expected one of rule, o200k_base, cl100k_base$/],
    ['o200k_base', /^the tokenizer o200k_base takes texts of at most 262144 characters$/],
  ] as const) {
    const response = await fetch(`${server.url}/ai/openai/tokenize`, {
      method: 'POST',
      headers: { 'X-Svc-Tokenizer': name },
      body: JSON.stringify({ prompt: 'x'.repeat(262_145) }),
    })
    t.equal(response.status, name === 'gpt2' ? 400 : 413)
    t.match(await response.json(), { error: { message } })
  }
  const long = 'ab'.repeat(5000) + ' '.repeat(5000) + '😀'.repeat(300)
  t.match(await post('/ai/encoded/tokenize', { prompt: long }), [200, { count: Number }])
})
