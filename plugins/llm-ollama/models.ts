/** Information about the Ollama server: models, running models, version. */
import type { Engine, HandlerRoute, LlmRoute, ModelInfo, ModelsParsed } from '../llm/types.ts'
import { describeGet, describePost } from './describe.ts'
import { modelOf } from './request.ts'

export const models: ModelInfo[] = [
  { id: 'llama3.2:latest' },
  { id: 'qwen2.5:7b' },
  { id: 'mistral:latest' },
  { id: 'nomic-embed-text:latest', kind: 'embed' },
  { id: 'svc-echo:latest' },
  { id: 'svc-scripted:latest' },
]

const modifiedAt = '2026-01-15T09:30:00Z'
const version = '0.14.0'

function familyOf(id: string): string {
  return /^[a-z]+/.exec(id)?.[0] ?? 'svc'
}

function detailsOf({ id }: ModelInfo): object {
  const family = familyOf(id)
  return {
    parent_model: '',
    format: 'gguf',
    family,
    families: [family],
    parameter_size: '7B',
    quantization_level: 'Q4_K_M',
  }
}

export function tags(engine: Engine): LlmRoute<ModelsParsed> {
  return {
    method: 'GET',
    path: '/api/tags',
    op: 'models',
    describe: describeGet('/api/tags', 'list models'),
    parse: () => ({ op: 'models', wire: undefined }),
    render: result => ({
      body: {
        models: result.models.map(model => ({
          name: model.id,
          model: model.id,
          modified_at: modifiedAt,
          size: 2_019_393_189,
          digest: engine.digest('model', model.id),
          details: detailsOf(model),
        })),
      },
    }),
  }
}

export function show(engine: Engine): LlmRoute<ModelsParsed> {
  return {
    method: 'POST',
    path: '/api/show',
    op: 'models',
    describe: describePost('/api/show', 'show a model', [{ name: 'One model', body: { model: 'llama3.2' } }]),
    parse: input => ({ op: 'models', id: modelOf(engine, input.json(), input), wire: undefined }),
    render({ model = { id: 'svc' } }) {
      const family = familyOf(model.id)
      return {
        body: {
          license: 'MIT',
          modelfile: `FROM ${model.id}`,
          parameters: 'temperature 0',
          template: '{{ .Prompt }}',
          system: '',
          details: detailsOf(model),
          messages: [],
          model_info: {
            'general.architecture': family,
            'general.parameter_count': 7_000_000_000,
            [`${family}.context_length`]: model.context_window ?? 8192,
          },
          capabilities: model.kind === 'embed' ? ['embedding'] : ['completion', 'tools', 'thinking'],
          modified_at: modifiedAt,
        },
      }
    },
  }
}

function fixed(path: string, summary: string, body: object | string): HandlerRoute {
  return {
    method: 'GET',
    path,
    op: 'other',
    describe: describeGet(path, summary),
    handle: () => (typeof body === 'string' ? { body, contentType: 'text/plain; charset=utf-8' } : { body }),
  }
}

export function ps(): HandlerRoute {
  return fixed('/api/ps', 'list running models', { models: [] })
}

export function showVersion(): HandlerRoute {
  return fixed('/api/version', 'get the version', { version })
}

export function root(): HandlerRoute {
  return fixed('/', 'check that the server is running', 'Ollama is running')
}
