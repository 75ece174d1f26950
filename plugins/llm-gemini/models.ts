/** `GET /models` with pagination, `GET /models/{model}`, and the error for unknown actions below `/models/`. */
import type { Engine, HandlerRoute, LlmRoute, ModelInfo, ModelsParsed } from '../llm/types.ts'
import { modelOf } from './actions.ts'
import { readPage, type Page } from './page.ts'

export const models: ModelInfo[] = [
  ...[
    'svc-gemini',
    'gemini-3.8-flash',
    'gemini-3.5-flash',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.0-flash',
    'gemini-flash-latest',
  ].map((id): ModelInfo => ({ id })),
  { id: 'gemini-embedding-001', kind: 'embed' },
  { id: 'text-embedding-004', kind: 'embed' },
  { id: 'svc-echo' },
  { id: 'svc-scripted' },
  { id: 'svc-random' },
]

function show({ id, kind, context_window, max_output_tokens }: ModelInfo): object {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    description: 'A mock model of svc',
    inputTokenLimit: context_window ?? (kind === 'embed' ? 2048 : 1_048_576),
    outputTokenLimit: max_output_tokens ?? (kind === 'embed' ? 1 : 65_536),
    supportedGenerationMethods:
      kind === 'embed'
        ? ['embedContent', 'batchEmbedContents', 'countTokens']
        : ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

const contentType = 'application/json; charset=UTF-8'

export function listModels(engine: Engine): LlmRoute<ModelsParsed<Page>> {
  return {
    method: 'GET',
    path: '/v1beta/models',
    op: 'models',
    describe: {
      summary: 'list models',
      parameters: [
        {
          name: 'pageSize',
          in: 'query',
          description: 'Models per page; default 50',
          schema: { type: 'integer', minimum: 0 },
        },
        {
          name: 'pageToken',
          in: 'query',
          description: 'nextPageToken of the previous page',
          schema: { type: 'string' },
        },
      ],
      examples: [
        { name: 'All models', path: '/ai/gemini/v1beta/models', expectStatus: 200 },
        { name: 'A page of three', path: '/ai/gemini/v1beta/models?pageSize=3', expectStatus: 200 },
      ],
    },
    parse: input => ({
      op: 'models',
      wire: readPage(engine, input, { method: 'ListModelsRequest', usual: 50, max: 1000 }),
    }),
    render(result, { wire }) {
      const { items, nextToken } = engine.cutPage(result.models, wire.start, wire.size)
      return {
        body: { models: items.map(show), ...(nextToken === null ? {} : { nextPageToken: nextToken }) },
        contentType,
      }
    },
  }
}

export function getModel(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET',
    path: '/v1beta/models/{*model}',
    op: 'models',
    describe: {
      summary: 'get a model',
      parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }],
      examples: [{ name: 'One model', path: '/ai/gemini/v1beta/models/svc-gemini', expectStatus: 200 }],
    },
    parse: input => ({ op: 'models', id: modelOf(input), wire: undefined }),
    render: ({ model }) => ({ body: model === undefined ? {} : show(model), contentType }),
  }
}

/** A POST with an unknown action, or without an action. */
export function unknownAction(engine: Engine): HandlerRoute {
  return {
    method: 'POST',
    path: '/v1beta/models/{*model}',
    op: 'other',
    describe: {
      summary: 'unknown action',
      parameters: [{ name: 'model', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        '4XX': { description: "The action is unknown, or the credential is missing; in the provider's format" },
      },
      examples: [
        {
          name: 'No action',
          method: 'POST',
          path: '/ai/gemini/v1beta/models/svc-gemini',
          body: '{}',
          bodyType: 'json',
          expectStatus: 404,
        },
      ],
    },
    handle() {
      throw engine.badInput('Requested entity was not found: unknown model action.', {
        kind: 'not_found',
      })
    },
  }
}
