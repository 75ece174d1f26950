/** `GET /models` and `GET /models/{model}`. */
import type { LlmRoute, ModelInfo, ModelsParsed } from '../../llm/types.ts'
import { describeGet } from '../format/describe.ts'

const createdAt = 1_700_000_000

function show(model: ModelInfo): object {
  return { id: model.id, object: 'model', created: createdAt, owned_by: model.owned_by ?? 'svc' }
}

export function listModels(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET',
    path: '/models',
    op: 'models',
    describe: describeGet('/models', 'list models', 'All models'),
    parse: () => ({ op: 'models', wire: undefined }),
    render: ({ models }) => ({ body: { object: 'list', data: models.map(show) } }),
  }
}

export function retrieveModel(): LlmRoute<ModelsParsed> {
  return {
    method: 'GET',
    path: '/models/{model}',
    op: 'models',
    describe: {
      ...describeGet('/models/svc-gpt', 'get a model', 'One model'),
      parameters: [
        {
          name: 'model',
          in: 'path',
          required: true,
          description: 'A listed id, an id that starts with svc, or one that contains a mode',
          schema: { type: 'string' },
        },
      ],
    },
    parse: ({ params }) => ({ op: 'models', id: params.model ?? '', wire: undefined }),
    render: ({ model }) => ({ body: model === undefined ? {} : show(model) }),
  }
}
