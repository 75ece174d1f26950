/** Claude on Vertex AI: the model is in the path, the API version in the body. */
import type { CountParsed, Engine, LlmRoute, LlmRouteDescription, RouteInput } from '../llm/types.ts'

const BASE = '/v1/projects/{project}/locations/{location}/publishers/anthropic/models'
const VERSION = 'vertex-2023-10-16'
const EXAMPLE_BASE = '/ai/anthropic/v1/projects/demo/locations/us-east5/publishers/anthropic/models'

/** Whether a path is a Vertex AI path (`/ai/<provider>/v1/projects/...`), where the API version is not in a header. */
export function isVertexPath(path: string): boolean {
  return path.split('/', 5)[4] === 'projects'
}

const hello = { anthropic_version: VERSION, max_tokens: 256, messages: [{ role: 'user', content: 'hello' }] }

/**
 * `rawPredict` and `streamRawPredict`, based on the messages route, and token counting, which must be registered first.
 */
export function vertexRoutes(engine: Engine, messages: LlmRoute, count: LlmRoute<CountParsed>): LlmRoute[] {
  return [
    {
      ...count,
      path: `${BASE}/count-tokens:rawPredict`,
      describe: describeVertex(
        'count-tokens:rawPredict',
        'count tokens (Vertex AI)',
        { anthropic_version: VERSION, model: 'svc-claude', messages: hello.messages },
        false,
      ),
    } as LlmRoute,
    {
      ...messages,
      path: `${BASE}/{model}:rawPredict`,
      describe: describeVertex('svc-claude:rawPredict', 'create a message (Vertex AI)', hello),
      parse: input => messages.parse(withPathModel(engine, input, {})),
    },
    {
      ...messages,
      path: `${BASE}/{model}:streamRawPredict`,
      describe: describeVertex('svc-claude:streamRawPredict', 'create a message with streaming (Vertex AI)', {
        ...hello,
        stream: true,
      }),
      parse: input => messages.parse(withPathModel(engine, input, { stream: true })),
    },
  ]
}

/** The equivalent request of the Messages API. */
function withPathModel(engine: Engine, input: RouteInput, more: object): RouteInput {
  const json = (): Record<string, unknown> => {
    const body = input.json()
    if (engine.json.textOf(body.anthropic_version) === undefined)
      throw engine.badInput('anthropic_version: Field required')
    return { ...body, ...more, model: input.params.model ?? '' }
  }
  return Object.assign(Object.create(input) as RouteInput, { json })
}

function describeVertex(action: string, summary: string, body: object, hasModel = true): LlmRouteDescription {
  const names = ['project', 'location', ...(hasModel ? ['model'] : [])]
  return {
    summary,
    parameters: names.map(name => ({
      name,
      in: 'path',
      required: true,
      description: 'Any value',
      schema: { type: 'string' },
    })),
    examples: [
      {
        name: summary,
        path: `${EXAMPLE_BASE}/${action}`,
        json: body,
      },
    ],
  }
}
