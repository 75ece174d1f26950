/** `AzureOpenAI` of the official package against the mock, and the plain client on `/openai/v1`. */
import t from 'tap'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const fast = { 'X-Svc-Tokens-Per-Second': '0' }
const client = new AzureOpenAI({
  endpoint: `${server.url}/ai/azure`,
  apiVersion: '2024-10-21',
  apiKey: 'azure-key-9876',
  maxRetries: 0,
  defaultHeaders: fast,
})
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hello' }]

t.test('a deployment serves its model, with content filter results [LLM-54]', async t => {
  const { data, response } = await client.chat.completions.create({ model: 'svc-gpt', messages }).withResponse()
  t.match(data.choices[0]?.message.content, /^Hello! I'm svc/)
  t.match(data, {
    prompt_filter_results: [
      { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
    ],
  })
  t.equal(response.headers.get('x-svc-credential'), 'api-key ****9876')
  t.equal(response.headers.get('x-svc-model'), 'svc-gpt')
  let text = ''
  let first: unknown
  for await (const chunk of await client.chat.completions.create({ model: 'my-echo', messages, stream: true })) {
    first ??= chunk
    text += chunk.choices[0]?.delta.content ?? ''
  }
  t.match(first, {
    id: '',
    object: '',
    created: 0,
    model: '',
    choices: [],
    prompt_filter_results: [{ prompt_index: 0 }],
  })
  t.equal(text, 'user: hello')
})

t.test('the other operations of a deployment and of the resource [LLM-54]', async t => {
  t.equal(
    (await client.embeddings.create({ model: 'text-embedding-3-large', input: 'x' })).data[0]?.embedding.length,
    3072,
  )
  t.match((await client.completions.create({ model: 'svc-gpt', prompt: 'hello' })).choices[0]?.text, /^Hello/)
  t.equal((await client.images.generate({ model: 'dall-e-2', prompt: 'x' })).data?.length, 1)
  t.match(
    await client.audio.transcriptions.create({ model: 'whisper', file: await toFile(Buffer.from('x'), 'a.wav') }),
    { text: /^Hello from svc/ },
  )
  const created = await client.responses.create({ model: 'svc-gpt', input: 'hello' })
  t.match(created.output_text, /^Hello/)
  t.equal((await client.responses.retrieve(created.id)).output_text, created.output_text)
  t.match((await client.responses.inputItems.list(created.id)).data, [{ role: 'user' }])
  t.ok((await client.responses.inputTokens.count({ model: 'svc-gpt', input: 'hello' })).input_tokens > 0)
  await client.responses.delete(created.id)
  t.match(await client.responses.retrieve(created.id).catch((error: unknown) => error), { status: 404 })
  const upload = await client.uploads.create({
    filename: 'a',
    purpose: 'user_data',
    bytes: 1,
    mime_type: 'text/plain',
  })
  t.equal((await client.uploads.cancel(upload.id)).status, 'cancelled')
  t.ok((await client.models.list()).data.length > 5)
  t.equal((await client.models.retrieve('gpt-4o')).id, 'gpt-4o')
})

t.test('plain clients use /openai/v1 without api-version; elsewhere it is required [LLM-54]', async t => {
  const plain = new OpenAI({
    baseURL: `${server.url}/ai/azure/openai/v1`,
    apiKey: 'k',
    maxRetries: 0,
    defaultHeaders: fast,
  })
  t.match((await plain.chat.completions.create({ model: 'svc-gpt', messages })).choices[0]?.message.content, /^Hello/)
  t.ok((await plain.models.list()).data.length > 5)
  for (const query of ['', '?api-version=']) {
    const answer = await fetch(`${server.url}/ai/azure/openai/deployments/x/chat/completions${query}`, {
      method: 'POST',
      body: JSON.stringify({ messages }),
    })
    t.equal(answer.status, 400)
    t.equal(answer.headers.get('x-ms-error-code'), 'MissingApiVersionParameter')
    t.match(await answer.json(), { error: { code: 'MissingApiVersionParameter', message: /api-version/ } })
  }
})

t.test('filtered replies and rejected prompts contain the reason [LLM-54]', async t => {
  const filtered = await client.chat.completions.create(
    { model: 'svc-gpt', messages },
    { headers: { 'X-Svc-Fail': 'content_filter' } },
  )
  t.match(filtered.choices[0], {
    finish_reason: 'content_filter',
    message: { content: null },
    content_filter_results: { hate: { filtered: true, severity: 'high' } },
  })
  await t.rejects(
    client.chat.completions.create({ model: 'svc-gpt', messages }, { headers: { 'X-Svc-Fail': 'prompt_filter' } }),
    {
      status: 400,
      code: 'content_filter',
      error: { innererror: { code: 'ResponsibleAIPolicyViolation' }, type: null },
    },
  )
})
