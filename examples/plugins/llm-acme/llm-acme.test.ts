import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['llm-acme'] })
})
after(() => server.stop())

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/ai/acme/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer any', ...headers },
    body: JSON.stringify(body),
  })

interface Completion {
  choices: [{ message: { content: string } }]
  usage: { total_tokens: number }
}

test('clients get replies, streams, embeddings and models', async () => {
  const ask = { model: 'acme-echo', messages: [{ role: 'user', content: 'hello' }] }
  const response = await post('/chat/completions', ask)
  const { choices, usage } = (await response.json()) as Completion
  assert.match(choices[0].message.content, /hello/)
  assert.equal(response.headers.get('x-acme-credits'), String(usage.total_tokens))

  const events = await (await post('/chat/completions', { ...ask, stream: true })).text()
  const streamed = [...events.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data]) => JSON.parse(data!).choices[0]?.delta.content ?? '')
    .join('')
  assert.equal(streamed, choices[0].message.content)

  const vectors = await post('/embeddings', { model: 'acme-embed', input: 'hello', dimensions: 8 })
  const { data } = (await vectors.json()) as { data: [{ embedding: number[] }] }
  assert.equal(data[0].embedding.length, 8)
  const models = (await (await fetch(`${server.url}/ai/acme/v1/models`)).json()) as { data: { id: string }[] }
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['acme-large', 'acme-echo', 'acme-embed'],
  )
})

test('the rule and the fault are registered', async () => {
  const ask = { model: 'acme-large', messages: [{ role: 'user', content: 'anvil' }] }
  const { choices } = (await (await post('/chat/completions', ask)).json()) as Completion
  assert.equal(choices[0].message.content, 'Acme anvils fall anvil.')
  const failed = await post('/chat/completions', ask, { 'X-Svc-Fail': 'acme_strike' })
  assert.equal(failed.status, 503)
  assert.match(await failed.text(), /Acme is on strike/)
})
