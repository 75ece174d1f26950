/** Context caches with the official `@google/genai`. */
import t from 'tap'
import { GoogleGenAI, type CachedContent } from '@google/genai'
import { serveLlm } from '../support/llm-formats.ts'
import { readUsage } from '../support/llm-usage.ts'

const server = await serveLlm(t)
const clientOf = (headers: Record<string, string> = {}, url = server.url): GoogleGenAI =>
  new GoogleGenAI({
    apiKey: 'goog-key-7777',
    httpOptions: { baseUrl: `${url}/ai/gemini`, headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers } },
  })
const client = clientOf({ 'X-Svc-Session': 'caches' })
const model = 'gemini-2.5-flash'
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    error => error as unknown,
  )
const weather = {
  functionDeclarations: [
    { name: 'get_weather', parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  ],
}

t.test('a cache is created, listed in pages, changed and deleted [LLMN-42]', async t => {
  const before = Date.now()
  const cache = await client.caches.create({
    model,
    config: { contents: 'a long text', systemInstruction: 'Be brief', displayName: 'my cache', ttl: '600s' },
  })
  t.match(cache, {
    name: /^cachedContents\/[0-9a-z]+$/,
    model: `models/${model}`,
    displayName: 'my cache',
    usageMetadata: { totalTokenCount: Number },
  })
  const lifetime = Date.parse(cache.expireTime!) - Date.parse(cache.createTime!)
  t.equal(lifetime, 600_000)
  t.ok(Date.parse(cache.createTime!) >= before - 1)
  t.same(await client.caches.get({ name: cache.name! }), cache)
  const usual = await client.caches.create({ model, config: { contents: 'x' } })
  t.equal(Date.parse(usual.expireTime!) - Date.parse(usual.createTime!), 3_600_000, 'an hour')
  const listed: (string | undefined)[] = []
  for await (const { name } of await client.caches.list({ config: { pageSize: 1 } })) listed.push(name)
  t.same(listed, [usual.name, cache.name])

  const longer = await client.caches.update({ name: cache.name!, config: { ttl: '1200.5s' } })
  t.equal(Date.parse(longer.expireTime!) - Date.parse(longer.updateTime!), 1_200_500)
  t.equal(longer.createTime, cache.createTime)
  const expireTime = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000).toISOString()
  t.equal((await client.caches.update({ name: cache.name!, config: { expireTime } })).expireTime, expireTime)
  await client.caches.delete({ name: cache.name! })
  t.match(await failure(client.caches.get({ name: cache.name! })), { status: 403, message: /PERMISSION_DENIED/ })
  t.match(await failure(client.caches.delete({ name: cache.name! })), { status: 403 })
})

t.test('the contents of a cache come before those of the request, and count as read [LLMN-42]', async t => {
  const session = { 'X-Svc-Session': 'prompts' }
  const own = clientOf(session)
  const cache = await own.caches.create({
    model: 'svc-echo',
    config: { contents: [{ role: 'user', parts: [{ text: 'The sky is green.' }] }], systemInstruction: 'Be brief' },
  })
  const tokens = cache.usageMetadata!.totalTokenCount!
  const config = { cachedContent: cache.name! }
  const reply = await own.models.generateContent({ model: 'svc-echo', contents: 'What color?', config })
  t.equal(reply.text, 'system: Be brief\nuser: The sky is green.\nuser: What color?')
  const { promptTokenCount: prompt = 0, ...usage } = reply.usageMetadata!
  t.ok(prompt > tokens)
  t.match(usage, { cachedContentTokenCount: tokens, cacheTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] })
  let last: { usageMetadata?: object | undefined } = {}
  let text = ''
  for await (const chunk of await own.models.generateContentStream({
    model: 'svc-echo',
    contents: 'What color?',
    config,
  })) {
    last = chunk
    text += chunk.text ?? ''
  }
  t.equal(text, reply.text)
  t.match(last.usageMetadata, { promptTokenCount: prompt, cachedContentTokenCount: tokens })
  const { totals } = await readUsage(server.url, '?session=prompts&group=none')
  t.match(totals, { prompt_tokens: 2 * prompt, cached_tokens: 2 * tokens })
  const counted = await fetch(`${server.url}/ai/gemini/v1beta/models/svc-echo:countTokens`, {
    method: 'POST',
    headers: session,
    body: JSON.stringify({
      generateContentRequest: { contents: [{ parts: [{ text: 'What color?' }] }], cachedContent: cache.name },
    }),
  })
  t.match(await counted.json(), { totalTokens: prompt, cachedContentTokenCount: tokens })

  const tooled = await own.caches.create({ model, config: { tools: [weather], systemInstruction: 'Use tools' } })
  const called = await own.models.generateContent({
    model,
    contents: 'get weather in Rome',
    config: { cachedContent: tooled.name! },
  })
  t.match(called.functionCalls, [{ name: 'get_weather', args: { city: 'Rome' } }], 'its tools are called')
})

t.test('requests that a cache does not fit are refused [LLMN-42]', async t => {
  const { name } = await client.caches.create({ model, config: { contents: 'x' } })
  const ask = (config: object, of = model): Promise<unknown> =>
    failure(
      client.models.generateContent({ model: of, contents: 'hello', config: { cachedContent: name!, ...config } }),
    )
  const refused = { status: 400, message: /INVALID_ARGUMENT/ }
  t.match(await ask({ systemInstruction: 'Be brief' }), refused)
  t.match(await ask({ tools: [weather] }), refused)
  t.match(await ask({ toolConfig: { functionCallingConfig: {} } }), refused)
  t.match(await ask({}, 'gemini-2.5-pro'), refused, 'another model')
  t.match(await ask({ cachedContent: 'cachedContents/unknown' }), { status: 403, message: /PERMISSION_DENIED/ })
  const brief = await client.caches.create({ model, config: { contents: 'x', ttl: '0.001s' } })
  while (Date.now() <= Date.parse(brief.expireTime!)) await new Promise(resolve => setTimeout(resolve, 1))
  t.match(await ask({ cachedContent: brief.name! }), { status: 403 }, 'expired')
  t.match(await failure(client.caches.get({ name: brief.name! })), { status: 403 })
})

t.test('wrong caches are refused [LLMN-42]', async t => {
  const send = async (method: string, path: string, body: object): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${server.url}/ai/gemini/v1beta/cachedContents${path}`, {
      method,
      headers: { 'X-Svc-Session': 'caches' },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const contents = [{ parts: [{ text: 'x' }] }]
  const past = '2020-01-01T00:00:00Z'
  const wrong: object[] = [
    {},
    { contents },
    { model },
    { model, contents: [] },
    { model, contents, ttl: '10' },
    { model, contents, ttl: 10 },
    { model, contents, ttl: '-1s' },
    { model, contents, ttl: '0s' },
    { model, contents, expireTime: past },
    { model, contents, expireTime: 'tomorrow' },
    { model, contents, ttl: '10s', expireTime: '2999-01-01T00:00:00Z' },
    { model, contents, displayName: 'x'.repeat(129) },
  ]
  for (const body of wrong) {
    const { status, text } = await send('POST', '', body)
    t.equal(status, 400, `${JSON.stringify(body)}: ${text}`)
    t.match(JSON.parse(text), { error: { status: 'INVALID_ARGUMENT' } })
  }
  const cache = JSON.parse(
    (await send('POST', '', { model, contents, expireTime: '2999-01-01T00:00:00Z' })).text,
  ) as CachedContent
  t.equal(Date.parse(cache.expireTime!) - Date.parse(cache.createTime!), 7 * 86_400_000, 'at most a week')
  const id = cache.name!.replace('cachedContents', '')
  const changes: [query: string, body: object, status: number][] = [
    ['?updateMask=ttl', { ttl: '10s' }, 200],
    ['?updateMask=expireTime', { expireTime: '2999-01-01T00:00:00Z' }, 200],
    ['?update_mask=expire_time', { expire_time: '2999-01-01T00:00:00Z' }, 200],
    ['?updateMask=ttl', { expireTime: '2999-01-01T00:00:00Z' }, 400],
    ['?updateMask=displayName', { displayName: 'y' }, 400],
    ['', {}, 400],
    ['', { ttl: '-1s' }, 400],
  ]
  for (const [query, body, status] of changes)
    t.equal((await send('PATCH', id + query, body)).status, status, `${query} ${JSON.stringify(body)}`)
  t.equal((await send('PATCH', '/unknown', { ttl: '10s' })).status, 403)
})

t.test('in public mode a cache belongs to its session, and the reset removes it [LLMN-42]', async t => {
  const open = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const [one, two] = ['one', 'two'].map(name => clientOf({ 'X-Svc-Session': name }, open.url)) as [
    GoogleGenAI,
    GoogleGenAI,
  ]
  const { name } = await one.caches.create({ model, config: { contents: 'x', ttl: '7200s' } })
  const cache = await one.caches.get({ name: name! })
  t.equal(Date.parse(cache.expireTime!) - Date.parse(cache.createTime!), 3_600_000, 'at most an hour')
  t.match(await failure(two.caches.get({ name: name! })), { status: 403 })
  t.match(await failure(two.models.generateContent({ model, contents: 'x', config: { cachedContent: name! } })), {
    status: 403,
  })
  for (let count = 0; count < 12; count++) await two.caches.create({ model, config: { contents: `x${count}` } })
  let listed = 0
  for await (const _ of await two.caches.list()) listed += 1
  t.equal(listed, 10, 'the oldest are dropped')
})
