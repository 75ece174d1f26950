/** The official `@google/genai` against the mock. */
import t from 'tap'
import { ApiError, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const client = new GoogleGenAI({
  apiKey: 'goog-key-7777',
  httpOptions: { baseUrl: `${server.url}/ai/gemini`, headers: { 'X-Svc-Tokens-Per-Second': '0' } },
})
const declaration = {
  name: 'get_weather',
  description: 'Current weather',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
}

t.test('content with and without streaming [LLM-58]', async t => {
  const whole = await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hello' })
  t.match(whole.text, /^Hello! I'm svc/)
  t.match(whole.usageMetadata, { promptTokenCount: 4, candidatesTokenCount: 45, totalTokenCount: 49 })
  t.equal(whole.candidates?.[0]?.finishReason, 'STOP')
  t.equal(whole.modelVersion, 'gemini-2.5-flash')
  let text = ''
  let chunks = 0
  let last
  for await (const chunk of await client.models.generateContentStream({ model: 'svc-gemini', contents: 'hello' })) {
    text += chunk.text ?? ''
    chunks++
    last = chunk
  }
  t.equal(text, whole.text)
  t.equal(chunks, Math.ceil(45 / 4), 'four tokens per chunk')
  t.match(last, { candidates: [{ finishReason: 'STOP' }], usageMetadata: { totalTokenCount: 49 } })
  const limited = await client.models.generateContent({
    model: 'svc-gemini',
    contents: 'hello',
    config: { maxOutputTokens: 2, systemInstruction: 'be brief' },
  })
  t.equal(limited.candidates?.[0]?.finishReason, 'MAX_TOKENS')
})

t.test('functions, schemas, thoughts, candidates, chats [LLM-58]', async t => {
  const config = {
    tools: [{ functionDeclarations: [declaration] }],
    toolConfig: {
      functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_weather'] },
    },
  }
  const asked = await client.models.generateContent({
    model: 'svc-gemini',
    contents: 'what about Rome, to Rome',
    config,
  })
  t.match(asked.functionCalls, [{ name: 'get_weather', args: { city: 'Rome' } }])
  let streamed
  for await (const chunk of await client.models.generateContentStream({
    model: 'svc-gemini',
    contents: 'weather',
    config,
  }))
    streamed = chunk.functionCalls
  t.match(streamed, [{ name: 'get_weather' }])
  const contents = [
    { role: 'user', parts: [{ text: 'weather' }] },
    { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { sky: 'blue' } } }] },
  ]
  const { tools } = config
  const answered = await client.models.generateContent({ model: 'svc-gemini', config: { tools }, contents })
  t.match(answered.text, /get_weather returned \{"sky":"blue"\}/)
  const forced = await client.models.generateContent({ model: 'svc-gemini', config, contents })
  t.match(forced.functionCalls, [{ name: 'get_weather' }], 'a forced call is made after results too')
  const shaped = await client.models.generateContent({
    model: 'svc-gemini',
    contents: 'x',
    config: {
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { age: { type: 'integer' } } },
    },
  })
  t.same(JSON.parse(shaped.text ?? ''), { age: 30 })
  const thought = await client.models.generateContent({
    model: 'svc-gemini',
    contents: 'hello',
    config: { thinkingConfig: { includeThoughts: true }, candidateCount: 2 },
  })
  t.match(thought.candidates?.[0]?.content?.parts, [{ thought: true, text: /^The user said/ }, { text: /^Hello/ }])
  t.equal(thought.candidates?.length, 2)
  t.ok((thought.usageMetadata?.thoughtsTokenCount ?? 0) > 0)
  const chat = client.chats.create({ model: 'svc-echo' })
  await chat.sendMessage({ message: 'one' })
  t.match((await chat.sendMessage({ message: 'two' })).text, /^user: one\nassistant: user: one\nuser: two$/)
})

t.test('embeddings, token counts, models [LLM-58]', async t => {
  const { embeddings } = await client.models.embedContent({
    model: 'gemini-embedding-001',
    contents: ['hello', 'world'],
    config: { outputDimensionality: 8 },
  })
  t.same(
    embeddings?.map(embedding => embedding.values?.length),
    [8, 8],
  )
  t.equal(
    (await client.models.embedContent({ model: 'gemini-embedding-001', contents: 'hello' })).embeddings?.[0]?.values
      ?.length,
    3072,
  )
  t.equal((await client.models.countTokens({ model: 'svc-gemini', contents: 'hello' })).totalTokens, 4)
  const names: (string | undefined)[] = []
  for await (const model of await client.models.list()) names.push(model.name)
  t.ok(names.includes('models/gemini-2.5-pro'))
  const pager = await client.models.list({ config: { pageSize: 5 } })
  t.equal(pager.page.length, 5)
  const paged: (string | undefined)[] = []
  for await (const model of pager) paged.push(model.name)
  t.same(paged, names, 'pages of five contain the same models')
  t.equal((await client.models.get({ model: 'gemini-next' })).name, 'models/gemini-next')
})

t.test('errors and refusals [LLM-59]', async t => {
  const failing = (fail: string): Promise<unknown> =>
    client.models
      .generateContent({
        model: 'svc-gemini',
        contents: 'hello',
        config: { httpOptions: { headers: { 'X-Svc-Fail': fail } } },
      })
      .catch((error: unknown) => error)
  const limited = await failing('rate_limit')
  t.ok(limited instanceof ApiError)
  t.equal((limited as ApiError).status, 429)
  t.match((limited as ApiError).message, /RESOURCE_EXHAUSTED.*RetryInfo/s)
  t.match(await failing('prompt_filter'), { promptFeedback: { blockReason: 'SAFETY' }, candidates: undefined })
  t.match(await failing('content_filter'), {
    candidates: [{ finishReason: 'SAFETY', safetyRatings: [{}, { blocked: true }] }],
  })
  const answer = await fetch(`${server.url}/ai/gemini/v1/models/svc-gemini:streamGenerateContent?key=secret-1234`, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] }),
  })
  t.equal(answer.headers.get('x-svc-credential'), 'query-key ****1234')
  const list = (await answer.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[]
  t.match(list.map(chunk => chunk.candidates[0]?.content.parts[0]?.text).join(''), /^Hello! I'm svc.*today\?$/)
  for (const path of ['models/svc-gemini', 'models/svc-gemini:dance']) {
    const unknown = await fetch(`${server.url}/ai/gemini/v1beta/${path}`, { method: 'POST', body: '{}' })
    t.equal(unknown.status, 404, path)
    t.match(await unknown.json(), { error: { status: 'NOT_FOUND' } })
  }
})

t.test('models with pagination; the last page has no token [LLM-58]', async t => {
  const list = async (
    query: string,
  ): Promise<{ status: number; body: { models?: object[]; nextPageToken?: string; error?: object } }> => {
    const answer = await fetch(`${server.url}/ai/gemini/v1beta/models${query}`)
    return { status: answer.status, body: (await answer.json()) as { models?: object[] } }
  }
  const first = (await list('?pageSize=10')).body
  t.equal(first.models?.length, 10)
  const rest = (await list(`?page_size=10&pageToken=${first.nextPageToken}`)).body
  t.equal(rest.models?.length, 2)
  t.notOk('nextPageToken' in rest)
  for (const query of ['', '?pageSize=0', '?pageSize=5000']) t.equal((await list(query)).body.models?.length, 12, query)
  for (const query of [
    '?pageSize=many',
    '?pageSize=-1',
    '?pageSize=99999999999',
    '?pageSize=1.5',
    '?pageToken=x',
    '?pageToken=YWZ0ZXI6MA',
    `?pageToken=${'A'.repeat(5000)}`,
  ]) {
    t.match(await list(query), { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } }, query)
  }
})

t.test('the array of a stream ends with its bracket on a separate line [LLM-58]', async t => {
  const answer = await fetch(`${server.url}/ai/gemini/v1beta/models/svc-gemini:streamGenerateContent`, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] }),
  })
  const text = await answer.text()
  t.ok(text.endsWith('}\n]'))
  t.equal((JSON.parse(text) as object[]).length, Math.ceil(45 / 4))
})

t.test('the paths of Vertex AI: content, streams, counts, embeddings, errors [LLM-58]', async t => {
  // With an Authorization header the package doesn't look for Google credentials.
  const vertex = new GoogleGenAI({
    vertexai: true,
    project: 'demo',
    location: 'us-central1',
    googleAuthOptions: {
      authClient: {
        getRequestHeaders: () => Promise.resolve(new Headers({ Authorization: 'Bearer vertex-1234' })),
      } as never,
    },
    httpOptions: { baseUrl: `${server.url}/ai/gemini`, headers: { 'X-Svc-Tokens-Per-Second': '0' } },
  })
  const whole = await vertex.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hello' })
  t.match(whole.text, /^Hello! I'm svc/)
  let text = ''
  for await (const chunk of await vertex.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hello' }))
    text += chunk.text ?? ''
  t.equal(text, whole.text)
  t.equal((await vertex.models.countTokens({ model: 'svc-gemini', contents: 'hello' })).totalTokens, 4)
  const { embeddings } = await vertex.models.embedContent({
    model: 'text-embedding-005',
    contents: ['hello', 'world'],
    config: { outputDimensionality: 8 },
  })
  t.match(embeddings, [{ values: { length: 8 }, statistics: { tokenCount: 2 } }, { values: { length: 8 } }])
  const base = `${server.url}/ai/gemini/v1/projects/demo/locations/us-central1/publishers/google/models`
  const answer = await fetch(`${base}/svc-gemini:generateContent`, {
    method: 'POST',
    headers: { authorization: 'Bearer vertex-1234' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }),
  })
  t.equal(answer.headers.get('x-svc-credential'), 'bearer ****1234')
  t.equal(answer.headers.get('x-svc-model'), 'svc-gemini')
  for (const [path, body, status] of [
    ['svc-gemini:dance', '{}', 404],
    ['svc-gemini:generateContent', '{}', 400],
    ['text-embedding-005:predict', '{}', 400],
    ['text-embedding-005:predict', '{"instances":[{}]}', 400],
  ] as const) {
    const refused = await fetch(`${base}/${path}`, { method: 'POST', body })
    t.equal(refused.status, status, path)
    t.match(await refused.json(), { error: { code: status } })
  }
})

t.test('the paths of Vertex AI in express mode, with only an API key [LLM-58]', async t => {
  const express = new GoogleGenAI({
    vertexai: true,
    apiKey: 'express-key-4321',
    httpOptions: {
      baseUrl: `${server.url}/ai/gemini`,
      headers: { 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Require-Auth': 'true' },
    },
  })
  const whole = await express.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hello' })
  t.match(whole.text, /^Hello! I'm svc/)
  let text = ''
  for await (const chunk of await express.models.generateContentStream({
    model: 'gemini-2.5-flash',
    contents: 'hello',
  }))
    text += chunk.text ?? ''
  t.equal(text, whole.text)
  t.equal((await express.models.countTokens({ model: 'svc-gemini', contents: 'hello' })).totalTokens, 4)
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello' }] }] })
  for (const version of ['v1', 'v1beta1']) {
    const answer = await fetch(
      `${server.url}/ai/gemini/${version}/publishers/google/models/svc-gemini:generateContent?key=express-key-4321`,
      { method: 'POST', body },
    )
    t.equal(answer.headers.get('x-svc-credential'), 'query-key ****4321', version)
    t.equal(answer.headers.get('x-svc-model'), 'svc-gemini')
    t.match(await answer.json(), { candidates: [{ finishReason: 'STOP' }] })
  }
  const refused = await fetch(`${server.url}/ai/gemini/v1/publishers/google/models/svc-gemini:generateContent`, {
    method: 'POST',
    headers: { 'X-Svc-Require-Auth': 'true' },
    body,
  })
  t.match(await refused.json(), { error: { code: 403, status: 'PERMISSION_DENIED' } })
})
