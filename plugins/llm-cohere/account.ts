/** `GET /v1/models`, `POST /v1/tokenize` and `POST /v1/check-api-key`. */
import type { Engine, LlmRoute, ModelInfo, ModelsParsed, OwnParsed } from '../llm/types.ts'
import { describePost } from './describe.ts'

export const models: ModelInfo[] = [
  { id: 'svc-command' }, { id: 'command-a-03-2025' }, { id: 'command-r-plus-08-2024' }, { id: 'svc-echo' }, { id: 'svc-scripted' }, { id: 'svc-random' },
  { id: 'svc-embed', kind: 'embed' }, { id: 'embed-v4.0', kind: 'embed' }, { id: 'svc-rerank', kind: 'rerank' }, { id: 'rerank-v3.5', kind: 'rerank' },
]

const endpoints: Readonly<Record<string, string[]>> = { embed: ['embed'], rerank: ['rerank'] }

export function listModels(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET', path: '/v1/models', op: 'models',
    describe: { summary: 'models', examples: [{ name: 'All models', path: '/ai/cohere/v1/models', expectStatus: 200 }] },
    parse: () => ({ op: 'models', wire: undefined }),
    render: (result) => ({ body: { models: result.models.map(({ id, kind = 'chat' }) => ({ name: id, endpoints: endpoints[kind] ?? ['chat'], finetuned: false, context_length: 128_000, is_deprecated: false })) } }),
  }
}

const mostTokenIds = 50_000
const mostCharacters = 65_536

/** Token ids are made up, but the same piece always has the same one. */
export function tokenize(engine: Engine): LlmRoute<OwnParsed<string[]>> {
  return {
    method: 'POST', path: '/v1/tokenize', op: 'other',
    describe: describePost('/v1/tokenize', 'tokens', [{ name: 'A text', body: { model: 'svc-command', text: 'hello world' } }]),
    parse(input) {
      const body = input.json()
      const text = body.text
      if (typeof text !== 'string') throw engine.badInput('invalid request: text is required')
      if (text.length > mostCharacters) throw engine.badInput(`invalid request: text can have at most ${mostCharacters} characters`)
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire: engine.pieces(text) }
    },
    render: (_result, { wire }) => ({ body: { tokens: wire.map((piece) => Number.parseInt(engine.digest('token', piece).slice(0, 8), 16) % mostTokenIds), token_strings: wire, meta: { api_version: { version: '1' } } } }),
  }
}

export function checkApiKey(engine: Engine): LlmRoute<OwnParsed> {
  return {
    method: 'POST', path: '/v1/check-api-key', op: 'other',
    describe: { summary: 'check an API key', examples: [{ name: 'A key', method: 'POST', path: '/ai/cohere/v1/check-api-key', headers: [{ name: 'Authorization', value: 'Bearer demo-key' }], expectStatus: 200 }] },
    parse({ credential }) {
      if (credential === null) throw engine.badInput('no api key supplied', { kind: 'missing_credential' })
      return { op: 'own', promptTokens: 0, completionTokens: 0, wire: undefined }
    },
    render: () => ({ body: { valid: true } }),
  }
}
