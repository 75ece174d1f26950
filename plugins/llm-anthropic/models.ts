/** `GET /v1/models` with pagination, and `GET /v1/models/{model}`. */
import type { Engine, LlmRoute, ModelInfo, ModelsParsed } from '../llm/types.ts'
import { pageOf, readPage, type Page } from './page.ts'

export const models: ModelInfo[] = [
  'svc-claude',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
  'svc-echo',
  'svc-scripted',
  'svc-random',
].map(id => ({ id }))

function show({ id, context_window, max_output_tokens }: ModelInfo): object {
  const name = id
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: '2026-01-15T00:00:00Z',
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: context_window ?? 200_000,
    max_tokens: max_output_tokens ?? 64_000,
    retires_at: null,
  }
}

export function listModels(engine: Engine): LlmRoute<ModelsParsed<Page>> {
  return {
    method: 'GET',
    path: '/v1/models',
    op: 'models',
    describe: {
      summary: 'list models',
      parameters: ['limit', 'after_id', 'before_id'].map(name => ({
        name,
        in: 'query',
        schema: { type: name === 'limit' ? 'integer' : 'string' },
      })),
      examples: [{ name: 'Two models', path: '/ai/anthropic/v1/models?limit=2', expectStatus: 200 }],
    },
    parse: input => ({ op: 'models', wire: readPage(engine, input) }),
    render(result, { wire }) {
      const { page, hasMore } = pageOf(result.models, wire)
      return {
        body: {
          data: page.map(show),
          has_more: hasMore,
          first_id: page[0]?.id ?? null,
          last_id: page.at(-1)?.id ?? null,
        },
      }
    },
  }
}

export function retrieveModel(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET',
    path: '/v1/models/{model}',
    op: 'models',
    describe: {
      summary: 'get a model',
      parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }],
      examples: [{ name: 'One model', path: '/ai/anthropic/v1/models/svc-claude', expectStatus: 200 }],
    },
    parse: ({ params }) => ({ op: 'models', id: params.model ?? '', wire: undefined }),
    render: ({ model }) => ({ body: model === undefined ? {} : show(model) }),
  }
}
