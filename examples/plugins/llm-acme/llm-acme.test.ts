import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import OpenAI from 'openai'
import { startTestServer } from 'svc/testing'
import type { TestServer } from 'svc/testing'

let server: TestServer
let acme: OpenAI
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['llm-acme'] })
  acme = new OpenAI({ baseURL: `${server.url}/ai/acme/v1`, apiKey: 'any', maxRetries: 0 })
})
after(() => server.stop())

test('the OpenAI SDK gets replies, streams, embeddings and models', async () => {
  const ask = { model: 'acme-echo', messages: [{ role: 'user' as const, content: 'hello' }] }
  const { data, response } = await acme.chat.completions.create(ask).withResponse()
  assert.match(data.choices[0]?.message.content ?? '', /hello/)
  assert.equal(response.headers.get('x-acme-credits'), String(data.usage?.total_tokens))

  let streamed = ''
  for await (const chunk of await acme.chat.completions.create({ ...ask, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  assert.equal(streamed, data.choices[0]?.message.content)

  const {
    data: [vector],
  } = await acme.embeddings.create({ model: 'acme-embed', input: 'hello', dimensions: 8 })
  assert.equal(vector?.embedding.length, 8)
  assert.deepEqual(
    (await acme.models.list()).data.map(({ id }) => id),
    ['acme-large', 'acme-echo', 'acme-embed'],
  )
})

test('the rule and the fault are registered', async () => {
  const messages = [{ role: 'user' as const, content: 'anvil' }]
  const { choices } = await acme.chat.completions.create({ model: 'acme-large', messages })
  assert.equal(choices[0]?.message.content, 'Acme anvils fall anvil.')
  await assert.rejects(
    acme.chat.completions.create({ model: 'acme-large', messages }, { headers: { 'X-Svc-Fail': 'acme_strike' } }),
    /503 Acme is on strike/,
  )
})
