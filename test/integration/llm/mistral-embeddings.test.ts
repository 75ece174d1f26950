/** Embeddings for Mistral's clients, which refuse a list without an id. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { send } from '../../support/rules.ts'

const yaml = `
llm:
  providers:
    - { name: my-mistral, format: openai }
    - { name: acme, format: openai }
`

t.test('a list of embeddings has an id where the provider or the client is that of Mistral', async t => {
  const server = await serveLlm(t, { yaml })
  const idOf = async (provider: string, agent: string): Promise<string | undefined> => {
    const { status, json } = await send(server, `POST /ai/${provider}/v1/embeddings`, {
      body: { model: 'mistral-embed', input: ['hello'] },
      headers: { 'user-agent': agent },
    })
    t.equal(status, 200)
    return (json as { id?: string }).id
  }
  t.match(await idOf('openai', 'mistral-client-typescript/2.7.0'), /^[0-9a-f]{32}$/)
  t.match(await idOf('my-mistral', 'curl/8.5.0'), /^[0-9a-f]{32}$/)
  t.equal(await idOf('acme', 'OpenAI/JS 6.49.0'), undefined)
})
