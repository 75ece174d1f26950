/** Headers of rate limits: a complete reply says what is left once it is paid, the head of a stream what was left before. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'
import { send, type Reply } from '../../support/rules.ts'

const server = await serveLlm(t)
const messages = [{ role: 'user', content: 'hello' }]
let sessions = 0

/** A request in a session of its own: 6000 tokens a minute, of which it reserves 3000 or its prompt, and uses 49. */
async function ask(path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
  return send(server, `POST ${path}`, {
    body,
    session: `limits-${++sessions}`,
    headers: { 'x-svc-tokens-per-second': '0', 'x-svc-limit-tpm': '6000', 'x-svc-limit-rpm': '10', ...headers },
  })
}

const chat = { model: 'svc-gpt', messages, max_tokens: 2996 }
const OPENAI: Record<string, [path: string, body: object]> = {
  chat: ['/ai/openai/v1/chat/completions', chat],
  completions: ['/ai/openai/v1/completions', { prompt: 'hello', max_tokens: 2996 }],
  responses: ['/ai/openai/v1/responses', { input: 'hello', max_output_tokens: 2996 }],
  embeddings: ['/ai/openai/v1/embeddings', { model: 'svc-embed', input: 'hello world' }],
  'azure deployment': ['/ai/azure/openai/deployments/svc-gpt/chat/completions?api-version=2024-10-21', chat],
  'azure responses': ['/ai/azure/openai/v1/responses', { input: 'hello', max_output_tokens: 2996 }],
}

t.test('OpenAI and Azure: what a complete reply leaves [LLMN-31]', async t => {
  for (const [name, [path, body]] of Object.entries(OPENAI)) {
    const { status, headers, json } = await ask(path, body)
    t.equal(status, 200, name)
    const { total_tokens: used } = (json as { usage: { total_tokens: number } }).usage
    t.equal(headers.get('x-ratelimit-remaining-tokens'), String(6000 - used), name)
    t.equal(headers.get('x-ratelimit-remaining-requests'), '9', name)
    if (name === 'chat') t.equal(used, 49, 'the rest of the 3000 is returned')
  }
})

t.test('Anthropic: what a complete reply leaves of each limit [LLMN-31]', async t => {
  const limits = { 'x-svc-limit-itpm': '1000', 'x-svc-limit-otpm': '2000', 'x-svc-limit-tpd': '9000' }
  const { headers } = await ask('/ai/anthropic/v1/messages', chat, limits)
  const left = (what: string): string | null => headers.get(`anthropic-ratelimit-${what}-remaining`)
  t.same(['requests', 'tokens', 'input-tokens', 'output-tokens'].map(left), ['9', '5951', '996', '1955'])
})

t.test('a stream says what was left before it began [LLMN-31]', async t => {
  const openai = await ask('/ai/openai/v1/chat/completions', { ...chat, stream: true })
  t.equal(openai.headers.get('x-ratelimit-remaining-tokens'), '3000')
  const anthropic = await ask('/ai/anthropic/v1/messages', { ...chat, stream: true })
  t.equal(anthropic.headers.get('anthropic-ratelimit-tokens-remaining'), '3000')
})

t.test('an error after the admission returns what was reserved', async t => {
  const strict = await serveLlm(t, { yaml: 'llm: { strict_fixtures: true }' })
  const { status, headers } = await send(strict, 'POST /ai/openai/v1/chat/completions', {
    body: chat,
    headers: { 'x-svc-limit-tpm': '6000' },
  })
  t.ok(status >= 400, 'no fixture says what to answer')
  t.equal(headers.get('x-ratelimit-remaining-tokens'), '6000')
})
