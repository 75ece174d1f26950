/** `POST /ai/{provider}/tokenize`. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t, {
  yaml: `
llm:
  providers:
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
