/** Ollama's routes below `/v1` for OpenAI clients: the OpenAI format with Ollama's models. */
import type { Engine, LlmRoute, RouteInput } from '../llm/types.ts'
import type { OpenAiModelRouteName, OpenAiWire } from '../llm-openai/types.ts'

const NAMES: readonly OpenAiModelRouteName[] = ['chat', 'completions', 'responses', 'embeddings', 'models', 'model']
const OPENAI_BASE = '/ai/openai/v1'
const EXAMPLE_MODEL = 'llama3.2'

/** Whether a path (`/ai/<provider>/v1/...`) uses the OpenAI format, also for errors. */
export function isOpenAiPath(path: string): boolean {
  return path.split('/', 4)[3] === 'v1'
}

export function openAiRoutes(engine: Engine, wire: OpenAiWire): LlmRoute[] {
  return NAMES.map(name => {
    const route = wire.routes[name]
    const moved: LlmRoute = {
      ...route,
      path: `/v1${route.path}`,
      describe: {
        ...route.describe,
        summary: `${route.describe.summary} (OpenAI format)`,
        examples: route.describe.examples.map(example => ({
          ...example,
          path: moveExample(example.path),
          ...(example.json !== undefined && 'model' in example.json
            ? { json: { ...example.json, model: EXAMPLE_MODEL } }
            : {}),
        })),
      },
      finishReasons: route.finishReasons ?? wire.finishReasons,
      streamError: route.streamError ?? (facts => ({ data: wire.error('server_error', facts) })),
      parse: input => route.parse(route.method === 'POST' ? withModel(engine, input) : input),
    }
    return moved
  })
}

function moveExample(path: string): string {
  return path.replace(OPENAI_BASE, '/ai/ollama/v1').replace(/\/models\/[^/]+$/, `/models/${EXAMPLE_MODEL}`)
}

/** Requires a model: Ollama has no default model. */
function withModel(engine: Engine, input: RouteInput): RouteInput {
  const json = (): Record<string, unknown> => {
    const body = input.json()
    if (engine.json.textOf(body.model) === undefined && input.defaultModel === undefined)
      throw engine.badInput('model is required', { param: 'model' })
    return body
  }
  return Object.assign(Object.create(input) as RouteInput, { json })
}
