/** The example provider, as the official SDK sees it. */
import t from 'tap'
import { join } from 'node:path'
import OpenAI from 'openai'
import { launch } from '../../../core/testing/launch.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'examples', 'plugins', 'llm-acme')
const server = await launch({ folders: [FOLDER], plugins: ['llm-acme'] })
t.teardown(() => server.stop())
const acme = new OpenAI({ baseURL: `${server.url}/ai/acme/v1`, apiKey: 'any', maxRetries: 0 })

t.test('replies, streams, embeddings and models', async t => {
  const ask = { model: 'acme-echo', messages: [{ role: 'user' as const, content: 'hello' }] }
  const { data, response } = await acme.chat.completions.create(ask).withResponse()
  t.match(data.choices[0]?.message.content, /hello/)
  t.equal(response.headers.get('x-acme-credits'), String(data.usage?.total_tokens))

  let streamed = ''
  for await (const chunk of await acme.chat.completions.create({ ...ask, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? ''
  t.equal(streamed, data.choices[0]?.message.content)

  const {
    data: [vector],
  } = await acme.embeddings.create({ model: 'acme-embed', input: 'hello', dimensions: 8 })
  t.equal(vector?.embedding.length, 8)
  t.strictSame(
    (await acme.models.list()).data.map(({ id }) => id),
    ['acme-large', 'acme-echo', 'acme-embed'],
  )
})

t.test('the rule and the fault', async t => {
  const messages = [{ role: 'user' as const, content: 'anvil' }]
  const { choices } = await acme.chat.completions.create({ model: 'acme-large', messages })
  t.equal(choices[0]?.message.content, 'Acme anvils fall anvil.')
  await t.rejects(
    acme.chat.completions.create({ model: 'acme-large', messages }, { headers: { 'X-Svc-Fail': 'acme_strike' } }),
    { message: /503 Acme is on strike/ },
  )
})
