/** `GET /models` and `GET /models/{model}`, and the answer to everything else below `/models/`. */
import type { Engine, LlmRoute, ModelInfo, ModelsParsed, OwnParsed } from '../llm/types.ts'
import { modelOf } from './actions.ts'

export const models: ModelInfo[] = [
  ...['svc-gemini', 'gemini-3.8-flash', 'gemini-3.5-flash', 'gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.0-flash', 'gemini-flash-latest'].map((id): ModelInfo => ({ id })),
  { id: 'gemini-embedding-001', kind: 'embed' }, { id: 'text-embedding-004', kind: 'embed' }, { id: 'svc-echo' }, { id: 'svc-scripted' }, { id: 'svc-random' },
]

function show({ id, kind }: ModelInfo): object {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    description: 'A mock model of svc',
    inputTokenLimit: kind === 'embed' ? 2048 : 1_048_576,
    outputTokenLimit: kind === 'embed' ? 1 : 65_536,
    supportedGenerationMethods: kind === 'embed' ? ['embedContent', 'batchEmbedContents', 'countTokens'] : ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

const contentType = 'application/json; charset=UTF-8'

export function listModels(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET', path: '/v1beta/models', op: 'models',
    describe: { summary: 'models', examples: [{ name: 'All models', path: '/ai/gemini/v1beta/models', expectStatus: 200 }] },
    parse: () => ({ op: 'models', wire: undefined }),
    render: (result) => ({ body: { models: result.models.map(show) }, contentType }),
  }
}

export function getModel(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET', path: '/v1beta/models/{*model}', op: 'models',
    describe: {
      summary: 'one model',
      parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }],
      examples: [{ name: 'One model', path: '/ai/gemini/v1beta/models/svc-gemini', expectStatus: 200 }],
    },
    parse: (input) => ({ op: 'models', id: modelOf(input), wire: undefined }),
    render: ({ model }) => ({ body: model === undefined ? {} : show(model), contentType }),
  }
}

/** A POST without an action, or with one that nobody knows. */
export function unknownAction(engine: Engine): LlmRoute<OwnParsed> {
  return {
    method: 'POST', path: '/v1beta/models/{*model}', op: 'other',
    describe: {
      summary: 'unknown action',
      parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { '4XX': { description: "No such action, or no credential, in the provider's own form" } },
      examples: [{ name: 'No action', method: 'POST', path: '/ai/gemini/v1beta/models/svc-gemini', body: '{}', bodyType: 'json', expectStatus: 404 }],
    },
    parse() {
      throw engine.badInput('Requested entity was not found: the path names no known action of a model.', { kind: 'not_found' })
    },
    render: () => ({ body: {} }),
  }
}
