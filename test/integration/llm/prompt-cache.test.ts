/** The prompt cache: whole blocks of known prefixes, in the fields of each format. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { readUsage } from '../../support/llm-usage.ts'

const server = await serveLlm(t, {
  yaml: `
llm:
  builtin:
    openai: { cache: { min_tokens: 32 } }
    bedrock: { cache: { min_tokens: 0 } }
  prices:
    - { input: 1000000, cached: 100000, output: 0 }
  providers:
    - { name: shared, format: openai, cache: { scope: instance, min_tokens: 0 } }
    - { name: tight, format: openai, cache: { min_tokens: 0 }, capacity: { slots: 9, kv_tokens: 48 } }
    - { name: little, format: openai, cache: { tokens: 64, min_tokens: 0 } }
`,
})
/** 4 tokens with the role; each further word one. */
const words = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ')

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<never> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify({ model: 'svc-gpt', ...body }),
  })
  return (await response.json()) as never
}
interface ChatReply {
  usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } }
}
async function cached(
  text: string,
  headers: Record<string, string>,
  path = '/ai/v1/chat/completions',
  model = 'svc-gpt',
) {
  const reply: ChatReply = await post(path, { model, messages: [{ role: 'user', content: text }] }, headers)
  return [reply.usage.prompt_tokens, reply.usage.prompt_tokens_details.cached_tokens]
}

t.test('cached tokens are the leading blocks of a known prompt [LLMN-42]', async t => {
  const session = { 'X-Svc-Session': 'blocks' }
  const text = words(60)
  t.same(await cached(text, session), [62, 0], 'the first request fills the cache')
  t.same(await cached(text, session), [62, 48], 'three blocks of 16')
  t.same(await cached(`${words(40)} and then something else`, session), [48, 32], 'the common prefix')
  t.same(await cached(words(20), session), [22, 0], 'one block is below min_tokens')
  t.same(await cached(`other ${text}`, session), [64, 0], 'another beginning')
  t.same(await cached(text, session, '/ai/v1/chat/completions', 'gpt-5'), [62, 0], 'another model')
  t.same(await cached(text, { 'X-Svc-Session': 'someone-else' }), [62, 0], 'another session')
  t.same(await cached(text, { ...session, 'X-Svc-Prefix-Cache': 'off' }), [62, 0])
  const { totals } = await readUsage(server.url, '?session=blocks&group=none')
  t.equal(totals.cached_tokens, 80)
  t.equal(totals.cache_write_tokens, 0, 'chat completions do not report what was written')
  t.equal(totals.cost, totals.prompt_tokens - 80 + 8, 'cached tokens have their own price')
})

t.test('it is off by default, and a header switches it on or states the figure [LLMN-43]', async t => {
  const azure = '/ai/azure/openai/deployments/svc-gpt/chat/completions?api-version=1'
  const text = words(30)
  const session = { 'X-Svc-Session': 'header' }
  t.same(await cached(text, session, azure), [32, 0])
  t.same(await cached(text, session, azure), [32, 0])
  const on = { ...session, 'X-Svc-Prefix-Cache': 'on' }
  t.same(await cached(text, on, azure), [32, 0])
  t.same(await cached(text, on, azure), [32, 31], 'at most all but one token')
  t.same(await cached(text, { ...session, 'X-Svc-Cached-Tokens': '7' }, azure), [32, 7])
  t.same(await cached(text, { ...session, 'X-Svc-Cached-Tokens': '700' }, azure), [32, 31])
})

t.test('the fields of each format [LLMN-42]', async t => {
  const headers = { 'X-Svc-Session': 'formats', 'X-Svc-Prefix-Cache': 'on' }
  const text = words(40)
  const twice = async (path: string, body: object): Promise<[never, never]> => [
    await post(path, body, headers),
    await post(path, body, headers),
  ]
  const [, chat] = await twice('/ai/v1/chat/completions', { messages: [{ role: 'user', content: text }] })
  t.match(chat, { usage: { prompt_tokens: 42, prompt_tokens_details: { cached_tokens: 32 } } })
  const [first, second] = await twice('/ai/azure/openai/v1/responses', { input: text })
  t.match(first, { usage: { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 32 } } })
  t.match(second, { usage: { input_tokens: 42, input_tokens_details: { cached_tokens: 32, cache_write_tokens: 0 } } })
  const [, gemini] = await twice('/ai/gemini/v1beta/models/svc-gemini:generateContent', {
    contents: [{ parts: [{ text }] }],
  })
  t.match(gemini, {
    usageMetadata: {
      promptTokenCount: 42,
      cachedContentTokenCount: 32,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 32 }],
    },
  })
  const [written, read] = await twice('/ai/bedrock/model/svc-claude/converse', {
    messages: [{ role: 'user', content: [{ text }] }],
  })
  t.match(written, { usage: { inputTokens: 10, cacheReadInputTokens: 0, cacheWriteInputTokens: 32 } })
  t.match(read, { usage: { inputTokens: 10, cacheReadInputTokens: 32, cacheWriteInputTokens: 0 } })
  const [, cohere] = await twice('/ai/cohere/v2/chat', { messages: [{ role: 'user', content: text }] })
  t.match(cohere, { usage: { cached_tokens: 32, tokens: { input_tokens: 42 } } })
  const [, ollama] = await twice('/ai/ollama/api/chat', {
    model: 'llama3.2',
    stream: false,
    messages: [{ role: 'user', content: text }],
  })
  t.match(ollama, { prompt_eval_count: 42 })
})

t.test('Converse caches up to the last cachePoint [LLMN-42]', async t => {
  const body = {
    system: [{ text: words(30) }, { cachePoint: { type: 'default' } }],
    messages: [{ role: 'user', content: [{ text: words(40) }] }],
  }
  const headers = { 'X-Svc-Session': 'point' }
  const path = '/ai/bedrock/model/svc-claude/converse'
  t.match(await post(path, body, headers), { usage: { cacheWriteInputTokens: 32 } })
  t.match(await post(path, body, headers), { usage: { cacheReadInputTokens: 32, cacheWriteInputTokens: 0 } })
})

t.test('Anthropic caches what is marked [LLMN-43]', async t => {
  const ask = (body: object, session: string): Promise<never> =>
    post('/ai/anthropic/v1/messages', { model: 'svc-claude', max_tokens: 9, ...body }, { 'X-Svc-Session': session })
  const messages = [{ role: 'user', content: 'hello' }]
  const marked = (ttl?: string): object => ({
    system: [{ type: 'text', text: words(20), cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } }],
    messages,
  })
  const usage = (created: number, read: number, long = 0): object => ({
    usage: {
      cache_creation_input_tokens: created,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: created - long, ephemeral_1h_input_tokens: long },
    },
  })
  t.match(await ask(marked(), 'marks'), usage(20, 0))
  t.match(await ask(marked(), 'marks'), usage(0, 20))
  t.match(await ask(marked('1h'), 'hour'), usage(20, 0, 20))
  t.match(await ask({ messages }, 'marks'), usage(0, 0))
  const whole = { cache_control: { type: 'ephemeral' }, system: words(10), messages }
  t.match(await ask(whole, 'whole'), usage(12, 0))
  t.match(await ask(whole, 'whole'), usage(0, 12))
  const { totals } = await readUsage(server.url, '?session=marks&group=none')
  t.match(totals, { cached_tokens: 20, cache_write_tokens: 20 })
})

t.test('sessions can share a cache, which drops what was not used for the longest time [LLMN-42]', async t => {
  const path = '/ai/shared/v1/chat/completions'
  t.same(await cached(words(40), { 'X-Svc-Session': 'one' }, path), [42, 0])
  t.same(await cached(words(40), { 'X-Svc-Session': 'two' }, path), [42, 32])
  const little = '/ai/little/v1/chat/completions'
  const session = { 'X-Svc-Session': 'little' }
  t.same(await cached(words(40, 'aaa'), session, little), [42, 0])
  t.same(await cached(words(40, 'bbb'), session, little), [42, 0])
  t.same(await cached(words(40, 'ccc'), session, little), [42, 0])
  t.same(await cached(words(40, 'ccc'), session, little), [42, 32])
  t.same(await cached(words(40, 'aaa'), session, little), [42, 0])
  const tight = '/ai/tight/v1/chat/completions'
  t.same(await cached(words(100), session, tight), [102, 0])
  t.same(await cached(words(100), session, tight), [102, 48], 'the KV cache holds no more')
})

t.test('reads do not count against input limits, and a reset empties the cache [LLMN-42]', async t => {
  const headers = { 'X-Svc-Session': 'limit', 'X-Svc-Prefix-Cache': 'on', 'X-Svc-Limit-Itpm': '100' }
  t.same(await cached(words(60), headers), [62, 0])
  t.same(await cached(words(60), headers), [62, 48], 'another 62 would not fit')
  await fetch(`${server.url}/_svc/reset`, {
    method: 'POST',
    headers: { 'X-Svc-Session': 'limit' },
    body: '{"kinds":["llm_cache"]}',
  })
  t.same(await cached(words(60), { ...headers, 'X-Svc-Limit-Itpm': '1000' }), [62, 0])
})
