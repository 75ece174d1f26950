/** `POST /api/embed` and the older `POST /api/embeddings`. */
import type { EmbedParsed, Engine, LlmRoute } from '../llm/types.ts'
import { describePost } from './describe.ts'
import { modelOf } from './request.ts'

const dimensions = 768
const durations = { total_duration: 10_000_000, load_duration: 1_000_000 }

export function embed(engine: Engine): LlmRoute<EmbedParsed> {
  const names = { input: 'input', dimensions: 'dimensions' }
  return {
    method: 'POST',
    path: '/api/embed',
    op: 'embed',
    describe: describePost('/api/embed', 'create embeddings', [
      { name: 'One text', body: { model: 'nomic-embed-text', input: 'hello world', dimensions: 8 } },
    ]),
    parse(input) {
      const body = input.json()
      const model = modelOf(engine, body, input)
      return {
        op: 'embed',
        model,
        inputs: engine.embeddingInputs(body.input, input.limits, names),
        dimensions: engine.vectorSize(body.dimensions, dimensions, input.limits, names),
        wire: undefined,
      }
    },
    render: ({ vectors, promptTokens }, { model }) => ({
      body: { model, embeddings: vectors, ...durations, prompt_eval_count: promptTokens },
    }),
  }
}

export function embeddings(engine: Engine): LlmRoute<EmbedParsed> {
  const names = { input: 'prompt', dimensions: 'dimensions' }
  return {
    method: 'POST',
    path: '/api/embeddings',
    op: 'embed',
    describe: describePost('/api/embeddings', 'create an embedding', [
      { name: 'One text', body: { model: 'nomic-embed-text', prompt: 'hello world' } },
    ]),
    parse(input) {
      const body = input.json()
      const model = modelOf(engine, body, input)
      return {
        op: 'embed',
        model,
        inputs: engine.embeddingInputs(engine.json.textOf(body.prompt), input.limits, names),
        dimensions: engine.vectorSize(undefined, dimensions, input.limits, names),
        wire: undefined,
      }
    },
    render: ({ vectors }) => ({ body: { embedding: vectors[0] ?? [] } }),
  }
}
